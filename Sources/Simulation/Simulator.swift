package import Domain
package import Linux

/// The simulated strap and receiver of `--demo`, in place of the real ones.
package final class Simulator {
    private var run: SimulatedRun
    private let report: (Input) -> Void
    private var timer: TimerSource?

    /// Starts at once, and ends on release.
    ///
    /// - Parameter report: called from the loop with each input when it is due.
    package init(
        _ session: SimulatedSession, seed: UInt64, loop: EventLoop, report: @escaping (Input) -> Void
    ) throws(SystemError) {
        run = SimulatedRun(session, seed: seed, startedAt: Clock.now(), utc: Clock.systemTime())
        self.report = report
        timer = try loop.timer { [weak self] in self?.advance() }
        timer?.arm(at: run.nextAt)
    }

    private func advance() {
        for input in run.advance(to: Clock.now()) { report(input.value) }
        timer?.arm(at: run.nextAt)
    }
}
