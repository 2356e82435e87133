import Domain
import Foundation
import Glibc
import Linux
import TestKit
import Testing

@Suite(.serialized) struct NotifySocketTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
    }

    @Test(arguments: [false, true]) func eachMessageIsOneDatagram(isAbstract: Bool) throws {
        let path = isAbstract ? "@paced-\(UUID().uuidString)" : directory("notify")
        let systemd = try NotifyListener(path)
        let notifier = try NotifySocket(path)
        #expect(notifier.send("READY=1\nSTATUS=idle") == .sent(19))
        #expect(notifier.send("WATCHDOG=1") == .sent(10))
        #expect(try systemd.next() == "READY=1\nSTATUS=idle")
        #expect(try systemd.next() == "WATCHDOG=1")
        #expect(try systemd.next() == nil)
    }

    /// libsystemd's own function would block here.
    @Test func fullQueueDoesNotBlock() throws {
        let systemd = try NotifyListener(directory("notify"))
        let notifier = try NotifySocket(directory("notify"))
        let begin = Clock.now()
        var count = 0
        while notifier.send("WATCHDOG=1") != .full {
            count += 1
            try #require(count < 100_000)
        }
        #expect(Clock.now() - begin < .seconds(5))
        #expect(count >= 1)
        _ = try systemd.next()
        #expect(notifier.send("WATCHDOG=1") == .sent(10))
    }

    @Test func missingListenerIsReportedAsGone() throws {
        let notifier = try NotifySocket(directory("nobody"))
        #expect(notifier.send("READY=1") == .gone)
        var systemd: NotifyListener? = try NotifyListener(directory("nobody"))
        #expect(notifier.send("READY=1") == .sent(7))
        systemd = nil
        #expect(notifier.send("READY=1") == .gone)
        _ = systemd
    }

    @Test(arguments: ["", "/", "@", "notify", "vsock:2:1234", "/" + String(repeating: "x", count: 107)])
    func invalidSocketPathIsRejected(path: String) {
        #expect(throws: SystemError.self) { try NotifySocket(path) }
    }

    /// No other test uses these variables.
    @Test func variablesOfSystemdAreRemovedFromTheEnvironment() throws {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        func take(_ values: [String?]) -> NotifySocket? {
            for (name, value) in zip(names, values) { value.map { _ = setenv(name, $0, 1) } }
            defer { for name in names { #expect(getenv(name) == nil) } }
            return NotifySocket.fromEnvironment()
        }
        let path = directory("notify")
        #expect(take([nil, nil, nil]) == nil)
        #expect(take([path, nil, nil])?.watchdog == .none)
        #expect(take([path, "8000000", nil])?.watchdog == .seconds(8))
        #expect(take([path, "8000000", "\(getpid())"])?.watchdog == .seconds(8))
        // The watchdog watches another process.
        let other = take([path, "8000000", "1"])
        #expect(other != nil && other?.watchdog == nil)
        #expect(take([path, "much", nil])?.watchdog == .none)
        #expect(take([nil, "8000000", nil]) == nil)
        #expect(take(["nonsense", nil, nil]) == nil)
    }
}
