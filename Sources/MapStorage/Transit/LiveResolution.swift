package import SQLite
package import Transit

extension TransitDatabase {
    /// Adds the live data of a feed by the numbers of the timetable. Trips and stops that the timetable lacks are left out.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Returns: the delay of each trip at its next stop, in seconds, by the ID of the trip.
    package func add(
        _ feed: RealtimeFeed, to live: inout LiveTimetable, at now: Int
    ) throws(SQLiteError) -> [String: Int] {
        var delays: [String: Int] = [:]
        var stops = [Int?](repeating: nil, count: feed.stopIDs.count)
        for (place, id) in feed.stopIDs.enumerated() { stops[place] = try stop(id: id)?.number }
        for trip in feed.trips {
            let updates = feed.stops[trip.stops].map { LiveTimetable.StopUpdate($0, stops) }
            switch trip.kind {
            case .added:
                if let ride = try added(trip, updates, number: -1 - live.added.count) { live.add(ride) }
            case .scheduled, .canceled:
                guard let ride = try ride(of: trip, at: now) else { continue }
                var known = LiveTimetable.Trip(day: ride.day)
                known.isCanceled = trip.kind == .canceled
                known.updates = updates
                if updates.isEmpty, let delay = trip.delay, let first = ride.schedule.first {
                    var update = LiveTimetable.StopUpdate()
                    update.sequence = first.sequence
                    update.arrival = .delay(delay)
                    known.updates = [update]
                }
                live.add(known, of: ride)
                delays[trip.id] = live.applied(to: ride).delay(at: now)
            }
        }
        return delays
    }

    /// The ride of the timetable; nil if there is none.
    private func ride(of trip: RealtimeFeed.Trip, at now: Int) throws(SQLiteError) -> Ride? {
        let runs = try trips(id: trip.id)
        let today = clock.day(at: now)
        // A trip without a day is one that runs now, perhaps since yesterday.
        let days = trip.day.map { [$0] } ?? [today, ServiceDay(number: today.number - 1)]
        for day in days {
            var number = runs.count == 1 ? runs.first?.number : nil
            if let start = trip.start {
                number = runs.min { abs($0.start - start) < abs($1.start - start) }?.number
            }
            guard let number, let ride = try ride(number, on: day), let end = ride.schedule.last else { continue }
            let span =
                (ride.start - LiveTimetable.largestLead)...(ride.start + end.arrival + LiveTimetable.largestDelay)
            if trip.day != nil || span.contains(now) { return ride }
        }
        return nil
    }

    /// A ride that the timetable lacks; nil without two stops with times.
    private func added(
        _ trip: RealtimeFeed.Trip, _ updates: [LiveTimetable.StopUpdate], number: Int
    ) throws(SQLiteError) -> Ride? {
        var calls: [Call] = []
        for (place, update) in updates.enumerated() where update.kind == .scheduled {
            let times = [update.arrival, update.departure].compactMap { event -> Int? in
                if case .time(let time)? = event { time } else { nil }
            }
            guard let stop = update.stop, let arrival = times.first, let departure = times.last,
                arrival <= departure, calls.last.map({ $0.departure <= arrival }) ?? true
            else { continue }
            var call = Call(stop: stop, sequence: update.sequence ?? place, arrival: arrival, departure: departure)
            call.isLive = true
            calls.append(call)
        }
        guard calls.count > 1, let start = calls.first?.arrival, let id = trip.line, let line = try lineNumber(id: id)
        else { return nil }
        for place in calls.indices {
            calls[place].arrival -= start
            calls[place].departure -= start
        }
        calls[0].canAlight = false
        calls[calls.count - 1].canBoard = false
        return Ride(trip: number, day: trip.day ?? clock.day(at: start), line: line, start: start, schedule: calls)
    }
}

extension Ride {
    /// The delay at the next stop in seconds; nil without live data.
    ///
    /// - Parameter now: seconds since 1970.
    fileprivate func delay(at now: Int) -> Int? {
        let live = calls.indices.filter { calls[$0].isLive }
        let next = live.first { departure($0) >= now } ?? live.last
        return next.map { calls[$0].departure - schedule[$0].departure }
    }
}

extension LiveTimetable.StopUpdate {
    /// - Parameter stops: the numbers of the stops of the feed.
    fileprivate init(_ stop: RealtimeFeed.Stop, _ stops: [Int?]) {
        self.init()
        sequence = stop.sequence
        self.stop = stop.stop.flatMap { stops[$0] }
        kind = stop.kind
        arrival = stop.arrival
        departure = stop.departure
    }
}
