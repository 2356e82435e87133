import Domain
import Formats
import Foundation
import Pipeline
import TestKit
import Testing

@Suite struct RouteAnswerTests {
    private func answers(_ dialect: RouteDialect, _ text: String) throws -> [RouteAnswer] {
        try dialect.answers(Array(text.utf8))
    }

    private func altitudes(_ answer: RouteAnswer) -> [Double?] { answer.course.data.vertices.map(\.altitude) }

    @Test func brouterHasRouteAndTurns() throws {
        let text = """
            {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"track-length":"2224","total-time":"600",
            "voicehints":[[1,2,0,10.0,-90],[2,13,-3,5.0,100],[3,6,0,5.0,30]]},"geometry":{"type":"LineString","coordinates":
            [[13.4,52.5,40],[13.4,52.51,41.25],[13.41,52.51,43],[13.41,52.52,40],[13.41,52.53,45]]}}]}
            """
        let answer = try #require(answers(.brouter, text).first)
        #expect(answer.statedMetres == 2224)
        #expect(answer.statedSeconds == 600)
        #expect(altitudes(answer) == [40, 41.25, 43, 40, 45])
        let points = answer.course.data.points
        #expect(points.map(\.vertex) == [1, 2, 3])
        #expect(points.map(\.kind) == [.left, .generic, .slightRight])
        #expect(points[1].name?.text == "Roundabout, exit 3")
    }

    @Test(arguments: [
        (1, CoursePointKind.straight), (2, .left), (3, .slightLeft), (4, .sharpLeft), (5, .right), (6, .slightRight),
        (7, .sharpRight), (8, .leftFork), (9, .rightFork), (10, .uTurn), (11, .uTurn), (15, .uTurn), (99, .generic),
    ]) func brouterCommandIsATurn(command: Int, kind: CoursePointKind) throws {
        let text = """
            {"features":[{"properties":{"voicehints":[[1,\(command),0,10.0,0]]},"geometry":{"type":"LineString","coordinates":
            [[13.4,52.5],[13.4,52.51],[13.4,52.52]]}}]}
            """
        #expect(try answers(.brouter, text).first?.course.data.points.map(\.kind) == [kind])
    }

    /// Three points 1112 m apart to the north, and 5 altitudes 500 m apart, the last one at the end.
    @Test func valhallaHasAltitudesBetweenTheSamples() throws {
        let shape = encoded([(52.5, 13.4), (52.51, 13.4), (52.52, 13.4)], scale: 1e6)
        let text = """
            {"trip":{"units":"kilometers","summary":{"length":2.224,"time":1500.5},"legs":[{"shape":"\(shape)","elevation_interval":500,
            "elevation":[100,110,120,130,140,150],"maneuvers":[{"type":1,"begin_shape_index":0,"instruction":"Walk north."},
            {"type":15,"begin_shape_index":1,"instruction":"Turn left onto Main Street."},{"type":4,"begin_shape_index":2}]}]},
            "alternates":[{"trip":{"summary":{"length":1},"legs":[{"shape":"\(shape)"}]}}]}
            """
        let found = try answers(.valhalla, text)
        #expect(found.count == 2)
        #expect(found[0].statedMetres == 2224)
        #expect(found[0].statedSeconds == 1500.5)
        let heights = altitudes(found[0]).compactMap { $0 }
        #expect(zip(heights, [100, 122.24, 144.48]).allSatisfy { abs($0 - $1) < 0.05 })
        #expect(found[0].course.data.points.map(\.kind) == [.left])
        #expect(found[0].course.data.points.first?.name?.text == "Turn left onto Main Street.")
        #expect(altitudes(found[1]) == [nil, nil, nil])
    }

    @Test func graphhopperHasPointsInEitherForm() throws {
        let instructions =
            #""instructions":[{"sign":0,"interval":[0,1],"text":"Continue"},{"sign":-2,"interval":[1,2],"text":"Turn left"},{"sign":4,"interval":[2,2]}]"#
        let plain = """
            {"paths":[{"distance":2224.5,"time":600000,"points":{"type":"LineString","coordinates":
            [[13.4,52.5,10],[13.4,52.51,12.34],[13.41,52.51,9]]},\(instructions)}]}
            """
        let shape = encoded([(52.5, 13.4), (52.51, 13.4), (52.51, 13.41)], scale: 1e5, altitudes: [10, 12.34, 9])
        let packed = """
            {"paths":[{"distance":2224.5,"time":600000,"bbox":[13.4,52.5,9,13.41,52.51,12],"points":"\(shape)",\(instructions)}]}
            """
        let one = try #require(answers(.graphhopper, plain).first)
        #expect(one.statedSeconds == 600)
        #expect(altitudes(one) == [10, 12.34, 9])
        #expect(one.course.data.points.map(\.kind) == [.left])
        #expect(one.course.data.points.map(\.vertex) == [1])
        #expect(try answers(.graphhopper, packed).first == one)
    }

    /// Vectors of graphhopper/graphhopper@c058139f, ResponsePathRepresentationTest (Apache-2.0).
    @Test(arguments: [
        ("_p~iF~ps|U", 5, false, [[38.5, -120.2]]),
        ("_p~iF~ps|U_ulLnnqC_mqNvxq`@", 5, false, [[38.5, -120.2], [40.7, -120.95], [43.252, -126.453]]),
        ("_p~iF~ps|Uo}@", 5, true, [[38.5, -120.2, 10]]),
        (
            "_p~iF~ps|Uo}@_ulLnnqC_anF_mqNvxq`@?", 5, true,
            [[38.5, -120.2, 10], [40.7, -120.95, 1234], [43.252, -126.453, 1234]]
        ),
        ("ohdfzAgt}bVoEL", 6, false, [[47.827608, 12.123476], [47.827712, 12.123469]]),
    ]) func polylineIsThatOfTheVectors(text: String, decimals: Int, hasAltitude: Bool, expected: [[Double]]) throws {
        let points = try EncodedPolyline.points(Array(text.utf8), decimals: decimals, hasAltitude: hasAltitude)
        let numbers = points.map {
            [$0.coordinate.latitude, $0.coordinate.longitude] + ($0.altitude.map { [$0] } ?? [])
        }
        #expect(numbers == expected)
    }

    @Test(arguments: [
        ("_p~iF", "the points are cut off"), ("_p~iF~ps|", "the points are cut off"),
        ("_p iF~ps|U", "the points have a character that is none of a polyline"),
        ("~~~~~~~~~~~~~~~~~~", "the points have a number that is too large"),
    ]) func brokenPolylineIsAnError(text: String, reason: String) {
        #expect(throws: FileError.self) { try EncodedPolyline.points(Array(text.utf8), decimals: 5) }
        do {
            _ = try EncodedPolyline.points(Array(text.utf8), decimals: 5)
        } catch {
            #expect(error.reason == reason)
        }
    }

    @Test(arguments: [
        (RouteDialect.brouter, "datafile E5_N40.rd5 not found"), (.brouter, "{}"), (.brouter, #"{"features":[]}"#),
        (.brouter, #"{"features":[{"geometry":{"type":"LineString","coordinates":[[1,2],["a",2]]}}]}"#),
        (.brouter, #"{"features":[{"geometry":{"type":"LineString","coordinates":[[1,95],[1,2]]}}]}"#),
        (.brouter, #"{"features":[{"geometry":{"type":"LineString","coordinates":[[1,2]]}}]}"#),
        (.valhalla, "<html>"), (.valhalla, #"{"error":"No path could be found","error_code":442}"#),
        (.valhalla, #"{"trip":{"legs":[{}]}}"#), (.valhalla, #"{"trip":{"legs":[{"shape":"??"}]}}"#),
        (.graphhopper, #"{"message":"API limit reached"}"#), (.graphhopper, #"{"paths":[]}"#), (.graphhopper, ""),
    ]) func otherFormatIsAnError(dialect: RouteDialect, text: String) {
        #expect(throws: RouteAnswer.Failure.self) { try dialect.answers(Array(text.utf8)) }
    }

    /// The recorded answers of a real BRouter: the length of each is that which it states, and each hint is a point.
    @Test func recordedAnswersOfBRouterAreRoutes() throws {
        var count = 0
        for file in ReferenceFile.all(in: "brouter", "answers.json") {
            let list = try #require(try JSONSerialization.jsonObject(with: Data(file.bytes())) as? [[String: Any]])
            for entry in list where (entry["content_type"] as? String)?.contains("geo+json") == true {
                let body = try #require(entry["body"] as? String)
                guard let answer = try? answers(.brouter, body).first else {
                    // Both places lie outside of the data, and are moved to the same one.
                    #expect((entry["query"] as? String)?.hasPrefix("lonlats=1.2,42.4|1.21,42.41") == true)
                    continue
                }
                let vertices = answer.course.data.vertices
                let length = zip(vertices, vertices.dropFirst()).reduce(0.0) {
                    $0 + $1.0.coordinate.metres(to: $1.1.coordinate)
                }
                #expect(abs(length - (answer.statedMetres ?? 0)) < max(length * 0.005, 2))
                let json = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
                let features = try #require(json["features"] as? [[String: Any]])
                let hints = (features[0]["properties"] as? [String: Any])?["voicehints"] as? [[Any]]
                // Without hints the turns are computed.
                if let hints { #expect(answer.course.data.points.count == hints.count) }
                #expect(vertices.allSatisfy { $0.altitude != nil })
                count += 1
            }
        }
        #expect(count == 81 || ReferenceFile.all(in: "brouter", "answers.json").isEmpty)
    }

    @Test func recordedAnswersOfValhallaAreRoutes() throws {
        for file in ReferenceFile.all(in: "valhalla", "-foot.json", "-bike.json") {
            let json = try #require(try JSONSerialization.jsonObject(with: Data(file.bytes())) as? [String: Any])
            let response = try JSONSerialization.data(withJSONObject: #require(json["response"]))
            let found = try RouteDialect.valhalla.answers([UInt8](response))
            #expect(found.count >= 2)
            for answer in found {
                let vertices = answer.course.data.vertices
                let length = zip(vertices, vertices.dropFirst()).reduce(0.0) {
                    $0 + $1.0.coordinate.metres(to: $1.1.coordinate)
                }
                #expect(abs(length - (answer.statedMetres ?? 0)) < max(length * 0.005, 2), "\(file)")
                #expect(vertices.allSatisfy { $0.altitude != nil })
                #expect(!answer.course.data.points.isEmpty)
            }
        }
    }

    /// Encodes points, as EncodedPolyline decodes them.
    private func encoded(_ points: [(Double, Double)], scale: Double, altitudes: [Double]? = nil) -> String {
        var text: [UInt8] = []
        var last: [Int64] = [0, 0, 0]
        for (index, point) in points.enumerated() {
            var numbers = [Int64((point.0 * scale).rounded()), Int64((point.1 * scale).rounded())]
            if let altitudes { numbers.append(Int64((altitudes[index] * 100).rounded())) }
            for (place, number) in numbers.enumerated() {
                let difference = number - last[place]
                last[place] = number
                var rest = UInt64(bitPattern: difference < 0 ? ~(difference << 1) : difference << 1)
                while rest >= 32 {
                    text.append(UInt8(rest & 31 | 32) + 63)
                    rest >>= 5
                }
                text.append(UInt8(rest) + 63)
            }
        }
        // A backslash is a character of the format.
        return String(decoding: text, as: UTF8.self).replacingOccurrences(of: "\\", with: "\\\\")
    }

    @Test func routesThatAreTooLongAreLeftOut() throws {
        func path(_ latitude: Double) -> String {
            #"{"points_encoded":false,"points":{"coordinates":[[1.5,42],[1.5,\#(latitude)]]}}"#
        }
        let found = try RouteDialect.graphhopper.answers(Array(#"{"paths":[\#(path(47)),\#(path(43))]}"#.utf8))
        #expect(found.map(\.course.data.vertices.last?.coordinate.latitude) == [43])
        let error = #expect(throws: RouteAnswer.Failure.self) {
            try RouteDialect.graphhopper.answers(Array(#"{"paths":[\#(path(52)),\#(path(47))]}"#.utf8))
        }
        guard case .tooLong(let metres)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(abs(metres - 555_500) < 1000, "that of the shorter one")
    }
}
