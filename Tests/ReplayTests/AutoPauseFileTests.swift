import Domain
import Formats
import Foundation
import Pipeline
import TestKit
import Testing

/// Automatic pauses from the run to the journal's rows, to FIT files and back.
@Suite struct AutoPauseFileTests {
    private static let start = Instant(milliseconds: 3_600_000)

    /// A ride with stops at lights, one with a lap in it, one that a pause by command ends.
    private struct Ride {
        var live = LiveRun(
            Pipeline(settings: Settings(), isDemo: false, at: AutoPauseFileTests.start), at: AutoPauseFileTests.start,
            seed: 1)
        private var metres = 0.0

        mutating func ride(_ seconds: Int, speed: Double) {
            for _ in 0..<seconds {
                let second = live.now + .seconds(1)
                metres += speed
                let fix = Fix(
                    arrivedAt: second - .milliseconds(20),
                    time: UTC(milliseconds: LiveRun.offset + second.milliseconds), mode: 3,
                    latitude: 48 + metres / 111_200, longitude: 11, altitude: 500, accuracy: 4, speed: speed)
                live.receive(.fix(fix), at: second - .milliseconds(20))
                live.receive(.heart(HeartRateMeasurement(beatsPerMinute: 130)), at: second - .milliseconds(10))
                live.wait(until: second)
            }
        }

        mutating func begin() {
            ride(5, speed: 0)
            live.perform(.start(.ride, indoor: false))
            ride(60, speed: 7)
            ride(30, speed: 0)
            ride(40, speed: 7)
            ride(12, speed: 0)
        }

        mutating func end() {
            live.perform(.lap)
            ride(13, speed: 0)
            ride(30, speed: 7)
            ride(10, speed: 0)
            live.perform(.pause)
            ride(20, speed: 0)
            live.perform(.resume)
            ride(30, speed: 7)
            ride(9, speed: 0)
            live.perform(.stop)
        }
    }

    private static func pauses(_ rows: [RecordingRow]) -> [ClosedRange<Int64>] {
        var began: Int64?
        return rows.compactMap { row in
            switch row {
            case .autoPause(_, let elapsed): began = elapsed
            case .autoResume(_, let elapsed): return began.map { $0...elapsed }
            default: break
            }
            return nil
        }
    }

    private static let expected: [ClosedRange<Int64>] = [
        60_000...90_000, 130_000...155_000, 185_000...195_000, 225_000...234_000,
    ]

    @Test func fitFileHasThemAndAnImportKeepsThem() throws {
        var ride = Ride()
        ride.begin()
        ride.end()
        let recording = try #require(ride.live.recordingBuilder.recording)
        #expect(recording.total.elapsedMilliseconds == 234_000 && recording.total.autoPausedMilliseconds == 74_000)
        #expect(recording.laps.map(\.figures.autoPausedMilliseconds) == [42_000, 32_000])
        #expect(Self.pauses(ride.live.rows) == Self.expected)

        let bytes = try FitFile.export(recording, ride.live.rows)
        let directory = TemporaryDirectory()
        let path = directory("ride.fit")
        try Data(bytes).write(to: URL(filePath: path))
        let check = try Checker("check_fit")
        #expect(try check(["valid", path]) == "")
        // A pause by command or the end stops the timer once more where an automatic pause ends.
        let timer = "160 0-60,90-130,155-185,195-195,215-245,254-254"
        let written = try check(["timer", path])
        #expect(written == timer)

        let read = try FitFile(bytes)
        #expect(read.recording.total.elapsedMilliseconds == 234_000)
        #expect(read.recording.total.autoPausedMilliseconds == 74_000)
        #expect(read.recording.total.movingMilliseconds == 160_000)
        #expect(read.recording.sourceTotals?.elapsedMilliseconds == 160_000)
        #expect(read.recording.laps.map(\.figures.autoPausedMilliseconds) == [42_000, 32_000])
        #expect(Self.pauses(read.rows) == Self.expected)
        try Data(FitFile.export(read.recording, read.rows)).write(to: URL(filePath: path))
        let again = (try check(["valid", path]), try check(["timer", path]))
        #expect(again == ("", timer))
    }

    /// A kill at any moment, in a pause, before it is recognized and as it ends.
    @Test(arguments: stride(from: 58_000, through: 150_000, by: 1900).map { Int64($0) })
    func pausesSurviveAKill(at elapsed: Int64) throws {
        var whole = Ride()
        whole.begin()
        let (isInFirst, killed) = (elapsed < 142_000, Self.start + .milliseconds(5000 + elapsed))
        if !isInFirst { whole.end() }
        let entries = whole.live.entries.filter { $0.at <= killed }
        let taken = try Rerecorded(entries, until: killed)

        let now = killed + .milliseconds(700)
        var second = LiveRun(Pipeline(settings: Settings(), isDemo: false, at: now), at: now, seed: 2)
        let outage = Outage(
            duration: now - killed, isSameBoot: true, settings: whole.live.engine.settings, rule: .continued)
        second.engine.resume(taken.replay.pipeline, after: outage, at: now, into: &second.effects)
        second.recordingBuilder = taken.recordingBuilder
        second.settle()
        for entry in whole.live.entries where entry.at > now {
            switch entry.kind {
            case .input(let input): second.receive(input, at: entry.at)
            case .command(let command):
                second.wait(until: entry.at)
                second.perform(command)
            default: break
            }
        }
        second.wait(until: whole.live.now)
        let again = second.engine.state(at: second.now).activity?.total
        if isInFirst {
            #expect(again?.autoPausedMilliseconds ?? 0 >= 40_000)
            let first = whole.live.engine.state(at: second.now).activity?.total
            // The fix of the last second may have come while no process ran.
            #expect(abs((again?.autoPausedMilliseconds ?? 0) - (first?.autoPausedMilliseconds ?? 0)) <= 1000)
        }
        let replayed = try Rerecorded(entries + second.entries, until: second.now)
        #expect(replayed.rows == taken.rows + second.rows)
        #expect(replayed.replay.pipeline.state(at: second.now).activity == second.engine.state(at: second.now).activity)
        if !isInFirst { #expect(Self.pauses(replayed.rows) == Self.expected) }
    }
}
