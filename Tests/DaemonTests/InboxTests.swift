import Daemon
import Domain
import Linux
import Testing

@Suite struct InboxTests {
    /// An adapter whose report causes a request to it.
    private final class Adapter {
        private(set) var requestsDuringReports = 0
        private(set) var requests = 0
        private var isReporting = false

        func report(to inbox: Inbox) {
            isReporting = true
            inbox.append(.input(.battery(percent: 50)))
            isReporting = false
        }

        func request() {
            requests += 1
            if isReporting { requestsDuringReports += 1 }
        }
    }

    @Test func adapterIsNotCalledWhileItReports() throws {
        let (loop, inbox, adapter) = (try EventLoop(), Inbox(), Adapter())
        let timer = try loop.timer { adapter.report(to: inbox) }
        let source = try loop.afterEach {
            inbox.drain { message, _ in
                if case .input = message { adapter.request() }
            }
        }
        timer.arm(at: Clock.now())
        while adapter.requests == 0 { try loop.runOnce(waiting: .seconds(1)) }
        #expect(adapter.requestsDuringReports == 0)
        withExtendedLifetime(source) {}
    }

    @Test func inboxIsDrainedBeforeTheNextCallback() throws {
        let (loop, inbox) = (try EventLoop(), Inbox())
        var order: [String] = []
        var timers: [TimerSource] = []
        for name in ["first", "second"] {
            timers.append(
                try loop.timer {
                    order.append(name)
                    inbox.append(.completion { _ in order.append(name + " handled") })
                })
        }
        let source = try loop.afterEach {
            inbox.drain { message, moment in
                if case .completion(let body) = message { body(moment) }
            }
        }
        // Both are due in the same turn.
        for timer in timers { timer.arm(at: Clock.now()) }
        while order.count < 4 { try loop.runOnce(waiting: .seconds(1)) }
        #expect(order[1] == order[0] + " handled" && order[3] == order[2] + " handled")
        withExtendedLifetime(source) {}
    }

    @Test func messagesKeepTheirOrderAndTheirMoments() {
        let inbox = Inbox()
        let before = Clock.now()
        inbox.append(.tick)
        inbox.append(.journal)
        let after = Clock.now()
        var handled: [(name: String, at: Instant)] = []
        inbox.drain { message, moment in
            handled.append(("\(message)", moment))
            // A message that arrives meanwhile is handled in the same drain.
            if case .journal = message { inbox.append(.reload) }
        }
        #expect(handled.map(\.name) == ["tick", "journal", "reload"])
        #expect(before <= handled[0].at && handled[0].at <= handled[1].at && handled[1].at <= after)
    }
}
