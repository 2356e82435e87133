import Domain
import Glibc
import Linux
import MapStorage
import Transit

/// Questions about the timetable of a large agency: 1.5 million stop times.
struct TransitSearches {
    /// Of the import of the tables, without unpacking.
    let seconds: Double
    /// Bytes of `transit.db`.
    let size: Int
    let departures: Measurement
    let nextHome: Measurement
    /// The part of the questions that have a way.
    let found: Double

    var line: String {
        "1.5 million stop times imported in \(DecimalFormat.text(seconds, decimals: 1) ?? "?") s, "
            + "\(size >> 20) MiB; \(Int(found * 100)) % of the questions have a way home"
    }
}

/// A made feed: lines through a grid of 100 by 100 stops, 400 m apart, most of them in the middle.
private struct MadeFeed {
    private static let side = 100
    private static let lineCount = 400
    private static let callCount = 30
    /// Seconds between two stops.
    private static let travel = 90
    private static let services = [("weekday", 2400), ("saturday", 3600), ("sunday", 3600)]

    private var random = UInt64(88_172_645_463_325_252)

    static func position(_ row: Int, _ column: Int) -> Coordinate {
        Coordinate(latitude: 52.3 + Double(row) * 0.0036, longitude: 13 + Double(column) * 0.0059)
    }

    private mutating func next(_ limit: Int) -> Int {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return Int(random % UInt64(limit))
    }

    private static func stop(_ row: Int, _ column: Int) -> String { "S\(row * side + column)" }

    private static func clock(_ seconds: Int) -> String {
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        return "\(digits(seconds / 3600)):\(digits(seconds / 60 % 60)):\(digits(seconds % 60))"
    }

    /// Passes a file in pieces; false for a file that the feed lacks.
    mutating func read(_ name: String, _ body: (Span<UInt8>) throws -> Void) throws -> Bool {
        var text: [UInt8] = []
        func write(_ line: String) throws {
            text += Array((line + "\n").utf8)
            guard text.count > 60_000 else { return }
            try body(text.span)
            text.removeAll(keepingCapacity: true)
        }
        switch name {
        case "agency.txt": try write("agency_name,agency_timezone\nMade,UTC")
        case "calendar.txt":
            try write("service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date")
            for (service, days) in zip(Self.services, ["1,1,1,1,1,0,0", "0,0,0,0,0,1,0", "0,0,0,0,0,0,1"]) {
                try write("\(service.0),\(days),20260101,20261231")
            }
        case "stops.txt":
            try write("stop_id,stop_name,stop_lat,stop_lon")
            for row in 0..<Self.side {
                for column in 0..<Self.side {
                    let place = Self.position(row, column)
                    try write("\(Self.stop(row, column)),Corner,\(place.latitude),\(place.longitude)")
                }
            }
        case "routes.txt":
            try write("route_id,route_short_name,route_long_name")
            for line in 0..<Self.lineCount { try write("R\(line),\(line),Line \(line)") }
        case "trips.txt":
            try write("route_id,service_id,trip_id,trip_headsign")
            try eachTrip { line, service, trip, _, _ in try write("R\(line),\(service),\(trip),there") }
        case "stop_times.txt":
            try write("trip_id,arrival_time,departure_time,stop_id,stop_sequence")
            try eachTrip { _, _, trip, start, stops in
                for (place, stop) in stops.enumerated() {
                    let arrival = start + place * Self.travel
                    try write("\(trip),\(Self.clock(arrival)),\(Self.clock(arrival + 15)),\(stop),\(place)")
                }
            }
        default: return false
        }
        try body(text.span)
        return true
    }

    /// The same trips each time.
    private mutating func eachTrip(
        _ body: (_ line: Int, _ service: String, _ trip: String, _ start: Int, _ stops: [String]) throws -> Void
    ) throws {
        random = 88_172_645_463_325_252
        for line in 0..<Self.lineCount {
            // The sum of two numbers is mostly in the middle.
            var (row, column) = (next(50) + next(50), next(50) + next(50))
            var direction = next(4)
            var stops: [String] = []
            for _ in 0..<Self.callCount {
                stops.append(Self.stop(row, column))
                if next(7) == 0 { direction = next(4) }
                let step = [(0, 1), (1, 0), (0, -1), (-1, 0)][direction]
                row = min(max(row + step.0, 0), Self.side - 1)
                column = min(max(column + step.1, 0), Self.side - 1)
            }
            for (way, stops) in [stops, stops.reversed()].enumerated() {
                for (service, headway) in Self.services {
                    for (run, start) in stride(from: 4 * 3600 + next(headway), to: 25 * 3600, by: headway).enumerated()
                    {
                        try body(line, service, "\(line)-\(way)-\(service)-\(run)", start, stops)
                    }
                }
            }
        }
    }
}

/// The database takes 40 MB of /tmp meanwhile.
func measureTransit() throws -> TransitSearches {
    let directory = try ScratchDirectory()
    let path = directory.path + "/" + TransitDatabase.fileName
    defer { unlink(path) }
    var feed = MadeFeed()
    let start = Clock.now()
    let writer = try TransitWriter(at: path)
    var reading = FeedImport({ try feed.read($0, $1) }, into: writer, area: nil)
    let facts = try reading.run { _, days in
        AgencyClock(from: days.lowerBound, to: days.upperBound) { _ in 0 }
    }
    try writer.finish(facts, source: "made", at: nil) { _, _ in }
    let seconds = (Clock.now() - start).inSeconds
    var status = stat()
    stat(path, &status)
    let database = try TransitDatabase(in: directory.path)
    // A Thursday, 8:00.
    let morning = Int(UTC(year: 2026, month: 11, day: 26).milliseconds / 1000) + 8 * 3600
    let stops = try database.stops().map(\.number)
    var (index, asked, found) = (0, 0, 0)
    return TransitSearches(
        seconds: seconds, size: Int(status.st_size),
        departures: try Measurement("next 20 departures of 1.5 million", rounds: 200, passes: 1) {
            index += 1
            // A stop in the middle half of the grid.
            let stop = stops[(25 + index * 7 % 50) * 100 + 25 + index * 11 % 50]
            _ = try database.departures(from: [stop], after: morning, limit: 20, live: LiveTimetable())
        },
        nextHome: try Measurement("next ways home among 1.5 million", rounds: 100, passes: 1) {
            index += 1
            asked += 1
            let ways = try database.nextJourneys(
                from: MadeFeed.position(40 + index * 3 % 20, 40 + index * 7 % 20),
                to: MadeFeed.position(30 + index * 11 % 40, 30 + index * 13 % 40), after: morning + index * 60,
                walking: WalkingRule(), needsBikes: false, live: LiveTimetable())
            if !ways.isEmpty { found += 1 }
        },
        found: Double(found) / Double(asked))
}
