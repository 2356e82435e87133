import Testing
import Transit

@Suite struct LiveTimetableTests {
    private typealias Update = LiveTimetable.StopUpdate

    private static let day = ServiceDay(number: 20_000)
    private static let start = 1_728_000_000

    /// A ride with a stop every 600 s, where it halts for 60 s. The number of a stop is ten times its place, and its
    /// sequence a hundred times.
    private static func ride(_ stops: [Int] = [10, 20, 30, 40, 50], trip: Int = 7) -> Ride {
        let calls = stops.enumerated().map { place, stop in
            Call(stop: stop, sequence: 100 * (place + 1), arrival: place * 600, departure: place * 600 + 60)
        }
        return Ride(trip: trip, day: day, line: 3, start: start, schedule: calls)
    }

    private static func update(
        _ sequence: Int? = nil, stop: Int? = nil, _ kind: Update.Kind = .scheduled, arrival: LiveTimetable.Event? = nil,
        departure: LiveTimetable.Event? = nil
    ) -> Update {
        var update = Update()
        (update.sequence, update.stop, update.kind) = (sequence, stop, kind)
        (update.arrival, update.departure) = (arrival, departure)
        return update
    }

    private static func live(_ updates: [Update], of ride: Ride, isCanceled: Bool = false) -> LiveTimetable {
        var trip = LiveTimetable.Trip(day: day)
        trip.updates = updates
        trip.isCanceled = isCanceled
        var live = LiveTimetable()
        live.add(trip, of: ride)
        return live
    }

    /// How late each stop is: `arrival/departure`, or one number if both are equal, with `s` for a skipped stop; `-`
    /// for a stop without live data.
    private static func delays(_ updates: [Update], of ride: Ride = ride()) -> String {
        let applied = live(updates, of: ride).applied(to: ride)
        return applied.calls.indices.map { place in
            let call = applied.calls[place]
            let arrival = applied.arrival(place) - applied.scheduledArrival(place)
            let departure = applied.departure(place) - applied.scheduledDeparture(place)
            let delay = arrival == departure ? "\(arrival)" : "\(arrival)/\(departure)"
            return (call.isLive ? delay : arrival == 0 && departure == 0 ? "-" : "?") + (call.isSkipped ? "s" : "")
        }.joined(separator: " ")
    }

    // MARK: Delays

    @Test func delayHoldsForTheStopsThatFollow() {
        #expect(Self.delays([]) == "- - - - -")
        #expect(Self.delays([Self.update(100, arrival: .delay(90), departure: .delay(90))]) == "90 90 90 90 90")
        #expect(
            Self.delays([Self.update(200, departure: .delay(60)), Self.update(400, departure: .delay(30))])
                == "- 60 60 60/30 30")
    }

    @Test func stopsBeforeTheFirstUpdateAreAsScheduled() {
        #expect(Self.delays([Self.update(400, arrival: .delay(120))]) == "- - - 120 120")
        #expect(Self.delays([Self.update(500, arrival: .delay(0))]) == "- - - - 0")
    }

    @Test func arrivalAndDepartureHaveTheirOwnDelays() {
        #expect(
            Self.delays([Self.update(200, arrival: .delay(300), departure: .delay(250))]) == "- 300/250 250 250 250")
        // The arrival is that of the stop before, until it has its own.
        #expect(
            Self.delays([Self.update(200, arrival: .delay(200)), Self.update(300, departure: .delay(150))])
                == "- 200 200/150 150 150")
        #expect(
            Self.delays([Self.update(200, arrival: .delay(200)), Self.update(300, arrival: .delay(0))])
                == "- 200 0 0 0")
        // An update without times changes nothing.
        #expect(Self.delays([Self.update(200, arrival: .delay(200)), Self.update(300)]) == "- 200 200 200 200")
        #expect(Self.delays([Self.update(200)]) == "- - - - -")
    }

    @Test func timesMayReplaceDelays() {
        let (arrival, departure) = (Self.start + 600 + 45, Self.start + 660 + 30)
        #expect(
            Self.delays([Self.update(200, arrival: .time(arrival), departure: .time(departure))])
                == "- 45/30 30 30 30")
        #expect(Self.delays([Self.update(200, departure: .time(departure - 90))]) == "- -60 -60 -60 -60")
    }

    @Test func skippedStopKeepsTheDelayForTheStopsAfter() {
        #expect(
            Self.delays([Self.update(200, departure: .delay(80)), Self.update(300, .skipped)]) == "- 80 80s 80 80")
        #expect(Self.delays([Self.update(200, .skipped), Self.update(400, arrival: .delay(9))]) == "- -s - 9 9")
        let ride = Self.ride()
        let call = Self.live([Self.update(300, .skipped)], of: ride).applied(to: ride).calls[2]
        #expect(!call.canBoard)
        #expect(!call.canAlight)
    }

    @Test func stopWithoutDataEndsTheDelay() {
        #expect(
            Self.delays([
                Self.update(100, departure: .delay(80)), Self.update(300, .noData),
                Self.update(500, arrival: .delay(5)),
            ]) == "80 80 - - 5")
    }

    @Test(arguments: [
        LiveTimetable.Event.delay(6 * 3600 + 1), .delay(-1801), .delay(.max), .time(0), .time(Self.start + 86_400),
    ]) func impossibleDelayIsIgnored(event: LiveTimetable.Event) {
        #expect(Self.delays([Self.update(200, arrival: event, departure: event)]) == "- - - - -")
        #expect(
            Self.delays([Self.update(100, departure: .delay(70)), Self.update(200, arrival: event)])
                == "70 70 70 70 70")
        #expect(Self.delays([Self.update(200, arrival: event, departure: .delay(70))]) == "- 70 70 70 70")
    }

    @Test func largestPossibleDelaysHold() {
        #expect(Self.delays([Self.update(500, arrival: .delay(6 * 3600))]) == "- - - - 21600")
        #expect(Self.delays([Self.update(500, arrival: .delay(-540))]) == "- - - - -540")
    }

    // MARK: Order

    @Test func noVehicleLeavesBeforeItArrives() {
        #expect(
            Self.delays([Self.update(200, arrival: .delay(300), departure: .delay(0))]) == "- 300/240 0 0 0")
    }

    @Test func noVehicleArrivesBeforeItLeavesTheStopBefore() {
        // The stops are 540 s apart.
        #expect(
            Self.delays([Self.update(200, departure: .delay(1200)), Self.update(300, arrival: .delay(0))])
                == "- 1200 660/600 60/0 0")
    }

    /// The times of a ride never go back, also between stops with live data and stops without.
    @Test func timesNeverGoBack() {
        let cases = [
            [Self.update(200, departure: .delay(3600)), Self.update(300, .noData)],
            [Self.update(300, arrival: .delay(-1500))],
            [
                Self.update(100, departure: .delay(-100)), Self.update(200, .noData),
                Self.update(400, arrival: .delay(-1800)),
            ],
        ]
        for updates in cases {
            let ride = Self.ride()
            let calls = Self.live(updates, of: ride).applied(to: ride).calls
            #expect(calls.allSatisfy { $0.arrival <= $0.departure })
            #expect(zip(calls, calls.dropFirst()).allSatisfy { $0.departure <= $1.arrival })
        }
    }

    // MARK: Stops of updates

    @Test func updatesAreFoundByTheStop() {
        #expect(
            Self.delays([Self.update(stop: 20, departure: .delay(10)), Self.update(stop: 40, departure: .delay(20))])
                == "- 10 10 10/20 20")
        // The sequence counts if there are both.
        #expect(Self.delays([Self.update(300, stop: 20, arrival: .delay(10))]) == "- - 10 10 10")
    }

    @Test func stopCountsIfTheTripDoesNotHaveTheSequence() {
        #expect(Self.delays([Self.update(3, stop: 30, arrival: .delay(10))]) == "- - 10 10 10")
        #expect(Self.delays([Self.update(3, stop: 99, arrival: .delay(10))]) == Self.delays([]))
    }

    @Test func updateOfAnUnknownStopIsLeftOut() {
        let known = Self.update(300, arrival: .delay(10))
        for unknown in [
            Self.update(250, arrival: .delay(99)), Self.update(stop: 99, arrival: .delay(99)),
            Self.update(arrival: .delay(99)),
        ] {
            #expect(Self.delays([unknown, known]) == "- - 10 10 10")
            #expect(Self.delays([known, unknown]) == "- - 10 10 10")
        }
    }

    @Test func loopHasAnUpdateForEachOfItsPasses() {
        let loop = Self.ride([10, 20, 30, 10, 20])
        func update(_ stop: Int, _ delay: Int) -> Update {
            Self.update(stop: stop, arrival: .delay(delay), departure: .delay(delay))
        }
        #expect(Self.delays([update(10, 1), update(20, 2), update(10, 3)], of: loop) == "1 2 2 3 3")
        #expect(Self.delays([update(20, 2), update(10, 3), update(20, 4)], of: loop) == "- 2 2 3 4")
        #expect(Self.delays([update(30, 2), update(10, 3)], of: loop) == "- - 2 3 3")
        #expect(Self.delays([Self.update(400, stop: 10, arrival: .delay(5))], of: loop) == "- - - 5 5")
    }

    // MARK: Rides

    @Test func canceledRideIsMarked() {
        let ride = Self.ride()
        let applied = Self.live([], of: ride, isCanceled: true).applied(to: ride)
        #expect(applied.isCanceled)
        #expect(applied.calls == ride.schedule)
        #expect(!Self.live([], of: ride).applied(to: ride).isCanceled)
    }

    @Test func liveDataHoldsForOneTripOnOneDay() {
        let ride = Self.ride()
        let live = Self.live([Self.update(100, departure: .delay(60))], of: ride, isCanceled: true)
        var tomorrow = ride
        tomorrow.day.number += 1
        for other in [tomorrow, Self.ride(trip: 8)] {
            #expect(live.applied(to: other).calls == other.schedule)
            #expect(!live.applied(to: other).isCanceled)
        }
        #expect(live.applied(to: ride).isCanceled)
    }

    @Test func tripHasItsOwnDataOnEachDay() {
        let ride = Self.ride()
        var tomorrow = ride
        tomorrow.day.number += 1
        var live = Self.live([Self.update(100, departure: .delay(60))], of: ride)
        var trip = LiveTimetable.Trip(day: tomorrow.day)
        trip.updates = [Self.update(100, departure: .delay(300))]
        live.add(trip, of: tomorrow)
        #expect(live.applied(to: ride).calls[4].departure == 2460 + 60)
        #expect(live.applied(to: tomorrow).calls[4].departure == 2460 + 300)
    }

    @Test func differencesAreTheLargestOfAllRides() {
        #expect(LiveTimetable().differences == 0...0)
        var live = Self.live([Self.update(200, departure: .delay(90))], of: Self.ride())
        #expect(live.differences == 0...90)
        var trip = LiveTimetable.Trip(day: Self.day)
        // The arrival counts too.
        trip.updates = [Self.update(200, arrival: .delay(-40), departure: .delay(0))]
        live.add(trip, of: Self.ride(trip: 8))
        #expect(live.differences == -40...90)
        live.add(Self.ride(trip: -1))
        #expect(live.differences == -40...90)
        #expect(live.added.map(\.trip) == [-1])
    }
}
