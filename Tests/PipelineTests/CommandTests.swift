import Domain
import Pipeline
import Testing

@Suite struct CommandTests {
    @Test func runChangesFromIdleToActiveToPausedAndBack() throws {
        var run = ScriptedRun()
        #expect(try run.begin(.ride) == .started(activity: 1))
        #expect(run.state.run == .active)
        #expect(run.activity?.sport == .ride)
        run.wait(.seconds(2))
        #expect(try run.perform(.pause) == .changed(.paused, elapsedMilliseconds: 2000))
        run.wait(.seconds(5))
        #expect(try run.perform(.resume) == .changed(.active, elapsedMilliseconds: 2000))
        run.wait(.seconds(1))
        guard case .ended(let summary) = try run.perform(.stop) else { throw Failed() }
        #expect(run.state.run == .idle)
        #expect(run.state.activity == nil)
        #expect(summary.id == 1)
        #expect(summary.total.elapsedMilliseconds == 3000)
        #expect(summary.totalMilliseconds == 8000)
        #expect(summary.laps == 1)
        #expect(try run.begin() == .started(activity: 2))
    }

    @Test func toggleStartsPausesAndResumes() throws {
        var run = ScriptedRun()
        try run.perform(.toggle)
        #expect(run.state.run == .active)
        try run.perform(.toggle)
        #expect(run.state.run == .paused)
        try run.perform(.toggle)
        #expect(run.state.run == .active)
    }

    @Test(arguments: [
        (RunState.idle, [RunCommand.pause, .resume, .lap, .stop, .discard]),
        (.active, [.start(nil, indoor: false), .resume]),
        (.paused, [.start(.run, indoor: true), .pause, .lap]),
    ])
    func commandNotAllowedInAStateIsRejectedWithoutEffect(state: RunState, commands: [RunCommand]) throws {
        var run = ScriptedRun()
        if state != .idle { try run.begin() }
        if state == .paused { try run.perform(.pause) }
        let before = (run.state, run.events.count, run.states.count)
        for command in commands {
            let refusal = #expect(throws: CommandRejection.self) { try run.perform(command) }
            #expect(refusal?.state == state)
            #expect(refusal?.description.hasSuffix("while \(state.rawValue)") == true)
        }
        #expect(run.state == before.0)
        #expect(run.events.count == before.1)
        #expect(run.states.count == before.2)
    }

    @Test func newRunStartsWithEmptyTotals() throws {
        var run = ScriptedRun()
        run.fix(speed: 3)
        try run.begin()
        run.run(seconds: 10, speed: 3)
        try run.perform(.stop)
        try run.begin()
        #expect(run.activity?.total == Totals())
        #expect(run.activity?.pace == nil)
        #expect(run.state.ticks == TickStats())
    }

    @Test func everyCommandEmitsAnEvent() throws {
        var run = ScriptedRun()
        try run.begin(.walk)
        try run.perform(.lap)
        try run.perform(.pause)
        try run.perform(.resume)
        try run.perform(.discard)
        let kinds = run.events.map { event -> String in
            switch event.kind {
            case .start(.walk, back: .zero, resumed: false): "start"
            case .lap(_, number: 1, .command): "lap"
            case .pause(elapsedMilliseconds: 0, distanceMetres: 0, .command): "pause"
            case .resume(elapsedMilliseconds: 0, distanceMetres: 0, .command): "resume"
            case .discard: "discard"
            default: "other"
            }
        }
        #expect(kinds == ["start", "lap", "pause", "resume", "discard"])
        #expect(run.events.allSatisfy { $0.activity == 1 })
    }

    struct Failed: Error {}
}
