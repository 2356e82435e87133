import Domain
import Glibc
package import Linux

/// The event loop of a service: it reports readiness and the watchdog's keep-alive to systemd, and ends at a signal to stop.
package final class ServiceLoop {
    /// The signals that end the loop.
    package static let signals = [SIGTERM, SIGINT]

    package let loop: EventLoop
    private let notifier: NotifySocket?
    private var sources: [CallbackSource] = []
    private var watchdog: TimerSource?

    /// Takes the address of systemd from the environment: no child process has it.
    package init() throws(SystemError) {
        loop = try EventLoop()
        notifier = NotifySocket.fromEnvironment()
        for signal in Self.signals { sources.append(try loop.onSignal(signal) { [unowned self] in loop.stop(0) }) }
        guard let notifier, let interval = notifier.watchdog else { return }
        watchdog = try loop.timer { [unowned self] in
            _ = notifier.send("WATCHDOG=1")
            watchdog?.arm(at: Clock.now() + interval / 3)
        }
        watchdog?.arm(at: Clock.now())
    }

    /// Reports that the program serves its clients, and runs until a signal.
    ///
    /// - Returns: the exit status.
    package func run() throws(SystemError) -> Int32 {
        _ = notifier?.send("READY=1")
        return try loop.run()
    }
}
