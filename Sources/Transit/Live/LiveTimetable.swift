/// The live data of trips, by the numbers of a timetable.
package struct LiveTimetable: Sendable {
    /// What the live data says of a trip on a day.
    package struct Trip: Sendable {
        package var day: ServiceDay
        package var isCanceled = false
        /// In the order of the stops.
        package var updates: [StopUpdate] = []

        package init(day: ServiceDay) {
            self.day = day
        }
    }

    /// What the live data says of a stop of a trip. It holds for the stops after it too, until the next update.
    package struct StopUpdate: Equatable, Sendable {
        package enum Kind: Sendable {
            case scheduled, skipped, noData
        }

        /// `stop_sequence`; nil if only the stop is known.
        package var sequence: Int?
        /// The number of the stop in the timetable; nil if it is unknown.
        package var stop: Int?
        package var kind = Kind.scheduled
        package var arrival: Event?
        package var departure: Event?

        package init() {}
    }

    package enum Event: Equatable, Sendable {
        /// Seconds after the time of the timetable.
        case delay(Int)
        /// Seconds since 1970.
        case time(Int)
    }

    /// In seconds. More is an error of the feed, and is ignored.
    package static let largestDelay = 6 * 3600
    /// How early a vehicle leaves at most, in seconds.
    package static let largestLead = 1800

    /// By the number of the trip.
    private var trips: [Int: [Trip]] = [:]
    /// The rides that the timetable lacks.
    package private(set) var added: [Ride] = []

    /// How much earlier and later than by the timetable the rides are at most, in seconds.
    package private(set) var differences = 0...0

    package init() {}

    /// Adds the live data of a ride of the timetable.
    package mutating func add(_ trip: Trip, of ride: Ride) {
        trips[ride.trip, default: []].append(trip)
        for (call, scheduled) in zip(applied(to: ride).calls, ride.schedule) {
            for delay in [call.arrival - scheduled.arrival, call.departure - scheduled.departure] {
                differences = min(differences.lowerBound, delay)...max(differences.upperBound, delay)
            }
        }
    }

    /// Adds a ride that the timetable lacks.
    package mutating func add(_ ride: Ride) {
        added.append(ride)
    }

    /// The ride with its live data.
    ///
    /// Stops before the first update, and those from one without data on, keep the times of the timetable, unless the
    /// vehicle is there earlier or later by the live data of another stop.
    ///
    /// Source: gtfs.org/documentation/realtime/feed-entities/trip-updates.
    package func applied(to ride: Ride) -> Ride {
        guard let trip = trips[ride.trip]?.first(where: { $0.day == ride.day }) else { return ride }
        var ride = ride
        ride.isCanceled = trip.isCanceled
        let updates = trip.updates(of: ride)
        /// Of the departure from the stop before; nil without live data.
        var delay: Int?
        /// The departure from the stop before; the lowest number before the first live data.
        var last = Int.min
        for place in ride.calls.indices {
            var call = ride.calls[place]
            var (arrival, departure) = (delay, delay)
            if let update = updates[place] {
                switch update.kind {
                case .noData: (arrival, departure) = (nil, nil)
                case .skipped: (call.canBoard, call.canAlight, call.isSkipped) = (false, false, true)
                case .scheduled:
                    let own = update.departure?.delay(after: ride.start + call.departure)
                    arrival = update.arrival?.delay(after: ride.start + call.arrival) ?? delay ?? own
                    departure = own ?? arrival
                }
            }
            delay = departure
            if let arrival, let departure {
                call.arrival += arrival
                call.departure += departure
                call.isLive = true
            }
            // No vehicle leaves before it arrives, or arrives before it leaves the stop before.
            call.arrival = max(call.arrival, last)
            call.departure = max(call.departure, call.arrival)
            if call.isLive || last > .min { last = call.departure }
            ride.calls[place] = call
        }
        guard let first = ride.calls.firstIndex(where: \.isLive) else { return ride }
        // It has left the stops before the first live data.
        for place in ride.calls.indices.prefix(first) {
            ride.calls[place].arrival = min(ride.calls[place].arrival, ride.calls[first].arrival)
            ride.calls[place].departure = min(ride.calls[place].departure, ride.calls[first].arrival)
        }
        return ride
    }
}

extension LiveTimetable.Trip {
    /// The updates by the places of the calls of a ride. A loop can have one for each time it passes a stop.
    fileprivate func updates(of ride: Ride) -> [Int: LiveTimetable.StopUpdate] {
        var found: [Int: LiveTimetable.StopUpdate] = [:]
        var next = 0
        for update in updates {
            // A feed may have other numbers than the timetable: the stop tells then.
            let isNumbered = ride.calls.contains { $0.sequence == update.sequence }
            let place = ride.calls[next...].firstIndex {
                isNumbered ? $0.sequence == update.sequence : $0.stop == update.stop
            }
            guard let place else { continue }
            found[place] = update
            next = place + 1
        }
        return found
    }
}

extension LiveTimetable.Event {
    /// Seconds after the time of the timetable; nil for an impossible time.
    ///
    /// - Parameter scheduled: seconds since 1970.
    fileprivate func delay(after scheduled: Int) -> Int? {
        let seconds =
            switch self {
            case .delay(let seconds): seconds
            case .time(let time): time - scheduled
            }
        return (-LiveTimetable.largestLead...LiveTimetable.largestDelay).contains(seconds) ? seconds : nil
    }
}
