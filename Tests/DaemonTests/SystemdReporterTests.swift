import Daemon
import Domain
import Linux
import TestKit
import Testing

@Suite struct SystemdReporterTests {
    private let directory: TemporaryDirectory
    private let start = Instant(milliseconds: 1_000_000)

    init() throws {
        directory = TemporaryDirectory()
    }

    @Test func changedStatusIsSent() throws {
        let systemd = try NotifyListener(directory("notify"))
        let report = SystemdReporter(try NotifySocket(directory("notify")))
        for words in ["idle", "idle", "recording run 7", "recording run 7", "idle"] { report.setStatus(words) }
        #expect(try systemd.all() == ["STATUS=idle", "STATUS=recording run 7", "STATUS=idle"])
    }

    @Test func reloadIsSentWithItsMonotonicTime() throws {
        let systemd = try NotifyListener(directory("notify"))
        let report = SystemdReporter(try NotifySocket(directory("notify")))
        let before = Clock.monotonicMicroseconds()
        report.reloading()
        report.ready()
        let messages = try systemd.all()
        #expect(messages.count == 2)
        let lines = messages[0].split(separator: "\n")
        #expect(lines[0] == "RELOADING=1")
        let moment = try #require(Int64(lines[1].dropFirst("MONOTONIC_USEC=".count)))
        #expect((before...Clock.monotonicMicroseconds()).contains(moment))
        #expect(messages[1] == "READY=1")
    }

    @Test func messagesForAFullQueueFollowInOrderAtTheNextTick() throws {
        let systemd = try NotifyListener(directory("notify"))
        let notifier = try NotifySocket(directory("notify"), watchdog: .seconds(8))
        let report = SystemdReporter(notifier)
        while notifier.send("FILL=1") != .full {}
        report.setStatus("recording run 1")
        report.ready()
        report.ticked(next: start)
        report.setStatus("idle")
        #expect(try systemd.all().allSatisfy { $0 == "FILL=1" })
        report.ticked(next: start + .milliseconds(100))
        #expect(try systemd.all() == ["STATUS=recording run 1", "READY=1", "STATUS=idle", "WATCHDOG=1"])
        report.ticked(next: start + .milliseconds(200))
        #expect(try systemd.all() == [])
    }

    @Test func queueForABlockedSystemdIsLimited() throws {
        let systemd = try NotifyListener(directory("notify"))
        let notifier = try NotifySocket(directory("notify"))
        let report = SystemdReporter(notifier)
        while notifier.send("FILL=1") != .full {}
        for run in 1...1000 { report.setStatus("recording run \(run)") }
        _ = try systemd.all()
        report.ticked(next: start)
        let said = try systemd.all()
        #expect(said.count <= 8)
        #expect(said.last == "STATUS=recording run 1000")
    }

}
