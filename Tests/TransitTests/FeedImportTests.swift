import Domain
import MapStorage
import Testing
import Transit

/// What the import refuses and leaves out.
@Suite struct FeedImportTests {
    /// The error that refuses a feed, such as `stops.txt:3: …`; empty if nothing does.
    private static func refusal(_ feed: MadeFeed) -> String {
        do {
            _ = try feed.imported()
            return ""
        } catch {
            return "\(error)"
        }
    }

    /// The number of rows left out for each reason, and the first one.
    private static func skipped(_ timetable: MadeTimetable) -> [String] {
        timetable.skipped.map { "\($0.count) \($0.first)" }
    }

    @Test func feedIsImportedWholly() throws {
        let timetable = try MadeFeed().imported()
        #expect(timetable.counts == [1, 3, 1, 3])
        #expect(timetable.skipped.isEmpty)
        #expect(timetable.database.agency == "Made")
        #expect(timetable.database.days.lowerBound.text == "20261101")
        #expect(timetable.database.days.upperBound.text == "20261130")
    }

    // MARK: Feeds that are refused

    @Test(arguments: ["agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt"])
    func missingFileIsNamed(name: String) {
        #expect(Self.refusal(MadeFeed().with(name, nil)) == "\(name): the file is missing from the feed")
    }

    @Test(arguments: [
        ("agency.txt", "agency_timezone"), ("calendar.txt", "thursday"), ("stops.txt", "stop_id"),
        ("routes.txt", "route_id"), ("trips.txt", "service_id"), ("stop_times.txt", "departure_time"),
    ]) func missingColumnIsNamed(name: String, column: String) {
        let text = (MadeFeed().files[name] ?? "").replacing(column, with: "other")
        #expect(Self.refusal(MadeFeed().with(name, text)) == "\(name):1: the column \(column) is missing")
    }

    @Test(arguments: MadeFeed().files.keys.sorted())
    func emptyFileIsNamed(name: String) {
        #expect(
            Self.refusal(MadeFeed().with(name, ""))
                == "\(name):1: the file is empty; its first line must name the columns")
    }

    @Test(arguments: [
        ("calendar.txt", "week,0,0,0,0,0,1,1,20261101,20261130", 3, "service_id is there a second time"),
        ("stops.txt", "A,Again,52,13", 5, "stop_id is there a second time"),
        ("routes.txt", "1,M2,,3", 3, "route_id is there a second time"),
        ("trips.txt", "1,week,t", 3, "trip_id is there a second time"),
    ]) func idThatIsThereTwiceIsRefused(name: String, row: String, line: Int, reason: String) {
        #expect(Self.refusal(MadeFeed().adding(name, row)) == "\(name):\(line): \(reason)")
    }

    @Test(arguments: [
        ("calendar.txt", "w,1,0,0,0,0,0,0,20261130,20261101", 3, "end_date is before start_date"),
        ("calendar.txt", "w,2,0,0,0,0,0,0,20261101,20261130", 3, "monday must be a number from 0 to 1"),
        ("calendar.txt", "w,1,0,0,0,0,0,0,20261131,20261201", 3, "start_date must be a date such as 20261126"),
        ("stops.txt", "D,Delta,91,13", 5, "stop_lat must be a number from -90.0 to 90.0"),
        ("stops.txt", ",Delta,52,13", 5, "stop_id must have 1 to 255 bytes"),
        ("stop_times.txt", "t,8h,08:40:00,C,4", 5, "arrival_time must be a time such as 07:30:00, below 168:00:00"),
        ("stop_times.txt", "t,08:40:00,08:40:00,C,", 5, "stop_sequence must not be empty"),
        ("stop_times.txt", "t,08:40:00,08:40:00,C,-4", 5, "stop_sequence must be a number from 0 to 2147483647"),
        ("stop_times.txt", "t,08:40:00,\"08:40", 5, "the file ends within quotes"),
    ]) func wrongFieldRefusesTheFeedWithItsLine(name: String, row: String, line: Int, reason: String) {
        #expect(Self.refusal(MadeFeed().adding(name, row)) == "\(name):\(line): \(reason)")
    }

    @Test(arguments: [
        ("calendar_dates.txt", "service_id,date,exception_type\nweek,20261126,3\n", "exception_type"),
        ("calendar_dates.txt", "service_id,date,exception_type\nweek,20261126,\n", "exception_type must be 1 or 2"),
        ("frequencies.txt", "trip_id,start_time,end_time,headway_secs\nt,06:00:00,07:00:00,0\n", "headway_secs"),
        ("frequencies.txt", "trip_id,start_time,end_time,headway_secs\nt,06:00:00,,60\n", "must not be empty"),
        ("frequencies.txt", "trip_id,start_time,end_time\nt,06:00:00,07:00:00\n", "the column headway_secs is missing"),
    ]) func wrongFieldOfAnOptionalFileRefusesTheFeedToo(name: String, text: String, reason: String) {
        let refusal = Self.refusal(MadeFeed().with(name, text))
        #expect(refusal.hasPrefix(name + ":"))
        #expect(refusal.contains(reason))
    }

    @Test func agencyNeedsANameAndAKnownZone() {
        let head = "agency_name,agency_timezone\n"
        func refusal(_ rows: String) -> String { Self.refusal(MadeFeed().with("agency.txt", head + rows)) }
        #expect(refusal("") == "agency.txt: the file has no agency")
        #expect(refusal("Made,\n") == "agency.txt:2: agency_name and agency_timezone must not be empty")
        for zone in ["Moon/Base", "Europe", "../../../etc/localtime", "CET-1CEST"] {
            #expect(refusal("\nMade,\(zone)\n") == "agency.txt:3: agency_timezone '\(zone)' is no known time zone")
        }
        // The first agency counts.
        #expect(refusal("Made,Etc/UTC\nOther,Moon/Base\n") == "")
    }

    @Test func feedWithoutADayIsRefused() {
        let reason = "calendar.txt: the feed has no day of service, here or in calendar_dates.txt"
        #expect(Self.refusal(MadeFeed().with("calendar.txt", nil)) == reason)
        let removed = "service_id,date,exception_type\nweek,20261126,2\n"
        #expect(Self.refusal(MadeFeed().with("calendar.txt", nil).with("calendar_dates.txt", removed)) == reason)
    }

    // MARK: Rows that are left out

    @Test func rowsThatReferToNothingAreCountedWithTheFirst() throws {
        let feed = MadeFeed()
            .adding("trips.txt", "9,week,u", "8,week,v", "1,never,w")
            .adding("stop_times.txt", "x,09:00:00,09:00:00,A,1", "t,08:40:00,08:40:00,Z,4", "x,09:10:00,09:10:00,B,2")
            .adding("stop_times.txt", "u,09:00:00,09:00:00,A,1", "u,09:10:00,09:10:00,B,2")
            .with("frequencies.txt", "trip_id,start_time,end_time,headway_secs\ny,06:00:00,07:00:00,60\n")
        let timetable = try feed.imported()
        #expect(
            Self.skipped(timetable) == [
                "1 frequencies.txt:2: trip_id 'y' is not in trips.txt",
                "2 stop_times.txt:5: trip_id 'x' is not in trips.txt",
                "1 stop_times.txt:6: stop_id 'Z' is not a stop of stops.txt",
                "2 trips.txt:3: route_id '9' is not in routes.txt",
                "1 trips.txt:5: service_id 'never' is not in calendar.txt, nor in calendar_dates.txt",
            ])
        #expect(timetable.counts == [1, 3, 1, 3])
    }

    @Test func stopWithoutAPositionIsLeftOut() throws {
        let timetable = try MadeFeed().adding("stops.txt", "D,Delta,,", "E,Epsilon,52,")
            .adding("stop_times.txt", "t,08:40:00,08:40:00,D,4").imported()
        #expect(
            Self.skipped(timetable) == [
                "1 stop_times.txt:5: stop_id 'D' is not a stop of stops.txt",
                "2 stops.txt:5: the stop has no position",
            ])
        #expect(try timetable.database.stops().map(\.stop.id) == ["A", "B", "C"])
    }

    @Test func onlyPlacesWhereVehiclesHaltAreStops() throws {
        let stops = """
            stop_id,location_type,stop_lat,stop_lon,stop_name
            S,1,52.5,13.4,Station
            A,0,52.5,13.4,Alpha
            B,,52.51,13.4,Beta
            C,,52.53,13.4,Gamma
            N,3,,,Node
            G,4,52.53,13.4,Boarding area

            """
        let timetable = try MadeFeed().with("stops.txt", stops).imported()
        #expect(timetable.skipped.isEmpty)
        #expect(try timetable.database.stops().map(\.stop.id) == ["A", "B", "C"])
    }

    @Test(arguments: [
        (["u,09:10:00,09:10:00,A,1", "u,09:09:59,09:09:59,B,2"], "the times of the trip go back"),
        (["u,09:10:00,09:09:00,A,1", "u,09:20:00,09:20:00,B,2"], "the times of the trip go back"),
        (["u,09:00:00,09:00:00,A,1", "u,,,B,2", "u,08:00:00,08:00:00,C,3"], "the times of the trip go back"),
        (["u,,,A,1", "u,09:20:00,09:20:00,B,2"], "the trip has no time at its first or its last stop"),
        (["u,09:10:00,09:10:00,A,1", "u,,,B,2"], "the trip has no time at its first or its last stop"),
        (["u,09:10:00,09:10:00,A,1", "u,09:20:00,09:20:00,B,1"], "the trip has a stop_sequence twice"),
        (["u,09:10:00,09:10:00,A,1"], "the trip has less than two stops"),
    ]) func tripWithImpossibleTimesIsLeftOut(rows: [String], reason: String) throws {
        var feed = MadeFeed().adding("trips.txt", "1,week,u")
        for row in rows { feed = feed.adding("stop_times.txt", row) }
        let timetable = try feed.imported()
        #expect(Self.skipped(timetable) == ["1 trips.txt:3: \(reason)"])
        #expect(timetable.counts[2] == 1)
        #expect(try timetable.departures("A", after: "2026-11-26T00:00:00Z") == ["t 2026-11-26T08:00:00+01:00"])
    }

    @Test func tripWithTooManyStopsIsLeftOut() throws {
        var rows = ""
        for number in 0...2000 { rows += "u,09:00:00,09:00:00,\(number % 2 == 0 ? "A" : "B"),\(number)\n" }
        let feed = MadeFeed().adding("trips.txt", "1,week,u")
        let timetable = try feed.with("stop_times.txt", (feed.files["stop_times.txt"] ?? "") + rows).imported()
        #expect(Self.skipped(timetable) == ["1 trips.txt:3: the trip has too many stops"])
    }

    @Test func lineWithoutTripsIsLeftOut() throws {
        let timetable = try MadeFeed().adding("routes.txt", "2,M2,,3").imported()
        #expect(try timetable.database.lines().map(\.line.id) == ["1"])
        #expect(timetable.counts[0] == 1)
    }
}
