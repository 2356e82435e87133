package import Domain

/// Selects the Bluetooth backend: bluetoothd while it runs, since it takes every link, else the kernel.
///
///     bluetoothd                        backend
///     not known yet                     none, for 2 s at most; then the kernel
///     runs                              bluetoothd, at once
///     stopped                           bluetoothd for another 4 s, then the kernel
///
/// A restarted bluetoothd is back within 0.1 to 3 s; without the delay it would cost two changes of the backend. If
/// bluetoothd stays away, the delay costs 4 of the 15 s in which a sensor must return.
package struct BackendSelector: Equatable, Sendable {
    /// The configured backend.
    package enum Preference: Equatable, Sendable {
        /// bluetoothd if it runs, else the kernel.
        case auto
        case kernel
        case bluetoothd
    }

    package enum Backend: Equatable, Sendable {
        case kernel, bluetoothd
    }

    /// How long to wait for the first answer whether bluetoothd runs: a bus may hang.
    package static let startTimeout = Duration.seconds(2)

    /// How long bluetoothd may be absent before the kernel replaces it.
    package static let holdTime = Duration.seconds(4)

    /// The backend in use; nil until it is decided.
    package private(set) var backend: Backend?

    /// Why the backend was chosen; nil if it is configured.
    package private(set) var reason: SanitizedText?

    /// The next time to call ``tick(at:)`` if nothing happens before.
    package private(set) var deadline: Instant?

    private let isAutomatic: Bool

    package init(_ preference: Preference, at now: Instant) {
        isAutomatic = preference == .auto
        switch preference {
        case .auto: deadline = now + Self.startTimeout
        case .kernel: backend = .kernel
        case .bluetoothd: backend = .bluetoothd
        }
    }

    /// Receives whether bluetoothd runs.
    package mutating func receive(isRunning: Bool, at now: Instant) {
        guard isAutomatic else { return }
        if isRunning {
            deadline = nil
            choose(.bluetoothd, "bluetoothd runs")
        } else if backend != .bluetoothd {
            deadline = nil
            choose(.kernel, "bluetoothd does not run")
        } else if deadline == nil {
            deadline = now + Self.holdTime
        }
    }

    /// Advances timers to `now`.
    package mutating func tick(at now: Instant) {
        guard let deadline, now >= deadline else { return }
        self.deadline = nil
        choose(.kernel, backend == nil ? "the system bus does not answer" : "bluetoothd does not run")
    }

    /// Sets the backend and its reason if the backend changes.
    private mutating func choose(_ backend: Backend, _ reason: String) {
        guard backend != self.backend else { return }
        self.backend = backend
        self.reason = SanitizedText(reason)
    }
}
