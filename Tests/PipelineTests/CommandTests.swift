import Domain
import Pipeline
import Testing

@Suite struct CommandTests {
    @Test func runChangesFromIdleToActiveToPausedAndBack() throws {
        var course = Course()
        #expect(try course.begin(.ride) == .started(activity: 1))
        #expect(course.state.run == .active)
        #expect(course.activity?.sport == .ride)
        course.wait(.seconds(2))
        #expect(try course.perform(.pause) == .changed(.paused, elapsedMilliseconds: 2000))
        course.wait(.seconds(5))
        #expect(try course.perform(.resume) == .changed(.active, elapsedMilliseconds: 2000))
        course.wait(.seconds(1))
        guard case .ended(let summary) = try course.perform(.stop) else { throw Failed() }
        #expect(course.state.run == .idle)
        #expect(course.state.activity == nil)
        #expect(summary.id == 1)
        #expect(summary.total.elapsedMilliseconds == 3000)
        #expect(summary.totalMilliseconds == 8000)
        #expect(summary.laps == 1)
        #expect(try course.begin() == .started(activity: 2))
    }

    @Test func toggleStartsPausesAndResumes() throws {
        var course = Course()
        try course.perform(.toggle)
        #expect(course.state.run == .active)
        try course.perform(.toggle)
        #expect(course.state.run == .paused)
        try course.perform(.toggle)
        #expect(course.state.run == .active)
    }

    @Test(arguments: [
        (RunState.idle, [RunCommand.pause, .resume, .lap, .stop, .discard]),
        (.active, [.start(nil, indoor: false), .resume]),
        (.paused, [.start(.run, indoor: true), .pause, .lap]),
    ])
    func commandNotAllowedInAStateIsRejectedWithoutEffect(state: RunState, commands: [RunCommand]) throws {
        var course = Course()
        if state != .idle { try course.begin() }
        if state == .paused { try course.perform(.pause) }
        let before = (course.state, course.events.count, course.states.count)
        for command in commands {
            let refusal = #expect(throws: CommandRejection.self) { try course.perform(command) }
            #expect(refusal?.state == state)
            #expect(refusal?.description.hasSuffix("while \(state.rawValue)") == true)
        }
        #expect(course.state == before.0)
        #expect(course.events.count == before.1)
        #expect(course.states.count == before.2)
    }

    @Test func newRunStartsWithEmptyTotals() throws {
        var course = Course()
        course.fix(speed: 3)
        try course.begin()
        course.run(seconds: 10, speed: 3)
        try course.perform(.stop)
        try course.begin()
        #expect(course.activity?.total == Totals())
        #expect(course.activity?.pace == nil)
        #expect(course.state.ticks == TickStats())
    }

    @Test func everyCommandEmitsAnEvent() throws {
        var course = Course()
        try course.begin(.walk)
        try course.perform(.lap)
        try course.perform(.pause)
        try course.perform(.resume)
        try course.perform(.discard)
        let kinds = course.events.map { event -> String in
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
        #expect(course.events.allSatisfy { $0.activity == 1 })
    }

    struct Failed: Error {}
}
