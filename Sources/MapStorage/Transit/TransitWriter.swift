package import Domain
import Pipeline
package import SQLite
package import Transit

/// Writes a new `transit.db`.
///
/// Trips need their stop times in order, which a feed may have in any. So rows of the feed go to temporary tables, and
/// ``finish(source:at:)`` sorts them.
package final class TransitWriter {
    /// The most rows of each kind. They bound the memory, and numbers stay below 2^31.
    private static let stopTimeLimit = 40_000_000
    private static let runLimit = 1_000_000
    private static let callLimit = 2000
    private static let shapePointLimit = 20_000_000
    /// The bytes of patterns that are remembered to find equal ones.
    private static let rememberedPatterns = 16 << 20

    private let database: SQLiteDatabase
    private let insertException: SQLiteStatement
    private let insertStop: SQLiteStatement
    private let insertBox: SQLiteStatement
    private let insertStation: SQLiteStatement
    private let insertPlatform: SQLiteStatement
    private let insertTrip: SQLiteStatement
    private let insertPattern: SQLiteStatement
    private let insertCall: SQLiteStatement
    private let insertFeedTrip: SQLiteStatement
    private let insertStopTime: SQLiteStatement
    private let insertFrequency: SQLiteStatement
    private let insertShapePoint: SQLiteStatement

    /// Of all stops of the feed, also of those that are left out.
    private var stops: [(position: Coordinate, isKept: Bool)] = []
    private var stations = 0
    private var patterns: [[UInt8]: Int] = [:]
    private var patternBytes = 0
    private var patternCount = 0
    private var stopTimes = 0
    private var shapePoints = 0
    /// The runs of trips with frequencies.
    private var runs = 0
    /// The latest departure, in seconds of the service day.
    private var latest = 0
    /// The longest time from an arrival to the departure, in seconds.
    private var longestHalt = 0
    /// What was written so far.
    package private(set) var counts = Counts()

    package struct Counts: Equatable, Sendable {
        package var lines = 0
        package var stops = 0
        package var trips = 0
        package var calls = 0
    }

    /// A row of `trips.txt`.
    package struct FeedTrip {
        package var id: String
        package var line: Int
        package var service: Int
        package var headsign: String?
        package var direction: Int?
        package var allowsBikes: Bool?
        package var shape: Int?
        /// For errors.
        package var feedLine: Int
    }

    /// A row of `stop_times.txt`.
    package struct StopTime {
        package var trip: Int
        package var sequence: Int
        package var stop: Int
        /// Seconds of the service day; nil for a time between those of other stops.
        package var arrival: Int?
        package var departure: Int?
        package var canBoard: Bool
        package var canAlight: Bool
    }

    /// - Parameter path: an empty file, or none. It is no database until ``finish(source:at:)`` returns.
    package init(at path: String) throws(SQLiteError) {
        database = try SQLiteDatabase(path, .writing)
        // The import deletes the file if it fails. Temporary data may be larger than the memory.
        try database.execute(
            """
            PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -16000;
            BEGIN;
            """)
        try database.execute(TransitSchema.tables)
        try database.execute(
            """
            CREATE TEMP TABLE feed_trip(
                number INTEGER PRIMARY KEY, id, line, service, headsign, direction, bikes, shape, feed_line);
            CREATE TEMP TABLE stop_time(trip, sequence, stop, arrival, departure, flags);
            CREATE TEMP TABLE frequency(trip, start, end, headway, is_exact, PRIMARY KEY(trip, start, end)) WITHOUT ROWID;
            CREATE TEMP TABLE shape_point(shape, sequence, latitude, longitude);
            CREATE TEMP TABLE unsorted_call(stop, time, trip, place, service);
            """)
        insertException = try database.prepare("INSERT OR REPLACE INTO exception VALUES(?, ?, ?)")
        insertStop = try database.prepare("INSERT INTO stop VALUES(?, ?, ?, ?, ?, ?)")
        insertBox = try database.prepare("INSERT INTO box VALUES(?, ?, ?, ?, ?)")
        insertStation = try database.prepare("INSERT INTO station VALUES(?, ?, ?, ?, ?, ?)")
        insertPlatform = try database.prepare("INSERT INTO platform VALUES(?, ?)")
        insertTrip = try database.prepare("INSERT INTO trip VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        insertPattern = try database.prepare("INSERT INTO pattern VALUES(?, ?)")
        insertCall = try database.prepare("INSERT INTO unsorted_call VALUES(?, ?, ?, ?, ?)")
        insertFeedTrip = try database.prepare("INSERT INTO feed_trip VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")
        insertStopTime = try database.prepare("INSERT INTO stop_time VALUES(?, ?, ?, ?, ?, ?)")
        insertFrequency = try database.prepare("INSERT OR REPLACE INTO frequency VALUES(?, ?, ?, ?, ?)")
        insertShapePoint = try database.prepare("INSERT INTO shape_point VALUES(?, ?, ?, ?)")
    }

    // MARK: Rows of the feed

    /// - Parameter weekdays: bits from Monday on; 0 for a service with exceptions alone.
    package func addService(_ number: Int, weekdays: Int, from first: ServiceDay, to last: ServiceDay)
        throws(SQLiteError)
    {
        try database.prepare("INSERT INTO service VALUES(?, ?, ?, ?)").run(
            number, weekdays, first.number, last.number)
    }

    package func addException(_ day: ServiceDay, service: Int, runs: Bool) throws(SQLiteError) {
        try insertException.run(day.number, service, runs)
    }

    package func addLine(_ number: Int, _ line: TransitLine, sort: Int?) throws(SQLiteError) {
        try database.prepare("INSERT INTO line VALUES(?, ?, ?, ?, ?, ?)").run(
            number, line.id, line.code, line.name, line.color?.text, sort)
    }

    /// Adds the next stop. Its number is the number of stops before it.
    ///
    /// - Parameter isKept: whether it goes into the database.
    package func addStop(_ stop: TransitStop, isKept: Bool) throws(SQLiteError) {
        let number = stops.count
        stops.append((stop.position, isKept))
        guard isKept else { return }
        let (latitude, longitude) = (stop.position.latitude, stop.position.longitude)
        try insertStop.run(number, stop.id, stop.code, stop.name, latitude, longitude)
        try insertBox.run(number, latitude, latitude, longitude, longitude)
        counts.stops += 1
    }

    /// Adds the next station, unless none of its platforms is in the database.
    ///
    /// - Parameters:
    ///   - position: nil for that of its first platform.
    ///   - platforms: numbers of stops.
    package func addStation(
        id: String, code: String?, name: String, position: Coordinate?, platforms: [Int]
    ) throws(SQLiteError) {
        let kept = platforms.filter { stops[$0].isKept }
        guard let first = kept.first else { return }
        let position = position ?? stops[first].position
        try insertStation.run(stations, id, code, name, position.latitude, position.longitude)
        for platform in kept { try insertPlatform.run(stations, platform) }
        stations += 1
    }

    package func addTrip(_ number: Int, _ trip: FeedTrip) throws(SQLiteError) {
        try insertFeedTrip.run(
            number, trip.id, trip.line, trip.service, trip.headsign, trip.direction, trip.allowsBikes, trip.shape,
            trip.feedLine)
    }

    /// - Parameters:
    ///   - start: the seconds of the service day of the first departure of the first run.
    ///   - end: the seconds before which the last run starts.
    ///   - headway: seconds between two runs, at least 1.
    package func addFrequency(
        trip: Int, from start: Int, to end: Int, headway: Int, isExact: Bool
    ) throws(SQLiteError) {
        try insertFrequency.run(trip, start, end, headway, isExact)
    }

    package func addStopTime(_ time: StopTime) throws(SQLiteError) {
        stopTimes += 1
        guard stopTimes <= Self.stopTimeLimit else {
            throw SQLiteError(rejecting: "the feed has more than \(Self.stopTimeLimit) stop times")
        }
        try insertStopTime.run(
            time.trip, time.sequence, time.stop, time.arrival, time.departure,
            (time.canBoard ? 0 : 1) + (time.canAlight ? 0 : 2))
    }

    package func addShapePoint(_ shape: Int, sequence: Int, _ position: Coordinate) throws(SQLiteError) {
        shapePoints += 1
        guard shapePoints <= Self.shapePointLimit else {
            throw SQLiteError(rejecting: "the feed has more than \(Self.shapePointLimit) points of shapes")
        }
        try insertShapePoint.run(
            shape, sequence, Self.hundredThousandths(position.latitude), Self.hundredThousandths(position.longitude))
    }

    private static func hundredThousandths(_ degrees: Double) -> Int { Int((degrees * 1e5).rounded()) }

    // MARK: The end

    /// Completes the file.
    ///
    /// - Parameters:
    ///   - source: the name of the imported file.
    ///   - time: nil if the clock is not set.
    ///   - skip: receives the line of `trips.txt` of a trip that is left out, and the reason.
    package func finish(
        _ feed: FeedImport.Facts, source: String, at time: UTC?, skip: (Int, String) -> Void
    ) throws(SQLiteError) {
        try writeTrips(skip)
        try database.execute(
            """
            DROP TABLE stop_time; DROP TABLE feed_trip;
            INSERT INTO call SELECT * FROM unsorted_call ORDER BY stop, time, trip, place;
            DROP TABLE unsorted_call;
            CREATE INDEX trip_id ON trip(id);
            CREATE INDEX trip_line ON trip(line, shape);
            DELETE FROM line WHERE number NOT IN (SELECT line FROM trip);
            """)
        try writeShapes()
        counts.lines = Int(try database.integer("SELECT count(*) FROM line") ?? 0)
        let insertClock = try database.prepare("INSERT INTO clock VALUES(?, ?)")
        for change in feed.clock.changes { try insertClock.run(change.start, change.offset) }
        let meta = try database.prepare("INSERT INTO meta VALUES(?, ?)")
        try meta.run("source", source)
        try meta.run("agency", feed.agency)
        try meta.run("zone", feed.zone)
        try meta.run("first_day", feed.days.lowerBound.number)
        try meta.run("last_day", feed.days.upperBound.number)
        try meta.run("latest_s", latest)
        try meta.run("halt_s", longestHalt)
        if let time { try meta.run("imported_ms", time.milliseconds) }
        try database.execute("COMMIT")
    }

    private func writeTrips(_ skip: (Int, String) -> Void) throws(SQLiteError) {
        let rows = try database.prepare("SELECT * FROM stop_time ORDER BY trip, sequence")
        let trip = try database.prepare("SELECT * FROM feed_trip WHERE number = ?")
        let frequencies = try database.prepare(
            "SELECT start, end, headway, is_exact FROM frequency WHERE trip = ? ORDER BY start")
        var builder = TripBuilder(stops: stops)
        func write(_ number: Int) throws(SQLiteError) {
            try trip.bind(number)
            defer { trip.reset() }
            guard try trip.step() else { return }
            let calls: [Call]
            do throws(TripBuilder.Failure) {
                calls = try builder.calls()
            } catch {
                return skip(Int(trip.integer(8) ?? 0), error.description)
            }
            // None of the stops, or one alone, is kept.
            guard calls.count > 1 else { return }
            let pattern = try pattern(calls)
            var runs: [(start: Int, headway: Int?)] = []
            try frequencies.bind(number)
            while try frequencies.step() {
                let (start, end) = (Int(frequencies.integer(0) ?? 0), Int(frequencies.integer(1) ?? 0))
                let headway = max(Int(frequencies.integer(2) ?? 0), 1)
                // The time of a run is that of its first departure.
                let offset = builder.firstDeparture - calls[0].arrival
                for departure in stride(from: start, to: end, by: headway) {
                    guard self.runs < Self.runLimit else {
                        throw SQLiteError(rejecting: "frequencies.txt makes more than \(Self.runLimit) runs")
                    }
                    self.runs += 1
                    runs.append((departure - offset, frequencies.integer(3) == 1 ? nil : headway))
                }
            }
            if runs.isEmpty { runs = [(calls[0].arrival, nil)] }
            for run in runs {
                let service = Int(trip.integer(3) ?? 0)
                try insertTrip.run(
                    counts.trips, trip.text(1), trip.integer(2), service, pattern, run.start, trip.text(4),
                    trip.integer(5), trip.integer(6), run.headway, trip.integer(7))
                for (place, call) in calls.enumerated() {
                    try insertCall.run(
                        call.stop, run.start + call.departure - calls[0].arrival, counts.trips, place, service)
                }
                longestHalt = calls.reduce(longestHalt) { max($0, $1.departure - $1.arrival) }
                latest = max(latest, run.start + calls[calls.count - 1].departure - calls[0].arrival)
                counts.trips += 1
                counts.calls += calls.count
            }
        }
        var current: Int?
        while try rows.step() {
            let number = Int(rows.integer(0) ?? 0)
            if let done = current, done != number {
                try write(done)
                builder.clear()
            }
            current = number
            builder.add(
                stop: Int(rows.integer(2) ?? 0), sequence: Int(rows.integer(1) ?? 0),
                arrival: rows.integer(3).map { Int($0) }, departure: rows.integer(4).map { Int($0) },
                flags: rows.integer(5) ?? 0, limit: Self.callLimit)
        }
        if let current { try write(current) }
    }

    /// The number of a pattern, which is written if it is new.
    private func pattern(_ calls: [Call]) throws(SQLiteError) -> Int {
        let bytes = CallPattern.encode(calls)
        if let known = patterns[bytes] { return known }
        let number = patternCount
        patternCount += 1
        try insertPattern.run(number, bytes)
        if patternBytes + bytes.count <= Self.rememberedPatterns {
            patterns[bytes] = number
            patternBytes += bytes.count
        }
        return number
    }

    private func writeShapes() throws(SQLiteError) {
        let insert = try database.prepare("INSERT INTO shape VALUES(?, ?)")
        let rows = try database.prepare(
            """
            SELECT shape, latitude, longitude FROM shape_point WHERE shape IN (SELECT DISTINCT shape FROM trip)
            ORDER BY shape, sequence
            """)
        var current: Int64?
        var path = ShapeCoding.Encoder()
        while try rows.step() {
            guard let shape = rows.integer(0), let latitude = rows.integer(1), let longitude = rows.integer(2) else {
                continue
            }
            if let done = current, done != shape {
                try insert.run(done, path.bytes)
                path = ShapeCoding.Encoder()
            }
            current = shape
            path.add(latitude: Int32(clamping: latitude), longitude: Int32(clamping: longitude))
        }
        if let current { try insert.run(current, path.bytes) }
        try database.execute("DROP TABLE shape_point")
    }
}
