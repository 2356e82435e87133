import Domain
import Pipeline
import Simulation
import TestKit
import Testing

/// An activity interrupted at any moment continues as if it had been recorded without interruption.
@Suite struct ResumeTests {
    /// Returns an activity's entries until `last`, on a clock that is `shift` later, and their replay.
    private func interrupted(_ live: LiveRun, at last: Instant, shift: Duration) throws -> ([InputLogEntry], Rerecorded)
    {
        let entries = live.entries.filter { $0.at <= last }.map { $0.shifted(by: shift) }
        return (entries, try Rerecorded(entries, until: last + shift))
    }

    /// The kinds of outage: across a boot, a long one, and one with a continued run.
    enum Kind: CaseIterable {
        case boot, pause, restart
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>, Kind.allCases)
    func resumedActivityEqualsTheReplayOfItsEntries(seed: UInt64, kind: Kind) throws {
        let isSameBoot = kind != .boot
        let (live, asked) = try LiveRun.demo(
            seed: seed, isPunctual: !seed.isMultiple(of: 4), back: .milliseconds(seed.isMultiple(of: 3) ? 30_000 : 0))
        var random = SeededRandom(seed: seed)
        let last = asked + .milliseconds(Int64.random(in: 1000...190_000, using: &random))
        let gone =
            kind == .restart
            ? Duration.microseconds(Int64.random(in: 0...10_000_000, using: &random))
            : .milliseconds(Int64.random(in: 500...600_000, using: &random))
        // A new boot restarts its clock; the old part is shifted to end where the outage begins.
        let shift = isSameBoot ? Duration.zero : Instant(milliseconds: 12_000) - (last + gone)
        let (before, taken) = try interrupted(live, at: last, shift: shift)
        let standing = taken.replay.pipeline.state(at: last + shift)
        let now = last + gone + shift

        var second = LiveRun(Pipeline(settings: Settings(), isDemo: true, at: now), at: now, seed: seed)
        second.engine.resume(
            taken.replay.pipeline,
            after: Outage(
                duration: gone, isSameBoot: isSameBoot, settings: live.engine.settings,
                rule: kind == .restart ? .continued : .paused),
            at: now, into: &second.effects)
        second.recordingBuilder = taken.recordingBuilder
        second.settle()
        let state = second.engine.state(at: now)
        #expect(state.run == standing.run)
        if kind == .restart, standing.run == .active {
            let before = try #require(standing.activity).total.elapsedMilliseconds
            let after = try #require(state.activity).total.elapsedMilliseconds
            #expect(abs(after - before - gone.wholeMilliseconds) <= 100)
        } else {
            #expect(state.activity?.total == standing.activity?.total)
            #expect(state.activity?.lap == standing.activity?.lap)
            #expect(state.activity?.lapNumber == standing.activity?.lapNumber)
        }

        var simulated = SimulatedRun(
            seed: seed + 100, startedAt: now, utc: UTC(milliseconds: LiveRun.offset + (now - shift).milliseconds))
        while second.now < now + .seconds(120) {
            for input in simulated.advance(to: simulated.nextAt) {
                second.receive(input.value, at: input.measuredAt)
            }
            if second.runState == .paused, second.now > now + .seconds(30) { second.perform(.resume) }
        }
        second.perform(.stop)

        let whole = try Rerecorded(before + second.entries)
        #expect(whole.events == taken.events + second.events.filter { $0.activity != nil || $0.at > now })
        let states = whole.states.filter { $0.run != .idle && $0.at > now }
        #expect(states == second.states.filter { $0.run != .idle && $0.at > now })
        #expect(whole.recordingBuilder.recording == second.recordingBuilder.recording)
        #expect(whole.rows == taken.rows + second.rows)
        try expectWhole(whole)
    }

    /// Laps add up to the activity; each whole second of the timer has one sample, none between an end and a beginning.
    private func expectWhole(_ recorded: Rerecorded) throws {
        let recording = try #require(recorded.recordingBuilder.recording)
        let laps = recording.laps.map(\.figures)
        #expect(laps.reduce(0) { $0 + $1.elapsedMilliseconds } == recording.total.elapsedMilliseconds)
        #expect(laps.reduce(0) { $0 + $1.movingMilliseconds } == recording.total.movingMilliseconds)
        #expect(
            laps.reduce(0) { $0 + ($1.autoPausedMilliseconds ?? 0) } == recording.total.autoPausedMilliseconds ?? 0)
        #expect(abs(laps.reduce(0) { $0 + $1.distanceMetres } - recording.total.distanceMetres) < 1e-6)
        #expect(recording.laps.last?.endedAt == recording.totalMilliseconds)
        #expect(zip(recording.laps, recording.laps.dropFirst()).allSatisfy { $0.endedAt == $1.beganAt })
        #expect(recording.zoneMilliseconds.reduce(0, +) > 0)

        var isRunning = false
        var last: Int64 = 0
        var second: Int64 = 0
        for row in recorded.rows {
            switch row {
            case .begin(let at, _):
                #expect(!isRunning && at >= last)
                (isRunning, last) = (true, at)
            case .end(let at, _):
                #expect(isRunning && at >= last)
                (isRunning, last) = (false, at)
            case .sample(let sample):
                #expect(isRunning && sample.at >= last)
                // Only a hole, which is one step, omits seconds.
                #expect(sample.elapsedMilliseconds == second + 1000 || sample.elapsedMilliseconds >= second + 30_000)
                (second, last) = (sample.elapsedMilliseconds, sample.at)
            case .beats(let at, _, _), .segment(let at), .lap(let at, _), .autoPause(let at, _), .autoResume(let at, _):
                #expect(at >= last)
                last = at
            }
        }
        #expect(!isRunning)
        #expect(second == recording.total.elapsedMilliseconds / 1000 * 1000)
    }
}
