import Domain
import Pipeline
import Testing

@Suite struct ShortLapTests {
    private static let start = Instant(milliseconds: 1_000_000)

    private func engine(_ settings: Settings = Settings()) throws -> SteppedEngine {
        let pipeline = Pipeline(settings: settings, isDemo: false, at: Self.start)
        var engine = SteppedEngine(pipeline, at: Self.start)
        _ = try engine.perform(.start(.run, indoor: false), at: Self.start)
        return engine
    }

    private static func after(_ milliseconds: Int64) -> Instant {
        start + .milliseconds(milliseconds)
    }

    @Test func lapWithinASecondOfTheLastIsRejectedWithoutEffect() throws {
        var engine = try engine()
        _ = try engine.perform(.lap, at: Self.after(200))
        _ = engine.drainEntries()
        let refusal = CommandRejection(command: "lap", state: .active, .tooSoon)
        #expect(throws: refusal) { try engine.perform(.lap, at: Self.after(1199)) }
        #expect("\(refusal)" == "cannot lap within 1 s of the last lap")
        #expect(engine.drainEntries().isEmpty)
        #expect(engine.state(at: Self.after(1199)).activity?.lapNumber == 2)
        _ = try engine.perform(.lap, at: Self.after(1200))
        #expect(engine.state(at: Self.after(1200)).activity?.lapNumber == 3)
        _ = try engine.perform(.pause, at: Self.after(1300))
        #expect(throws: CommandRejection(command: "lap", state: .paused)) {
            try engine.perform(.lap, at: Self.after(1400))
        }
    }

    @Test func manualLapWithinASecondOfAnAutoLapIsRejected() throws {
        var settings = Settings()
        settings.autoLapSeconds = 10
        var engine = try engine(settings)
        #expect(throws: CommandRejection(command: "lap", state: .active, .tooSoon)) {
            try engine.perform(.lap, at: Self.after(10_500))
        }
        _ = try engine.perform(.lap, at: Self.after(11_000))
    }

    @Test func firstLapOfARunIgnoresTheLastLapOfTheRunBefore() throws {
        var engine = try engine()
        _ = try engine.perform(.lap, at: Self.after(2000))
        _ = try engine.perform(.stop, at: Self.after(2100))
        _ = try engine.perform(.start(.run, indoor: false), at: Self.after(2200))
        _ = try engine.perform(.lap, at: Self.after(2300))
    }

    /// Earlier releases accepted them; their recordings replay unchanged.
    @Test func replayRepeatsTheShortLapsOfARecording() throws {
        let engine = try engine()
        var entries = engine.pipelineEntries
        for milliseconds in [1000, 1200, 1400] as [Int64] {
            entries.append(InputLogEntry(at: Self.after(milliseconds), .command(.lap)))
        }
        guard case .snapshot(let beginning)? = entries.first?.kind else {
            throw CommandRejection(command: "lap", state: .idle)
        }
        var replay = Replay(beginning)
        for entry in entries { replay.apply(entry) }
        #expect(replay.pipeline.state(at: Self.after(1400)).activity?.lapNumber == 4)
    }
}

extension SteppedEngine {
    fileprivate var pipelineEntries: [InputLogEntry] {
        var copy = self
        return copy.drainEntries()
    }
}
