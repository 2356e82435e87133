import Domain
import Foundation
import Pipeline
import TestKit
import Testing

/// The passing of a place, compared with a course that is sampled each metre.
@Suite struct CoursePassingTests {
    private typealias Point = CourseScenario.Point

    private struct Answer {
        var metres: Double
        var distance: Double
        var sample: Int
    }

    /// The samples of a course, a metre apart, seen from a place.
    private struct Samples {
        var points: [Point]
        var along: [Double]
        var distances: [Double]
        var place: Point

        init(_ course: Course, from place: Point) {
            let vertices = course.distances.indices.map { CourseScenario.point(course.coordinate(at: $0)) }
            points = [vertices[0]]
            along = [0]
            for (index, to) in vertices.enumerated().dropFirst() {
                let from = vertices[index - 1]
                let (start, end) = (course.distances[index - 1], course.distances[index])
                let count = Int(CourseScenario.distance(from, to)) + 1
                for step in 1...count {
                    let part = Double(step) / Double(count)
                    points.append((from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part))
                    along.append(start + (end - start) * part)
                }
            }
            distances = points.map { CourseScenario.distance($0, place) }
            self.place = place
        }

        /// The definition of ``Course/passing(_:from:width:)``, sample by sample. `slack` is added to its three bounds.
        func passing(from start: Int, width: Double, slack: [Double]) -> Answer? {
            let bound = width + slack[0]
            var best: Int?
            var low: Int?
            func chosen() -> Int? {
                guard let low, !(low == start && isBehind(start)) else { return best }
                guard let best else { return low }
                return distances[low] < distances[best] - Course.tolerance + slack[2] ? low : best
            }
            var index = start
            while index < points.count {
                guard let first = distances[index...].firstIndex(where: { $0 <= bound }) else { return nil }
                (best, low) = (nil, first)
                var high = 0.0
                index = first + 1
                while index < points.count, distances[index] <= bound {
                    if let lowest = low {
                        if distances[index] > distances[lowest] + Course.departure + slack[1] {
                            best = chosen()
                            (low, high) = (nil, distances[index])
                        } else if distances[index] < distances[lowest] {
                            low = index
                        }
                    } else {
                        high = max(high, distances[index])
                        if distances[index] < high - Course.departure - slack[1] { low = index }
                    }
                    index += 1
                }
                if let chosen = chosen() {
                    return Answer(metres: along[chosen], distance: distances[chosen], sample: chosen)
                }
            }
            return nil
        }

        private func isBehind(_ start: Int) -> Bool {
            guard start > 0, start + 1 < points.count else { return false }
            return ahead(of: start) < -Course.tolerance
        }

        private func step(_ index: Int) -> Point {
            let (from, to) = (points[index], points[min(index + 1, points.count - 1)])
            let length = max(CourseScenario.distance(from, to), 1e-9)
            return ((to.x - from.x) / length, (to.y - from.y) / length)
        }

        /// Metres from a sample to the place, in the direction of the course.
        private func ahead(of index: Int) -> Double {
            let step = step(index)
            return step.x * (place.x - points[index].x) + step.y * (place.y - points[index].y)
        }

        /// Metres from the line through a sample to the place, on the right of the course.
        func right(of index: Int) -> Double {
            let step = step(index)
            return step.y * (place.x - points[index].x) - step.x * (place.y - points[index].y)
        }
    }

    private static func corners(_ random: inout SeededRandom) -> [Point] {
        var corners: [Point] = [(0, 0)]
        var heading = random.uniform() * 2 * .pi
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            heading += random.normal()
            let length = 60 + random.uniform() * 240
            let last = corners[corners.count - 1]
            corners.append((last.x + length * sin(heading), last.y + length * cos(heading)))
        }
        return random.uniform() < 0.3 ? corners + corners.reversed().dropFirst() : corners
    }

    @Test func thousandCasesAgreeWithSamples() throws {
        var random = SeededRandom(seed: 11)
        var (found, none, sides, borderline) = (0, 0, 0, 0)
        for number in 0..<1000 {
            let corners = Self.corners(&random)
            let course = CourseScenario.course(corners)
            let near = CourseScenario.along(corners, step: 1).randomElement(using: &random) ?? (0, 0)
            let place = (x: near.x + random.normal() * 120, y: near.y + random.normal() * 120)
            let samples = Samples(course, from: place)
            let start = random.uniform() < 0.3 ? 0 : Int.random(in: 0..<samples.points.count, using: &random)
            let width = 30 + random.uniform() * 300
            let answer = course.passing(
                CourseScenario.coordinate(place), from: samples.along[start], width: width)
            func agrees(_ expected: Answer?) -> Bool {
                guard let answer, let expected else { return answer == nil && expected == nil }
                // Near a minimum, many points of the course are equally far.
                return abs(answer.distance - expected.distance) < 1.5
                    && (abs(answer.metres - expected.metres) < 3
                        || samples.along.indices.contains {
                            abs(samples.along[$0] - answer.metres) < 1
                                && abs(samples.distances[$0] - expected.distance) < 0.3
                        })
            }
            var expected = samples.passing(from: start, width: width, slack: [0, 0, 0])
            if !agrees(expected) {
                // Each bound, and the start, may be met by a metre more or less.
                borderline += 1
                let others = (0..<81).map { bits in
                    let slack = [1, 3, 9].map { Double(bits / $0 % 3 - 1) * 1.5 }
                    let other = min(max(start + bits / 27 - 1, 0), samples.points.count - 1)
                    return samples.passing(from: other, width: width, slack: slack)
                }
                expected = others.first(where: agrees) ?? expected
            }
            #expect(agrees(expected), "case \(number): \(answer as Any) is not \(expected as Any)")
            guard let answer, let expected else {
                none += 1
                continue
            }
            found += 1
            let right = [-3, 2].map { min(max(expected.sample + $0, 0), samples.points.count - 2) }.map(samples.right)
            if answer.distance > 10, right.allSatisfy({ abs($0) > 5 && ($0 > 0) == (right[0] > 0) }) {
                #expect(answer.isRight == (right[0] > 0), "case \(number): \(answer) \(right)")
                sides += 1
            }
        }
        #expect(found > 500 && none > 100 && sides > 300, "\(found) found, \(none) not, \(sides) sides")
        #expect(borderline < found / 20, "\(borderline) of \(found) are borderline")
    }

    @Test func outAndBackPassesOnTheWayOut() throws {
        // The way back is 5 m nearer than the way out.
        let course = CourseScenario.course([(0, 0), (0, 1000), (5, 1000), (5, 0)])
        let fountain = CourseScenario.coordinate((60, 400))
        let passing = try #require(course.passing(fountain, from: 0, width: 500))
        #expect(abs(passing.metres - 400) < 2)
        #expect(passing.isRight)
        #expect(abs(passing.distance - 60) < 1)
        // After it, the way back is next.
        let later = try #require(course.passing(fountain, from: 450, width: 500))
        #expect(abs(later.metres - 1605) < 6)
        #expect(!later.isRight)
    }

    @Test func placeBehindIsNotPassed() {
        let course = CourseScenario.course([(0, 0), (0, 1000)])
        let fountain = CourseScenario.coordinate((60, 400))
        #expect(course.passing(fountain, from: 405, width: 500)?.metres == 405)
        #expect(course.passing(fountain, from: 415, width: 500) == nil)
        #expect(course.passing(fountain, from: 0, width: 50) == nil)
    }
}
