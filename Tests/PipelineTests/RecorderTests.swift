import Domain
import Pipeline
import Testing

@Test func recorderStatusRaisesAndClearsFaults() {
    var course = Course()
    course.receive(.recorder(RecorderStatus(state: .writing, behindMilliseconds: 400)))
    #expect(course.events.map(\.kind) == [.recorder(.writing, message: nil)])
    #expect(course.state.recorder.behindMilliseconds == 400)
    #expect(course.state.faults.isEmpty)

    course.wait(.seconds(3))
    course.events = []
    let since = course.now
    course.receive(.recorder(RecorderStatus(state: .stalled, message: "the disk is slow")))
    course.wait(.seconds(3))
    course.receive(.recorder(RecorderStatus(state: .stalled, behindMilliseconds: 5000, message: "the disk is slow")))
    #expect(course.events.map(\.kind) == [.recorder(.stalled, message: "the disk is slow")])
    #expect(course.state.faults == [Fault(name: .recorderStalled, since: since, message: "the disk is slow")])

    course.receive(.recorder(RecorderStatus(state: .failed, message: "the disk is full")))
    #expect(course.state.faults == [Fault(name: .recorderFailed, since: course.now, message: "the disk is full")])
    #expect(course.states.last?.faults == course.state.faults)

    course.receive(.recorder(RecorderStatus(state: .writing)))
    #expect(course.state.faults.isEmpty)
    #expect(course.events.last?.kind == .recorder(.writing, message: nil))
}
