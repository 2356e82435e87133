import Domain
import Formats
import Foundation
import Import
import Pipeline
import TestKit
import Testing

/// Recorded runs on courses that somebody has run on another day.
@Suite struct CoursePairTests {
    /// The course, the run on it, and whether the run is on the course all the way.
    struct Pair: CustomStringConvertible {
        var course: String
        var run: String
        var isWhole: Bool

        var description: String { "\(run) on \(course)" }
    }

    /// The recording in the tree is a course for itself; the others are in the collection, if that is there.
    private static let pairs: [Pair] = {
        let june8 = "courses/trackeR-2013-06-08-090442.TCX.gz"
        let june15 = "courses/trackeR-2013-06-15-090638.TCX.gz"
        let june26 = "courses/trackeR-2013-06-26-181438.TCX.gz"
        let june30 = "courses/trackeR-2013-06-30-070511.TCX.gz"
        let own = "fit/run-fenix2-9km.fit"
        return [
            Pair(course: own, run: own, isWhole: true), Pair(course: june8, run: june15, isWhole: true),
            Pair(course: june15, run: june8, isWhole: true), Pair(course: june26, run: june30, isWhole: false),
            Pair(course: june30, run: june26, isWhole: false),
        ].filter { file($0.course) != nil }
    }()

    private static func file(_ path: String) -> ReferenceFile? {
        let parts = path.split(separator: "/").map(String.init)
        return ReferenceFile.all(in: parts[0], parts[1]).first { $0.name == parts[1] || $0.name == parts[1] + ".gz" }
            ?? ReferenceFile.all(in: parts[0], "gz").first { $0.name == parts[1] }
    }

    /// How the fixes of the run are changed.
    enum Change: CaseIterable {
        case none, oneOfFive, noise5, noise10, noise15, tunnels

        var noise: Double? {
            switch self {
            case .noise5: 5
            case .noise10: 10
            case .noise15: 15
            default: nil
            }
        }
    }

    @Test(arguments: pairs, Change.allCases)
    func progressFollowsTheRunWithoutJumpsAndFalseAlarms(pair: Pair, change: Change) throws {
        let courseFile = try #require(Self.file(pair.course))
        let course = try Self.course(courseFile)
        let followed = try FollowedRun(try #require(Self.file(pair.run)), on: course, change)
        #expect(followed.jumps.isEmpty, "\(followed.jumps)")
        // A run that is beside the course itself, with that noise, is beyond 40 m of its leg while another one is near.
        if pair.isWhole || change != .noise15 { #expect(followed.falseAlarms.isEmpty, "\(followed.falseAlarms)") }
        guard pair.isWhole else { return }
        #expect(followed.offs == 0)
        #expect(followed.wrongWays == 0)
        #expect(abs(followed.progress - course.length) <= course.length * 0.01)
    }

    /// The nearest segment alone is not enough: the course comes back the same way.
    @Test func aNaiveMatcherJumps() throws {
        for pair in Self.pairs.dropFirst() {
            let course = try Self.course(try #require(Self.file(pair.course)))
            let followed = try FollowedRun(try #require(Self.file(pair.run)), on: course, .none)
            #expect(followed.naiveJumps >= 2, "\(pair)")
        }
    }

    private static func course(_ file: ReferenceFile) throws -> Domain.Course {
        var reader = CourseImport()
        let bytes = try file.bytes()
        try reader.feed(bytes.span)
        return Course(try reader.finish().data, hash: CourseHash(1))
    }
}

/// A recorded run through the whole pipeline, with a course.
private struct FollowedRun {
    var progress = 0.0
    var offs = 0
    var wrongWays = 0
    /// Seconds at which the progress moved by 30 m more than the run, on the course and with a fresh position.
    var jumps: [Int] = []
    /// Seconds of alarms while a place of the course was near.
    var falseAlarms: [Int] = []
    /// Jumps of the nearest vertex, by 100 m.
    var naiveJumps = 0

    init(_ file: ReferenceFile, on course: Domain.Course, _ change: CoursePairTests.Change) throws {
        var rows: [RecordingRow] = []
        var reader = FileImport()
        let bytes = try file.bytes()
        try reader.feed(bytes.span) { rows.append($0) }
        let recording = try reader.finish { rows.append($0) }.recording
        let changed = Self.changed(rows, change)
        var entries = RecordingReplaySource(recording, sport: nil)
        var snapshot = entries.snapshot
        snapshot.course = LoadedCourse(hash: course.hash, course: course)
        var replay = Replay(snapshot, every: .seconds(1))
        var before: (progress: Double, coordinate: Coordinate, at: Instant, naive: Double)?
        var hasChanged = false
        var regainedAt: Instant?
        var result = self
        func receive(_ entry: InputLogEntry) {
            replay.apply(entry) { _, effects in
                for case .event(let event) in effects.outputs {
                    guard case .course(let change) = event.kind else { continue }
                    hasChanged = true
                    let isFresh = before.map { event.at - $0.at <= .seconds(6) } ?? false
                    switch change {
                    case .off(_, let metres):
                        result.offs += 1
                        if isFresh, let before, Self.nearest(course, before.coordinate).distance < min(30, metres) {
                            result.falseAlarms.append(Int(event.at.milliseconds / 1000))
                        }
                    case .wrongWay: result.wrongWays += 1
                    default: break
                    }
                }
                guard let state = effects.state?.state, let status = state.course, let position = state.position,
                    !state.positionIsStale, let progress = status.progressMetres
                else { return }
                let naive = Self.nearest(course, position.value.coordinate).metres
                if let before {
                    let moved = before.coordinate.metres(to: position.value.coordinate)
                    if state.at - before.at > .seconds(6) { regainedAt = state.at }
                    // After a tunnel the place may be known late.
                    let isLost = regainedAt.map { state.at - $0 < .seconds(20) } ?? false
                    if !hasChanged, !isLost, status.status == .on, abs(progress - before.progress) > moved + 30 {
                        result.jumps.append(Int(state.at.milliseconds / 1000))
                    }
                    if abs(naive - before.naive) > moved + 100 { result.naiveJumps += 1 }
                }
                hasChanged = false
                result.progress = progress
                before = (progress, position.value.coordinate, state.at, naive)
            }
        }
        for row in changed { entries.ingest(row, receive) }
        entries.finish(receive)
        self = result
    }

    private init() {}

    private static func nearest(_ course: Domain.Course, _ coordinate: Coordinate) -> (distance: Double, metres: Double)
    {
        let scale = cos(coordinate.latitude * .pi / 180)
        var best = (distance: Double.infinity, metres: 0.0)
        for vertex in course.distances.indices {
            let north = Double(course.latitudes[vertex]) * 1e-7 - coordinate.latitude
            let east = (Double(course.longitudes[vertex]) * 1e-7 - coordinate.longitude) * scale
            let squared = north * north + east * east
            if squared < best.distance { best = (squared, course.distances[vertex]) }
        }
        return (best.distance.squareRoot() * Coordinate.metresPerDegree, best.metres)
    }

    private static func changed(_ rows: [RecordingRow], _ change: CoursePairTests.Change) -> [RecordingRow] {
        var random = SeededRandom(seed: 11)
        var noise = (x: random.normal(), y: random.normal())
        var last: Int64 = 0
        return rows.map { row in
            guard case .sample(var sample) = row, let coordinate = sample.coordinate else { return row }
            if let metres = change.noise {
                let kept = exp(-Double(sample.at - last) / 30_000)
                let added = (1 - kept * kept).squareRoot()
                noise = (noise.x * kept + random.normal() * added, noise.y * kept + random.normal() * added)
                last = sample.at
                let degrees = metres / 2.0.squareRoot() / Coordinate.metresPerDegree
                sample.coordinate = Coordinate(
                    latitude: coordinate.latitude + noise.y * degrees,
                    longitude: coordinate.longitude + noise.x * degrees / cos(coordinate.latitude * .pi / 180))
            }
            let second = sample.at / 1000
            let isHidden =
                change == .oneOfFive && !second.isMultiple(of: 5) || change == .tunnels && second % 400 >= 340
            if isHidden { sample.coordinate = nil }
            return .sample(sample)
        }
    }
}
