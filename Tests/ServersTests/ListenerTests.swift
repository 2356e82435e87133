import Domain
import Glibc
import Linux
import Servers
import Testing

@Test func failedAcceptPausesTheListener() throws {
    // Accepting from a pipe always fails, as it does without a free descriptor.
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let writing = FileDescriptor(owning: ends[1])
    #expect(write(writing.number, "x", 1) == 1)
    let loop = try EventLoop()
    let listener = try Listener(
        FileDescriptor(owning: ends[0]), loop: loop, accepted: { _ in Issue.record("nobody is there") },
        refused: { _ in })
    try loop.runOnce(waiting: .zero)
    let begin = Clock.now()
    try loop.runOnce(waiting: .milliseconds(50))
    #expect(Clock.now() - begin >= .milliseconds(50))
    withExtendedLifetime(listener) {}
}
