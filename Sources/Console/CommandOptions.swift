import Domain
import Formats
import Maps
import Report
import Transit
import Wire

/// Options that belong to one command.
struct CommandOptions {
    private(set) var isIndoor = false
    private(set) var seconds: Int?
    private(set) var back: Duration?
    private(set) var filter = ActivityFilter()
    private(set) var sport: Sport?
    private(set) var name: String?
    private(set) var started: UTC?
    private(set) var now: UTC?
    private(set) var isAll = false
    private(set) var validFor: Int?
    private(set) var source: String?
    private(set) var isForced = false
    private(set) var loads = false
    private(set) var isOnCourse = false
    /// A file, or a course of the list.
    private(set) var course: String?
    private(set) var isDemo = false
    private(set) var isAgain = false
    private(set) var isOne = false
    private(set) var isVerbose = false
    /// Metres, 0 for nothing.
    private(set) var hide: Int?
    private(set) var format: ExportFormat?
    private(set) var file: String?
    private(set) var pace = Invocation.Pace()
    private(set) var weather = WeatherRequest()
    private(set) var destination: RouteDestination?
    private var route = RouteOptions()
    private var kinds: Set<PlaceKind> = []
    private var radius: Double?
    private var mapsDirectory: String?
    private var transit = TransitOptions()
    private(set) var webDirectory: String?
    private(set) var isControl = false
    private(set) var certificate: String?
    private(set) var certificateKey: String?
    private(set) var recording: String?
    private(set) var loops = false
    private(set) var configuration: String?
    // For Tools/demo.
    private(set) var endsDaemon = false
    // For tests.
    private(set) var places = Panel.Paths()
    private(set) var root = ""
    /// The options that were given, each with the command that accepts it.
    private var given: [(option: String, commands: [String])] = []

    /// Parses an option and its value.
    ///
    /// - Parameter word: the command, if it is before the option.
    /// - Returns: false if the option is none of these.
    mutating func parse(
        _ option: String, _ rest: inout ArraySlice<String>, of word: String?
    ) throws(Failure) -> Bool {
        /// One command, or several with commas between.
        let command: String
        switch option {
        case "--indoor": (isIndoor, command) = (true, "start")
        case "--ago":
            let most = Int(RunCommand.maxBackdate.inSeconds)
            back = .seconds(try OptionValue.number(0...most, "a number of seconds", after: option, &rest))
            command = "start"
        case "--seconds":
            (seconds, command) = (try OptionValue.number(1...60, after: option, &rest), "scan")
        case "--valid-for":
            let most = Int(TopicTable.longestValidity.inSeconds)
            validFor = try OptionValue.number(1...most, "a number of seconds", after: option, &rest)
            command = "publish"
        case "--source": (source, command) = (try OptionValue.text("a name", after: option, &rest), "publish")
        case "--limit":
            filter.limit = try OptionValue.number(1...1000, after: option, &rest)
            command = "activities,places,transit stops,transit departures,transit next-home"
        case "--before":
            if let day = rest.first.flatMap(LocalDay.init) {
                rest.removeFirst()
                filter.beforeDay = day
            } else {
                filter.before = try OptionValue.number(1...Int(Int32.max), after: option, &rest)
            }
            command = "activities,bests"
        case "--since": (filter.since, command) = (try OptionValue.day(after: option, &rest), "activities,bests,report")
        case "--until": (filter.until, command) = (try OptionValue.day(after: option, &rest), "activities,report")
        case "--totals":
            guard let period = rest.popFirst().flatMap(ActivityFilter.Period.init) else {
                throw .usage("--totals needs one of week, month, year")
            }
            (filter.period, command) = (period, "activities")
        case "--name":
            (name, command) = (try OptionValue.text("a name", after: option, &rest), "edit,course from,course import")
        case "--start": (started, command) = (try OptionValue.start(after: option, &rest), "edit")
        case "--now": (now, command) = (try OptionValue.start(after: option, &rest), "metar,taf")
        case "--all": (isAll, command) = (true, "export")
        case "--load" where word == "route":
            (route.loaded, command) = (
                try OptionValue.number(1...32, "the number of a route", after: option, &rest), "route"
            )
        case "--load": (loads, command) = (true, "course import")
        case "--from":
            guard let position = rest.popFirst().flatMap({ Coordinate(argument: $0) }) else {
                throw .usage("--from needs a position such as 52.5163,13.3777")
            }
            (route.start, command) = (position, "route")
        case "--to":
            guard let destination = rest.popFirst().flatMap({ RouteDestination(argument: $0) }) else {
                throw .usage("--to needs a position such as 52.5163,13.3777, or the name or ID of a place")
            }
            (self.destination, command) = (destination, "route")
        case "--profile":
            guard let profile = rest.popFirst().flatMap(RouteProfile.init) else {
                throw .usage("--profile needs one of walk, run, ride")
            }
            (route.profile, command) = (profile, "route")
        case "--engine":
            (route.engine, command) = (try OptionValue.text("an address", after: option, &rest), "route")
        case "--follow": (route.follows, command) = (true, "route")
        case "--on-course": (isOnCourse, command) = (true, "course partner")
        case "--course":
            (course, command) = (try OptionValue.text("a file or a course", after: option, &rest), "replay")
        case "--force": (isForced, command) = (true, "export,report,delete,course export,places import,transit lines")
        case "--demo": (isDemo, command) = (true, "delete")
        case "--again": (isAgain, command) = (true, "import")
        case "--one": (isOne, command) = (true, "import")
        case "--verbose": (isVerbose, command) = (true, "import,export")
        case "--hide":
            let metres = try OptionValue.number(
                0...HiddenPlaces.largestRadius, "a number of metres", after: option, &rest)
            (hide, command) = (metres, "export,report")
        case "--format" where word == "transit":
            guard let found = rest.popFirst().flatMap(TransitOptions.Format.init) else {
                throw .usage("--format needs one of kml, geojson")
            }
            (transit.format, command) = (found, "transit lines")
        case "--contains", "--exclude", "--match":
            transit.text = try OptionValue.text("a text", after: option, &rest)
            transit.scope = SearchScope(rawValue: String(option.dropFirst(2))) ?? .contains
            command = "transit lines"
        case "--trace":
            (transit.trace, command) = (try OptionValue.text("a KML file", after: option, &rest), "transit lines")
        case "--format":
            let formats = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            guard let found = rest.popFirst().flatMap(ExportFormat.init) else {
                throw .usage("--format needs one of \(formats)")
            }
            (format, command) = (found, "export,course export")
        case "-o", "--output":
            let name = try OptionValue.text("a file", after: option, &rest)
            // As in most programs, "-" is standard output.
            (file, command) = (name == "-" ? nil : name, "export,report,course export,transit lines")
        case "--at":
            if weather.place != nil { throw .usage("--at names one place") }
            guard let place = rest.popFirst().flatMap(WeatherPlace.init) else {
                throw .usage(
                    "--at needs a position such as 52.5,13.4, or the four characters of a station such as EDDB")
            }
            (weather.place, command) = (place, "weather,places near,places search,transit")
        case "--kind":
            guard let kinds = rest.popFirst().flatMap({ PlaceKind.pointsOfInterest(named: $0) }) else {
                let names = PlaceKind.pointsOfInterest.map(\.name).joined(separator: ", ")
                throw .usage("--kind needs some of \(names), with commas between")
            }
            (self.kinds, command) = (kinds, "places near,places along")
        case "--radius":
            let metres = try OptionValue.number(PlacesOptions.radii, "a number of metres", after: option, &rest)
            (radius, command) = (Double(metres), "places near,places along,transit stops,transit departures")
        case "--maps-dir":
            (mapsDirectory, command) = (
                try OptionValue.text("a directory", after: option, &rest), "places,route,transit"
            )
        case "--raw": (weather.output, command) = (.reports, "weather")
        case "--net-dir":
            (weather.netDirectory, command) = (
                try OptionValue.text("a directory", after: option, &rest), "weather,route,transit"
            )
        case "--web-dir":
            (webDirectory, command) = (try OptionValue.text("a directory", after: option, &rest), "web,watch")
        case "--ends-daemon": (endsDaemon, command) = (true, "watch")
        case "--control": (isControl, command) = (true, "web code")
        case "--certificate":
            (certificate, command) = (try OptionValue.text("a file in PEM format", after: option, &rest), "web open")
        case "--key":
            (certificateKey, command) = (try OptionValue.text("a file in PEM format", after: option, &rest), "web open")
        case "--near":
            transit.near =
                Double(try OptionValue.number(1...500, "a number of kilometres", after: option, &rest)) * 1000
            command = "transit import"
        case "--time":
            transit.time = try OptionValue.written(after: option, &rest)
            command = "transit departures,transit next-home"
        case "--line":
            transit.lines.append(try OptionValue.text("the code or the ID of a line", after: option, &rest))
            command = "transit departures"
        case "--home":
            guard let home = rest.popFirst().flatMap({ Coordinate(argument: $0) }) else {
                throw .usage("--home needs a position such as 40.7914,-77.8586")
            }
            (transit.home, command) = (home, "transit next-home")
        case "--within":
            let metres = try OptionValue.number(50...5000, "a number of metres", after: option, &rest)
            (transit.within, command) = (Double(metres), "transit next-home")
        case "--walking":
            guard let kilometres = rest.popFirst().flatMap({ Double($0) }), (1...40).contains(kilometres) else {
                throw .usage("--walking needs a number of km/h from 1 to 40")
            }
            (transit.walkingSpeed, command) = (kilometres / 3.6, "transit next-home")
        case "--bikes": (transit.needsBikes, command) = (true, "transit next-home")
        case "--speed":
            (pace.speed, command) = (try OptionValue.speed(after: option, &rest), "replay,watch")
        case "--replay":
            (recording, command) = (
                try OptionValue.text("a file or the number of an activity", after: option, &rest), "watch"
            )
        case "--loop": (loops, command) = (true, "watch")
        case "--interval-ms":
            guard let every = rest.popFirst().flatMap({ Int($0) }), Wire.Subscription.isPeriod(every) else {
                throw .usage("--interval-ms needs a multiple of 100 from 100 to 60000")
            }
            (pace.every, command) = (every, "replay")
        case "--sport":
            sport = try OptionValue.sport(OptionValue.text("a sport", after: option, &rest))
            filter.sport = sport
            command = "replay,rows,import,edit,activities,bests,report"
        case "--config": (configuration, command) = (try OptionValue.text("a file", after: option, &rest), "panel")
        case "--input": (places.input, command) = (try OptionValue.text("a directory", after: option, &rest), "panel")
        case "--leds": (places.leds, command) = (try OptionValue.text("a directory", after: option, &rest), "panel")
        case "--root":
            (root, command) = (try OptionValue.text("a directory", after: option, &rest), "doctor,places,transit")
        default: return false
        }
        given.append((option, command.split(separator: ",").map(String.init)))
        return true
    }

    var routeOptions: RouteOptions {
        var options = route
        options.netDirectory = weather.netDirectory
        options.mapsDirectory = mapsDirectory
        return options
    }

    /// - Throws: ``Failure`` with status 2 for a station in the place of a position.
    func transitOptions() throws(Failure) -> TransitOptions {
        var options = transit
        options.maps = try placesOptions()
        options.netDirectory = weather.netDirectory
        options.limit = filter.limit
        options.file = file
        return options
    }

    /// - Throws: ``Failure`` with status 2 for a station in the place of a position.
    func placesOptions() throws(Failure) -> PlacesOptions {
        var options = PlacesOptions()
        switch weather.place {
        case .position(let latitude, let longitude)?:
            options.position = Coordinate(latitude: latitude, longitude: longitude)
        case .station?: throw .usage("--at needs a position such as 42.5078,1.5211 here")
        case nil: break
        }
        options.kinds = kinds
        options.radius = radius
        options.limit = filter.limit ?? options.limit
        options.directory = mapsDirectory
        options.isForced = isForced
        options.root = root
        return options
    }

    /// - Throws: ``Failure`` with status 2 if an option does not belong to the command that the words start with.
    func check(_ words: [String]) throws(Failure) {
        for (option, commands) in given
        where !commands.contains(where: { words.starts(with: $0.split(separator: " ").map(String.init)) }) {
            let names = commands.map { "'\($0)'" }.joined(separator: ", ")
            throw .usage("\(option) is an option of \(names) only")
        }
    }
}

/// Parsers of option values.
enum OptionValue {
    static func text(
        _ what: String, after option: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) -> String {
        guard let text = rest.popFirst(), !text.isEmpty else { throw .usage("\(option) needs \(what)") }
        return text
    }

    static func number(
        _ range: ClosedRange<Int>, _ what: String = "a number", after option: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) -> Int {
        guard let number = rest.popFirst().flatMap({ Int($0) }), range.contains(number) else {
            throw .usage("\(option) needs \(what) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A factor above 0.
    static func speed(after option: String, _ rest: inout ArraySlice<String>) throws(Failure) -> Double {
        guard let speed = rest.popFirst().flatMap({ Double($0) }), (0.001...1e6).contains(speed) else {
            throw .usage("\(option) needs a number from 0.001 to 1000000")
        }
        return speed
    }

    /// A day, as `2026-03-01`.
    static func day(after option: String, _ rest: inout ArraySlice<String>) throws(Failure) -> LocalDay {
        guard let day = rest.popFirst().flatMap(LocalDay.init) else {
            throw .usage("\(option) needs a day, such as 2026-03-01")
        }
        return day
    }

    /// A time, such as the start of an activity, as `2026-03-01 07:30` in local time.
    static func start(after option: String, _ rest: inout ArraySlice<String>) throws(Failure) -> UTC {
        guard let time = try written(after: option, &rest).localTime else { throw noTime(option) }
        return time
    }

    /// A time whose clock is known later.
    static func written(after option: String, _ rest: inout ArraySlice<String>) throws(Failure) -> WrittenTime {
        guard let time = rest.popFirst().flatMap({ WrittenTime($0) }), ActivityRequest.starts.contains(time.shown)
        else { throw noTime(option) }
        return time
    }

    private static func noTime(_ option: String) -> Failure {
        .usage("\(option) needs a time from 2000 to 2099, such as '2026-03-01 07:30'")
    }

    static func sport(_ word: String) throws(Failure) -> Sport {
        guard let sport = Sport(rawValue: word) else {
            let sports = Sport.allCases.map(\.rawValue)
            throw .usage(
                "unknown sport '\(word)'" + Suggestion.text(for: word, among: sports)
                    + "; the sports are \(sports.joined(separator: ", "))")
        }
        return sport
    }
}
