package import Domain
import Glibc
import Maps
import Pipeline
package import SQLite
package import Transit

/// The timetable of `transit.db`, for reading. The file is never changed: an import replaces it.
package final class TransitDatabase {
    package static let fileName = "transit.db"

    private let database: SQLiteDatabase
    package let path: String
    package let agency: String
    package let clock: AgencyClock
    /// The days of service.
    package let days: ClosedRange<ServiceDay>
    /// The latest departure, in seconds of the service day.
    private let latest: Int
    /// The longest time from an arrival to the departure, in seconds.
    private let longestHalt: Int
    private let callsOfStop: SQLiteStatement
    private let tripRow: SQLiteStatement
    private let tripsOfID: SQLiteStatement
    private let patternRow: SQLiteStatement
    private let positionRow: SQLiteStatement
    private var positions: [Int: Coordinate] = [:]
    private var patterns: [Int: [Call]] = [:]
    private var services: [ServiceDay: Set<Int>] = [:]
    private var linesByNumber: [Int: TransitLine]?

    /// - Parameter directory: a path without symbolic links.
    package init(in directory: String) throws(MapsFailure) {
        path = directory + "/" + Self.fileName
        guard access(path, F_OK) == 0 || errno != ENOENT else { throw Self.missing(in: directory) }
        do throws(SQLiteError) {
            database = try SQLiteDatabase(
                maps: path, applicationID: TransitSchema.applicationID, version: TransitSchema.version,
                kind: "a timetable")
            let meta = try database.prepare("SELECT value FROM meta WHERE name = ?")
            func integer(_ name: String) throws(SQLiteError) -> Int? {
                try meta.bind(name)
                return try meta.step() ? meta.integer(0).map { Int($0) } : nil
            }
            guard let first = try integer("first_day"), let last = try integer("last_day"),
                let latest = try integer("latest_s"), let halt = try integer("halt_s"),
                (0...Self.lastDay).contains(first), (first...Self.lastDay).contains(last),
                (0...Self.longestDay).contains(latest), (0...Self.longestDay).contains(halt)
            else { throw SQLiteError(rejecting: "it has no days of service") }
            days = ServiceDay(number: first)...ServiceDay(number: last)
            self.latest = latest
            longestHalt = halt
            try meta.bind("agency")
            agency = try meta.step() ? meta.text(0).flatMap { SanitizedText.line($0, limit: 256) } ?? "" : ""
            meta.reset()
            var changes: [AgencyClock.Change] = []
            let rows = try database.prepare("SELECT start, offset FROM clock ORDER BY start LIMIT 10000")
            while try rows.step() {
                guard let start = rows.integer(0), let offset = rows.integer(1), offset.magnitude <= 86_400 else {
                    continue
                }
                changes.append(AgencyClock.Change(start: Int(start), offset: Int(offset)))
            }
            guard !changes.isEmpty else { throw SQLiteError(rejecting: "it has no time zone") }
            clock = AgencyClock(changes)
            callsOfStop = try database.prepare(
                "SELECT trip, service FROM call WHERE stop = ? AND time BETWEEN ? AND ? ORDER BY time")
            tripRow = try database.prepare(
                "SELECT line, pattern, start, bikes, headway, service FROM trip WHERE number = ?")
            tripsOfID = try database.prepare("SELECT number, start FROM trip WHERE id = ?")
            patternRow = try database.prepare("SELECT calls FROM pattern WHERE number = ?")
            positionRow = try database.prepare("SELECT latitude, longitude FROM stop WHERE number = ?")
        } catch {
            throw MapsFailure(
                description: "cannot read \(path) (\(error)): replace it with 'pacectl transit import GTFS.zip'")
        }
    }

    /// The end of the year 2199, in days since 1970.
    private static let lastDay = 84_006
    /// Seconds of a week, and of the runs that begin in it.
    private static let longestDay = 14 * 86_400

    /// The failure for a directory without the file.
    package static func missing(in directory: String) -> MapsFailure {
        MapsFailure(
            description: "there is no timetable in \(directory): import one with 'pacectl transit import GTFS.zip'")
    }

    // MARK: Lines and stops

    /// All lines with their numbers, in the order of the agency.
    package func lines() throws(SQLiteError) -> [(number: Int, line: TransitLine)] {
        let rows = try database.prepare(
            "SELECT number, id, code, name, color FROM line ORDER BY sort IS NULL, sort, number")
        var lines: [(number: Int, line: TransitLine)] = []
        while try rows.step() {
            guard let number = rows.integer(0), let id = rows.text(1) else { continue }
            func text(_ column: Int32) -> String {
                rows.text(column).flatMap { SanitizedText.line($0, limit: 256) } ?? ""
            }
            lines.append(
                (
                    Int(number),
                    TransitLine(id: id, code: text(2), name: text(3), color: rows.text(4).flatMap { LineColor($0) })
                ))
        }
        return lines
    }

    /// Nil for an unknown number.
    package func line(_ number: Int) throws(SQLiteError) -> TransitLine? {
        if linesByNumber == nil {
            linesByNumber = Dictionary(
                try lines().map { ($0.number, $0.line) }, uniquingKeysWith: { first, _ in first })
        }
        return linesByNumber?[number]
    }

    private static let stopColumns = "stop.number, stop.id, stop.code, stop.name, stop.latitude, stop.longitude"

    /// All stops with their numbers, in the order of the feed.
    package func stops() throws(SQLiteError) -> [(number: Int, stop: TransitStop)] {
        let rows = try database.prepare("SELECT \(Self.stopColumns) FROM stop ORDER BY number")
        var stops: [(number: Int, stop: TransitStop)] = []
        while try rows.step() { stops += [Self.stop(rows)].compactMap(\.self) }
        return stops
    }

    package func stop(id: String) throws(SQLiteError) -> (number: Int, stop: TransitStop)? {
        let rows = try database.prepare("SELECT \(Self.stopColumns) FROM stop WHERE id = ?")
        try rows.bind(id)
        return try rows.step() ? Self.stop(rows) : nil
    }

    package func stop(_ number: Int) throws(SQLiteError) -> TransitStop? {
        let rows = try database.prepare("SELECT \(Self.stopColumns) FROM stop WHERE number = ?")
        try rows.bind(number)
        return try rows.step() ? Self.stop(rows)?.stop : nil
    }

    /// The stations with the numbers of their platforms, in the order of the feed.
    ///
    /// - Parameter id: nil for all.
    package func stations(id: String? = nil) throws(SQLiteError) -> [(station: TransitStop, platforms: [Int])] {
        let rows = try database.prepare(
            """
            SELECT station.number, id, code, name, latitude, longitude, platform.stop
            FROM station JOIN platform ON platform.station = station.number \(id == nil ? "" : "WHERE id = ?")
            ORDER BY station.number, platform.stop
            """)
        if let id { try rows.bind(id) }
        var stations: [(station: TransitStop, platforms: [Int])] = []
        var last: Int?
        while try rows.step() {
            guard let (number, station) = Self.stop(rows), let platform = rows.integer(6) else { continue }
            if last != number { stations.append((station, [])) }
            last = number
            stations[stations.count - 1].platforms.append(Int(platform))
        }
        return stations
    }

    /// Kept for the next search, because a search needs the positions of thousands of stops.
    package func position(ofStop number: Int) throws(SQLiteError) -> Coordinate? {
        if let known = positions[number] { return known }
        try positionRow.bind(number)
        defer { positionRow.reset() }
        guard try positionRow.step(), let latitude = positionRow.real(0), let longitude = positionRow.real(1),
            latitude.magnitude <= 90, longitude.magnitude <= 180
        else { return nil }
        if positions.count >= Self.positionLimit { positions.removeAll(keepingCapacity: true) }
        let position = Coordinate(latitude: latitude, longitude: longitude)
        positions[number] = position
        return position
    }

    private static let positionLimit = 10_000

    /// The stops within some metres of a position, the nearest first.
    package func stops(
        within metres: Double, of position: Coordinate
    ) throws(SQLiteError) -> [(number: Int, stop: TransitStop, metres: Double)] {
        let rows = try database.prepare(
            """
            SELECT \(Self.stopColumns) FROM box JOIN stop USING (number)
            WHERE south <= ? AND north >= ? AND west <= ? AND east >= ?
            """)
        var stops: [(number: Int, stop: TransitStop, metres: Double)] = []
        for box in GeographicBox.boxes(around: position, metres: metres) {
            try rows.bind(box.north, box.south, box.east, box.west)
            while try rows.step() {
                guard let (number, stop) = Self.stop(rows) else { continue }
                let distance = position.metres(to: stop.position)
                if distance <= metres { stops.append((number, stop, distance)) }
            }
        }
        return stops.sorted { ($0.metres, $0.number) < ($1.metres, $1.number) }
    }

    private static func stop(_ row: SQLiteStatement) -> (number: Int, stop: TransitStop)? {
        guard let number = row.integer(0), let id = row.text(1), let latitude = row.real(4),
            let longitude = row.real(5), latitude.magnitude <= 90, longitude.magnitude <= 180
        else { return nil }
        let stop = TransitStop(
            id: id, code: row.text(2).flatMap { SanitizedText.line($0, limit: 256) },
            name: row.text(3).flatMap { SanitizedText.line($0, limit: 256) } ?? id,
            position: Coordinate(latitude: latitude, longitude: longitude))
        return (Int(number), stop)
    }

    /// The ways of a line: its shapes, or lines between its stops if the feed has no shapes.
    package func paths(ofLine number: Int) throws(SQLiteError) -> [[Coordinate]] {
        let shapes = try database.prepare(
            "SELECT points FROM shape WHERE number IN (SELECT DISTINCT shape FROM trip WHERE line = ?) ORDER BY number")
        try shapes.bind(number)
        var paths: [[Coordinate]] = []
        while try shapes.step() {
            let path = ShapeCoding.decode(shapes.bytes(0) ?? [])
            if path.count > 1 { paths.append(path) }
        }
        if !paths.isEmpty { return paths }
        var seen: Set<[Int]> = []
        for stops in try stopSequences(ofLine: number) where seen.insert(stops).inserted {
            var path: [Coordinate] = []
            for stop in stops { path += [try self.stop(stop)?.position].compactMap(\.self) }
            paths.append(path)
        }
        return paths.filter { $0.count > 1 }
    }

    /// The stops of a line, each once, in the order of its trips.
    package func stops(ofLine number: Int) throws(SQLiteError) -> [TransitStop] {
        var seen: Set<Int> = []
        var stops: [TransitStop] = []
        for stop in try stopSequences(ofLine: number).joined() where seen.insert(stop).inserted {
            stops += [try self.stop(stop)].compactMap(\.self)
        }
        return stops
    }

    /// The numbers of the stops of each pattern of a line.
    private func stopSequences(ofLine number: Int) throws(SQLiteError) -> [[Int]] {
        let patterns = try database.prepare("SELECT DISTINCT pattern FROM trip WHERE line = ? ORDER BY pattern")
        try patterns.bind(number)
        var sequences: [[Int]] = []
        while try patterns.step() { sequences.append(try pattern(Int(patterns.integer(0) ?? 0)).map(\.stop)) }
        return sequences
    }

    // MARK: Trips

    /// The ID of a trip in the feed, and its text for travellers; nil for an unknown number.
    package func trip(_ number: Int) throws(SQLiteError) -> (id: String, headsign: String?)? {
        let row = try database.prepare("SELECT id, headsign FROM trip WHERE number = ?")
        try row.bind(number)
        guard try row.step(), let id = row.text(0) else { return nil }
        return (id, row.text(1).flatMap { SanitizedText.line($0, limit: 256) })
    }

    /// The trips with an ID, each with its first arrival in seconds of the service day: several for a trip with frequencies.
    func trips(id: String) throws(SQLiteError) -> [(number: Int, start: Int)] {
        try tripsOfID.bind(id)
        var trips: [(number: Int, start: Int)] = []
        while try tripsOfID.step() {
            trips.append((Int(tripsOfID.integer(0) ?? -1), Int(tripsOfID.integer(1) ?? 0)))
        }
        return trips
    }

    /// The line of a trip; nil for an unknown trip.
    package func line(ofTrip id: String) throws(SQLiteError) -> TransitLine? {
        let row = try database.prepare("SELECT line FROM trip WHERE id = ? LIMIT 1")
        try row.bind(id)
        guard try row.step(), let number = row.integer(0) else { return nil }
        return try line(Int(number))
    }

    /// Nil for an unknown ID.
    package func line(id: String) throws(SQLiteError) -> TransitLine? {
        try lineNumber(id: id).flatMap { number throws(SQLiteError) in try line(number) }
    }

    /// Nil for an unknown ID.
    package func lineNumber(id: String) throws(SQLiteError) -> Int? {
        let row = try database.prepare("SELECT number FROM line WHERE id = ?")
        try row.bind(id)
        return try row.step() ? row.integer(0).map { Int($0) } : nil
    }

    /// Nil if the trip does not run on the day.
    func ride(_ trip: Int, on day: ServiceDay) throws(SQLiteError) -> Ride? {
        try tripRow.bind(trip)
        let service = try tripRow.step() ? tripRow.integer(5) : nil
        tripRow.reset()
        guard days.contains(day), let service, try services(on: day).contains(Int(service)) else { return nil }
        return try ride(trip, on: day, start: clock.start(of: day))
    }

    /// The rides that call at one of some stops between two times, each once.
    ///
    /// - Parameter times: seconds since 1970.
    package func rides(
        at stops: some Sequence<Int>, in times: ClosedRange<Int>, live: LiveTimetable
    ) throws(SQLiteError) -> [Ride] {
        let stops = Set(stops)
        // A late ride is earlier by the timetable. The stored times are those of departures.
        let first = times.lowerBound - live.differences.upperBound
        let last = times.upperBound - live.differences.lowerBound + longestHalt
        var rides: [Ride] = []
        var day = max(clock.day(at: first - latest), days.lowerBound)
        while day <= days.upperBound {
            let start = clock.start(of: day)
            guard start <= last else { break }
            let services = try services(on: day)
            var seen: Set<Int> = []
            for stop in stops where !services.isEmpty {
                try callsOfStop.bind(stop, first - start, last - start)
                while try callsOfStop.step() {
                    guard let trip = callsOfStop.integer(0), let service = callsOfStop.integer(1),
                        services.contains(Int(service)), seen.insert(Int(trip)).inserted,
                        let ride = try ride(Int(trip), on: day, start: start)
                    else { continue }
                    rides.append(live.applied(to: ride))
                }
            }
            day.number += 1
        }
        return rides + live.added.filter { $0.calls.contains { stops.contains($0.stop) } }
    }

    private func ride(_ trip: Int, on day: ServiceDay, start: Int) throws(SQLiteError) -> Ride? {
        try tripRow.bind(trip)
        defer { tripRow.reset() }
        guard try tripRow.step(), let line = tripRow.integer(0), let pattern = tripRow.integer(1),
            let seconds = tripRow.integer(2)
        else { return nil }
        let (bikes, headway) = (tripRow.integer(3), tripRow.integer(4))
        var ride = Ride(
            trip: trip, day: day, line: Int(line), start: start + Int(seconds), schedule: try self.pattern(Int(pattern))
        )
        ride.allowsBikes = bikes.map { $0 == 1 }
        ride.headway = headway.map { Int($0) }
        return ride
    }

    private func pattern(_ number: Int) throws(SQLiteError) -> [Call] {
        if let known = patterns[number] { return known }
        try patternRow.bind(number)
        defer { patternRow.reset() }
        let calls = try patternRow.step() ? patternRow.bytes(0).flatMap { CallPattern.decode($0) } ?? [] : []
        if patterns.count >= Self.patternLimit { patterns.removeAll(keepingCapacity: true) }
        patterns[number] = calls
        return calls
    }

    /// Bounds the memory of the patterns kept for the next search.
    private static let patternLimit = 4000

    /// The services that run on a day.
    private func services(on day: ServiceDay) throws(SQLiteError) -> Set<Int> {
        if let known = services[day] { return known }
        var numbers: Set<Int> = []
        let rows = try database.prepare(
            "SELECT number FROM service WHERE first <= ?1 AND last >= ?1 AND weekdays >> ?2 & 1")
        try rows.bind(day.number, day.weekday)
        while try rows.step() { numbers.insert(Int(rows.integer(0) ?? -1)) }
        let exceptions = try database.prepare("SELECT service, runs FROM exception WHERE day = ?")
        try exceptions.bind(day.number)
        while try exceptions.step() {
            let service = Int(exceptions.integer(0) ?? -1)
            if exceptions.integer(1) == 1 { numbers.insert(service) } else { numbers.remove(service) }
        }
        if services.count >= Self.dayLimit { services.removeAll() }
        services[day] = numbers
        return numbers
    }

    private static let dayLimit = 16
}
