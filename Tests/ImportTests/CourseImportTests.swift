import Domain
import Formats
import Foundation
import Import
import TestKit
import Testing

@Suite struct CourseImportTests {
    // MARK: Files of others

    /// Vertices, points, whether the points are derived, metres and whether there are times.
    private static let files: [String: (Int, Int, Bool, Double, Bool)] = [
        "cptr001.fit": (896, 19, true, 20_370, true),
        "cptr003.fit": (1349, 13, false, 48_304, true),
        "cptr003_connect.fit": (2075, 4, false, 48_264, true),
        "cptr003.gpx": (1349, 4, false, 48_304, false),
        "cptr004.gpx": (798, 4, false, 7_210, false),
        "cptr007.gpx": (166, 21, true, 6_665, false),
        "Heart_of_St._Johns_Peninsula_Ride.tcx": (185, 18, false, 12_280, true),
    ]

    @Test(arguments: ReferenceFile.all(in: "courses", ".fit", ".gpx", ".tcx", ".TCX"))
    func filesOfOthersAreCourses(_ file: ReferenceFile) throws {
        for pieces in [1, 1000, Int.max] {
            let course = try ReadCourse.read(file.bytes(), pieces: pieces)
            #expect(ReadCourse.fault(of: course.data) == nil)
            guard let (vertices, points, isDerived, metres, hasTimes) = Self.files[file.name] else { continue }
            #expect(course.data.vertices.count == vertices)
            #expect(course.data.points.count == points)
            #expect(course.data.points.allSatisfy { $0.isDerived == isDerived })
            #expect(abs(ReadCourse.metres(of: course.data) - metres) < 0.003 * metres)
            #expect(course.data.vertices.allSatisfy { ($0.elapsedMilliseconds != nil) == hasTimes })
            #expect(course.data.vertices.allSatisfy { $0.altitude != nil })
        }
    }

    @Test func pointsLieWhereTheFileStatesThem() throws {
        let file = try #require(ReferenceFile.all(in: "courses", "cptr003.fit").first)
        let course = try ReadCourse.read(file.bytes())
        #expect(course.name?.text == "cptr003")
        let metres = ReadCourse.distances(of: course.data)
        let stated: [(Double, CoursePointKind, String)] = [
            (0, .generic, "Start of r"), (39.29, .sharpRight, "Sharp Aras"), (2393.3, .left, "Alpine Roa"),
        ]
        for ((distance, kind, name), point) in zip(stated, course.data.points) {
            #expect(abs(metres[point.vertex] - distance) < 1 + 0.002 * distance)
            #expect(point.kind == kind)
            #expect(point.name?.text == name)
        }
        #expect(course.data.points.last?.vertex == course.data.vertices.count - 1)
    }

    @Test func kmlFilesWithALineAreCourses() throws {
        var lines = 0
        for file in ReferenceFile.all(in: "kml", ".kml") {
            let bytes = try file.bytes()
            // A KML file of libkml has empty elements only.
            let text = String(decoding: bytes, as: UTF8.self)
            let hasLine =
                (text.contains("<LineString") || text.contains("Track>"))
                && !["libkml-all-arrays.kml", "selfclosing.kml"].contains(file.name)
            do {
                let course = try ReadCourse.read(bytes)
                #expect(hasLine, "\(file)")
                #expect(ReadCourse.fault(of: course.data) == nil)
                lines += 1
            } catch let error as FileError {
                #expect(!hasLine, "\(file): \(error)")
                #expect(error.reason.contains("no LineString"), "\(file): \(error)")
            }
        }
        #expect(lines >= 3)
    }

    @Test func activitiesAreCourses() throws {
        for file in ReferenceFile.all(in: "gpx_tcx", ".gpx", ".tcx") {
            let course = try ReadCourse.read(file.bytes())
            #expect(ReadCourse.fault(of: course.data) == nil, "\(file)")
        }
        let run = try #require(ReferenceFile.all(in: "fit", "run-fenix2-9km.fit").first)
        let course = try ReadCourse.read(run.bytes())
        #expect(course.data.sport == .run)
        #expect(ReadCourse.fault(of: course.data) == nil)
        #expect(abs(ReadCourse.metres(of: course.data) - 9022) < 30)
        #expect(abs((course.data.vertices.last?.elapsedMilliseconds ?? 0) - 2_832_000) <= 1000)
    }

    @Test func filesThatTheSchemasRejectAreReadOrRefusedWithTheLine() throws {
        for file in ReferenceFile.all(in: "gpx_tcx/negative", ".gpx", ".tcx") {
            do {
                #expect(try ReadCourse.fault(of: ReadCourse.read(file.bytes()).data) == nil, "\(file)")
            } catch let error as FileError where error.place != nil {
                #expect(error.description.hasPrefix("line "), "\(file): \(error)")
            } catch let error as FileError {
                #expect(file.name.contains("unique") || file.name.contains("empty_ele"), "\(file): \(error)")
            }
        }
    }

    // MARK: Limits and errors

    @Test func antimeridianIsCrossed() throws {
        let course = try ReadCourse.read(
            ReadCourse.gpx(
                "<wpt lat=\"10\" lon=\"-179.9999\"><name>Beyond</name></wpt><trk><trkseg>"
                    + ReadCourse.points("trkpt", [(10, 179.99), (10, -179.99), (10.01, -179.99)]) + "</trkseg></trk>"))
        #expect(course.data.points == [CoursePoint(vertex: 1, .generic, name: SanitizedText("Beyond"))])
        #expect(abs(course.data.vertices[1].coordinate.longitude + 179.9999) < 1e-9)
        #expect(ReadCourse.fault(of: course.data) == nil)
        #expect(ReadCourse.metres(of: course.data) < 3400)
    }

    @Test func errorsNameThePlaceAndTheNextStep() {
        func error(_ text: String) -> String? { ReadCourse.error(Array(text.utf8)) }
        let track = "<trk><trkseg>"
        #expect(error("") == "the file is empty")
        #expect(error("Hello, this is text.") == "not a FIT, GPX, TCX, KML or GeoJSON file")
        #expect(
            error("<html><body></body></html>")
                == "line 1, column 1: not a GPX, TCX or KML file: its first element is <html>")
        #expect(
            error(ReadCourse.gpx("<wpt lat='1' lon='1'/>"))
                == "the file has no track and no route: waypoints alone are no course")
        #expect(
            error(ReadCourse.gpx(track + ReadCourse.points("trkpt", [(1, 1), (1, 1)]) + "</trkseg></trk>"))
                == "the track has only one point: a course needs two or more at different places")
        #expect(
            error(ReadCourse.gpx(track + ReadCourse.points("trkpt", [(1, 1), (91, 1)]) + "</trkseg></trk>"))?.hasPrefix(
                "line 2, column 30: a position is not on the Earth") == true)
        #expect(
            error(ReadCourse.gpx(track + "\n\n<trkpt lat='x' lon='1'/></trkseg></trk>"))
                == "line 3, column 25: a point has no latitude and longitude that are numbers: correct or remove it")
        #expect(
            error(ReadCourse.gpx(track + ReadCourse.points("trkpt", [(0, 0), (0, 10), (0, 20)]) + "</trkseg></trk>"))
                == "the track is 2223 km long, more than 2000 km: split the file, or correct its positions")
        #expect(
            error(#"{"type": "Feature", "geometry": {"type": "LineString", "coordinates": [[8, 50], [8, 95]]}}"#)?
                .hasPrefix("position 2 of line 1: a position is not on the Earth") == true)
        #expect(error(#"{"type": "Topology"}                "#) == "the file has no LineString and no MultiLineString")
        #expect(error(#"{"type": "Feature", "geometry": ["#)?.hasPrefix("byte ") == true)
    }

    @Test func longTracksAreThinned() throws {
        // 100 km with a vertex at each metre, on a circle with a radius of 16 km and a hill of 100 m.
        let places = (0..<100_000).map { index in
            let angle = Double(index) / 16_000
            let (latitude, longitude) = (50 + 0.144 * sin(angle), 8 + 0.224 * cos(angle))
            return "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\"><ele>\(100 + 50 * sin(angle))</ele></trkpt>"
        }
        let text = ReadCourse.gpx("<trk><trkseg>" + places.joined() + "</trkseg></trk>")
        let course = try ReadCourse.read(text)
        #expect(ReadCourse.fault(of: course.data) == nil)
        #expect(course.data.vertices.count < CourseData.vertexLimit)
        #expect(course.data.vertices.count > 100)
        // A track that jumps at each vertex cannot be thinned.
        let noise = (0..<60_000).map {
            "<trkpt lat=\"\($0 % 2 == 0 ? 50 : 50.0003)\" lon=\"\(8 + Double($0) / 1e7)\"/>"
        }
        let error = ReadCourse.error(Array(ReadCourse.gpx("<trk><trkseg>\(noise.joined())</trkseg></trk>").utf8))
        #expect(error?.contains("60000 points, more than 50000") == true || error?.contains("km long") == true)
    }

    @Test func damagedFilesAreCoursesOrErrors() throws {
        let names = ["cptr003.fit", "cptr003_connect.fit", "cptr004.gpx", "gxtrack.kml"]
        var random = SeededRandom(seed: 16)
        let files = try (ReferenceFile.all(in: "courses", ".fit", ".gpx") + ReferenceFile.all(in: "kml", ".kml"))
            .filter { names.contains($0.name) }.map { try $0.bytes() }
        #expect(files.count == names.count)
        for number in 0..<500 {
            var bytes = files[number % files.count]
            if number % 3 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            do {
                let course = try ReadCourse.read(bytes, pieces: 4096)
                #expect(ReadCourse.fault(of: course.data) == nil)
            } catch {
                #expect(error is FileError)
            }
        }
    }
}
