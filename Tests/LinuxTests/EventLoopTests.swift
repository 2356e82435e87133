import Domain
import Foundation
import Linux
import TestKit
import Testing

@Suite struct EventLoopTests {
    /// sd-event coalesces timers within their accuracy; its default is 250 ms.
    @Test func timersNeverFireEarly() throws {
        let loop = try EventLoop()
        var lateness: [Duration] = []
        var deadline = Clock.now() + .milliseconds(20)
        var timer: TimerSource?
        timer = try loop.timer {
            lateness.append(Clock.now() - deadline)
            if lateness.count == 25 { return loop.stop(0) }
            deadline = Clock.now() + .milliseconds(10)
            timer?.arm(at: deadline)
        }
        timer?.arm(at: deadline)
        _ = try loop.run()
        timer = nil
        #expect(lateness.allSatisfy { $0 >= .zero })
        // A busy machine may wake the process late, but hardly each time: of 25 timers whose
        // accuracy is 250 ms, 2 would fire within 20 ms.
        #expect(lateness.count { $0 < .milliseconds(20) } >= 8, "\(lateness)")
    }

    @Test func pastDeadlineFiresAtOnce() throws {
        let loop = try EventLoop()
        let timer = try loop.timer { loop.stop(7) }
        timer.arm(at: Instant(nanoseconds: -5))
        #expect(try loop.run() == 7)
    }

    @Test func timerFiresOnceAndNotAfterItIsDisarmedOrReleased() throws {
        let loop = try EventLoop()
        var fired: [String] = []
        let now = Clock.now()
        let once = try loop.timer { fired.append("once") }
        let disarmed = try loop.timer { fired.append("disarmed") }
        var gone: TimerSource? = try loop.timer { fired.append("gone") }
        let end = try loop.timer { loop.stop(0) }
        once.arm(at: now + .milliseconds(1))
        disarmed.arm(at: now + .milliseconds(1))
        gone?.arm(at: now + .milliseconds(1))
        end.arm(at: now + .milliseconds(30))
        disarmed.arm(at: nil)
        gone = nil
        _ = try loop.run()
        #expect(fired == ["once"])
    }

    @Test func descriptorIsReportedReadyUntilItsSourceIsReleased() throws {
        let loop = try EventLoop()
        let pipe = Pipe()
        let reader = FileDescriptor(owning: dup(pipe.fileHandleForReading.fileDescriptor))
        var calls = 0
        var source: DescriptorSource?
        source = try loop.watch(reader, for: .reading) { readiness in
            #expect(readiness == .reading)
            calls += 1
            // The unread byte would trigger the source again. Releasing the source inside its body must be safe.
            if calls == 3 { source = nil }
        }
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        let end = try loop.timer { loop.stop(0) }
        end.arm(at: Clock.now() + .milliseconds(30))
        _ = try loop.run()
        #expect(calls == 3)
        #expect(source == nil)
    }

    /// A descriptor and its source, which is removed first, like the owners in Adapters.
    private final class Owner {
        let descriptor: FileDescriptor
        var source: DescriptorSource?

        init(_ descriptor: consuming FileDescriptor) {
            self.descriptor = descriptor
        }

        deinit {
            source = nil
        }
    }

    /// A duplicate, such as a child process has for a moment, keeps a closed descriptor's file in epoll. If the source
    /// were not removed before its descriptor is closed, the loop would wake for a source that no longer exists.
    @Test func ownerReleasedInItsCallbackIsNotCalledAgain() throws {
        let loop = try EventLoop()
        let pipe = Pipe()
        let original = pipe.fileHandleForReading.fileDescriptor
        var owner: Owner? = Owner(FileDescriptor(owning: dup(original)))
        var calls = 0
        if let present = owner {
            present.source = try loop.watch(present.descriptor, for: .reading) { _ in
                calls += 1
                owner = nil
            }
        }
        try pipe.fileHandleForWriting.write(contentsOf: Data([1]))
        let end = try loop.timer { loop.stop(0) }
        end.arm(at: Clock.now() + .milliseconds(30))
        _ = try loop.run()
        #expect(calls == 1)
        #expect(owner == nil)
    }

    @Test func watchedReadinessCanBeChanged() throws {
        let loop = try EventLoop()
        let directory = TemporaryDirectory()
        let connection = try Connection.make(at: directory("socket"))
        var reports: [Readiness] = []
        var source: DescriptorSource?
        source = try loop.watch(connection.near, for: .writing) { readiness in
            reports.append(readiness)
            if reports.count == 2 { return loop.stop(0) }
            source?.watch(for: .reading)
            #expect(connection.far?.send([1]) == .sent(1))
        }
        _ = try loop.run()
        source = nil
        #expect(reports == [.writing, .reading])
    }

    @Test func hangUpIsReportedWithoutARequest() throws {
        let loop = try EventLoop()
        let directory = TemporaryDirectory()
        var connection = try Connection.make(at: directory("socket"))
        var reports = Readiness()
        let source = try loop.watch(connection.near, for: []) { readiness in
            reports = readiness
            loop.stop(0)
        }
        connection.far = nil
        _ = try loop.run()
        withExtendedLifetime(source) { #expect(reports.contains(.hungUp)) }
    }

    @Test func blockedSignalReachesTheLoop() throws {
        blockSignals([SIGUSR2])
        let loop = try EventLoop()
        let source = try loop.onSignal(SIGUSR2) { loop.stop(3) }
        // Sent to this thread, because the test runner's other threads do not block the signal.
        pthread_kill(pthread_self(), SIGUSR2)
        #expect(try loop.run() == 3)
        withExtendedLifetime(source) {}
    }
}
