import Domain
import Linux

/// What systemd is told of the service: that it is ready, in a few words how it stands, and that it ticks.
///
/// What systemd does not take at once is tried again with the next tick.
final class SystemdReporter {
    private let notifier: NotifySocket?
    private var watchdog: Watchdog?
    /// Something has happened since it was told how it stands.
    var mayStandOtherwise = true
    /// What was told of that last.
    private var status = ""
    /// What systemd has not taken yet, oldest first.
    private var waiting: [String] = []

    /// So many words wait for a systemd that takes none.
    private static let waitingLimit = 8

    init(_ notifier: NotifySocket?) {
        self.notifier = notifier
        watchdog = notifier?.watchdog.map { Watchdog(limit: $0) }
    }

    /// It serves.
    func ready() {
        send("READY=1")
    }

    /// It reads its configuration anew; ``ready()`` is to follow.
    func reloading() {
        // systemd compares this moment with its own.
        send("RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds())")
    }

    func stopping() {
        send("STOPPING=1")
    }

    /// How it stands, in one short line that tells nothing of where anybody is. The same again is not sent.
    func setStatus(_ words: String) {
        mayStandOtherwise = false
        if words == status { return }
        status = words
        send("STATUS=" + words)
    }

    /// Every tick, or idle second, that lies before `next` has been applied.
    func ticked(next: Instant) {
        sendWaiting()
        guard let notifier, watchdog?.isHungry(next: next) == true else { return }
        if case .sent = notifier.send("WATCHDOG=1") { watchdog?.fed(next: next) }
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

/// When systemd's watchdog is fed: it is for the ticks that it is fed, never for the loop, which may turn without any.
struct Watchdog {
    /// Half of what it endures.
    private let interval: Duration
    /// The next tick as it lay ahead when it was fed last.
    private var fedNext: Instant?

    /// - Parameter limit: how long it endures without being fed.
    init(limit: Duration) {
        interval = limit / 2
    }

    /// Whether it is to be fed, with everything applied that lies before `next`.
    mutating func isHungry(next: Instant) -> Bool {
        // Scheduled moments, which are exact: by those of a late loop it would at times be fed a second too late.
        guard let fedNext else { return true }
        // A run has begun: its first tick comes before the second that was next.
        if next < fedNext { self.fedNext = next }
        return next - fedNext >= interval
    }

    mutating func fed(next: Instant) {
        fedNext = next
    }
}
