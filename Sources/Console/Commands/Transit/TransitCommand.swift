import Domain
import Linux
import MapStorage
import Transit

extension Command {
    /// Lines, departures and the way home by public transport.
    static let transit = [
        Command(
            "transit import", words: [.one("GTFS.zip", "a file", .files)], options: [Options.near, Options.at],
            others: hidden, "store the timetable of an agency, or the part of it that is within KM",
            read: { (path: $0.words[0], options: TransitOptions($0)) },
            run: { try $0.importTransit($1.path, $1.options) }),
        Command(
            "transit lines",
            options: [
                Options.contains, Options.exclude, Options.match, Options.transitFormat, Options.output,
                Options.trace, Options.force,
            ], others: hidden, "list the lines, those that a text finds, or write their ways",
            read: { TransitOptions($0) }, run: { try $0.transitLines($1) }),
        Command(
            "transit lines move", words: [.one("LINE", "a line"), .one("PLACE", "a place from 1 on")], others: hidden,
            "change the place of a line in the list",
            read: { arguments in
                guard let place = Int(arguments.words[1]), place >= 1 else {
                    throw Failure.usage("lines move needs a place from 1 on")
                }
                return (line: arguments.words[0], place: place, options: TransitOptions(arguments))
            }, run: { try $0.moveLine($1.line, to: $1.place, $1.options) }),
        Command(
            "transit groups", words: [.any("[CHANGE]", .words(GroupCommand.words))], others: hidden,
            "list the groups of lines, or change them: add|edit NAME LINE..., rename NAME NEW, remove NAME, move NAME "
                + "PLACE, default NAME, first yes|no or preset cata",
            read: { arguments in
                (command: try GroupCommand(arguments.words), options: TransitOptions(arguments))
            }, run: { try $0.perform($1.command, $1.options) }),
        Command(
            "transit stops", words: [.any("[TEXT]")], options: [Options.at, Options.radius, Options.limit],
            others: hidden,
            "list the nearest stops, or those with the text",
            read: { (text: $0.words.isEmpty ? nil : $0.text, options: TransitOptions($0)) },
            run: { try $0.transitStops($1.text, $1.options) }),
        Command(
            "transit departures", words: [.any("[STOP]")],
            options: [Options.line, Options.time, Options.at, Options.radius, Options.limit], others: hidden,
            "list the next departures from a stop by its ID, code or name, or from those around you",
            read: { (stop: $0.words.isEmpty ? nil : $0.text, options: TransitOptions($0)) },
            run: { try $0.transitDepartures($1.stop, $1.options) }),
        Command(
            "transit next-home",
            options: [
                Options.at, Options.home, Options.within, Options.walking, Options.bikes, Options.time, Options.limit,
            ], others: hidden,
            "show the next ways home by public transport, and the last one of the night; --maps-dir DIR and --net-dir "
                + "DIR as above",
            read: { TransitOptions($0) }, run: { try $0.transitNextHome($1) }),
        Command(
            "transit decode", words: [.one("FILE.pb", "a file", .files)],
            "print a GTFS-Realtime feed of public transport, one JSON object a line", read: { $0.words[0] },
            run: { _, path in try DecodeFeed.run(path) }),
    ]

    private static let hidden: [any CommandOptionRow] = [Options.mapsDirectory, Options.netDirectory, Options.root]
}

extension Options {
    fileprivate static let near = CommandOption.number(
        "--near", "KM", "the part of it within", 1...500, needs: "a number of kilometres")
    fileprivate static let contains = CommandOption.text("--contains", "TEXT", "lines with", needs: "a text")
    fileprivate static let exclude = CommandOption.text("--exclude", "TEXT", "lines without", needs: "a text")
    fileprivate static let match = CommandOption.text("--match", "TEXT", "the line", needs: "a text")
    fileprivate static let transitFormat = CommandOption<TransitOptions.Format>.choice("--format", "of the ways")
    fileprivate static let trace = CommandOption.text(
        "--trace", "KML", "the way of the line", needs: "a KML file", .files)
    fileprivate static let line = CommandOption.text(
        "--line", "L", "of this line", needs: "the code or the ID of a line")
    fileprivate static let time = writtenTime("--time", "when")
    fileprivate static let home = position("--home", such: "40.7914,-77.8586", "in the place of Home=")
    fileprivate static let within = CommandOption.number(
        "--within", "METRES", "how far to a stop", 50...5000, needs: "a number of metres")
    fileprivate static let walking = CommandOption<Double>(
        "--walking", word: "KMH", "the speed of walking", needs: "a number of km/h from 1 to 40",
        parse: { Double($0).flatMap { (1...40).contains($0) ? $0 : nil } })
    fileprivate static let bikes = CommandOption.flag("--bikes", "with a bike")
}

/// The options of `pacectl transit`.
package struct TransitOptions: Equatable {
    /// Where the databases are, and the position of the user.
    var maps = PlacesOptions()
    /// Metres; nil for the whole feed.
    var near: Double?
    /// When to leave, by the clock of the agency; nil for now.
    var time: WrittenTime?
    /// Codes or IDs of lines; empty for all.
    var lines: [String] = []
    var home: Coordinate?
    /// Metres from a place to its stops.
    var within: Double?
    /// Metres per second; nil for that of ``WalkingRule``.
    var walkingSpeed: Double?
    var needsBikes = false
    /// The largest number of rows or journeys; nil for the default of the command.
    var limit: Int?
    /// Selects lines.
    var text = ""
    var scope = SearchScope.contains
    /// Nil for a table.
    var format: Format?
    /// Nil for standard output.
    var file: String?
    /// A KML file with the way of a line.
    var trace: String?
    /// Instead of the socket of paced-net.
    var netDirectory: String?

    enum Format: String, CaseIterable {
        case kml, geojson
    }

    init() {}

    fileprivate init(_ arguments: Arguments) {
        maps = PlacesOptions(arguments)
        near = arguments[Options.near].map { Double($0) * 1000 }
        time = arguments[Options.time]
        lines = arguments.all(Options.line)
        home = arguments[Options.home]
        within = arguments[Options.within].map(Double.init)
        walkingSpeed = arguments[Options.walking].map { $0 / 3.6 }
        needsBikes = arguments.has(Options.bikes)
        limit = arguments[Options.limit]
        for (option, scope) in [
            (Options.contains, SearchScope.contains), (Options.exclude, .exclude), (Options.match, .match),
        ] {
            if let text = arguments[option] { (self.text, self.scope) = (text, scope) }
        }
        format = arguments[Options.transitFormat]
        file = arguments.file
        trace = arguments[Options.trace]
        netDirectory = arguments[Options.netDirectory]
    }

    /// Opens the timetable for reading.
    func database() throws(Failure) -> TransitDatabase {
        try maps.open(TransitDatabase.init(in:), missing: TransitDatabase.missing(in:))
    }

    /// When to leave, in seconds since 1970.
    ///
    /// - Parameter clock: that of the agency.
    func time(by clock: AgencyClock) throws(Failure) -> Int {
        guard let time else { return Int(Clock.systemTime().milliseconds / 1000) }
        guard let found = time.time(offset: { clock.offset(at: Int($0.milliseconds / 1000)) }) else {
            throw .usage(
                "--time needs a time that the clock of the agency shows, such as '2026-03-01 07:30', or an offset, "
                    + "such as 2026-03-01T07:30+01:00")
        }
        return Int(found.milliseconds / 1000)
    }
}
