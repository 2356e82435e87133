import Console
import Domain
import Formats
import Testing
import Wire

struct InvocationTests {
    @Test(arguments: [
        (["status"], Invocation.Command.status),
        (["watch"], .watch(nil)),
        (["watch", "--replay", "a.fit"], .watch(WatchedReplay(recording: "a.fit"))),
        (
            ["watch", "--replay", "17", "--speed", "2.5", "--loop"],
            .watch(WatchedReplay(recording: "17", speed: 2.5, loops: true))
        ),
        (["rows", "17"], .rows(.activity(.number(17)), nil)),
        (["rows", "--sport", "ride", "a.fit"], .rows(.file("a.fit"), .ride)),
        (["start"], .run(.start(nil, indoor: false))),
        (["start", "ride"], .run(.start(.ride, indoor: false))),
        (["start", "--ago", "90"], .run(.start(nil, indoor: false, back: .seconds(90)))),
        (["--indoor", "start", "walk"], .run(.start(.walk, indoor: true))),
        (["pause"], .run(.pause)),
        (["resume"], .run(.resume)),
        (["lap"], .run(.lap)),
        (["stop"], .run(.stop)),
        (["discard"], .run(.discard)),
        (["schema"], .schema),
        (["doctor"], .doctor(root: "")),
        (["panel"], .panel(nil, Panel.Paths())),
        (["panel", "--config=p", "--leds", "l"], .panel("p", Panel.Paths(leds: "l"))),
        (["scan"], .scan(seconds: 10)),
        (["publish", "x-a"], .publish(PublishRequest(topic: TopicName("x-a")!))),
        (
            ["publish", "x-a", "--valid-for", "60", "--source", "valve"],
            .publish(PublishRequest(topic: TopicName("x-a")!, validFor: 60, source: "valve"))
        ),
        (["weather"], .weather(WeatherRequest())),
        (["weather", "--at", "eddb", "--raw"], .weather(WeatherRequest(place: .station("EDDB"), output: .reports))),
        (
            ["--at=-33.95,151.2", "weather", "--net-dir", "/n"],
            .weather(WeatherRequest(place: .position(latitude: -33.95, longitude: 151.2), netDirectory: "/n"))
        ),
        (["metar"], .decode(WeatherCommand(kind: .metar))),
        (
            ["taf", "--now", "2026-03-01T07:30:00Z"],
            .decode(WeatherCommand(kind: .taf, now: UTC(iso8601: "2026-03-01T07:30:00Z")))
        ),
        (["scan", "--seconds", "60"], .scan(seconds: 60)),
        (["scan", "--seconds=1"], .scan(seconds: 1)),
        (["sensors"], .sensors(.status)),
        (["sensors", "status"], .sensors(.status)),
        (["sensor", "use", "9AD13824"], .sensors(.use("9AD13824", isAdded: false))),
        (["sensors", "add", "Polar H10 9AD13824"], .sensors(.use("Polar H10 9AD13824", isAdded: true))),
        (["sensors", "auto"], .sensors(.auto)),
        (["sensors", "off"], .sensors(.off)),
        (["sensors", "pair", "9AD13824"], .sensors(.pair("9AD13824"))),
        (["sensors", "zero"], .sensors(.zero(nil))), (["sensors", "zero", "Assioma"], .sensors(.zero("Assioma"))),
        (["course"], .course(.list)), (["course", "list"], .course(.list)),
        (["course", "show", "last"], .course(.show(.last))), (["course", "show", "loaded"], .course(.show(.loaded))),
        (["course", "load", "7"], .course(.load(.number(7)))),
        (["course", "load", "Round the lake"], .course(.load(.name("Round the lake")))),
        (
            ["course", "import", "a.gpx", "--name", "Home", "--load"],
            .course(.importFiles(["a.gpx"], name: "Home", loads: true))
        ),
        (["course", "import", "a.gpx", "b.fit"], .course(.importFiles(["a.gpx", "b.fit"], name: nil, loads: false))),
        (["course", "unload"], .course(.unload)), (["course", "delete", "7"], .course(.delete(.number(7)))),
        (["course", "rename", "7", "To", "work"], .course(.rename(.number(7), name: "To work"))),
        (["course", "reverse", "7"], .course(.reverse(.number(7)))),
        (["course", "from", "last", "--name", "Home"], .course(.from(.last, name: "Home"))),
        (["course", "partner", "5:00/km"], .course(.partner(.pace(seconds: 300, isMetric: true)))),
        (["course", "partner", "8:00/mi"], .course(.partner(.pace(seconds: 480, isMetric: false)))),
        (["course", "partner", "8:00"], .course(.partner(.pace(seconds: 480, isMetric: nil)))),
        (["course", "partner", "12"], .course(.partner(.activity(.number(12), isOnCourse: false)))),
        (["course", "partner", "12", "--on-course"], .course(.partner(.activity(.number(12), isOnCourse: true)))),
        (["course", "partner", "off"], .course(.partner(.off))),
        (["course", "partner"], .course(.showPartner)),
        (["workout"], .workout(.show)), (["workout", "unload"], .workout(.unload)),
        (["workout", "load", "a.fit"], .workout(.load("a.fit"))),
        (["sensors", "forget"], .sensors(.forget(nil))),
        (["sensors", "forget", "9AD13824"], .sensors(.forget("9AD13824"))),
        (["settings"], .allSettings), (["settings", "get"], .allSettings),
        (["settings", "get", "zones"], .getSetting(.zones)),
        (["help"], .help(nil)),
        (["help", "export"], .help("export")),
        (["export", "--help"], .help("export")),
        (["settings", "set", "auto_lap_m", "-5"], .setSetting(.autoLapMetres, value: "-5")),
        (["activities"], .activities(ActivityFilter())), (["badges"], .badges),
        (["bests"], .bests(ActivityFilter())),
        (
            ["bests", "--sport", "run", "--since=2026-03-01", "--before", "2026-04-01"],
            .bests(
                ActivityFilter(sport: .run, since: LocalDay("2026-03-01"), beforeDay: LocalDay("2026-04-01")))
        ),
        (["activities", "--limit", "5", "--before=17"], .activities(ActivityFilter(limit: 5, before: 17))),
        (
            ["activities", "--sport", "ride", "--since", "2026-03-01", "--until=2026-03-31", "--totals", "week"],
            .activities(
                ActivityFilter(
                    sport: .ride, since: LocalDay("2026-03-01"), until: LocalDay("2026-03-31"), period: .week))
        ),
        (["show", "17"], .show(.number(17))),
        (["show", "last"], .show(.last)),
        (["report", "last"], .report(ReportRequest(activity: .last))),
        (
            ["report", "17", "-o", "run.html", "--force", "--hide", "0"],
            .report(ReportRequest(activity: .number(17), output: "run.html", isForced: true, hide: 0))
        ),
        (
            ["report", "--since", "2026-03-01", "--sport", "run", "-o", "march.html"],
            .periodReport(
                PeriodReportRequest(
                    filter: ActivityFilter(sport: .run, since: LocalDay("2026-03-01")), output: "march.html"))
        ),
        (
            ["export", "17", "--format", "gpx", "--hide=300"],
            .export(ExportRequest(activities: [.number(17)], format: .gpx, hide: 300))
        ),
        (["export", "17", "--format", "gpx"], .export(ExportRequest(activities: [.number(17)], format: .gpx))),
        (
            ["export", "--format=fit", "-o", "run.gpx", "17"],
            .export(ExportRequest(activities: [.number(17)], format: .fit, output: "run.gpx"))
        ),
        (
            ["export", "last", "-o", "dir/run.GPX"],
            .export(ExportRequest(activities: [.last], format: .gpx, output: "dir/run.GPX"))
        ),
        (
            ["export", "17", "--format", "gpx", "-o", "-"],
            .export(ExportRequest(activities: [.number(17)], format: .gpx))
        ),
        (
            ["export", "17", "--format", "geojson", "--output=a=b"],
            .export(ExportRequest(activities: [.number(17)], format: .geojson, output: "a=b"))
        ),
        (
            ["export", "1", "2", "--format", "csv", "-o", "dir", "--force"],
            .export(ExportRequest(activities: [.number(1), .number(2)], format: .csv, output: "dir", isForced: true))
        ),
        (
            ["export", "--all", "--format", "csv", "-o", "dir", "--verbose"],
            .export(ExportRequest(activities: [], format: .csv, output: "dir", isVerbose: true))
        ),
        (["delete", "3"], .delete([.number(3)], asks: true)),
        (["delete", "--demo"], .deleteDemos(asks: true)), (["delete", "--demo", "--force"], .deleteDemos(asks: false)),
        (["delete", "3", "last", "--force"], .delete([.number(3), .last], asks: false)),
        (["rename", "last", "Morning", "run"], .edit(.last, ActivityEdit(name: "Morning run"))),
        (["edit", "3", "--sport", "hike"], .edit(.number(3), ActivityEdit(sport: .hike))),
        (["edit", "3", "--name", "x"], .edit(.number(3), ActivityEdit(name: "x"))),
        (
            ["edit", "3", "--start", "2026-03-01T07:30:00Z"],
            .edit(.number(3), ActivityEdit(started: UTC(milliseconds: 1_772_350_200_000)))
        ),
        (["import", "a.fit", "b.gpx"], .importFiles(["a.fit", "b.gpx"], ImportOptions())),
        (["import", "--", "--json"], .importFiles(["--json"], ImportOptions())),
        (
            ["import", "--sport", "ride", "--again", "--verbose", "a.fit"],
            .importFiles(["a.fit"], ImportOptions(sport: .ride, again: true, isVerbose: true))
        ),
        (["replay", "17"], .replay(.activity(.number(17)), Invocation.Pace())),
        (["replay", "last"], .replay(.activity(.last), Invocation.Pace())),
        (["replay", "./17"], .replay(.file("./17"), Invocation.Pace())),
        (
            ["replay", "a.tcx", "--speed", "2.5", "--interval-ms", "1000", "--sport", "hike"],
            .replay(.file("a.tcx"), Invocation.Pace(speed: 2.5, every: 1000, sport: .hike))
        ),
        (["--help"], .help(nil)),
        (["start", "--help"], .help("start")),
        (["-h"], .help(nil)),
        (["--version"], .version),
    ])
    func commandsParse(_ arguments: [String], _ command: Invocation.Command) throws {
        #expect(try Invocation(arguments).command == command)
    }

    @Test(arguments: [
        ("max_hr", "max_heart_rate"), ("rest_hr", "resting_heart_rate"), ("FTP", "ftp"), ("weight", "weight_kg"),
        ("max-heart-rate", "max_heart_rate"), ("Zone", "zones"), ("auto_lap", "auto_lap_m"), ("hr", nil),
        ("colour", nil),
    ])
    func settingIsSuggestedForItsAbbreviation(word: String, key: String?) {
        let suggestion = key.map { " (did you mean '\($0)'?)" } ?? ""
        let names = SettingKey.allCases.map(\.rawValue).joined(separator: ", ")
        let message = "unknown setting '\(word)'\(suggestion); the settings are \(names); see 'pacectl --help'"
        #expect(throws: Failure(status: .usage, message: message)) { try Invocation(["settings", "get", word]) }
    }

    @Test func optionsMayBeAnywhere() throws {
        let invocation = try Invocation([
            "--runtime-dir", "/run/a", "watch", "--json", "--state-dir", "/var/b", "--metric",
        ])
        #expect(invocation.runtimeDirectory == "/run/a")
        #expect(invocation.stateDirectory == "/var/b")
        #expect(invocation.isJSON)
        #expect(invocation.metric == true)
        #expect(try Invocation(["watch", "--imperial"]).metric == false)
        #expect(try Invocation(["--runtime-dir=/run/a=b", "watch"]).runtimeDirectory == "/run/a=b")
        #expect(try Invocation(["watch"]).metric == nil)
    }

    @Test(arguments: [
        ([], "a command is missing"),
        (["dance"], "unknown command 'dance'"),
        (["exprot"], "unknown command 'exprot' (did you mean 'export'?)"),
        (["statsu"], "unknown command 'statsu' (did you mean 'status'?)"),
        (["activties", "--limit", "3"], "unknown command 'activties' (did you mean 'activities'?)"),
        (["help", "watchh"], "unknown command 'watchh' (did you mean 'watch'?)"),
        (["watch", "--imperail"], "unknown option '--imperail' (did you mean '--imperial'?)"),
        (
            ["start", "hikee"],
            "unknown sport 'hikee' (did you mean 'hike'?); the sports are run, walk, hike, ride, other"
        ),
        (["activities", "--since", "yesterday"], "--since needs a day, such as 2026-03-01"),
        (["activities", "--until", "2026-02-30"], "--until needs a day, such as 2026-03-01"),
        (["activities", "--totals", "day"], "--totals needs one of week, month, year"),
        (["delete", "3", "--demo"], "unexpected argument '3' after 'delete'"),
        (["delete"], "delete needs the number of an activity, or last"),
        (["rename", "3"], "rename needs a name after the number of the activity"),
        (["edit", "3"], "edit needs --sport, --name or --start"),
        (["edit", "3", "--start", "noon"], "--start needs a time from 2000 to 2099, such as '2026-03-01 07:30'"),
        (
            ["edit", "3", "--start", "1970-01-01Z"],
            "--start needs a time from 2000 to 2099, such as '2026-03-01 07:30'"
        ),
        (["show", "3", "--start", "2026-03-01 07:30"], "--start is an option of 'edit' only"),
        (["export", "1", "2", "--format", "fit"], "several activities need a directory: -o DIR"),
        (["export", "--all", "1", "--format", "fit", "-o", "x"], "export takes --all or the numbers of activities"),
        (
            ["import", "--force", "x"],
            "--force is an option of 'export', 'report', 'delete', 'course export', 'places import', 'transit lines' only"
        ),
        (["publish"], "publish needs a topic: weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -"),
        (["publish", "wether"], "a topic is weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -"),
        (["publish", "x-a", "--valid-for", "0"], "--valid-for needs a number of seconds from 1 to 604800"),
        (["scan", "--source", "a"], "--source is an option of 'publish' only"),
        (["weather", "EDDB"], "unexpected argument 'EDDB' after 'weather'"),
        (["weather", "--at", "EDDB", "--at", "52.5,13.4"], "--at names one place"),
        (["weather", "--raw", "--json"], "--raw and --json exclude each other"),
        (["status", "--raw"], "--raw is an option of 'weather' only"),
        (["metar", "EGLL"], "unexpected argument 'EGLL' after 'metar'"),
        (["taf", "--now", "noon"], "--now needs a time from 2000 to 2099, such as '2026-03-01 07:30'"),
        (["status", "--now", "2026-03-01 07:30"], "--now is an option of 'metar', 'taf' only"),
        (["scan", "H10"], "unexpected argument 'H10' after 'scan'"),
        (["scan", "--seconds", "61"], "--seconds needs a number from 1 to 60"),
        (["scan", "--seconds"], "--seconds needs a number from 1 to 60"),
        (["start", "--seconds", "5"], "--seconds is an option of 'scan' only"),
        (["strap", "auto"], "'strap' is now called 'sensors'; 'pacectl help sensors' lists its commands"),
        (
            ["sensors", "use"],
            "use 'sensors', 'sensors use SENSOR', 'sensors add SENSOR', 'sensors auto', 'sensors off', "
                + "'sensors pair SENSOR', 'sensors zero [SENSOR]' or 'sensors forget [SENSOR]'"
        ),
        (["--quick", "watch"], "unknown option '--quick'"),
        (["status", "now"], "unexpected argument 'now' after 'status'"),
        (["start", "run", "ride"], "unexpected argument 'ride' after 'start'"),
        (["start", "swim"], "unknown sport 'swim'; the sports are run, walk, hike, ride, other"),
        (["pause", "--indoor"], "--indoor is an option of 'start' only"),
        (["stop", "--ago=5"], "--ago is an option of 'start' only"),
        (["start", "--ago", "121"], "--ago needs a number of seconds from 0 to 120"),
        (["start", "--ago"], "--ago needs a number of seconds from 0 to 120"),
        (["show"], "show needs the number of an activity, or last"),
        (["show", "0"], "'0' is not the number of an activity"),
        (["show", "-1"], "'-1' is not the number of an activity"),
        (["show", "99999999999999999999"], "'99999999999999999999' is not the number of an activity"),
        (["show", "1", "2"], "unexpected argument '2' after 'show'"),
        (["activities", "--limit", "0"], "--limit needs a number from 1 to 1000"),
        (
            ["export", "1"],
            "export needs --format (fit, gpx, tcx, geojson, kml, csv), or a file whose name ends in one of these"
        ),
        (["export", "1", "--format", "doc"], "--format needs one of fit, gpx, tcx, geojson, kml, csv"),
        (["export", "--format", "fit"], "export needs the number of an activity, last, or --all"),
        (["export", "1", "--format", "fit", "-o", ""], "-o needs a file"),
        (["show", "1", "-o", "x"], "-o is an option of 'export', 'report', 'course export', 'transit lines' only"),
        (["import"], "import needs a file"),
        (["replay"], "replay needs a file or the number of an activity"),
        (["replay", "1", "2"], "unexpected argument '2' after 'replay'"),
        (["replay", "1", "--speed", "0"], "--speed needs a number from 0.001 to 1000000"),
        (["replay", "1", "--speed", "nan"], "--speed needs a number from 0.001 to 1000000"),
        (["replay", "1", "--interval-ms", "150"], "--interval-ms needs a multiple of 100 from 100 to 60000"),
        (["replay", "1", "--sport", "swim"], "unknown sport 'swim'; the sports are run, walk, hike, ride, other"),
        (["watch", "--speed", "2"], "--speed of watch needs --replay"),
        (["watch", "--loop"], "--loop needs --replay"),
        (["watch", "--replay", ""], "--replay needs a file or the number of an activity"),
        (["watch", "--replay", "a.fit", "--speed", "61"], "--speed of watch takes a number from 0.1 to 60"),
        (["status", "--replay", "a.fit"], "--replay is an option of 'watch' only"),
        (["status", "--speed", "2"], "--speed is an option of 'replay', 'watch' only"),
        (["rows"], "rows needs a file or the number of an activity"),
        (["status", "--runtime-dir"], "--runtime-dir needs a directory"),
        (["status", "--runtime-dir="], "--runtime-dir needs a directory"),
        (["status", "--state-dir", ""], "--state-dir needs a directory"),
        (
            ["settings", "set", "metric"],
            "use 'settings', 'settings get [KEY]', 'settings set KEY VALUE' or 'settings reset KEY'"
        ),
        (
            ["settings", "get", "colour"],
            "unknown setting 'colour'; the settings are metric, twelve_hour_clock, use_heart_rate_zones, sport, auto_lap_m, auto_lap_s, "
                + "auto_stop_minutes, auto_pause, sensors, zones, max_heart_rate, resting_heart_rate, age, sex, weight_kg, ftp, power_zones, "
                + "wheel_mm, stride_permille, climb_score, climb_laps, alerts, workout, screens"
        ),
    ])
    func usageErrorHasStatusTwoAndOneLine(_ arguments: [String], _ message: String) {
        #expect(throws: Failure(status: .usage, message: message + "; see 'pacectl --help'")) {
            try Invocation(arguments)
        }
    }

    @Test func helpOfACommandHasItsLinesOnly() {
        let help = HelpText.text(of: "settings")
        #expect(help.contains("\n  settings get [KEY]") && help.contains("'[114,133,152,171,180]'"))
        #expect(!help.contains("activities") && !help.contains("--runtime-dir"))
        #expect(HelpText.commands.allSatisfy { HelpText.text(of: $0).contains("\n  \($0)") })
    }

    @Test func helpNamesEveryCommandIn80Columns() {
        for name in [
            "status", "watch", "start", "pause", "resume", "lap", "stop", "discard", "scan", "sensors", "settings",
            "activities", "badges", "bests", "show", "rename", "edit", "delete", "export", "report", "import", "replay",
            "help",
            "schema",
        ] {
            #expect(HelpText.text(of: nil).contains("\n  \(name)"))
        }
        #expect(HelpText.text(of: nil).split(separator: "\n").allSatisfy { $0.count <= 80 })
    }
}
