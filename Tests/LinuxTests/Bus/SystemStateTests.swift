import Domain
import Linux
import TestKit
import Testing

/// A fake systemd on a real bus that answers queries of its state.
@Suite struct SystemStateTests {
    private final class Reports {
        var answers: [String?] = []
    }

    private func ask(_ stage: BusFixture, waiting limit: Duration = .seconds(10), _ reports: Reports) throws
        -> SystemState
    {
        try SystemState(at: stage.daemon.address, loop: stage.loop, waiting: limit) { reports.answers.append($0) }
    }

    private func serve(
        _ stage: BusFixture, called: @escaping (BusRequest) -> Void
    ) throws -> (bus: Bus, object: BusSlot) {
        let systemd = try stage.own("org.freedesktop.systemd1")
        return (systemd, try systemd.serve("/org/freedesktop/systemd1", called: called))
    }

    @Test(arguments: ["running", "degraded", SystemState.stopping])
    func systemStateIsRequestedOnceAndReported(state: String) throws {
        let stage = try BusFixture()
        var asked: [BusMessage] = []
        let systemd = try serve(stage) { request in
            asked.append(request.message)
            try? request.reply([.variant(.string(state))])
        }
        let reports = Reports()
        let question = try ask(stage, reports)
        #expect(reports.answers.isEmpty)
        try stage.turn { !reports.answers.isEmpty }
        try stage.turn(for: .milliseconds(50))
        #expect(reports.answers == [state])
        #expect(asked.count == 1)
        #expect(asked[0].interface == "org.freedesktop.DBus.Properties")
        #expect(asked[0].member == "Get")
        #expect(asked[0].arguments.map(\.text) == ["org.freedesktop.systemd1.Manager", "SystemState"])
        withExtendedLifetime((question, systemd)) {}
    }

    @Test func unansweredRequestReportsNilAfterItsTimeout() throws {
        let stage = try BusFixture()
        var requests: [BusRequest] = []
        let systemd = try serve(stage) { requests.append($0) }
        let reports = Reports()
        let begin = Clock.now()
        let question = try ask(stage, waiting: .milliseconds(200), reports)
        try stage.turn { !reports.answers.isEmpty }
        #expect(reports.answers == [nil])
        #expect(Clock.now() - begin >= .milliseconds(200))
        withExtendedLifetime((question, systemd)) {}
    }

    @Test func silentBusReportsNil() throws {
        let stage = try BusFixture()
        stage.daemon.pause()
        defer { stage.daemon.resume() }
        let reports = Reports()
        let question = try ask(stage, waiting: .milliseconds(200), reports)
        try stage.turn { !reports.answers.isEmpty }
        #expect(reports.answers == [nil])
        withExtendedLifetime(question) {}
    }

    @Test(arguments: [false, true]) func missingBusOrSystemdReportsNil(hasBus: Bool) throws {
        let stage = try BusFixture(isThere: hasBus)
        let reports = Reports()
        let question = try ask(stage, reports)
        #expect(reports.answers.isEmpty)
        try stage.turn { !reports.answers.isEmpty }
        #expect(reports.answers == [nil])
        withExtendedLifetime(question) {}
    }

    @Test func malformedAnswerReportsNil() throws {
        let stage = try BusFixture()
        let systemd = try serve(stage) { try? $0.reply([.variant(.uint32(7)), .string("stopping")]) }
        let reports = Reports()
        let question = try ask(stage, reports)
        try stage.turn { !reports.answers.isEmpty }
        #expect(reports.answers == [nil])
        withExtendedLifetime((question, systemd)) {}
    }

    @Test func systemStateCanBeReleasedInItsCallback() throws {
        let stage = try BusFixture()
        let systemd = try serve(stage) { try? $0.reply([.variant(.string("running"))]) }
        var question: SystemState?
        var count = 0
        question = try SystemState(at: stage.daemon.address, loop: stage.loop, waiting: .seconds(10)) { _ in
            question = nil
            count += 1
        }
        try stage.turn { question == nil }
        try stage.turn(for: .milliseconds(50))
        #expect(count == 1)
        withExtendedLifetime(systemd) {}
    }
}
