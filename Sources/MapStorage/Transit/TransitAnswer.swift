package import Domain
import JSONCoding
import Pipeline
package import SQLite
package import Transit

/// Whether an answer has live data.
package enum LiveStatus: Equatable, Sendable {
    /// The age of the newest data in seconds.
    case live(age: Int)
    /// Why there is none, for users.
    case schedule(reason: String)
}

/// Answers questions about a timetable as JSON. Times are the agency's, with their offset: `2026-11-26T08:05:00-05:00`.
package struct TransitAnswer {
    package let database: TransitDatabase
    package let live: LiveTimetable
    package let status: LiveStatus

    package init(_ database: TransitDatabase, live: LiveTimetable = LiveTimetable(), status: LiveStatus) {
        self.database = database
        self.live = live
        self.status = status
    }

    /// The most bytes of an answer.
    private static let sizeLimit = 48 * 1024

    // MARK: Departures

    /// - Parameters:
    ///   - stops: their numbers.
    ///   - lines: the numbers of the lines wanted; nil for all.
    ///   - time: seconds since 1970.
    package func departures(
        from stops: [Int], lines: Set<Int>?, after time: Int, limit: Int
    ) throws(SQLiteError) -> [UInt8] {
        let all = try database.departures(
            from: stops, after: time, limit: lines == nil ? limit : Self.searchLimit, live: live)
        let found = all.filter { lines?.contains($0.ride.line) ?? true }.prefix(limit)
        let written = try found.map { departure throws(SQLiteError) in try json(departure) }
        var writer = JSONWriter()
        writer.object {
            writeStatus(into: &$0)
            $0.array("departures") {
                for departure in written where $0.bytes.count + departure.count < Self.sizeLimit {
                    $0.value(written: departure)
                }
            }
        }
        return writer.bytes
    }

    /// Departures of all lines, of which those wanted are taken.
    private static let searchLimit = 1000

    /// A departure as JSON.
    package func json(_ departure: Departure) throws(SQLiteError) -> [UInt8] {
        let ride = departure.ride
        let stop = try database.stop(ride.calls[departure.place].stop)
        let headsign = try headsign(of: ride)
        let line = try database.line(ride.line)
        var writer = JSONWriter()
        writer.object {
            Self.write(line, into: &$0)
            $0.member("headsign", headsign)
            $0.member("stop", stop?.id)
            $0.member("stop_name", stop?.name)
            $0.member("departure", database.clock.text(departure.time))
            $0.member("scheduled", database.clock.text(ride.scheduledDeparture(departure.place)))
            $0.member("live", ride.calls[departure.place].isLive)
            if departure.isCanceled { $0.member("canceled", true) }
            $0.member("headway_s", ride.headway)
            $0.member("bikes", ride.allowsBikes)
        }
        return writer.bytes
    }

    // MARK: Journeys

    /// The next ways from a place to another one, and the last one of the night.
    ///
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - needsBikes: whether only rides count that are known to allow bikes.
    package func journeys(
        from start: Coordinate, to end: Coordinate, after time: Int, walking: WalkingRule, needsBikes: Bool, limit: Int
    ) throws(SQLiteError) -> [UInt8] {
        let journeys = try database.nextJourneys(
            from: start, to: end, after: time, walking: walking, needsBikes: needsBikes, live: live)
        let last = try database.lastJourney(
            from: start, to: end, after: time, walking: walking, needsBikes: needsBikes, live: live
        ).map { journey throws(SQLiteError) in try json(journey, from: start, to: end) }
        let written = try journeys.prefix(limit).map { journey throws(SQLiteError) in
            try json(journey, from: start, to: end)
        }
        var writer = JSONWriter()
        writer.object {
            writeStatus(into: &$0)
            $0.member("walking_mps", walking.speed, decimals: 2)
            $0.array("journeys") {
                for journey in written where $0.bytes.count + journey.count < Self.sizeLimit {
                    $0.value(written: journey)
                }
            }
            if let last {
                $0.key("last")
                $0.value(written: last)
            }
        }
        return writer.bytes
    }

    private func json(_ journey: Journey, from start: Coordinate, to end: Coordinate) throws(SQLiteError) -> [UInt8] {
        var legs: [[UInt8]] = []
        for leg in journey.legs { legs.append(try json(leg)) }
        let first = try journey.legs.first.flatMap { leg throws(SQLiteError) in
            try database.position(ofStop: leg.ride.calls[leg.board].stop)
        }
        let last = try journey.legs.last.flatMap { leg throws(SQLiteError) in
            try database.position(ofStop: leg.ride.calls[leg.alight].stop)
        }
        var writer = JSONWriter()
        writer.object {
            $0.member("leave", database.clock.text(journey.departure))
            $0.member("arrive", database.clock.text(journey.arrival))
            $0.member("changes", journey.changes)
            $0.member("distance_to_stop_m", first.map { start.metres(to: $0) }, decimals: 0)
            $0.member("distance_from_stop_m", last.map { end.metres(to: $0) }, decimals: 0)
            $0.array("legs") { for leg in legs { $0.value(written: leg) } }
        }
        return writer.bytes
    }

    private func json(_ leg: Journey.Leg) throws(SQLiteError) -> [UInt8] {
        let ride = leg.ride
        let (from, to) = try (
            database.stop(ride.calls[leg.board].stop), database.stop(ride.calls[leg.alight].stop)
        )
        let headsign = try headsign(of: ride)
        let line = try database.line(ride.line)
        var writer = JSONWriter()
        writer.object {
            Self.write(line, into: &$0)
            $0.member("headsign", headsign)
            Self.write("from", from, into: &$0)
            Self.write("to", to, into: &$0)
            $0.member("departure", database.clock.text(ride.departure(leg.board)))
            $0.member("scheduled", database.clock.text(ride.scheduledDeparture(leg.board)))
            $0.member("arrival", database.clock.text(ride.arrival(leg.alight)))
            $0.member("live", ride.calls[leg.board].isLive)
            $0.member("headway_s", ride.headway)
            $0.member("bikes", ride.allowsBikes)
        }
        return writer.bytes
    }

    // MARK: -

    private func writeStatus(into writer: inout JSONWriter) {
        writer.member("agency", database.agency)
        writer.member("timetable_ends", database.days.upperBound.date)
        switch status {
        case .live(let age):
            writer.member("live", true)
            writer.member("live_age_s", age)
        case .schedule(let reason):
            writer.member("live", false)
            writer.member("reason", reason)
        }
    }

    private func headsign(of ride: Ride) throws(SQLiteError) -> String? {
        try database.trip(ride.trip)?.headsign
    }

    private static func write(_ line: TransitLine?, into writer: inout JSONWriter) {
        writer.member("line", line?.id)
        if let line, !line.code.isEmpty { writer.member("code", line.code) }
        if let line, !line.name.isEmpty { writer.member("name", line.name) }
        writer.member("color", line?.color.map { "#" + $0.text })
    }

    private static func write(_ name: String, _ stop: TransitStop?, into writer: inout JSONWriter) {
        writer.object(name) {
            $0.member("stop", stop?.id)
            $0.member("name", stop?.name)
            $0.member("latitude", stop?.position.latitude, decimals: 6)
            $0.member("longitude", stop?.position.longitude, decimals: 6)
        }
    }
}
