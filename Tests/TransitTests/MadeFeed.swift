import Domain
import MapStorage
import SQLite
import TestKit
import Transit

/// A GTFS feed of a test: texts by the names of the files.
struct MadeFeed {
    var files: [String: String]

    /// A trip of line 1 from stop A by B to C at 8:00 on the weekdays of November 2026. The stops are
    /// 1.1 km and 2.2 km apart.
    init() {
        files = [
            "agency.txt": "agency_name,agency_url,agency_timezone\nMade,http://made.example,Europe/Berlin\n",
            "calendar.txt": """
            service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
            week,1,1,1,1,1,0,0,20261101,20261130

            """,
            "stops.txt": """
            stop_id,stop_name,stop_lat,stop_lon
            A,Alpha,52.50,13.4
            B,Beta,52.51,13.4
            C,Gamma,52.53,13.4

            """,
            "routes.txt": "route_id,route_short_name,route_long_name,route_type\n1,M1,,3\n",
            "trips.txt": "route_id,service_id,trip_id\n1,week,t\n",
            "stop_times.txt": """
            trip_id,arrival_time,departure_time,stop_id,stop_sequence
            t,08:00:00,08:00:00,A,1
            t,08:10:00,08:11:00,B,2
            t,08:30:00,08:30:00,C,3

            """,
        ]
    }

    /// A copy with another text of a file; nil for a feed without it.
    func with(_ name: String, _ text: String?) -> MadeFeed {
        var feed = self
        feed.files[name] = text
        return feed
    }

    /// A copy with more lines at the end of a file.
    func adding(_ name: String, _ lines: String...) -> MadeFeed {
        with(name, (files[name] ?? "") + lines.map { $0 + "\n" }.joined())
    }

    /// Imports the feed into a new file.
    ///
    /// - Throws: `FeedError`, as the import does.
    func imported(near area: FeedImport.Area? = nil) throws -> MadeTimetable {
        let directory = TemporaryDirectory()
        let writer = try TransitWriter(at: directory(TransitDatabase.fileName))
        let files = files
        var feed = FeedImport(
            { name, body in
                guard let text = files[name] else { return false }
                try body(Array(text.utf8).span)
                return true
            }, into: writer, area: area)
        let facts = try feed.run { zone, days in
            MadeZone(rawValue: zone).map { zone in
                AgencyClock(from: days.lowerBound, to: days.upperBound, offset: zone.offset)
            }
        }
        try writer.finish(facts, source: "made.zip", at: nil) { line, reason in
            feed.skip(FeedError("trips.txt", line: line, reason))
        }
        let counts = writer.counts
        return MadeTimetable(
            directory: directory, database: try TransitDatabase(in: directory.path),
            counts: [counts.lines, counts.stops, counts.trips, counts.calls],
            skipped: feed.skipped.values.sorted { $0.first.description < $1.first.description })
    }
}

/// The timetable of a feed.
struct MadeTimetable {
    let directory: TemporaryDirectory
    let database: TransitDatabase
    /// The numbers of lines, stops, trips and calls.
    let counts: [Int]
    /// In the order of their texts.
    let skipped: [FeedImport.Skipped]

    func number(ofStop id: String) throws -> Int {
        try database.stop(id: id)?.number ?? -1
    }

    /// The departures from a stop in 24 hours, such as `t 2026-11-26T08:00:00+01:00`.
    func departures(_ stop: String, after time: String) throws -> [String] {
        let found = try database.departures(
            from: [number(ofStop: stop)], after: seconds(time), limit: 1000, live: LiveTimetable())
        return try found.map { departure in
            (try database.trip(departure.ride.trip)?.id ?? "?") + " " + database.clock.text(departure.time)
        }
    }

    /// The rides that call at a stop in 24 hours.
    func rides(_ stop: String, after time: String) throws -> [Ride] {
        let start = seconds(time)
        return try database.rides(at: [number(ofStop: stop)], in: start...start + 86_400, live: LiveTimetable())
    }
}

/// Seconds since 1970 of a time such as `2026-11-26T08:00:00+01:00`.
func seconds(_ text: String) -> Int {
    UTC(iso8601: text).map { Int($0.milliseconds / 1000) } ?? .min
}

/// The local times of some places in 2026.
///
/// Source: the time zone database, iana.org/time-zones.
enum MadeZone: String, CaseIterable {
    case berlin = "Europe/Berlin"
    case newYork = "America/New_York"
    case lordHowe = "Australia/Lord_Howe"
    case utc = "Etc/UTC"

    /// The offset of winter, the offset of summer, and when the clocks change in 2026. Summer is the time between, or
    /// before and after in the south.
    private var rule: (winter: Int, summer: Int, forward: String, back: String) {
        switch self {
        case .berlin: (3600, 7200, "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z")
        case .newYork: (-18_000, -14_400, "2026-03-08T07:00:00Z", "2026-11-01T06:00:00Z")
        case .lordHowe: (37_800, 39_600, "2026-10-03T15:30:00Z", "2026-04-04T15:00:00Z")
        case .utc: (0, 0, "2026-01-01T00:00:00Z", "2026-12-31T00:00:00Z")
        }
    }

    func offset(at time: Int) -> Int {
        let (forward, back) = (seconds(rule.forward), seconds(rule.back))
        let isSummer = forward < back ? (forward..<back).contains(time) : !(back..<forward).contains(time)
        return isSummer ? rule.summer : rule.winter
    }
}

extension ServiceDay {
    /// As in a feed, such as `20261126`.
    var text: String { date.filter { $0 != "-" } }
}
