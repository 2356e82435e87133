import Domain
import Pipeline
import Simulation
import TestKit
import Testing

/// A replay of a recording's entries equals the published states and events, bit for bit.
@Suite struct RecordedTests {
    /// The states of the only run, which end with it. A part of the list, because a copy of a device's recording has
    /// tens of thousands of states.
    private static func statesOfTheRun(_ states: [State], after asked: Instant) -> ArraySlice<State> {
        let ofTheRun = states.drop { $0.run == .idle || $0.at <= asked }.prefix { $0.run != .idle }
        #expect(states[ofTheRun.endIndex...].allSatisfy { $0.run == .idle })
        return ofTheRun
    }

    private func expectEqual(_ live: LiveRun, asked: Instant, isPunctual: Bool) throws {
        let entries = live.entries
        let again = try Rerecorded(entries)
        let isRun = { (event: Event) in
            switch event.kind {
            case .start, .pause, .lap, .gap: true
            default: false
            }
        }
        let begun = try #require(live.events.firstIndex { if case .start = $0.kind { true } else { false } })
        let alsoBegun = try #require(again.events.firstIndex { if case .start = $0.kind { true } else { false } })
        let events = again.events[alsoBegun...].filter { isRun($0) || $0.at > asked }
        #expect(Array(live.events[begun...]) == events)
        #expect(live.engine.runState == .idle)

        // The state that is published when a run starts backdated belongs to no tick.
        let published = Self.statesOfTheRun(live.states, after: asked)
        let replayed = Self.statesOfTheRun(again.states, after: asked)
        #expect(published.count > 100)
        #expect(live.rows.isEmpty == false && live.recordingBuilder.recording == again.recordingBuilder.recording)
        #expect(live.rows == again.rows)
        if isPunctual {
            #expect(published == replayed)
        } else {
            var rest = replayed
            for state in published {
                guard let place = rest.firstIndex(of: state) else {
                    Issue.record("no such state: \(state)")
                    return
                }
                rest = rest[(place + 1)...]
            }
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>, [Duration.zero, .milliseconds(100_040)])
    func replayEqualsThePublishedStates(seed: UInt64, back: Duration) throws {
        let (live, asked) = try LiveRun.demo(seed: seed, isPunctual: true, back: back)
        try expectEqual(live, asked: asked, isPunctual: true)
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>, [Duration.zero, .milliseconds(100_040)])
    func replayEqualsTheStatesOfALateLoop(seed: UInt64, back: Duration) throws {
        let (live, asked) = try LiveRun.demo(seed: seed, isPunctual: false, back: back)
        try expectEqual(live, asked: asked, isPunctual: false)
    }

    /// Devices' recordings, with a strap that connects and disconnects.
    @Test(arguments: Recording.all)
    func replayOfADeviceRecordingEqualsThePublishedStates(recording: Recording) throws {
        let fixes = recording.fixes()
        let first = try #require(fixes.first).arrivedAt
        var live = LiveRun(Pipeline(settings: Settings(), isDemo: false, at: first), at: first, seed: 1)
        var asked: Instant?
        for (index, fix) in fixes.enumerated() {
            live.receive(.fix(fix), at: max(fix.arrivedAt, live.now))
            if index % 500 == 10 { live.receive(.heartLink(LinkStatus(.connected)), at: live.now) }
            if index % 500 == 400 { live.receive(.heartLink(LinkStatus(.disconnected, reason: .silent)), at: live.now) }
            let beats = HeartRateMeasurement(beatsPerMinute: UInt16(120 + index % 40), rrIntervals: [450])
            live.receive(.heart(beats), at: live.now)
            if index == 5 {
                live.perform(.start(recording.sport, indoor: false))
                asked = live.now
            }
            if index % 300 == 200 { live.perform(.toggle) }
            if index % 300 == 230 { live.perform(.toggle) }
            if index % 400 == 100 { live.perform(.lap) }
        }
        live.perform(.stop)
        try expectEqual(live, asked: try #require(asked), isPunctual: true)
    }

    @Test func backdatedRunEqualsOneStartedInTime() throws {
        for seed in 1...6 as ClosedRange<UInt64> {
            let start = Instant(milliseconds: 3_600_000)
            func run(asksAfter: Duration, back: Duration) throws -> (State, LiveRun) {
                var live = LiveRun(Pipeline(settings: Settings(), isDemo: false, at: start), at: start, seed: seed)
                var simulated = SimulatedRun(
                    seed: seed, startedAt: start, utc: UTC(milliseconds: LiveRun.offset + start.milliseconds))
                var isAsked = false
                while live.now < start + .seconds(400) {
                    for input in simulated.advance(to: simulated.nextAt) {
                        live.receive(input.value, at: input.measuredAt)
                    }
                    if !isAsked, simulated.nextAt > start + asksAfter {
                        isAsked = true
                        live.wait(until: start + asksAfter)
                        live.perform(.start(.run, indoor: false, back: back))
                        #expect(live.states.last?.activity?.total.elapsedMilliseconds == back.wholeMilliseconds)
                    }
                }
                return (live.engine.state(at: live.now).withoutMachine, live)
            }
            let late = try run(asksAfter: .seconds(250), back: .seconds(100))
            let inTime = try run(asksAfter: .seconds(150), back: .zero)
            #expect(late.0 == inTime.0)
            #expect(try #require(late.0.activity).total.distanceMetres > 300)
            #expect(late.1.events.contains { $0.kind == .start(.run, back: .seconds(100)) })
            #expect(late.1.seconds.map(\.activity) == inTime.1.seconds.map(\.activity))
        }
    }

    @Test func replayCanEmitWholeSecondsOnly() throws {
        let (live, _) = try LiveRun.demo(seed: 5, isPunctual: true, back: .zero)
        guard case .snapshot(let snapshot) = live.entries.first?.kind else { throw Rerecorded.NoBeginning() }
        var replay = Replay(snapshot, every: .seconds(1))
        var states: [State] = []
        for entry in live.entries {
            replay.apply(entry) { _, effects in
                if let state = effects.state?.state { states.append(state) }
            }
        }
        let isWhole = { (state: State) in
            state.run == .active && (state.activity?.total.elapsedMilliseconds ?? 1).isMultiple(of: 1000)
        }
        #expect(live.states.filter(isWhole).map(\.activity) == states.filter(isWhole).map(\.activity))
        let ticks = states.count { $0.run == .active }
        #expect((100...live.seconds.count + 20).contains(ticks))
    }

    /// Order and durations depend on the boot clock alone.
    @Test func clockStepChangesNoRecordedRow() throws {
        func rows(clockErrors: [Int64]) throws -> [RecordingRow] {
            let start = Instant(milliseconds: 3_600_000)
            var live = LiveRun(Pipeline(settings: Settings(), isDemo: false, at: start), at: start, seed: 1)
            var simulated = SimulatedRun(
                seed: 1, startedAt: start, utc: UTC(milliseconds: LiveRun.offset + start.milliseconds))
            live.perform(.start(.run, indoor: false))
            for (part, error) in clockErrors.enumerated() {
                live.clockError = error
                while live.now < start + .seconds(60 * (part + 1)) {
                    for input in simulated.advance(to: simulated.nextAt) {
                        live.receive(input.value, at: input.measuredAt)
                    }
                }
                live.perform(.lap)
            }
            live.perform(.stop)
            let isStepped = live.events.contains { if case .clock(_, .some) = $0.kind { true } else { false } }
            #expect(isStepped == (Set(clockErrors).count > 1))
            return live.rows
        }
        let steady = try rows(clockErrors: [0, 0, 0])
        #expect(try rows(clockErrors: [0, -86_400_000, 3_600_000]) == steady)
        #expect(steady.count > 180)
    }

    /// A snapshot keeps the whole state of an idle pipeline.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func snapshotHoldsTheWholeStateOfAnIdlePipeline(seed: UInt64) throws {
        let snapshot = try LiveRun.demo(seed: seed, isPunctual: true, back: .zero).0.engine.snapshot
        #expect(Pipeline(snapshot).snapshot == snapshot)
        #expect(!snapshot.jitter.isEmpty)
        #expect(snapshot.filter.accuracies.count > 60)
        #expect(snapshot.heart.hasBegun && snapshot.newest != nil && snapshot.clock.source == .system)
    }
}
