import Domain
import Pipeline
import Testing

@Test func recorderStatusRaisesAndClearsFaults() {
    var run = ScriptedRun()
    run.receive(.recorder(RecorderStatus(state: .writing, behindMilliseconds: 400)))
    #expect(run.events.map(\.kind) == [.recorder(.writing, message: nil)])
    #expect(run.state.recorder.behindMilliseconds == 400)
    #expect(run.state.faults.isEmpty)

    run.wait(.seconds(3))
    run.events = []
    let since = run.now
    run.receive(.recorder(RecorderStatus(state: .stalled, message: "the disk is slow")))
    run.wait(.seconds(3))
    run.receive(.recorder(RecorderStatus(state: .stalled, behindMilliseconds: 5000, message: "the disk is slow")))
    #expect(run.events.map(\.kind) == [.recorder(.stalled, message: "the disk is slow")])
    #expect(run.state.faults == [Fault(name: .recorderStalled, since: since, message: "the disk is slow")])

    run.receive(.recorder(RecorderStatus(state: .failed, message: "the disk is full")))
    #expect(run.state.faults == [Fault(name: .recorderFailed, since: run.now, message: "the disk is full")])
    #expect(run.states.last?.faults == run.state.faults)

    run.receive(.recorder(RecorderStatus(state: .writing)))
    #expect(run.state.faults.isEmpty)
    #expect(run.events.last?.kind == .recorder(.writing, message: nil))
}
