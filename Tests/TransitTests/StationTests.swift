import Domain
import MapStorage
import Testing
import Transit

/// Stations, which stand for their platforms.
@Suite struct StationTests {
    /// Alpha and Beta are platforms of a station that follows Alpha. The others have a platform that is unknown, or none.
    private static let feed = MadeFeed().with(
        "stops.txt",
        """
        stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station
        A,,Alpha,52.50,13.4,0,P
        P,77,Hub,52.505,13.4,1,
        B,,Beta,52.51,13.4,,P
        C,,Gamma,52.53,13.4,0,Q
        E,,Entrance,52.50,13.4,2,P
        N,,Node,,,3,P
        G,,Hub Area,52.50,13.4,4,A
        R,,Hub without platforms,91,13.4,1,
        S,,,,,1,

        """)

    private static func found(_ text: String, in timetable: MadeTimetable) throws -> [String] {
        let numbers = try timetable.database.stops(named: text)
        return try numbers.compactMap { try timetable.database.stop($0)?.id }
    }

    @Test(arguments: [
        ("P", ["A", "B"]), ("77", ["A", "B"]), ("Hub", ["A", "B"]), ("hu", ["A", "B"]), ("Alpha", ["A"]),
        ("A", ["A"]), ("a", ["A", "B", "C"]), ("Entrance", []), ("Node", []), ("R", []), ("without", []), ("p", ["A"]),
    ])
    func stationStandsForItsPlatforms(text: String, stops: [String]) throws {
        #expect(try Self.found(text, in: try Self.feed.imported()) == stops)
    }

    @Test func departuresOfAStationAreThoseOfItsPlatforms() throws {
        let timetable = try Self.feed.imported()
        #expect(timetable.skipped.isEmpty && timetable.counts == [1, 3, 1, 3])
        let departures = try timetable.database.departures(
            from: try timetable.database.stops(id: "P"), after: seconds("2026-11-26T00:00:00Z"), limit: 10,
            live: LiveTimetable())
        #expect(
            departures.map { timetable.database.clock.text($0.time) } == [
                "2026-11-26T08:00:00+01:00", "2026-11-26T08:11:00+01:00",
            ])
    }

    @Test func stationIsNoStopOfItsOwn() throws {
        let database = try Self.feed.imported().database
        #expect(try database.stops().map(\.stop.id) == ["A", "B", "C"])
        #expect(try database.stop(id: "P") == nil && database.stops(id: "Q") == [])
        let stations = try database.stations()
        #expect(stations.map(\.station.id) == ["P"] && stations.map(\.platforms) == [[0, 1]])
        #expect(stations[0].station.position == Coordinate(latitude: 52.505, longitude: 13.4))
        let here = Coordinate(latitude: 52.505, longitude: 13.4)
        #expect(try database.stops(within: 100, of: here).isEmpty)
    }

    @Test func stopsWhoseStationHasATextAreListed() throws {
        let database = try Self.feed.imported().database
        #expect(try database.stops { $0.name == "Hub" || $0.name == "Gamma" }.map(\.stop.id) == ["A", "B", "C"])
    }

    @Test func platformsOutsideOfTheAreaAreLeftOut() throws {
        let area = FeedImport.Area(center: Coordinate(latitude: 52.53, longitude: 13.4), metres: 3000)
        #expect(try Self.found("Hub", in: try Self.feed.imported(near: area)) == ["B"])
        let far = FeedImport.Area(center: Coordinate(latitude: 52.6, longitude: 13.4), metres: 100)
        #expect(try Self.feed.imported(near: far).database.stations().isEmpty)
    }

    @Test func stationWithoutAPositionIsAtItsFirstPlatform() throws {
        let feed = Self.feed.with(
            "stops.txt",
            "stop_id,stop_lat,stop_lon,location_type,parent_station\nP,,,1,\nA,52.5,13.4,,P\nB,52.51,13.4,,P\n"
        ).with(
            "stop_times.txt",
            MadeFeed().files["stop_times.txt"]?.split(separator: "\n").dropLast().joined(separator: "\n"))
        let station = try #require(try feed.imported().database.stations().first?.station)
        #expect(station.name == "P" && station.position == Coordinate(latitude: 52.5, longitude: 13.4))
    }
}
