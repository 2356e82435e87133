import Domain
import Formats
import Foundation
import TestKit
import Testing

@Suite struct DerivedTurnTests {
    /// A course through places in metres east and north of a place at 50° north.
    private static func course(_ places: [(Double, Double)]) -> CourseData {
        let metresEast = Coordinate.metresPerDegree * cos(50 * Double.pi / 180)
        return CourseData(
            vertices: places.map { east, north in
                CourseVertex(
                    Coordinate(latitude: 50 + north / Coordinate.metresPerDegree, longitude: 8 + east / metresEast))
            })
    }

    private static func kinds(_ places: [(Double, Double)]) -> [CoursePointKind] {
        let points = course(places).derivedTurns()
        #expect(points.allSatisfy { $0.isDerived && $0.name == nil })
        return points.map(\.kind)
    }

    @Test func rightAnglesAreTurnsAtTheirVertices() {
        let points = Self.course([(0, 0), (0, 100), (100, 100), (100, 200), (0, 200)]).derivedTurns()
        #expect(points.map(\.kind) == [.right, .left, .left])
        #expect(points.map(\.vertex) == [1, 2, 3])
    }

    @Test func sizesOfTurnsHaveTheirKinds() {
        for (degrees, kind) in [
            (30.0, nil), (60, .left), (90, .left), (130, .sharpLeft), (180, .uTurn), (-60, .right), (-130, .sharpRight),
        ] as [(Double, CoursePointKind?)] {
            let angle = degrees * .pi / 180
            let end = (-200 * sin(angle), 200 + 200 * cos(angle))
            #expect(Self.kinds([(0, 0), (0, 200), end]) == [kind].compactMap(\.self), "\(degrees)")
        }
    }

    @Test func hairpinIsOneTurn() {
        let arc = stride(from: 0.0, through: 180, by: 10).map { degrees -> (Double, Double) in
            let angle = degrees * .pi / 180
            return (8 - 8 * cos(angle), 200 + 8 * sin(angle))
        }
        let kinds = Self.kinds([(0, 0)] + arc + [(16, 0)])
        #expect(kinds.count == 1)
        #expect([.sharpRight, .uTurn].contains(kinds.first))
    }

    @Test func longCurvesAreNoTurns() {
        for radius in [30.0, 50, 200] {
            let curve = stride(from: 0.0, through: 360, by: 2).map { degrees -> (Double, Double) in
                let angle = degrees * .pi / 180
                return (radius * sin(angle), radius - radius * cos(angle))
            }
            #expect(Self.kinds(curve) == [], "\(radius) m")
        }
        // A crossing of a street, 3 m aside, is no turn.
        #expect(Self.kinds([(0, 0), (0, 100), (3, 104), (3, 200)]) == [])
    }

    @Test func turnsAre30MetresApart() {
        // Stairs of 10 m: their direction does not change.
        var stairs: [(Double, Double)] = []
        for step in 0..<20 {
            let metres = Double(step) * 10
            stairs += [(metres, metres), (metres, metres + 10)]
        }
        let course = Self.course(stairs)
        let metres = ReadCourse.distances(of: course)
        let turns = course.derivedTurns()
        for (one, next) in zip(turns, turns.dropFirst()) { #expect(metres[next.vertex] - metres[one.vertex] > 20) }
    }

    @Test func noiseOfAReceiverIsNoTurn() {
        // 3 km straight on at 1 Hz and 2.5 m/s, with correlated errors of 3 m, and a rest of 5 minutes.
        for seed in 1...5 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var (east, north) = (0.0, 0.0)
            var places: [(Double, Double)] = []
            for second in 0..<1500 {
                east = 0.95 * east + (random.uniform() - 0.5) * 2.2
                north = 0.95 * north + (random.uniform() - 0.5) * 2.2
                let along = Double(min(second, 600) + max(second - 900, 0)) * 2.5
                places.append((east, along + north))
            }
            #expect(Self.kinds(places).count <= 1, "seed \(seed)")
        }
    }

    @Test func recordedTracksHaveFewTurns() throws {
        let run = try #require(ReferenceFile.all(in: "fit", "run-fenix2-9km.fit").first)
        let course = try ReadCourse.read(run.bytes()).data
        let perKilometre = Double(course.points.count) / (ReadCourse.metres(of: course) / 1000)
        #expect(course.points.allSatisfy { $0.isDerived })
        #expect(perKilometre < 6)
    }

    @Test func theOtherDirectionHasTheOtherTurns() {
        var course = Self.course([(0, 0), (0, 100), (100, 100), (100, 200)])
        course.points = course.derivedTurns()
        #expect(course.points.map(\.kind) == [.right, .left])
        let reversed = course.reversed()
        #expect(reversed.points.map(\.kind) == [.right, .left])
        #expect(reversed.points.map(\.vertex) == [1, 2])
        #expect(reversed.points.allSatisfy { $0.isDerived })
    }
}
