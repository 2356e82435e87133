import Domain
import Formats
import TestKit
import Testing

/// What is read of each format of a course.
@Suite struct CourseFormatTests {
    // MARK: GPX

    @Test func tracksAndSegmentsAreJoined() throws {
        let course = try ReadCourse.read(
            ReadCourse.gpx(
                "<metadata><name>Both</name></metadata><trk><name>One</name><type>cycling</type><trkseg>"
                    + ReadCourse.points("trkpt", [(50, 8), (50.001, 8)]) + "</trkseg><trkseg>"
                    + ReadCourse.points("trkpt", [(50.001, 8), (50.002, 8)])
                    + "</trkseg></trk><trk><name>Two</name><trkseg>"
                    + ReadCourse.points("trkpt", [(50.003, 8)]) + "</trkseg></trk><rte>"
                    + ReadCourse.points("rtept", [(1, 1), (2, 2)]) + "</rte>"))
        #expect(course.name?.text == "Both")
        #expect(course.data.sport == .ride)
        #expect(course.data.vertices.map(\.coordinate.latitude) == [50, 50.001, 50.002, 50.003])
        #expect(course.data.points == [])
    }

    @Test func routePointsThatMeanATurnArePoints() throws {
        let course = try ReadCourse.read(
            ReadCourse.gpx(
                """
                <rte><name>R</name><rtept lat="50" lon="8"><ele>100</ele></rtept><rtept lat="50.01" lon="8"><ele>110</ele>
                <name>TL</name><desc>Turn left onto Mill Lane</desc></rtept><rtept lat="50.01" lon="7.99"><ele>120</ele>
                <extensions><gpxx:RoutePointExtension xmlns:gpxx="urn:x"><gpxx:rpt lat="50.01" lon="7.985"/>
                </gpxx:RoutePointExtension></extensions></rtept><rtept lat="50.01" lon="7.98"><sym>Water Source</sym>
                <name>Spring</name></rtept><rtept lat="50.02" lon="7.98"/></rte>
                """))
        #expect(course.name?.text == "R")
        #expect(course.data.vertices.count == 6)
        #expect(course.data.vertices.prefix(3).map(\.altitude) == [100, 110, 120])
        #expect(
            course.data.points == [
                CoursePoint(vertex: 1, .left, name: SanitizedText("Turn left onto Mill Lane")),
                CoursePoint(vertex: 4, .water, name: SanitizedText("Spring")),
            ])
    }

    @Test func waypointsWithin50MetresArePoints() throws {
        let course = try ReadCourse.read(
            ReadCourse.gpx(
                """
                <wpt lat="50.005" lon="8.0006"><name>Tap</name><sym>Drinking Water</sym></wpt>
                <wpt lat="50.005" lon="8.0008"><name>Far</name></wpt><wpt lat="50.0000001" lon="8"><name>Start</name></wpt>
                <trk><trkseg><trkpt lat="50" lon="8"><ele>100</ele><time>2026-03-01T07:00:00Z</time></trkpt>
                <trkpt lat="50.01" lon="8"><ele>110</ele><time>2026-03-01T07:10:00Z</time></trkpt></trkseg></trk>
                """))
        #expect(course.skipped["points more than 50 m from the track"] == 1)
        #expect(
            course.data.points == [
                CoursePoint(vertex: 0, .generic, name: SanitizedText("Start")),
                CoursePoint(vertex: 1, .water, name: SanitizedText("Tap")),
            ])
        let inserted = course.data.vertices[1]
        #expect(abs(inserted.coordinate.latitude - 50.005) < 1e-9)
        #expect(inserted.coordinate.longitude == 8)
        #expect(abs((inserted.altitude ?? 0) - 105) < 1e-6)
        #expect(inserted.elapsedMilliseconds == 300_000)
    }

    @Test func timesThatDoNotRiseAreLeftOut() throws {
        func times(_ minutes: [Int]) throws -> [Int64?] {
            let points = minutes.enumerated().map { index, minute in
                "<trkpt lat=\"\(50 + Double(index) / 100)\" lon=\"8\"><time>2026-03-01T07:0\(minute):00Z</time></trkpt>"
            }
            return try ReadCourse.read(ReadCourse.gpx("<trk><trkseg>" + points.joined() + "</trkseg></trk>")).data
                .vertices
                .map(\.elapsedMilliseconds)
        }
        #expect(try times([0, 1, 3]) == [0, 60_000, 180_000])
        #expect(try times([0, 0, 3]) == [0, 0, 180_000])
        #expect(try times([0, 3, 2]) == [nil, nil, nil])
        #expect(try times([5, 5, 5]) == [nil, nil, nil])
    }

    @Test func pausesAreNotActiveTime() throws {
        let course = try ReadCourse.read(
            ReadCourse.gpx(
                """
                <trk><trkseg><trkpt lat="50" lon="8"><time>2026-03-01T07:00:00Z</time></trkpt><trkpt lat="50.01" lon="8">
                <time>2026-03-01T07:05:00Z</time></trkpt></trkseg><trkseg><trkpt lat="50.01" lon="8">
                <time>2026-03-01T08:00:00Z</time></trkpt><trkpt lat="50.02" lon="8"><time>2026-03-01T08:05:00Z</time></trkpt>
                </trkseg></trk>
                """))
        #expect(course.data.vertices.map(\.elapsedMilliseconds) == [0, 300_000, 600_000])
    }

    // MARK: A track that passes the same place twice

    @Test func pointsInOrderLieOnTheRightLeg() throws {
        // 2 km north and back the same way, with a turn to each side at 1 km.
        let leg = (0...20).map { 50 + Double($0) / 1000 }
        let track = ReadCourse.points("trkpt", (leg + leg.reversed()).map { ($0, 8) })
        let cues = ["out 1", "out 2", "back 2", "back 1"].enumerated().map { index, name in
            "<wpt lat=\"\([50.0051, 50.0151, 50.0151, 50.0051][index])\" lon=\"8.0001\"><name>\(name)</name></wpt>"
        }
        let course = try ReadCourse.read(ReadCourse.gpx(cues.joined() + "<trk><trkseg>\(track)</trkseg></trk>"))
        let metres = ReadCourse.distances(of: course.data)
        let places = course.data.points.map { Int((metres[$0.vertex] / 111.195).rounded()) }
        #expect(course.data.points.map { $0.name?.text } == ["out 1", "out 2", "back 2", "back 1"])
        #expect(places == [5, 15, 25, 35])
    }

    @Test func aTimeSelectsTheLeg() throws {
        func trackpoint(_ index: Int, _ latitude: Double) -> String {
            """
            <Trackpoint><Time>2026-03-01T07:\(index < 10 ? "0" : "")\(index):00Z</Time><Position><LatitudeDegrees>\(latitude)
            </LatitudeDegrees><LongitudeDegrees>8</LongitudeDegrees></Position></Trackpoint>
            """
        }
        let leg = (0...20).map { 50 + Double($0) / 1000 }
        let track = (leg + leg.reversed().dropFirst()).enumerated().map { trackpoint($0, $1) }.joined()
        func point(_ minute: String) -> String {
            """
            <CoursePoint><Name>Water</Name><Time>2026-03-01T07:\(minute):00Z</Time><Position><LatitudeDegrees>50.005
            </LatitudeDegrees><LongitudeDegrees>8</LongitudeDegrees></Position><PointType>Water</PointType></CoursePoint>
            """
        }
        for (minute, vertex) in [("05", 5), ("35", 35)] {
            let course = try ReadCourse.read(
                "<TrainingCenterDatabase><Courses><Course><Name>There and back</Name><Track>\(track)</Track>"
                    + point(minute) + "</Course></Courses></TrainingCenterDatabase>")
            #expect(course.data.points == [CoursePoint(vertex: vertex, .water, name: SanitizedText("Water"))])
        }
    }

    // MARK: TCX

    @Test func tcxPointsHaveTheirTypesAndNotes() throws {
        func point(_ name: String, _ type: String, _ notes: String, _ latitude: Double) -> String {
            """
            <CoursePoint><Name>\(name)</Name><Time>2026-03-01T07:00:00Z</Time><Position><LatitudeDegrees>\(latitude)
            </LatitudeDegrees><LongitudeDegrees>8</LongitudeDegrees></Position><PointType>\(type)</PointType>
            <Notes>\(notes)</Notes></CoursePoint>
            """
        }
        let track = (0...9).map {
            """
            <Trackpoint><Time>2026-03-01T07:00:00Z</Time><Position><LatitudeDegrees>50.00\($0)</LatitudeDegrees>
            <LongitudeDegrees>8</LongitudeDegrees></Position></Trackpoint>
            """
        }
        let course = try ReadCourse.read(
            """
            <TrainingCenterDatabase><Courses><Course><Name>C</Name><Lap/><Track>\(track.joined())<Trackpoint/></Track>
            \(point("Left", "Left", "Turn left onto A Street", 50.001))\(point("North Lomb", "Right", "On North Lombard", 50.002))
            \(point("Back", "U turn", "Make a U-turn", 50.003))\(point("Pass", "1st Category", "", 50.004))
            \(point("Cafe", "Food", "Open till five", 50.005))\(point("?", "Wormhole", "", 50.006))</Course><Course/></Courses>
            </TrainingCenterDatabase>
            """)
        #expect(
            course.data.points.map(\.kind) == [.left, .right, .uTurn, .firstCategory, .food, .generic])
        #expect(
            course.data.points.map { $0.name?.text } == [
                "Turn left onto A Street", "On North Lombard", "Back", "Pass", "Cafe", "?",
            ])
        #expect(course.data.vertices.allSatisfy { $0.elapsedMilliseconds == nil })
        #expect(course.skipped["Course"] == 1)
        #expect(course.skipped["points without position"] == 1)
    }

    // MARK: KML and GeoJSON

    @Test func kmlLinesAreJoinedAndPlacemarksArePoints() throws {
        let course = try ReadCourse.read(
            """
            <kml><Document><name>D</name><Folder><Placemark><name>Way</name><MultiGeometry><LineString><coordinates>
            8,50,100 8,50.01,110
            </coordinates></LineString><LineString><coordinates>8,50.01,110 8,50.02,120</coordinates></LineString></MultiGeometry>
            </Placemark></Folder><Placemark><name>Water</name><Point><coordinates>8.0001,50.01,0</coordinates></Point></Placemark>
            <Placemark><name>Keep left</name><ExtendedData><Data name="kind"><value>bridge</value></Data></ExtendedData>
            <Point><coordinates>8,50.02</coordinates></Point></Placemark></Document></kml>
            """)
        #expect(course.data.vertices.map(\.altitude) == [100, 110, 120])
        #expect(
            course.data.points == [
                CoursePoint(vertex: 1, .water, name: SanitizedText("Water")),
                CoursePoint(vertex: 2, .bridge, name: SanitizedText("Keep left")),
            ])
    }

    @Test func geoJSONLinesAreJoinedAndPointsNearThemArePoints() throws {
        let course = try ReadCourse.read(
            """
            {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "Way"}, "geometry":
            {"type": "MultiLineString", "coordinates": [[[8, 50, 100], [8, 50.01, 110.5]], [[8, 50.01], [8, 50.02]]]}},
            {"type": "Feature", "properties": {"name": "Top", "kind": "summit"}, "geometry": {"type": "Point", "coordinates":
            [8.0001, 50.01]}}, {"type": "Feature", "properties": null, "geometry": null}]}
            """)
        #expect(course.name?.text == "Way")
        #expect(course.data.vertices.map(\.altitude) == [100, 110.5, nil])
        #expect(course.data.points == [CoursePoint(vertex: 1, .summit, name: SanitizedText("Top"))])
    }
}
