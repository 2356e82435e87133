import Domain
import Linux
import TestKit
import Testing

@Suite struct TimedatedMonitorTests {
    private final class Reports {
        var answers: [Bool] = []
    }

    /// Serves timedated's object with the given answers.
    private func serve(_ stage: BusFixture, _ answer: @escaping (BusRequest) -> Void) throws -> (Bus, BusSlot) {
        let service = try stage.own("org.freedesktop.timedate1")
        return (service, try service.serve("/org/freedesktop/timedate1", called: answer))
    }

    @Test(arguments: [true, false])
    func answerOfTimedatedIsReported(isSynchronised: Bool) throws {
        let stage = try BusFixture()
        var asked: [[BusValue]] = []
        let service = try serve(stage) { request in
            asked.append(request.message.arguments)
            try? request.reply([.variant(.bool(isSynchronised))])
        }
        let reports = Reports()
        let watch = try TimedatedMonitor(at: stage.daemon.address, loop: stage.loop) { reports.answers.append($0) }
        #expect(reports.answers.isEmpty)
        try stage.turn { !reports.answers.isEmpty }
        try stage.turn(for: .milliseconds(50))
        #expect(reports.answers == [isSynchronised])
        #expect(asked == [[.string("org.freedesktop.timedate1"), .string("NTPSynchronized")]])
        withExtendedLifetime((watch, service)) {}
    }

    @Test func missingBusOrTimedatedReportsNothing() throws {
        for isThere in [false, true] {
            let stage = try BusFixture(isThere: isThere)
            let reports = Reports()
            let watch = try TimedatedMonitor(at: stage.daemon.address, loop: stage.loop) { reports.answers.append($0) }
            try stage.turn(for: .milliseconds(200))
            #expect(reports.answers == [])
            withExtendedLifetime(watch) {}
        }
    }

    @Test func monitorCanBeReleasedDuringItsRequest() throws {
        let stage = try BusFixture()
        var isAsked = false
        let service = try serve(stage) { _ in isAsked = true }
        var watch: TimedatedMonitor? = try TimedatedMonitor(at: stage.daemon.address, loop: stage.loop) { _ in
            Issue.record("no owner receives the report")
        }
        try stage.turn { isAsked }
        watch = nil
        try stage.turn(for: .milliseconds(50))
        #expect(watch == nil)
        withExtendedLifetime(service) {}
    }

    @Test func kernelStatusTakesPrecedenceOverTheReportedOne() {
        for isHeard in [true, false] {
            Clock.setSynchronised(isSynchronised: isHeard)
            #expect(Clock.isSynchronised(kernel: 1))
            #expect(!Clock.isSynchronised(kernel: 0))
            #expect(Clock.isSynchronised(kernel: -1) == isHeard)
        }
    }
}
