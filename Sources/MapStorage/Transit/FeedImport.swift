package import Domain
import Pipeline
import SQLite
package import Transit

/// Imports a GTFS feed into a ``TransitWriter``.
///
/// A file that is no table, a wrong number or a wrong time refuse the feed. A row that refers to nothing, or a trip with
/// impossible times, is left out and counted.
///
/// Source: gtfs.org/documentation/schedule/reference.
package struct FeedImport {
    /// Passes a file of the feed in pieces; false if the feed lacks it.
    package typealias Source = (_ name: String, _ body: (Span<UInt8>) throws -> Void) throws -> Bool

    /// The circle to which the import is limited.
    package struct Area: Sendable {
        package var center: Coordinate
        package var metres: Double

        package init(center: Coordinate, metres: Double) {
            self.center = center
            self.metres = metres
        }
    }

    /// What holds for the whole feed.
    package struct Facts: Sendable {
        package var agency: String
        /// Such as `Europe/Berlin`.
        package var zone: String
        /// From the first to the last day of service.
        package var days: ClosedRange<ServiceDay>
        package var clock: AgencyClock
    }

    /// Rows left out for one reason.
    package struct Skipped: Equatable, Sendable {
        package var count: Int
        package var first: FeedError
    }

    /// The most rows of each file. They bound the memory.
    private static let serviceLimit = 200_000
    private static let exceptionLimit = 5_000_000
    private static let lineLimit = 20_000
    private static let stopLimit = 500_000
    private static let tripLimit = 1_000_000

    private let source: Source
    private let writer: TransitWriter
    private let area: Area?
    private var services: [String: Int] = [:]
    private var lines: [String: Int] = [:]
    private var stops: [String: Int] = [:]
    private var trips: [String: Int] = [:]
    private var shapes: [String: Int] = [:]
    private var days: ClosedRange<ServiceDay>?

    /// By the reason.
    package private(set) var skipped: [String: Skipped] = [:]

    /// - Parameter area: nil for the whole feed.
    package init(_ source: @escaping Source, into writer: TransitWriter, area: Area?) {
        self.source = source
        self.writer = writer
        self.area = area
    }

    /// Imports the feed.
    ///
    /// - Parameter clock: the local time of a zone on some days; nil for an unknown zone.
    /// - Throws: ``FeedError``, ``SQLiteError``, or an error of the source.
    package mutating func run(clock: (_ zone: String, ClosedRange<ServiceDay>) -> AgencyClock?) throws -> Facts {
        let (agency, zone, line) = try readAgency()
        try readCalendar()
        try readExceptions()
        guard let days else {
            throw FeedError("calendar.txt", "the feed has no day of service, here or in calendar_dates.txt")
        }
        guard let clock = clock(zone, days) else {
            throw FeedError("agency.txt", line: line, "agency_timezone '\(zone)' is no known time zone")
        }
        try readStops()
        try readLines()
        try readTrips()
        try readFrequencies()
        try readShapes()
        try readStopTimes()
        return Facts(agency: agency, zone: zone, days: days, clock: clock)
    }

    /// Counts a row that is left out.
    package mutating func skip(_ error: FeedError) {
        skipped["\(error.file) \(Self.kind(of: error.reason))", default: Skipped(count: 0, first: error)].count += 1
    }

    /// The reason without the quoted ID.
    private static func kind(of reason: String) -> String {
        String(reason.prefix { $0 != "'" })
    }

    // MARK: Tables

    /// Reads a file, and passes its records to `body`.
    ///
    /// - Throws: ``FeedError`` if the file is needed and missing, or is no table, or an error of `body`.
    private func read(
        _ name: String, required: [String], optional: [String] = [], isNeeded: Bool = false,
        _ body: (inout FeedTable) throws -> Void
    ) throws {
        var table = FeedTable(name, required: required, optional: optional)
        let exists = try source(name) { piece in
            table.feed(piece)
            while try table.next() { try body(&table) }
        }
        guard exists else {
            if isNeeded { throw FeedError(name, "the file is missing from the feed") }
            return
        }
        table.finish()
        while try table.next() { try body(&table) }
    }

    /// The name and the time zone of the first agency: all agencies of a feed have the same zone.
    private func readAgency() throws -> (name: String, zone: String, line: Int) {
        var agency: (String, String, Int)?
        try read("agency.txt", required: ["agency_name", "agency_timezone"], isNeeded: true) { row in
            if agency != nil { return }
            guard let name = row.text(0), let zone = row.text(1) else {
                throw row.error("agency_name and agency_timezone must not be empty")
            }
            agency = (name, zone, row.line)
        }
        guard let agency else { throw FeedError("agency.txt", "the file has no agency") }
        return agency
    }

    private static func union(
        _ days: ClosedRange<ServiceDay>?, _ more: ClosedRange<ServiceDay>
    ) -> ClosedRange<ServiceDay> {
        guard let days else { return more }
        return min(days.lowerBound, more.lowerBound)...max(days.upperBound, more.upperBound)
    }

    private mutating func readCalendar() throws {
        let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        var (services, days) = (services, days)
        try read("calendar.txt", required: ["service_id", "start_date", "end_date"] + weekdays) { row in
            let id = try row.id(0)
            guard services[id] == nil else { throw row.error("service_id is there a second time") }
            guard services.count < Self.serviceLimit else { throw row.error("there are too many services") }
            let (first, last) = (try row.day(1), try row.day(2))
            guard first <= last else { throw row.error("end_date is before start_date") }
            var bits = 0
            for weekday in 0..<7 where try row.integer(3 + weekday, in: 0...1) == 1 { bits |= 1 << weekday }
            try writer.addService(services.count, weekdays: bits, from: first, to: last)
            services[id] = services.count
            days = Self.union(days, first...last)
        }
        (self.services, self.days) = (services, days)
    }

    private mutating func readExceptions() throws {
        var (services, days) = (services, days)
        var count = 0
        try read("calendar_dates.txt", required: ["service_id", "date", "exception_type"]) { row in
            let (id, day) = (try row.id(0), try row.day(1))
            guard let type = try row.integer(2, in: 1...2) else { throw row.error("exception_type must be 1 or 2") }
            count += 1
            guard count <= Self.exceptionLimit else { throw row.error("there are too many exceptions") }
            let service = services[id] ?? services.count
            if services[id] == nil {
                guard services.count < Self.serviceLimit else { throw row.error("there are too many services") }
                try writer.addService(service, weekdays: 0, from: day, to: day)
                services[id] = service
            }
            try writer.addException(day, service: service, runs: type == 1)
            if type == 1 { days = Self.union(days, day...day) }
        }
        (self.services, self.days) = (services, days)
    }

    /// Values of `location_type`. Entrances, nodes and boarding areas have others.
    private enum LocationType {
        static let stop = 0
        static let station = 1
    }

    /// A row of `stops.txt` for a station.
    private struct Station {
        var id: String
        var code: String?
        var name: String
        var position: Coordinate?
        var platforms: [Int] = []
    }

    private static func station(_ row: FeedTable) throws -> Station {
        let (id, code) = (try row.id(0), row.text(4))
        // No vehicle halts there: a wrong position refuses no feed.
        return Station(
            id: id, code: code == id ? nil : code, name: row.text(1) ?? id,
            position: try? row.position(latitude: 2, longitude: 3))
    }

    private mutating func readStops() throws {
        var stops = stops
        var skipped: [FeedError] = []
        var stations: [Station] = []
        /// The IDs of the stations of stops, which may follow these.
        var parents: [(stop: Int, station: String)] = []
        let area = area
        try read(
            "stops.txt", required: ["stop_id"],
            optional: ["stop_name", "stop_lat", "stop_lon", "stop_code", "location_type", "parent_station"],
            isNeeded: true
        ) { row in
            let type = try row.integer(5, in: 0...Int(Int32.max)) ?? LocationType.stop
            if type == LocationType.station { return try stations.append(Self.station(row)) }
            guard type == LocationType.stop else { return }
            let id = try row.id(0)
            guard stops[id] == nil else { throw row.error("stop_id is there a second time") }
            guard stops.count < Self.stopLimit else { throw row.error("there are too many stops") }
            guard let position = try row.position(latitude: 2, longitude: 3) else {
                skipped.append(row.error("the stop has no position"))
                return
            }
            let code = row.text(4)
            let stop = TransitStop(
                id: id, code: code == id ? nil : code, name: row.text(1) ?? id, position: position)
            if let station = try? row.id(6) { parents.append((stops.count, station)) }
            stops[id] = stops.count
            try writer.addStop(stop, isKept: area.map { position.metres(to: $0.center) <= $0.metres } ?? true)
        }
        for error in skipped { skip(error) }
        self.stops = stops
        let places = Dictionary(stations.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        for parent in parents {
            if let place = places[parent.station] { stations[place].platforms.append(parent.stop) }
        }
        for station in stations {
            try writer.addStation(
                id: station.id, code: station.code, name: station.name, position: station.position,
                platforms: station.platforms)
        }
    }

    private mutating func readLines() throws {
        var lines = lines
        try read(
            "routes.txt", required: ["route_id"],
            optional: ["route_short_name", "route_long_name", "route_color", "route_sort_order"], isNeeded: true
        ) { row in
            let id = try row.id(0)
            guard lines[id] == nil else { throw row.error("route_id is there a second time") }
            guard lines.count < Self.lineLimit else { throw row.error("there are too many routes") }
            let (code, name) = (row.text(1) ?? "", row.text(2) ?? "")
            let line = TransitLine(
                id: id, code: code.isEmpty && name.isEmpty ? id : code, name: name == code ? "" : name,
                color: row.text(3).flatMap { LineColor($0) })
            try writer.addLine(lines.count, line, sort: try row.integer(4, in: 0...Int(Int32.max)))
            lines[id] = lines.count
        }
        self.lines = lines
    }

    private mutating func readTrips() throws {
        var (trips, shapes) = (trips, shapes)
        var skipped: [FeedError] = []
        let (lines, services) = (lines, services)
        try read(
            "trips.txt", required: ["route_id", "service_id", "trip_id"],
            optional: ["trip_headsign", "direction_id", "bikes_allowed", "shape_id"], isNeeded: true
        ) { row in
            let (line, service, id) = (try row.id(0), try row.id(1), try row.id(2))
            guard trips[id] == nil else { throw row.error("trip_id is there a second time") }
            guard trips.count < Self.tripLimit else { throw row.error("there are too many trips") }
            let number = trips.count
            // Its stop times refer to something, though it is left out.
            trips[id] = number
            guard let line = lines[line] else {
                return skipped.append(row.error("route_id '\(Self.quoted(line))' is not in routes.txt"))
            }
            guard let service = services[service] else {
                return skipped.append(
                    row.error(
                        "service_id '\(Self.quoted(service))' is not in calendar.txt, nor in calendar_dates.txt"))
            }
            var shape: Int?
            if !row.value(6).isEmpty {
                let id = try row.id(6)
                shape = shapes[id] ?? shapes.count
                shapes[id] = shape
            }
            let bikes = try row.integer(5, in: 0...2) ?? 0
            try writer.addTrip(
                number,
                TransitWriter.FeedTrip(
                    id: id, line: line, service: service, headsign: row.text(3),
                    direction: try row.integer(4, in: 0...1), allowsBikes: bikes == 0 ? nil : bikes == 1, shape: shape,
                    feedLine: row.line))
        }
        for error in skipped { skip(error) }
        (self.trips, self.shapes) = (trips, shapes)
    }

    private mutating func readFrequencies() throws {
        var skipped: [FeedError] = []
        try read(
            "frequencies.txt", required: ["trip_id", "start_time", "end_time", "headway_secs"],
            optional: ["exact_times"]
        ) { row in
            let id = try row.id(0)
            guard let trip = trips[id] else { return skipped.append(Self.unknownTrip(id, in: row)) }
            guard let start = try row.time(1), let end = try row.time(2),
                let headway = try row.integer(3, in: 1...86_400)
            else { throw row.error("start_time, end_time and headway_secs must not be empty") }
            try writer.addFrequency(
                trip: trip, from: start, to: end, headway: headway, isExact: try row.integer(4, in: 0...1) == 1)
        }
        for error in skipped { skip(error) }
    }

    private func readShapes() throws {
        try read(
            "shapes.txt", required: ["shape_id", "shape_pt_lat", "shape_pt_lon", "shape_pt_sequence"]
        ) { row in
            guard let shape = shapes[try row.id(0)] else { return }
            guard let position = try row.position(latitude: 1, longitude: 2),
                let sequence = try row.integer(3, in: 0...Int(Int32.max))
            else { throw row.error("a field is empty") }
            try writer.addShapePoint(shape, sequence: sequence, position)
        }
    }

    private mutating func readStopTimes() throws {
        var skipped: [FeedError] = []
        /// Most feeds list the stop times trip by trip.
        var last: (id: ArraySlice<UInt8>, trip: Int?) = ([], nil)
        try read(
            "stop_times.txt", required: ["trip_id", "stop_id", "stop_sequence", "arrival_time", "departure_time"],
            optional: ["pickup_type", "drop_off_type"], isNeeded: true
        ) { row in
            if last.id != row.value(0) { last = (ArraySlice(Array(row.value(0))), trips[try row.id(0)]) }
            guard let trip = last.trip else {
                if skipped.count < Self.skipLimit { skipped.append(Self.unknownTrip(try row.id(0), in: row)) }
                return
            }
            // A stop without an ID is an area or a location group of a service on demand.
            guard !row.value(1).isEmpty else { return }
            guard let stop = stops[try row.id(1)] else {
                if skipped.count < Self.skipLimit {
                    skipped.append(row.error("stop_id '\(Self.quoted(try row.id(1)))' is not a stop of stops.txt"))
                }
                return
            }
            guard let sequence = try row.integer(2, in: 0...Int(Int32.max)) else {
                throw row.error("stop_sequence must not be empty")
            }
            try writer.addStopTime(
                TransitWriter.StopTime(
                    trip: trip, sequence: sequence, stop: stop, arrival: try row.time(3), departure: try row.time(4),
                    canBoard: try row.integer(5, in: 0...3) != 1, canAlight: try row.integer(6, in: 0...3) != 1))
        }
        for error in skipped { skip(error) }
    }

    /// The most errors of one file that are counted.
    private static let skipLimit = 100_000

    private static func unknownTrip(_ id: String, in row: FeedTable) -> FeedError {
        row.error("trip_id '\(quoted(id))' is not in trips.txt")
    }

    private static func quoted(_ id: String) -> String {
        SanitizedText.line(id, limit: 64) ?? ""
    }
}
