/// Output of `pacectl help`, and the names of commands and options in it.
package enum HelpText {
    /// The help of one command, or of all.
    package static func text(of command: String?) -> String {
        guard let command else { return helpOfAll }
        var lines: [Substring] = []
        var isOurs = false
        for line in helpOfAll.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("  "), let first = line.dropFirst(2).first, first != " " {
                isOurs = line.dropFirst(2).prefix { $0 != " " } == command
            } else if line.isEmpty {
                isOurs = false
            }
            if isOurs { lines.append(line) }
        }
        return "Usage: pacectl [OPTION]... COMMAND\n\n" + lines.joined(separator: "\n")
            + "\n\n'pacectl help' lists the options of all commands; 'man pacectl' has the details.\n"
    }

    /// The commands, each once.
    package static let commands: [String] = {
        var names: [String] = []
        for line in helpOfAll.split(separator: "\n") where line.hasPrefix("  ") {
            let name = line.dropFirst(2).prefix { $0 != " " }
            if let first = name.first, first.isLowercase, !names.contains(String(name)) { names.append(String(name)) }
        }
        return names
    }()

    /// The options of all commands, each once.
    static let options: [String] = {
        var names: [String] = []
        for word in helpOfAll.split(whereSeparator: { " \n[],;|".contains($0) }) where word.hasPrefix("--") {
            if !names.contains(String(word)) { names.append(String(word)) }
        }
        return names
    }()
}

private let helpOfAll = """
    pacectl is the command line of paced, the headless sports computer.

    Usage: pacectl [OPTION]... COMMAND

      status                    show the run, the strap and the receiver
      watch [--web-dir DIR] [--replay FILE|ID [--speed N] [--loop]]
                                show the run until q is pressed; without a terminal
                                print a line for each change; --replay shows a
                                recorded file or activity as if it happened now
      start [SPORT] [--indoor] [--ago SECONDS]
                                start a run: run, walk, hike, ride or other;
                                --ago backdates it, by at most 120 s
      pause                     pause the run
      resume                    resume the run
      lap                       close the lap
      stop                      stop the run and keep it
      discard                   stop the run and delete it
      scan [--seconds N]        list the sensors nearby; scans for 10 s, or N
      sensors [status]          show your sensors with their links and values
      sensors add SENSOR        use this sensor too: an address, a name or the end
                                of a name
      sensors use SENSOR        use this sensor instead of those that you have
      sensors auto              use a strap that is known or near, nothing else
      sensors off               use no sensor
      sensors pair SENSOR       pair with a sensor that measures only then
      sensors zero [SENSOR]     set the zero offset of a power meter; keep the
                                crank still, without load
      sensors forget [SENSOR]   forget a sensor, or all of them
      workout                   show the steps of the workout, which is a setting:
                                settings set workout '10 min zone 2, 1 km, lap'
      workout load FILE         follow the workout of a FIT file in the next run, or
                                from now on in the present one
      workout unload            follow none
      course [list]             list the courses, newest first
      course show REF           show the profile, the climbs and the points of a
                                course; REF is its number, its name, last, or
                                loaded
      course import FILE… [--name NAME] [--load]
                                store courses: FIT, TCX, GPX, KML or GeoJSON;
                                --load follows the last one
      course export REF [--format F] [-o FILE]
                                write a course as fit, gpx, tcx, geojson or kml
      course load REF           follow a course in the next run, or from now on in
                                the present one
      course unload             follow none
      course from ID [--name NAME]
                                make a course of an activity
      course reverse REF        make a course in the other direction
      course rename REF NAME    name a course
      course delete REF         delete a course; activities on it keep it
      course partner [PACE|ID|off] [--on-course]
                                show the partner, or run against a pace such as
                                5:00/km, or against an activity, by distance or
                                by place on the course
      settings                  show all settings
      settings get [KEY]        show a setting, or all
      settings set KEY VALUE    change a setting; VALUE is text or JSON:
                                settings set zones '[114,133,152,171,180]'
      settings reset KEY        bring a setting's default back
      activities [--sport S] [--since DAY] [--until DAY] [--limit N] [--before ID]
                 [--totals week|month|year]
                                list recorded and imported activities, newest first,
                                or their totals; DAY is a date such as 2026-03-01
      badges                    list the badges that your runs, walks and hikes have
                                earned, and the next one
      bests [--sport S] [--since DAY] [--before DAY]
                                list your personal bests in each sport, with the
                                activity and the place in it where each began
      show ID                   show totals, laps and time in zones of an activity,
                                its route, elevation and heart rate; ID is a number,
                                or last for the newest activity
      rename ID NAME            name an activity
      edit ID [--sport S] [--name NAME] [--start TIME]
                                correct the sport, the name or the start of an
                                activity; TIME is local, such as '2026-03-01 07:30',
                                or ends in Z or an offset
      delete ID...|--demo [--force]
                                delete activities, or those that demos recorded;
                                asks on a terminal
      export ID... [--format F] [-o FILE] [--all] [--force] [--verbose]
             [--hide METRES]
                                write activities as fit, gpx, tcx, geojson, kml or
                                csv; several, or --all, into the directory of -o;
                                --force replaces files; --hide leaves out the
                                positions around start and end
      report ID [-o FILE] [--force] [--hide METRES]
                                write one HTML page with the map, charts, splits and
                                laps of an activity; hides the positions within
                                200 m, or METRES, around start and end
      report --since DAY [--until DAY] [--sport S] [-o FILE] [--force]
                                write one HTML page with months, weeks, bests and
                                new badges of the activities from that day on
      import [--sport S] [--again] [--one] [--verbose] [--] FILE...
                                read FIT, GPX, TCX and KML files, also as .gz;
                                --again replaces an activity that is there already;
                                --one makes the sessions of a file one activity
      recover FILE              copy what can be read of a damaged journal into the
                                list of activities
      replay ID|FILE [--speed N] [--interval-ms N] [--sport S]
             [--course FILE|REF]
                                print the lines of a run or a file at N times real
                                time, or at once
      rows ID|FILE [--sport S]  print an activity, or that of a file, as JSON lines:
                                the data of an upload
      publish TOPIC [--valid-for SECONDS] [--source NAME]
                                hand the JSON object of standard input to the
                                clients that watch the topic, such as x-tyres
      weather [--at LAT,LON|ICAO] [--raw] [--net-dir DIR]
                                show the weather of the nearest stations and their
                                forecast, here or at a position or a station; --raw
                                prints the reports; needs paced-net, whose socket is
                                in DIR
      route --to LAT,LON|PLACE [--from LAT,LON] [--profile walk|run|ride]
            [--engine URL] [--load N] [--follow] [--net-dir DIR]
                                show several routes to a position, or to a place by
                                its name or ID, the flattest first, from the route
                                engine of paced-net.conf or at URL;
                                --load makes route N the course of the daemon;
                                --follow asks again whenever the run leaves it
      places import FILE        store the places of an extract of OpenStreetMap:
                                FILE.osm.pbf (needs osmium-tool) or FILE.geojsonseq
      places near [--at LAT,LON] [--kind K] [--radius METRES] [--limit N]
                                list the nearest places, here or at a position; K is
                                water, toilets, food and the like, several with
                                commas between
      places along [--kind K] [--radius METRES] [--limit N]
                                list the places along the loaded course, in order
      places search TEXT        find places, streets and addresses by name; the last
                                word may be incomplete
      places show ID            show a place: opening hours, address and website;
                                --maps-dir DIR names the directory of the places,
                                also for route
      metar [--now TIME]        decode the METAR and SPECI of standard input, one a
                                line, into JSON objects in SI units; TIME is when
                                they were received, by default now
      taf [--now TIME]          decode TAF forecasts, in the same way
      transit import GTFS.zip [--near KM] [--at LAT,LON]
                                store the timetable of an agency, or the part of it
                                that is within KM
      transit lines [--contains|--exclude|--match TEXT]
            [--format kml|geojson] [-o FILE] [--trace KML] [--force]
                                list the lines, or write their ways; 'lines move
                                LINE PLACE' changes their order
      transit groups [add|edit NAME LINE...|rename NAME NEW|remove NAME|
            move NAME PLACE|default NAME|first yes|no|preset cata]
                                list and change the groups of lines
      transit stops [TEXT] [--at LAT,LON] [--radius METRES] [--limit N]
                                list the nearest stops, or those with the text
      transit departures [STOP] [--line L] [--time TIME] [--at LAT,LON]
            [--radius METRES] [--limit N]
                                list the next departures from a stop by its ID, code
                                or name, or from those around you
      transit next-home [--at LAT,LON] [--home LAT,LON] [--within METRES]
            [--walking KMH] [--bikes] [--time TIME] [--limit N]
                                show the next ways home by public transport, and the
                                last one of the night; --maps-dir DIR and --net-dir
                                DIR as above
      transit decode FILE.pb    print a GTFS-Realtime feed of public transport, one
                                JSON object a line
      web code [--control]      print the address and a code that sign a browser in
                                to watch, or with --control also to command
      web open [ADDRESS] [--certificate FILE --key FILE]
                                open the page to a network, as root; ADDRESS is
                                numeric, with or without a port: 0.0.0.0:8080
      web close                 only this machine reaches the page, as root
      web control on|off        whether browsers may command, as root
      web tokens                list the browsers that are signed in
      web revoke ID|all         sign a browser out, or all; needs paced-web, whose
                                sockets are in --web-dir DIR
      doctor                    check what this machine lacks to record a run, and
                                name each remedy
      panel [--config FILE]     read keys and drive LEDs of a board without a
                                screen, by [Panel] of /etc/paced/paced.conf
      help [COMMAND]            show this help, or that of a command
      schema                    print the JSON Schema of all lines of paced

      --json                    print the objects of paced, one per line
      --metric, --imperial      show kilometres or miles; overrides the setting
      --runtime-dir DIR         directory of the sockets (default: /run/paced if a
                                socket is there, else $XDG_RUNTIME_DIR/paced)
      --state-dir DIR           directory of the journal (default: that of your
                                'paced --demo' while it runs, else
                                /var/lib/paced if a journal is there, else
                                ${XDG_STATE_HOME:-~/.local/state}/paced)
      --version, --help

    Exit status: 0 done, 1 failed, 2 usage, 3 paced is not reachable. doctor ends
    with 0 if all checks pass, and with 1 if a remedy is needed.

    """
