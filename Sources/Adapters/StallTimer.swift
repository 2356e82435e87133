import Domain
import Linux

/// Ends connections that take nothing of what waits for them.
final class StallTimer {
    private let limit: Duration
    private var timer: TimerSource?
    private var isArmed = false

    /// - Parameters:
    ///   - limit: how long nothing may be taken.
    ///   - closeStuck: closes those that are stuck since the moment that it is given, or longer; returns since when the one
    ///     of the rest is stuck that is stuck longest.
    init(limit: Duration, loop: EventLoop, closeStuck: @escaping (Instant) -> Instant?) throws(SystemError) {
        self.limit = limit
        timer = try loop.timer { [unowned self] in
            let since = closeStuck(Clock.now() - limit)
            isArmed = since != nil
            timer?.arm(at: since.map { $0 + limit })
        }
    }

    /// Something is stuck since `now`.
    func watch(since now: Instant) {
        // Armed for one that is stuck longer, it is armed again for this one when it fires.
        if isArmed { return }
        timer?.arm(at: now + limit)
        isArmed = true
    }
}
