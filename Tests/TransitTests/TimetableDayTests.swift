import Domain
import MapStorage
import Testing
import Transit

/// The days and the times at which trips of a feed run.
@Suite struct TimetableDayTests {
    /// The dates on which the trip leaves A.
    private static func dates(_ feed: MadeFeed, from first: String, days: Int) throws -> [String] {
        let timetable = try feed.imported()
        return try (0..<days).flatMap { day in
            let time = timetable.database.clock.text(seconds(first) + day * 86_400)
            return try timetable.departures("A", after: time).map { String($0.dropFirst(2).prefix(10)) }
        }
    }

    private static let dateHead = "service_id,date,exception_type\n"
    private static let frequencyHead = "trip_id,start_time,end_time,headway_secs,exact_times\n"

    // MARK: Days

    @Test func tripRunsOnTheWeekdaysFromTheFirstDayToTheLast() throws {
        let calendar = """
            service_id,start_date,end_date,sunday,monday,tuesday,wednesday,thursday,friday,saturday
            week,20261104,20261117,1,0,1,0,1,0,0

            """
        #expect(
            try Self.dates(MadeFeed().with("calendar.txt", calendar), from: "2026-10-25T12:00:00Z", days: 40) == [
                "2026-11-05", "2026-11-08", "2026-11-10", "2026-11-12", "2026-11-15", "2026-11-17",
            ])
        // Both ends are days of service.
        let days = calendar.replacing("1,0,1,0,1,0,0", with: "1,1,1,1,1,1,1")
        let dates = try Self.dates(MadeFeed().with("calendar.txt", days), from: "2026-10-25T12:00:00Z", days: 40)
        #expect(dates.count == 14)
        #expect(dates.first == "2026-11-04")
        #expect(dates.last == "2026-11-17")
    }

    @Test func exceptionsAddAndRemoveDays() throws {
        let dates = Self.dateHead + "week,20261124,2\nweek,20261128,1\nweek,20261203,1\nweek,20261202,2\n"
        #expect(
            try Self.dates(MadeFeed().with("calendar_dates.txt", dates), from: "2026-11-22T12:00:00Z", days: 20) == [
                "2026-11-23", "2026-11-25", "2026-11-26", "2026-11-27", "2026-11-28", "2026-11-30", "2026-12-03",
            ])
    }

    @Test func serviceMayHaveDatesAlone() throws {
        let dates = Self.dateHead + "week,20261129,1\nweek,20261124,2\nweek,20261226,1\n"
        let feed = MadeFeed().with("calendar.txt", nil).with("calendar_dates.txt", dates)
        #expect(try Self.dates(feed, from: "2026-11-20T12:00:00Z", days: 60) == ["2026-11-29", "2026-12-26"])
        let days = try feed.imported().database.days
        #expect(days.lowerBound.text == "20261129")
        #expect(days.upperBound.text == "20261226")
    }

    @Test func timesAfterMidnightBelongToTheDayBefore() throws {
        let times = """
            trip_id,arrival_time,departure_time,stop_id,stop_sequence
            t,23:50:00,23:50:00,A,1
            t,24:10:00,24:10:00,B,2
            t,49:30:00,49:30:00,C,3
            t,49:40:00,49:40:00,A,4

            """
        let timetable = try MadeFeed().with("stop_times.txt", times).imported()
        // From Friday to Saturday, when the trip does not run.
        #expect(try timetable.departures("B", after: "2026-11-28T00:00:00+01:00") == ["t 2026-11-28T00:10:00+01:00"])
        #expect(try timetable.departures("A", after: "2026-11-28T00:00:00+01:00") == [])
        // After the last day of service, which is a Monday.
        #expect(try timetable.departures("C", after: "2026-12-01T12:00:00+01:00") == ["t 2026-12-02T01:30:00+01:00"])
        #expect(try timetable.departures("C", after: "2026-12-02T01:30:01+01:00") == [])
    }

    @Test func nightTripFollowsTheClockOnDaysOnWhichItChanges() throws {
        let calendar = """
            service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
            week,1,1,1,1,1,1,1,20260101,20261231

            """
        let times = """
            trip_id,arrival_time,departure_time,stop_id,stop_sequence
            t,03:30:00,03:30:00,A,1
            t,26:30:00,26:30:00,B,2
            t,27:00:00,27:00:00,C,3

            """
        let timetable = try MadeFeed().with("calendar.txt", calendar).with("stop_times.txt", times).imported()
        #expect(
            try timetable.departures("A", after: "2026-03-28T12:00:00+01:00") == ["t 2026-03-29T03:30:00+02:00"])
        #expect(
            try timetable.departures("A", after: "2026-10-24T12:00:00+02:00") == ["t 2026-10-25T03:30:00+01:00"])
        // 26:30:00 of the day before counts from noon minus 12 h of that day.
        #expect(
            try timetable.departures("B", after: "2026-03-28T12:00:00+01:00") == ["t 2026-03-29T03:30:00+02:00"])
        #expect(
            try timetable.departures("B", after: "2026-10-24T12:00:00+02:00") == ["t 2026-10-25T02:30:00+02:00"])
    }

    // MARK: Frequencies

    private static let dwelling = """
        trip_id,arrival_time,departure_time,stop_id,stop_sequence
        t,09:00:00,09:02:00,A,1
        t,09:10:00,09:11:00,B,2
        t,09:30:00,09:30:00,C,3

        """

    @Test func runsBeginWithTheirFirstDeparture() throws {
        let frequencies = Self.frequencyHead + "t,06:00:00,06:30:00,600,1\nt,24:30:00,24:30:01,3600,0\n"
        let timetable = try MadeFeed().with("stop_times.txt", Self.dwelling).with("frequencies.txt", frequencies)
            .imported()
        #expect(timetable.counts[2] == 4)
        #expect(
            try timetable.departures("A", after: "2026-11-30T00:30:01+01:00") == [
                "t 2026-11-30T06:00:00+01:00", "t 2026-11-30T06:10:00+01:00", "t 2026-11-30T06:20:00+01:00",
                "t 2026-12-01T00:30:00+01:00",
            ])
        let rides = try timetable.rides("B", after: "2026-11-30T00:40:00+01:00").sorted { $0.start < $1.start }
        #expect(
            rides.map { timetable.database.clock.text($0.arrival(1)).prefix(16).suffix(5) } == [
                "06:08", "06:18", "06:28", "00:38",
            ])
        #expect(rides.map { $0.departure(1) - $0.departure(0) } == [540, 540, 540, 540])
        // A run without exact times has a headway.
        #expect(rides.map(\.headway) == [nil, nil, nil, 3600])
    }

    @Test func firstRunMayArriveBeforeTheDay() throws {
        let timetable = try MadeFeed().with("stop_times.txt", Self.dwelling)
            .with("frequencies.txt", Self.frequencyHead + "t,00:00:00,00:05:00,300,1\n").imported()
        #expect(
            try timetable.departures("A", after: "2026-11-26T00:00:00+01:00").first == "t 2026-11-26T00:00:00+01:00")
    }

    @Test func runsInAnAreaKeepTheirTimes() throws {
        let frequencies = Self.frequencyHead + "t,06:00:00,06:01:00,600,0\n"
        let feed = MadeFeed().with("stop_times.txt", Self.dwelling).with("frequencies.txt", frequencies)
        // Without A, the first stop.
        let area = FeedImport.Area(center: Coordinate(latitude: 52.53, longitude: 13.4), metres: 2500)
        let timetable = try feed.imported(near: area)
        #expect(try timetable.database.stops().map(\.stop.id) == ["B", "C"])
        #expect(try timetable.departures("B", after: "2026-11-26T00:00:00+01:00") == ["t 2026-11-26T06:09:00+01:00"])
    }

    // MARK: Stop times

    @Test func missingTimesFollowFromTheDistances() throws {
        let times = """
            trip_id,arrival_time,departure_time,stop_id,stop_sequence
            t,08:00:00,08:01:00,A,1
            t,,,B,5
            t,08:31:00,,C,9
            t,,08:41:00,A,10

            """
        let timetable = try MadeFeed().with("stop_times.txt", times).imported()
        let ride = try #require(try timetable.rides("B", after: "2026-11-26T00:00:00+01:00").first)
        // B is after a third of the way. Of two times, one is enough.
        #expect(ride.calls.map { $0.arrival - 60 } == [-60, 599, 1800, 2400])
        #expect(ride.calls.map { $0.departure - 60 } == [0, 599, 1800, 2400])
        #expect(ride.calls.map(\.sequence) == [1, 5, 9, 10])
    }

    @Test func rowsMayBeInAnyOrder() throws {
        let timetable = try MadeFeed().adding("trips.txt", "1,week,u").with(
            "stop_times.txt",
            """
            stop_sequence,trip_id,stop_id,departure_time,arrival_time
            30,t,C,08:30:00,08:30:00
            7,u,B,09:10:00,09:09:00
            2,t,A,08:00:00,08:00:00
            10,t,B,08:11:00,08:10:00
            8,u,C,09:20:00,09:20:00

            """
        ).imported()
        #expect(
            try timetable.departures("B", after: "2026-11-26T00:00:00+01:00") == [
                "t 2026-11-26T08:11:00+01:00", "u 2026-11-26T09:10:00+01:00",
            ])
        let rides = try timetable.rides("C", after: "2026-11-26T00:00:00+01:00").sorted { $0.start < $1.start }
        #expect(rides.map { $0.calls.map(\.sequence) } == [[2, 10, 30], [7, 8]])
    }

    @Test func rideIsFoundByItsArrivalToo() throws {
        let times = (MadeFeed().files["stop_times.txt"] ?? "").replacing("08:11:00", with: "08:25:00")
        let timetable = try MadeFeed().with("stop_times.txt", times).imported()
        let stop = try timetable.number(ofStop: "B")
        func count(_ first: String, _ last: String, _ live: LiveTimetable) throws -> Int {
            let (first, last) = (seconds("2026-11-26T0\(first):00+01:00"), seconds("2026-11-26T0\(last):00+01:00"))
            return try timetable.database.rides(at: [stop], in: first...last, live: live).count
        }
        #expect(try count("8:05", "8:12", LiveTimetable()) == 1)
        #expect(try count("8:20", "8:30", LiveTimetable()) == 1)
        #expect(try count("8:26", "8:30", LiveTimetable()) == 0)
        // It arrives earlier, but leaves in time.
        let ride = try #require(try timetable.rides("B", after: "2026-11-26T00:00:00+01:00").first)
        var update = LiveTimetable.StopUpdate()
        (update.sequence, update.arrival, update.departure) = (2, .delay(-540), .delay(0))
        var trip = LiveTimetable.Trip(day: ride.day)
        trip.updates = [update]
        var live = LiveTimetable()
        live.add(trip, of: ride)
        #expect(try count("8:00", "8:02", live) == 1)
    }

    @Test func stopsMayBeForBoardingOrAlightingAlone() throws {
        let times = """
            trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type
            t,08:00:00,08:00:00,A,1,0,0
            t,08:10:00,08:10:00,B,2,1,0
            t,08:20:00,08:20:00,C,3,,1
            t,08:30:00,08:30:00,B,4,2,3
            t,08:40:00,08:40:00,A,5,0,0

            """
        let timetable = try MadeFeed().with("stop_times.txt", times).imported()
        let ride = try #require(try timetable.rides("B", after: "2026-11-26T00:00:00+01:00").first)
        // Nobody alights at the first stop, nor boards at the last one.
        #expect(ride.calls.map(\.canBoard) == [true, false, true, true, false])
        #expect(ride.calls.map(\.canAlight) == [false, true, false, true, true])
        #expect(try timetable.departures("B", after: "2026-11-26T00:00:00+01:00") == ["t 2026-11-26T08:30:00+01:00"])
        #expect(try timetable.departures("A", after: "2026-11-26T00:00:00+01:00") == ["t 2026-11-26T08:00:00+01:00"])
    }

    @Test func tripsHaveHeadsignsAndBikes() throws {
        let trips =
            "trip_id,route_id,service_id,trip_headsign,bikes_allowed\nt,1,week,Gamma,1\nu,1,week,,2\nv,1,week,,0\n"
        let timetable = try MadeFeed().with("trips.txt", trips)
            .adding("stop_times.txt", "u,09:00:00,09:00:00,A,1", "u,09:10:00,09:10:00,B,2")
            .adding("stop_times.txt", "v,10:00:00,10:00:00,A,1", "v,10:10:00,10:10:00,B,2").imported()
        let rides = try timetable.rides("A", after: "2026-11-26T00:00:00+01:00").sorted { $0.start < $1.start }
        #expect(rides.map(\.allowsBikes) == [true, false, nil])
        #expect(rides.map(\.day.text) == ["20261126", "20261126", "20261126"])
        #expect(try rides.map { try timetable.database.trip($0.trip)?.headsign } == ["Gamma", nil, nil])
    }

    @Test func areaKeepsItsStopsAndTheTripsWithTwoOfThem() throws {
        let feed = MadeFeed().adding("stops.txt", "D,Delta,52.6,13.4").adding("trips.txt", "1,week,u", "1,week,v")
            .adding("stop_times.txt", "u,09:00:00,09:00:00,A,1", "u,09:10:00,09:10:00,D,2", "u,09:20:00,09:21:00,B,3")
            .adding("stop_times.txt", "v,10:00:00,10:00:00,C,1", "v,10:05:00,10:05:00,D,2", "v,10:10:00,10:10:00,B,3")
        // A and B are within 1.2 km.
        let area = FeedImport.Area(center: Coordinate(latitude: 52.5, longitude: 13.4), metres: 1200)
        let timetable = try feed.imported(near: area)
        #expect(timetable.counts == [1, 2, 2, 4])
        #expect(timetable.skipped.isEmpty)
        #expect(try timetable.database.stops().map(\.stop.id) == ["A", "B"])
        let rides = try timetable.rides("A", after: "2026-11-26T00:00:00+01:00").sorted { $0.start < $1.start }
        #expect(try rides.map { try timetable.database.trip($0.trip)?.id } == ["t", "u"])
        #expect(rides.map { $0.calls.map(\.sequence) } == [[1, 2], [1, 3]])
        #expect(rides.map { $0.departure(1) - $0.departure(0) } == [660, 1260])
    }
}
