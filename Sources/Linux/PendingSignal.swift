import CLinux
import Domain

/// A blocked signal (``blockSignals(_:)``) that stays pending until its default action is due: another signal can still
/// discard it, as SIGCONT discards SIGTSTP.
///
/// Source: signal(7), signalfd(2).
@safe
package struct PendingSignal: ~Copyable {
    /// Readable while the signal is pending; for ``EventLoop``.
    package let descriptor: FileDescriptor
    private let number: Int32

    package init(_ number: Int32) throws(SystemError) {
        self.number = number
        descriptor = FileDescriptor(owning: try check("signalfd") { clinux_signalfd(number) })
    }

    /// Performs the default action if the signal is pending.
    package func deliver() {
        clinux_deliver_pending(number)
    }
}
