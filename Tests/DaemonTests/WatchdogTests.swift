import Daemon
import Domain
import TestKit
import Testing

@Suite struct WatchdogTests {
    private let start = Instant(milliseconds: 1_000_000)

    /// The moments at which a keep-alive is due, given the next tick at each of them.
    private func dueMoments(_ watchdog: inout Watchdog, next: some Sequence<Int64>) -> [Int64] {
        next.filter { milliseconds in
            let next = start + .milliseconds(milliseconds)
            guard watchdog.isDue(next: next) else { return false }
            watchdog.sent(next: next)
            return true
        }
    }

    @Test func watchdogIsNotifiedAtOnceAndThenAtHalfItsLimit() {
        var watchdog = Watchdog(limit: .seconds(8))
        #expect(dueMoments(&watchdog, next: stride(from: 100, through: 12_500, by: 100)) == [100, 4100, 8100, 12_100])
        var other = Watchdog(limit: .seconds(2))
        #expect(dueMoments(&other, next: stride(from: 1000, through: 4000, by: 1000)) == [1000, 2000, 3000, 4000])
    }

    @Test func loopWithoutTicksDoesNotNotifyTheWatchdog() {
        var watchdog = Watchdog(limit: .seconds(8))
        #expect(dueMoments(&watchdog, next: [100] + Array(repeating: 4000, count: 1000)) == [100])
        #expect(dueMoments(&watchdog, next: [4100]) == [4100])
    }

    @Test func failedNotificationIsRepeatedAtTheNextTick() {
        var watchdog = Watchdog(limit: .seconds(8))
        _ = dueMoments(&watchdog, next: [100])
        #expect(watchdog.isDue(next: start + .milliseconds(4100)) == true)
        #expect(dueMoments(&watchdog, next: [4200, 8100, 8200]) == [4200, 8200])
    }

    /// The idle second that was next is later than the first tick.
    @Test func startOfARunDoesNotDelayTheWatchdog() {
        var watchdog = Watchdog(limit: .seconds(1))
        #expect(dueMoments(&watchdog, next: [1000]) == [1000])
        #expect(dueMoments(&watchdog, next: stride(from: 200, through: 1300, by: 100)) == [700, 1200])
    }

    @Test func watchdogIsNotifiedAtOnceAfterASleep() {
        var watchdog = Watchdog(limit: .seconds(8))
        #expect(dueMoments(&watchdog, next: [100, 3_600_100, 3_600_200]) == [100, 3_600_100])
    }
}

@Suite struct ShutdownTests {
    private var clock = ManualClock()

    @Test func shutdownWithoutARunEndsAtOnce() {
        var idle = Shutdown(closesRun: true)
        #expect(idle.stopRequested(runIsOpen: false, at: clock.now) == .end)
        var restarted = Shutdown(closesRun: false)
        #expect(restarted.stopRequested(runIsOpen: true, at: clock.now) == .end)
    }

    @Test mutating func shutdownOfTheMachineClosesTheRun() {
        var shutdown = Shutdown(closesRun: true)
        let reported = clock.now
        #expect(shutdown.exportDeadline == nil)
        #expect(shutdown.stopRequested(runIsOpen: true, at: reported) == .querySystemState)
        clock.advance(by: .milliseconds(100))
        #expect(shutdown.answered(isShuttingDown: true) == .stopRun)
        #expect(shutdown.exportDeadline == reported + Shutdown.exportLimit)
        #expect(shutdown.timeLeft(at: clock.now) == Shutdown.limit - .milliseconds(100))
        #expect(shutdown.exportsEnded() == .end)
        #expect(shutdown.exportsEnded() == nil, "late and made")
    }

    @Test func stopOfTheDaemonAloneKeepsTheRunOpen() {
        var shutdown = Shutdown(closesRun: true)
        _ = shutdown.stopRequested(runIsOpen: true, at: clock.now)
        #expect(shutdown.answered(isShuttingDown: false) == .end)
        #expect(shutdown.answered(isShuttingDown: true) == nil, "once")
        #expect(shutdown.exportDeadline == nil)
    }

    @Test(arguments: [false, true]) func secondStopRequestEndsAtOnce(isClosing: Bool) {
        var shutdown = Shutdown(closesRun: true)
        _ = shutdown.stopRequested(runIsOpen: true, at: clock.now)
        if isClosing { _ = shutdown.answered(isShuttingDown: true) }
        #expect(shutdown.stopRequested(runIsOpen: true, at: clock.now) == .end)
        #expect(shutdown.answered(isShuttingDown: true) == nil)
        #expect(shutdown.exportsEnded() == nil)
    }

    @Test mutating func shutdownLimitsStayUnderASecond() {
        #expect(Shutdown.queryLimit < Shutdown.exportLimit)
        #expect(Shutdown.exportLimit < Shutdown.limit)
        #expect(Shutdown.limit < .seconds(1))
        var shutdown = Shutdown(closesRun: true)
        _ = shutdown.stopRequested(runIsOpen: true, at: clock.now)
        clock.advance(by: .seconds(5))
        #expect(shutdown.timeLeft(at: clock.now) == .zero)
        // A second request does not restart the time limit.
        _ = shutdown.stopRequested(runIsOpen: true, at: clock.now)
        #expect(shutdown.timeLeft(at: clock.now) == .zero)
    }
}
