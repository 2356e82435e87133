import Domain
import Foundation
import Maps
import TestKit
import Testing

private typealias Candidate = CoursePlaces.Candidate

@Suite struct CoursePlacesTests {
    private static let origins = [
        Coordinate(latitude: 47.3, longitude: 8.5), Coordinate(latitude: 0.001, longitude: -179.999),
        Coordinate(latitude: -33.9, longitude: 151.2), Coordinate(latitude: 65.0, longitude: 179.995),
        Coordinate(latitude: 84.0, longitude: 20), Coordinate(latitude: -17, longitude: 180),
    ]

    /// Along and cross-track metres may differ by this: the samples are one metre apart.
    private static let tolerance = 2.0

    /// A wandering course; some turn back, some have segments of no length.
    private static func track(_ random: inout SeededRandom) -> [Coordinate] {
        let origin = origins.randomElement(using: &random) ?? origins[0]
        var (track, heading) = ([origin], random.uniform() * 2 * .pi)
        for _ in 0..<Int.random(in: 1...25, using: &random) {
            heading += random.normal() * 0.7
            let length = random.uniform() < 0.1 ? 0 : 20 + random.uniform() * 130
            track.append(moved(track[track.count - 1], east: length * sin(heading), north: length * cos(heading)))
        }
        return random.uniform() < 0.3 ? track + track.reversed().dropFirst() : track
    }

    @Test func thousandRandomCoursesAgreeWithTheirSamples() throws {
        var random = SeededRandom(seed: 3)
        var (found, none, sides, unclear, borderline, most) = (0, 0, 0, 0, 0, 0.0)
        for number in 0..<1000 {
            let track = Self.track(&random)
            let samples = CourseSamples(track)
            let course = try #require(CoursePlaces(track))
            let length = try #require(samples.along.last)
            #expect((course.length - length).magnitude < 0.1 + length * 1e-4)
            let start = random.uniform() < 0.3 ? 0 : Int.random(in: 0..<samples.places.count, using: &random)
            let width = 30 + random.uniform() * 400
            let candidates = (Int64(0)..<4).map { id in
                let near = samples.places.randomElement(using: &random) ?? track[0]
                return Candidate(
                    id: id, place: moved(near, east: random.normal() * 150, north: random.normal() * 150))
            }
            let answers = course.places(of: candidates, from: samples.along[start], halfWidth: width, limit: 10)
            #expect(zip(answers, answers.dropFirst()).allSatisfy { $0.ahead <= $1.ahead })
            for candidate in candidates {
                let answer = answers.first { $0.id == candidate.id }
                let distances = samples.places.map { metres($0, candidate.place) }
                func expected(_ bounds: [Double]) -> CourseSamples.Answer? {
                    samples.passing(
                        distances, candidate.place, from: start, width: width + bounds[0], departure: 20 + bounds[1],
                        tolerance: 10 + bounds[2], behind: 10 + bounds[3])
                }
                func agrees(_ expected: CourseSamples.Answer?) -> Bool {
                    guard let answer, let expected else { return answer == nil && expected == nil }
                    // Near a minimum, many points of the course are equally far.
                    return (answer.crossTrack - expected.metres).magnitude < Self.tolerance
                        && ((answer.ahead - expected.along).magnitude < Self.tolerance
                            || distances.indices.contains {
                                (samples.along[$0] - samples.along[start] - answer.ahead).magnitude < 1
                                    && (distances[$0] - expected.metres).magnitude < 0.1
                            })
                }
                var match = expected([0, 0, 0, 0])
                if !agrees(match) {
                    // Each bound may be met by a metre more or less.
                    borderline += 1
                    let bounds = (0..<81).map { bits in [1, 3, 9, 27].map { Double(bits / $0 % 3 - 1) } }
                    let others = bounds.map(expected)
                    match = others.first(where: agrees) ?? match
                }
                #expect(agrees(match), "case \(number): \(answer as Any) is not \(match as Any)")
                guard let answer, let match else {
                    none += 1
                    continue
                }
                found += 1
                most = max(most, (answer.crossTrack - match.metres).magnitude)
                #expect(answer.detour == 2 * answer.crossTrack)
                let left = samples.left(of: match.sample, candidate.place)
                if answer.crossTrack < 9.9 {
                    #expect(answer.side == .onCourse)
                } else if answer.crossTrack > 10.1, let one = left.first,
                    left.allSatisfy({ $0 * one > 0 && abs($0) > 2 })
                {
                    #expect(answer.side == (one > 0 ? .left : .right), "case \(number): \(answer) \(left)")
                    sides += 1
                } else {
                    unclear += 1
                }
            }
        }
        #expect(found > 1500 && none > 300 && sides > 1000 && unclear < found / 4)
        #expect(borderline < found / 20)
        print("CoursePlaces: \(found) found, \(none) not, \(borderline) borderline; \(sides) sides; \(most) m off")
    }

    /// A leg of 50 km is an arc, 50 to 500 m beside the straight line of a map.
    @Test(arguments: [0.0, 30, 47, 60, 70, 84])
    func longLegIsAGreatCircle(latitude: Double) throws {
        let origin = Coordinate(latitude: latitude, longitude: 179.8)
        let degrees = 50_000 / (111_320 * cos(latitude * .pi / 180))
        let end = Coordinate(latitude: latitude, longitude: 179.8 + degrees - 360)
        let samples = CourseSamples([origin, end])
        let course = try #require(CoursePlaces([origin, end]))
        for (index, side) in [CoursePlaces.Side.left, .right, .onCourse, .left, .right].enumerated() {
            let sample = 4000 + index * 10_000
            let off = side == .left ? 300.0 : side == .right ? -300 : 0
            let candidate = Candidate(id: 1, place: moved(samples.places[sample], east: 0, north: off))
            let found = try #require(course.places(of: [candidate], from: 1000, limit: 1).first)
            let nearest = try #require(
                samples.places.map { metres($0, candidate.place) }.enumerated().min { $0.1 < $1.1 })
            #expect((found.ahead - samples.along[nearest.offset] + 1000).magnitude < 2)
            #expect((found.crossTrack - nearest.element).magnitude < 1)
            #expect(found.side == side)
        }
    }

    @Test func courseOverThePole() throws {
        let course = try #require(
            CoursePlaces([Coordinate(latitude: 89.99, longitude: 0), Coordinate(latitude: 89.99, longitude: 180)]))
        // 0.01° of latitude are 1117 m there.
        #expect((course.length - 2234).magnitude < 2)
        let beside = Candidate(id: 1, place: Coordinate(latitude: 89.999, longitude: 90))
        let beyond = Candidate(id: 2, place: Coordinate(latitude: 89.995, longitude: -180))
        let found = course.places(of: [beyond, beside], from: 0, limit: 9)
        #expect(found.map(\.id) == [1, 2])
        #expect((found[0].ahead - 1117).magnitude < 1 && (found[0].crossTrack - 111.7).magnitude < 0.1)
        // Towards the pole on the meridian of Greenwich, 90° east is on the right.
        #expect(found[0].side == .right && found[1].side == .onCourse)
        #expect((found[1].ahead - 1117 - 558.5).magnitude < 1)
        for place in [beside, beyond] {
            #expect(course.boxes(from: 0...course.length).contains { $0.contains(place.place) })
        }
    }

    private static let home = Coordinate(latitude: 47, longitude: 8)

    private static func line(_ steps: [(Double, Double)]) -> [Coordinate] {
        steps.map { moved(home, east: $0, north: $1) }
    }

    private static func candidate(_ id: Int64, _ east: Double, _ north: Double) -> Candidate {
        Candidate(id: id, place: moved(home, east: east, north: north))
    }

    @Test func nextPassingOfAnOutAndBackCourseIsReported() throws {
        let course = try #require(CoursePlaces(Self.line([(0, 0), (0, 2000), (3, 2000), (3, 0)])))
        let fountain = Self.candidate(1, -100, 1900)
        func ahead(from offset: Double) -> [Int] {
            course.places(of: [fountain], from: offset, limit: 9).map { Int($0.ahead.rounded()) }
        }
        #expect(ahead(from: 0) == [1900])
        #expect(ahead(from: 1895) == [5])
        #expect(ahead(from: 1950) == [153])
        #expect(ahead(from: 2150) == [])
        #expect(course.places(of: [fountain], from: 0, limit: 9).map(\.side) == [.left])
        #expect(course.places(of: [fountain], from: 1950, limit: 9).map(\.side) == [.right])
    }

    /// A switchback that comes much nearer is worth waiting for; one that comes as near is not.
    @Test func nearestApproachOfAStretchIsReported() throws {
        let course = try #require(CoursePlaces(Self.line([(0, 0), (800, 0), (800, 250), (0, 250), (0, 500)])))
        let found = course.places(of: [Self.candidate(1, 400, 240), Self.candidate(2, 400, 125)], from: 0, limit: 9)
        #expect(found.map { Int($0.ahead.rounded()) } == [400, 1450])
        #expect(found.map(\.id) == [2, 1])
    }

    @Test func endsOfTheCourseAreRound() throws {
        let course = try #require(CoursePlaces(Self.line([(0, 0), (0, 1000)])))
        let ends = [Self.candidate(1, 0, -400), Self.candidate(2, 0, 1400), Self.candidate(3, 400, 1400)]
        #expect(course.places(of: ends, from: -5, limit: 9).map(\.id) == [1, 2])
        #expect(course.places(of: ends, from: 1, limit: 9).map(\.id) == [2])
        #expect(course.places(of: ends, from: 5000, limit: 9).map { $0.ahead } == [0])
        #expect(course.places(of: ends, from: 0, halfWidth: 600, limit: 2).map(\.id) == [1, 2])
        #expect(course.places(of: ends, from: 0, halfWidth: 600, limit: 0).isEmpty)
        #expect(course.places(of: ends, from: 0, halfWidth: -1, limit: 9).isEmpty)
    }

    /// The outside of a sharp turn to the left is on the right, also straight ahead of its tip.
    @Test func sideOfASharpTurnIsItsOutside() throws {
        let course = try #require(CoursePlaces(Self.line([(0, 0), (1000, 0), (134, 500)])))
        let found = course.places(of: [Self.candidate(1, 1200, 5), Self.candidate(2, 600, 100)], from: 0, limit: 9)
        #expect(found.first { $0.id == 1 }?.side == .right)
        #expect(found.first { $0.id == 2 }?.side == .left)
    }

    @Test func distancesOfTheCallerAreKept() throws {
        let track = Self.line([(0, 0), (0, 1000), (0, 1000), (0, 2000)])
        let course = try #require(CoursePlaces(track, distances: [0, 1100, 1150, 2300]))
        #expect(course.length == 2300)
        let found = course.places(of: [Self.candidate(1, 50, 1500)], from: 100, limit: 9)
        #expect((try #require(found.first).ahead - 1600).magnitude < 10)
        #expect(CoursePlaces(track, distances: [0, 1, 2]) == nil)
        #expect(CoursePlaces(track, distances: [0, 2, 1, 3]) == nil)
        #expect(CoursePlaces(track, distances: [0, 1, 2, .infinity]) == nil)
    }

    @Test func tracksWithoutALineAreBounded() throws {
        #expect(CoursePlaces([]) == nil)
        #expect(CoursePlaces([Coordinate(latitude: .nan, longitude: 0)]) == nil)
        #expect(CoursePlaces([Coordinate(latitude: 91, longitude: 0)]) == nil)
        let single = try #require(CoursePlaces([Self.home, Self.home, Self.home]))
        #expect(single.length == 0)
        let found = single.places(of: [Self.candidate(1, 100, 0)], from: 10, limit: 1)
        #expect((try #require(found.first).crossTrack - 100).magnitude < 0.1)
        #expect(single.boxes(from: 0...0).count == 1)
        let antipodes = [Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 0, longitude: 180)]
        #expect(try #require(CoursePlaces(antipodes)).length.isFinite)
    }

    @Test func boxesContainTheCorridor() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<200 {
            let track = Self.track(&random)
            let samples = CourseSamples(track)
            let course = try #require(CoursePlaces(track))
            let boxes = course.boxes(from: 0...course.length, halfWidth: 300, longest: 1000)
            #expect(boxes.allSatisfy { $0.west <= $0.east && $0.south <= $0.north })
            for _ in 0..<20 {
                let near = samples.places.randomElement(using: &random) ?? track[0]
                let turn = random.uniform() * 2 * .pi
                let place = moved(near, east: 299.5 * sin(turn), north: 299.5 * cos(turn))
                #expect(boxes.contains { $0.contains(place) }, "\(place) \(boxes)")
            }
        }
    }

    @Test func boxesOfALongCourseAreSmall() throws {
        let track = (0...500).map { Coordinate(latitude: 40 + Double($0) * 0.01, longitude: 5 + Double($0) * 0.005) }
        let course = try #require(CoursePlaces(track))
        let boxes = course.boxes(from: 20_000...course.length, longest: 20_000)
        #expect(boxes.count == Int(((course.length - 20_000) / 20_000).rounded(.up)))
        #expect(boxes.allSatisfy { $0.north - $0.south < 0.2 && $0.east - $0.west < 0.2 })
        #expect(course.boxes(from: 0...course.length, longest: 0).count <= 1001)
    }

    /// 500 km with 20,000 points and 5,000 places near it: in a release build some 10 ms.
    @Test func longCourseIsFast() throws {
        var random = SeededRandom(seed: 9)
        var (track, heading) = ([Self.home], 0.3)
        for _ in 1..<20_000 {
            heading += random.normal() * 0.05
            track.append(moved(track[track.count - 1], east: 25 * sin(heading), north: 25 * cos(heading)))
        }
        let candidates = (0..<5000).map { id in
            let near = track.randomElement(using: &random) ?? Self.home
            return Candidate(
                id: Int64(id), place: moved(near, east: random.normal() * 400, north: random.normal() * 400))
        }
        let clock = ContinuousClock()
        let begin = clock.now
        let course = try #require(CoursePlaces(track))
        let made = clock.now
        let found = course.places(of: candidates, from: 1000, limit: 5000)
        let boxes = course.boxes(from: 1000...course.length)
        print(
            "CoursePlaces: \(found.count) of 5000 found in \(made - begin) + \(clock.now - made), \(boxes.count) boxes")
        #expect(found.count > 2000)
        #expect(clock.now - begin < .seconds(10))
    }
}
