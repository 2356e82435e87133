import Domain
import MapStorage
import Pipeline
import TestKit
import Testing
import Transit

/// Answers equal those of a search that tries everything.
@Suite struct TransitQueriesTests {
    /// A network with the timetable of its feed.
    private struct Fixture {
        let network: MadeNetwork
        let timetable: MadeTimetable
        /// Without live data, and with several.
        private(set) var situations: [(live: LiveTimetable, search: ExhaustiveSearch)] = []

        var database: TransitDatabase { timetable.database }

        init(seed: UInt64) throws {
            network = MadeNetwork(seed: seed)
            timetable = try network.feed.imported()
            #expect(timetable.skipped.isEmpty)
            var vehicles = network.vehicles
            let rides = try self.rides()
            for index in vehicles.indices {
                vehicles[index].number = try #require(rides[vehicles[index].key]).trip
            }
            var random = SeededRandom(seed: seed)
            situations = [(LiveTimetable(), ExhaustiveSearch(stops: network.stops, vehicles: vehicles))]
            for _ in 0..<3 {
                var (live, moved) = (LiveTimetable(), vehicles)
                for index in moved.indices where random.uniform() < 0.3 {
                    let ride = try #require(rides[moved[index].key])
                    live.add(moved[index].makeLive(&random), of: ride)
                }
                for number in 1...200 {
                    let model = vehicles[Int.random(in: vehicles.indices, using: &random)]
                    let added = model.added(number: -number, after: Int.random(in: 60...900, using: &random))
                    live.add(added.ride)
                    moved.append(added.vehicle)
                }
                situations.append((live, ExhaustiveSearch(stops: network.stops, vehicles: moved)))
            }
        }

        /// All rides of the days of the questions.
        func rides() throws -> [MadeVehicle.Key: Ride] {
            var rides: [MadeVehicle.Key: Ride] = [:]
            for (first, last) in [("2026-03-25", "2026-04-02"), ("2026-10-21", "2026-10-29")] {
                let times = seconds(first + "T12:00:00Z")...seconds(last + "T12:00:00Z")
                for ride in try database.rides(at: network.stops.indices, in: times, live: LiveTimetable()) {
                    let id = try database.trip(ride.trip)?.id ?? ""
                    let key = MadeVehicle.Key(trip: id, departure: ride.scheduledDeparture(0))
                    #expect(rides.updateValue(ride, forKey: key) == nil, "\(key) is there twice")
                }
            }
            return rides
        }

        func situation(_ number: Int) -> (live: LiveTimetable, search: ExhaustiveSearch) {
            situations[number % situations.count]
        }

        /// A time on the days around a change of the clocks.
        func time(_ random: inout SeededRandom) -> Int {
            seconds(random.uniform() < 0.5 ? "2026-03-27T00:00:00Z" : "2026-10-23T00:00:00Z")
                + Int.random(in: 0...3 * 86_400, using: &random)
        }

        func place(_ random: inout SeededRandom) -> Coordinate {
            Coordinate(latitude: 52.5 + random.uniform() * 0.05, longitude: 13.4 + random.uniform() * 0.08)
        }

        func walking(_ random: inout SeededRandom) -> WalkingRule {
            var walking = WalkingRule()
            walking.radius = 300 + random.uniform() * 700
            walking.speed = 0.8 + random.uniform() * 2
            return walking
        }
    }

    private static func way(_ journey: Journey) -> ExhaustiveSearch.Way {
        ExhaustiveSearch.Way(departure: journey.departure, arrival: journey.arrival, changes: journey.changes)
    }

    @Test func ridesEqualTheVehiclesOfAllDays() throws {
        let fixture = try Fixture(seed: 1)
        let rides = try fixture.rides()
        let vehicles = fixture.network.vehicles
        for vehicle in vehicles {
            let ride = try #require(rides[vehicle.key])
            #expect(ride.day == vehicle.day)
            #expect(ride.line == vehicle.line)
            #expect((ride.allowsBikes == true) == vehicle.allowsBikes)
            let calls = ride.calls.enumerated().map { place, call in
                MadeVehicle.Call(
                    stop: call.stop, sequence: call.sequence, arrival: ride.arrival(place),
                    departure: ride.departure(place), canBoard: call.canBoard, canAlight: call.canAlight)
            }
            if calls != vehicle.calls { Issue.record("\(vehicle.key)") }
        }
        let days = Set(vehicles.map(\.day))
        #expect(rides.values.count { days.contains($0.day) } == vehicles.count)
        #expect(vehicles.count > 5000)
    }

    @Test func departuresEqualThoseOfAllVehicles() throws {
        let fixture = try Fixture(seed: 2)
        var random = SeededRandom(seed: 2)
        var (found, canceled, live) = (0, 0, 0)
        for number in 0..<1000 {
            let situation = fixture.situation(number)
            let time = fixture.time(&random)
            let stops = Array(fixture.network.stops.indices.shuffled(using: &random).prefix(1 + number % 4))
            let limit = Int.random(in: 1...60, using: &random)
            let departures = try fixture.database.departures(
                from: stops, after: time, limit: limit, live: situation.live)
            let answer = departures.map { [$0.time, $0.ride.trip, $0.place, $0.isCanceled ? 1 : 0] }
            #expect(
                answer == situation.search.departures(from: stops, after: time, limit: limit), "case \(number)")
            found += answer.count
            canceled += departures.count { $0.isCanceled }
            live += departures.count { $0.ride.calls[$0.place].isLive }
        }
        #expect(found > 20_000)
        #expect(canceled > 300)
        #expect(live > 2000)
    }

    @Test func journeysEqualThoseOfAllVehicles() throws {
        let fixture = try Fixture(seed: 3)
        var random = SeededRandom(seed: 3)
        var (found, changes, empty) = (0, 0, 0)
        for number in 0..<1000 {
            let situation = fixture.situation(number)
            let (start, end) = (fixture.place(&random), fixture.place(&random))
            let time = fixture.time(&random)
            let times = time...time + Int.random(in: 1800...3 * 3600, using: &random)
            let walking = fixture.walking(&random)
            let needsBikes = number % 5 == 0
            let journeys = try fixture.database.journeys(
                from: start, to: end, in: times, walking: walking, needsBikes: needsBikes, live: situation.live)
            let expected = situation.search.ways(
                from: start, to: end, in: times, walking: walking, needsBikes: needsBikes)
            #expect(journeys.map(Self.way) == expected, "case \(number)")
            for journey in journeys {
                let problem = Self.problem(
                    of: journey, from: start, to: end, walking: walking, stops: fixture.network.stops)
                #expect(problem == nil, "case \(number)")
            }
            found += journeys.count
            changes += journeys.count { $0.changes == 1 }
            if journeys.isEmpty { empty += 1 }
        }
        #expect(found > 2000)
        #expect(changes > 800)
        #expect((100...800).contains(empty))
    }

    /// What is wrong with the legs of a journey; nil if nothing is.
    private static func problem(
        of journey: Journey, from start: Coordinate, to end: Coordinate, walking: WalkingRule, stops: [Coordinate]
    ) -> String? {
        var (place, radius, pause) = (start, walking.radius, 0)
        var time = journey.departure
        for leg in journey.legs {
            let (board, alight) = (leg.ride.calls[leg.board], leg.ride.calls[leg.alight])
            guard leg.board < leg.alight, board.canBoard, alight.canAlight, !leg.ride.isCanceled else { return "a leg" }
            let metres = place.metres(to: stops[board.stop])
            guard metres <= radius, time + pause + walking.seconds(metres) <= leg.ride.departure(leg.board) else {
                return "the walk to stop \(board.stop)"
            }
            (place, radius, pause) = (stops[alight.stop], 250, 120)
            time = leg.ride.arrival(leg.alight)
        }
        let metres = place.metres(to: end)
        return metres <= walking.radius && time + walking.seconds(metres) == journey.arrival ? nil : "the last walk"
    }

    @Test func nextJourneysAreThoseOfTheFirstPeriodWithAny() throws {
        let fixture = try Fixture(seed: 4)
        var random = SeededRandom(seed: 4)
        var periods = [0, 0, 0, 0]
        for number in 0..<120 {
            let situation = fixture.situation(number)
            let (start, end) = (fixture.place(&random), fixture.place(&random))
            let time = fixture.time(&random)
            let walking = fixture.walking(&random)
            let journeys = try fixture.database.nextJourneys(
                from: start, to: end, after: time, walking: walking, needsBikes: false, live: situation.live)
            var expected: [ExhaustiveSearch.Way] = []
            var period = 0
            for hours in [2, 6, 24] where expected.isEmpty {
                expected = situation.search.ways(
                    from: start, to: end, in: time...time + hours * 3600, walking: walking, needsBikes: false)
                if expected.isEmpty { period += 1 }
            }
            periods[period] += 1
            #expect(journeys.map(Self.way) == expected, "case \(number)")
        }
        // Each period has its questions, and so has no answer at all.
        #expect(periods.allSatisfy { $0 > 0 }, "\(periods)")
    }

    /// The next 4:00 by the clock.
    private static func night(after time: Int) -> Int {
        let offset = MadeZone.berlin.offset(at: time)
        let rest = (4 * 3600 - time - offset) % 86_400
        let night = time + rest + (rest > 0 ? 0 : 86_400)
        return night + offset - MadeZone.berlin.offset(at: night)
    }

    @Test func lastJourneyLeavesBeforeTheServiceEnds() throws {
        let fixture = try Fixture(seed: 5)
        var random = SeededRandom(seed: 5)
        var (found, goesOn, none) = (0, 0, 0)
        for number in 0..<100 {
            let situation = fixture.situation(number)
            let (start, end) = (fixture.place(&random), fixture.place(&random))
            let time = fixture.time(&random)
            let walking = fixture.walking(&random)
            let journey = try fixture.database.lastJourney(
                from: start, to: end, after: time, walking: walking, needsBikes: number % 7 == 0, live: situation.live)
            func ways(_ times: ClosedRange<Int>) -> [ExhaustiveSearch.Way] {
                situation.search.ways(
                    from: start, to: end, in: times, walking: walking, needsBikes: number % 7 == 0)
            }
            let night = Self.night(after: time)
            var last = ways(time...night).max { ($0.departure, -$0.arrival) < ($1.departure, -$1.arrival) }
            if let way = last {
                if ways(way.departure + 1...way.departure + 3 * 3600).isEmpty {
                    found += 1
                } else {
                    last = nil
                    goesOn += 1
                }
            } else {
                none += 1
            }
            #expect(journey.map(Self.way) == last, "case \(number)")
        }
        #expect(found > 30)
        #expect(goesOn > 3)
        #expect(none > 5)
    }
}
