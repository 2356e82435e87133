import Domain
import Linux

/// Closes connections whose peers have read nothing of their pending output for too long.
final class StallTimer {
    private let limit: Duration
    private var timer: TimerSource?
    private var isArmed = false

    /// - Parameters:
    ///   - limit: how long a peer may read nothing.
    ///   - closeStuck: closes the connections that have been stuck since the given instant or longer.
    ///     Returns the instant since which the longest-stuck of the others has been stuck, or nil.
    init(limit: Duration, loop: EventLoop, closeStuck: @escaping (Instant) -> Instant?) throws(SystemError) {
        self.limit = limit
        timer = try loop.timer { [unowned self] in
            let since = closeStuck(Clock.now() - limit)
            isArmed = since != nil
            timer?.arm(at: since.map { $0 + limit })
        }
    }

    /// Watches a connection that has been stuck since `now`.
    func watch(since now: Instant) {
        // If the timer is armed for an earlier connection, it is rearmed for this one when it fires.
        if isArmed { return }
        timer?.arm(at: now + limit)
        isArmed = true
    }
}
