/// A walk between a place and a stop.
package struct StopWalk: Equatable, Sendable {
    /// The number of the stop.
    package var stop: Int
    package var seconds: Int

    package init(stop: Int, seconds: Int) {
        self.stop = stop
        self.seconds = seconds
    }
}

/// A way by public transport: a walk to a stop, one or two rides, and a walk.
package struct Journey: Sendable {
    package struct Leg: Sendable {
        package var ride: Ride
        /// The places in the calls of the ride.
        package var board: Int
        package var alight: Int
    }

    /// One, or two with a change.
    package var legs: [Leg]
    /// When to leave, in seconds since 1970.
    package var departure: Int
    /// When the walk from the last stop ends, in seconds since 1970.
    package var arrival: Int

    package var changes: Int { legs.count - 1 }
}

/// Finds the ways from a place to another one: direct, and with one change.
///
/// A way is found unless another one leaves no earlier, arrives no later and changes no more often.
package struct JourneySearch: Sendable {
    /// The walks from the start, one for each stop.
    private let access: [Int: Int]
    /// The walks to the destination, one for each stop.
    private let egress: [Int: Int]
    /// From when on, and until when, in seconds since 1970.
    private let times: ClosedRange<Int>

    private struct Candidate {
        var departure: Int
        var arrival: Int
        /// Indices of rides, and of their calls. `first` is nil without a change.
        var first: (ride: Int, board: Int, alight: Int)?
        var last: (ride: Int, board: Int, alight: Int)
        var changes: Int { first == nil ? 0 : 1 }
    }

    /// A stop that is reached by a ride from the start, at which another ride may be boarded.
    private struct Reached {
        /// The earliest departure of the next ride.
        var ready: Int
        var departure: Int
        var ride: Int
        var board: Int
        var alight: Int
    }

    /// Boarding of a ride on the way: when to leave the start for it.
    private struct Boarding {
        var departure: Int
        var place: Int
        var first: (ride: Int, board: Int, alight: Int)?
    }

    /// - Parameters:
    ///   - times: from when on the user can leave, and until when to arrive, in seconds since 1970.
    package init(access: [StopWalk], egress: [StopWalk], times: ClosedRange<Int>) {
        self.access = Dictionary(access.map { ($0.stop, $0.seconds) }, uniquingKeysWith: min)
        self.egress = Dictionary(egress.map { ($0.stop, $0.seconds) }, uniquingKeysWith: min)
        self.times = times
    }

    /// - Parameters:
    ///   - outbound: all rides that can be boarded at a stop near the start in time.
    ///   - inbound: all rides that can be left at a stop near the destination in time.
    ///   - transfers: the stops to which a user can walk from a stop to change, itself included, with the seconds from the
    ///     arrival of one ride to the departure of the next.
    /// - Returns: the ways in the order of arrival.
    package func journeys(
        outbound: [Ride], inbound: [Ride], transfers: [Int: [StopWalk]]
    ) -> [Journey] {
        var candidates: [Candidate] = []
        for (index, ride) in outbound.enumerated() {
            candidates += ways(ride, index) { $0.canBoard ? accessBoarding($0, $1, of: ride) : nil }
        }
        let reached = reachedStops(outbound, transfers)
        for (index, ride) in inbound.enumerated() {
            candidates += ways(ride, index) { call, place in
                guard call.canBoard, let events = reached[call.stop] else { return nil }
                return Self.latest(events, before: ride.departure(place)).map {
                    Boarding(departure: $0.departure, place: place, first: ($0.ride, $0.board, $0.alight))
                }
            }
        }
        return Self.best(candidates).map { candidate in
            var legs: [Journey.Leg] = []
            if let first = candidate.first {
                legs.append(Journey.Leg(ride: outbound[first.ride], board: first.board, alight: first.alight))
            }
            let ride = candidate.first == nil ? outbound[candidate.last.ride] : inbound[candidate.last.ride]
            legs.append(Journey.Leg(ride: ride, board: candidate.last.board, alight: candidate.last.alight))
            return Journey(legs: legs, departure: candidate.departure, arrival: candidate.arrival)
        }
    }

    /// When to leave the start for a ride; nil if its stop is too far away, or the ride leaves too early.
    private func accessBoarding(_ call: Call, _ place: Int, of ride: Ride) -> Boarding? {
        guard let walk = access[call.stop] else { return nil }
        let departure = ride.departure(place) - walk
        return departure >= times.lowerBound ? Boarding(departure: departure, place: place) : nil
    }

    /// The ways that end with a ride.
    private func ways(_ ride: Ride, _ index: Int, boarding: (Call, Int) -> Boarding?) -> [Candidate] {
        var best: Boarding?
        var candidates: [Candidate] = []
        for (place, call) in ride.calls.enumerated() {
            if let best, call.canAlight, let walk = egress[call.stop] {
                let arrival = ride.arrival(place) + walk
                if arrival <= times.upperBound {
                    candidates.append(
                        Candidate(
                            departure: best.departure, arrival: arrival, first: best.first,
                            last: (index, best.place, place)))
                }
            }
            if let next = boarding(call, place), next.departure > best?.departure ?? .min { best = next }
        }
        return candidates
    }

    /// The stops that the rides reach, each with its arrivals in the order of time. Each arrival has the latest departure
    /// of those before it.
    private func reachedStops(_ rides: [Ride], _ transfers: [Int: [StopWalk]]) -> [Int: [Reached]] {
        var reached: [Int: [Reached]] = [:]
        for (index, ride) in rides.enumerated() {
            var best: Boarding?
            for (place, call) in ride.calls.enumerated() {
                if let best, call.canAlight, let walks = transfers[call.stop] {
                    for walk in walks {
                        reached[walk.stop, default: []].append(
                            Reached(
                                ready: ride.arrival(place) + walk.seconds, departure: best.departure, ride: index,
                                board: best.place, alight: place))
                    }
                }
                if call.canBoard, let next = accessBoarding(call, place, of: ride),
                    next.departure > best?.departure ?? .min
                {
                    best = next
                }
            }
        }
        for stop in reached.keys { Self.sort(&reached[stop, default: []]) }
        return reached
    }

    /// Sorts arrivals, and keeps those with a later departure than all before.
    private static func sort(_ events: inout [Reached]) {
        events.sort { ($0.ready, -$0.departure) < ($1.ready, -$1.departure) }
        var kept: [Reached] = []
        for event in events where event.departure > kept.last?.departure ?? .min { kept.append(event) }
        events = kept
    }

    /// The arrival with the latest departure that reaches a ride in time.
    private static func latest(_ events: [Reached], before departure: Int) -> Reached? {
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].ready <= departure { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? events[low - 1] : nil
    }

    /// The candidates that no other one surpasses.
    private static func best(_ candidates: [Candidate]) -> [Candidate] {
        let sorted = candidates.sorted {
            ($0.arrival, -$0.departure, $0.changes) < ($1.arrival, -$1.departure, $1.changes)
        }
        var kept: [Candidate] = []
        /// The latest departure of the ways without a change, and of all.
        var (direct, all) = (Int.min, Int.min)
        for candidate in sorted where candidate.departure > (candidate.changes == 0 ? direct : all) {
            kept.append(candidate)
            all = max(all, candidate.departure)
            if candidate.changes == 0 { direct = candidate.departure }
        }
        return kept
    }
}
