package import Domain
package import Linux

/// Reports readiness, a status line and the watchdog's keep-alive to systemd.
///
/// Messages that systemd does not accept at once are retried with the next tick.
package final class SystemdReporter {
    private let notifier: NotifySocket?
    private var watchdog: Watchdog?
    /// The last status line.
    private var status = ""
    /// Messages to retry, oldest first.
    private var waiting: [String] = []

    /// The maximum number of messages to retry; the oldest is dropped.
    private static let waitingLimit = 8

    package init(_ notifier: NotifySocket?) {
        self.notifier = notifier
        watchdog = notifier?.watchdog.map { Watchdog(limit: $0) }
    }

    /// Reports that the daemon serves clients.
    package func ready() {
        send("READY=1")
    }

    /// Reports the start of a reload; ``ready()`` reports its end.
    package func reloading() {
        // systemd compares this time with its own (sd_notify(3)).
        send("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds())")
    }

    func stopping() {
        send("STOPPING=1")
    }

    /// Sends a status line if it has changed. It must not reveal a position.
    package func setStatus(_ words: String) {
        if words == status { return }
        status = words
        send("STATUS=" + words)
    }

    /// Handles a tick: everything due before `next` has been applied.
    package func ticked(next: Instant) {
        sendWaiting()
        guard let notifier, watchdog?.isDue(next: next) == true else { return }
        if case .sent = notifier.send("WATCHDOG=1") { watchdog?.sent(next: next) }
    }

    private func send(_ words: String) {
        guard notifier != nil else { return }
        if waiting.count == Self.waitingLimit { waiting.removeFirst() }
        waiting.append(words)
        sendWaiting()
    }

    private func sendWaiting() {
        while let first = waiting.first, let notifier, notifier.send(first) != .full { waiting.removeFirst() }
    }
}

/// Decides when to send the watchdog's keep-alive. Only ticks count: a loop that turns without them would hide a hang.
package struct Watchdog {
    /// Half of systemd's limit.
    private let interval: Duration
    /// The next tick at the time of the last keep-alive.
    private var lastNext: Instant?

    /// - Parameter limit: the time after which systemd ends a process without a keep-alive.
    package init(limit: Duration) {
        interval = limit / 2
    }

    /// Whether a keep-alive is due, with everything before `next` applied.
    package mutating func isDue(next: Instant) -> Bool {
        // Scheduled moments are exact. With those of a late loop, a keep-alive could come a second too late.
        guard let lastNext else { return true }
        // A run has started: its first tick is earlier than the idle second that was next.
        if next < lastNext { self.lastNext = next }
        return next - lastNext >= interval
    }

    package mutating func sent(next: Instant) {
        lastNext = next
    }
}
