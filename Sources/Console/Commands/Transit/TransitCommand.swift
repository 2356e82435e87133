import Domain
import Linux
import MapStorage
import Transit

/// `pacectl transit`: lines, departures and the way home by public transport.
package enum TransitCommand: Equatable {
    /// Prints a GTFS-Realtime feed as JSON lines.
    case decode(String)
    case importFile(String, TransitOptions)
    case lines(TransitOptions)
    /// - Parameter place: from 1.
    case moveLine(String, to: Int, TransitOptions)
    case groups(GroupCommand, TransitOptions)
    case stops(String?, TransitOptions)
    /// - Parameter stop: an ID, a code or a name; nil for the nearest stops.
    case departures(stop: String?, TransitOptions)
    case nextHome(TransitOptions)

    /// - Parameter words: those after `transit`.
    init(_ words: [String], _ options: TransitOptions) throws(Failure) {
        let rest = words.dropFirst()
        switch words.first {
        case "decode" where rest.count == 1: self = .decode(words[1])
        case "import" where rest.count == 1: self = .importFile(words[1], options)
        case "lines" where rest.isEmpty: self = .lines(options)
        case "lines" where rest.count == 3 && words[1] == "move":
            guard let place = Int(words[3]), place >= 1 else { throw .usage("lines move needs a place from 1 on") }
            self = .moveLine(words[2], to: place, options)
        case "groups": self = .groups(try GroupCommand(Array(rest)), options)
        case "stops": self = .stops(rest.isEmpty ? nil : rest.joined(separator: " "), options)
        case "departures": self = .departures(stop: rest.isEmpty ? nil : rest.joined(separator: " "), options)
        case "next-home" where rest.isEmpty: self = .nextHome(options)
        default:
            throw .usage(
                "use 'transit import FILE.zip', 'transit lines', 'transit stops [TEXT]', 'transit departures [STOP]', "
                    + "'transit next-home', 'transit groups' or 'transit decode FILE.pb'")
        }
    }
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

extension Invocation {
    func perform(_ command: TransitCommand) throws(Failure) {
        switch command {
        case .decode(let path): try DecodeFeed.run(path)
        case .importFile(let path, let options): try importTransit(path, options)
        case .lines(let options): try transitLines(options)
        case .moveLine(let name, let place, let options): try moveLine(name, to: place, options)
        case .groups(let command, let options): try perform(command, options)
        case .stops(let text, let options): try transitStops(text, options)
        case .departures(let stop, let options): try transitDepartures(stop, options)
        case .nextHome(let options): try transitNextHome(options)
        }
    }
}
