package import Domain
import Maps
import Pipeline
package import SQLite
package import Transit

/// A departure of a ride from a stop.
package struct Departure: Sendable {
    package var ride: Ride
    /// The place of the stop in the calls of the ride.
    package var place: Int

    package var time: Int { ride.departure(place) }
    package var isCanceled: Bool { ride.isCanceled || ride.calls[place].isSkipped }
}

/// How the user walks to stops.
package struct WalkingRule: Equatable, Sendable {
    /// Metres between a place and a stop, as the crow flies.
    package var radius = 800.0
    /// Metres per second.
    package var speed = 5 / 3.6

    package init() {}

    /// Ways are longer than the distance as the crow flies.
    package static let detour = 1.3
    /// The largest distance between two stops to change, in metres.
    package static let changeRadius = 250.0
    /// The least seconds to change, besides the walk.
    package static let changeSeconds = 120

    package func seconds(_ metres: Double) -> Int { Int((metres * Self.detour / speed).rounded(.up)) }
}

extension TransitDatabase {
    /// The numbers of the stops that an ID means: that of the stop with it, else those of the platforms of the station.
    package func stops(id: String) throws(SQLiteError) -> [Int] {
        if let stop = try stop(id: id) { return [stop.number] }
        return try stations(id: id).flatMap(\.platforms)
    }

    /// The stops that are meant, or whose station is, in the order of the feed.
    package func stops(
        where isMeant: (TransitStop) -> Bool
    ) throws(SQLiteError) -> [(number: Int, stop: TransitStop)] {
        let platforms = Set(try stations().filter { isMeant($0.station) }.flatMap(\.platforms))
        return try stops().filter { platforms.contains($0.number) || isMeant($0.stop) }
    }

    /// The numbers of the stops that a text means: those with this ID, else those with this code, else those with a name
    /// that has the text. A station stands for its platforms.
    package func stops(named text: String) throws(SQLiteError) -> [Int] {
        let exact = try stops(id: text)
        guard exact.isEmpty else { return exact }
        let wanted = text.lowercased()
        var found = try stops { $0.code?.lowercased() == wanted }
        if found.isEmpty { found = try stops { $0.name.lowercased().containsText(wanted) } }
        return found.map(\.number)
    }

    /// The next departures from stops, in the order of time. Those that are canceled are among them.
    ///
    /// - Parameters:
    ///   - stops: their numbers.
    ///   - time: seconds since 1970.
    package func departures(
        from stops: [Int], after time: Int, limit: Int, live: LiveTimetable
    ) throws(SQLiteError) -> [Departure] {
        let wanted = Set(stops)
        // Most searches end in the first hours.
        for hours in [2, 8, 24] {
            let end = time + hours * 3600
            var found: [Departure] = []
            for ride in try rides(at: wanted, in: time...end, live: live) {
                for place in ride.calls.indices where wanted.contains(ride.calls[place].stop) {
                    let departure = Departure(ride: ride, place: place)
                    // A skipped stop is a canceled departure.
                    if ride.schedule[place].canBoard, (time...end).contains(departure.time) { found.append(departure) }
                }
            }
            guard found.count >= limit || hours == 24 else { continue }
            found.sort { ($0.time, $0.ride.trip, $0.place) < ($1.time, $1.ride.trip, $1.place) }
            return Array(found.prefix(limit))
        }
        return []
    }

    /// The ways from a place to another one in some hours, in the order of arrival.
    ///
    /// - Parameters:
    ///   - times: from when on to leave, and until when to arrive, in seconds since 1970.
    ///   - needsBikes: whether only rides count that are known to allow bikes.
    package func journeys(
        from start: Coordinate, to end: Coordinate, in times: ClosedRange<Int>, walking: WalkingRule, needsBikes: Bool,
        live: LiveTimetable
    ) throws(SQLiteError) -> [Journey] {
        let access = try stops(within: walking.radius, of: start).map {
            StopWalk(stop: $0.number, seconds: walking.seconds($0.metres))
        }
        let egress = try stops(within: walking.radius, of: end).map {
            StopWalk(stop: $0.number, seconds: walking.seconds($0.metres))
        }
        func usable(_ rides: [Ride]) -> [Ride] {
            rides.filter { !$0.isCanceled && (!needsBikes || $0.allowsBikes == true) }
        }
        let outbound = usable(try rides(at: access.map(\.stop), in: times, live: live))
        let inbound = usable(try rides(at: egress.map(\.stop), in: times, live: live))
        return JourneySearch(access: access, egress: egress, times: times).journeys(
            outbound: outbound, inbound: inbound,
            transfers: try transfers(from: outbound, to: inbound, walking: walking))
    }

    /// The walks between stops of two lists of rides.
    private func transfers(
        from outbound: [Ride], to inbound: [Ride], walking: WalkingRule
    ) throws(SQLiteError) -> [Int: [StopWalk]] {
        let cell = WalkingRule.changeRadius / Coordinate.metresPerDegree
        func row(_ latitude: Double) -> Int { Int((latitude / cell).rounded(.down)) }
        var targets: [Int: [(stop: Int, position: Coordinate)]] = [:]
        for stop in Set(inbound.flatMap { $0.calls.map(\.stop) }) {
            guard let position = try position(ofStop: stop) else { continue }
            targets[row(position.latitude), default: []].append((stop, position))
        }
        for row in targets.keys { targets[row]?.sort { $0.position.longitude < $1.position.longitude } }
        var walks: [Int: [StopWalk]] = [:]
        for stop in Set(outbound.flatMap { $0.calls.map(\.stop) }) {
            guard let position = try position(ofStop: stop) else { continue }
            for box in GeographicBox.boxes(around: position, metres: WalkingRule.changeRadius) {
                for row in row(box.south)...row(box.north) {
                    let stops = targets[row] ?? []
                    let first = stops.firstIndex { $0.position.longitude >= box.west } ?? stops.count
                    for target in stops[first...].prefix(while: { $0.position.longitude <= box.east }) {
                        let metres = position.metres(to: target.position)
                        guard metres <= WalkingRule.changeRadius else { continue }
                        walks[stop, default: []].append(
                            StopWalk(
                                stop: target.stop, seconds: WalkingRule.changeSeconds + walking.seconds(metres)))
                    }
                }
            }
        }
        return walks
    }

    /// The next ways, in the first of some periods that has any: most searches end in the first hours.
    package func nextJourneys(
        from start: Coordinate, to end: Coordinate, after time: Int, walking: WalkingRule, needsBikes: Bool,
        live: LiveTimetable
    ) throws(SQLiteError) -> [Journey] {
        for hours in [2, 6, 24] {
            let found = try journeys(
                from: start, to: end, in: time...time + hours * 3600, walking: walking, needsBikes: needsBikes,
                live: live)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// The way that leaves last before the service of the night ends; nil if there is none, or if the service goes on.
    package func lastJourney(
        from start: Coordinate, to end: Coordinate, after time: Int, walking: WalkingRule, needsBikes: Bool,
        live: LiveTimetable
    ) throws(SQLiteError) -> Journey? {
        // The service of a day has ended by 4:00, or it goes on all night.
        let today = clock.day(at: time)
        let day = clock.start(of: today) + 4 * 3600 > time ? today : ServiceDay(number: today.number + 1)
        let night = clock.start(of: day) + 4 * 3600
        var last: Journey?
        var from = night
        while last == nil, from > time {
            from = max(from - 2 * 3600, time)
            last = try journeys(
                from: start, to: end, in: from...night, walking: walking, needsBikes: needsBikes, live: live
            ).max { $0.departure < $1.departure }
        }
        guard let last else { return nil }
        let later = try journeys(
            from: start, to: end, in: (last.departure + 1)...(last.departure + Self.pause), walking: walking,
            needsBikes: needsBikes, live: live)
        return later.isEmpty ? last : nil
    }

    /// Seconds without a way after which the service has ended.
    private static let pause = 3 * 3600
}
