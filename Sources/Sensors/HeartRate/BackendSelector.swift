package import Domain

/// Which way to the straps is used: bluetoothd's while that runs, since it claims every link, else the kernel's own.
///
///     bluetoothd                        way
///     not known yet                     none, for 2 s at most; then the kernel's
///     runs                              bluetoothd's, at once
///     has gone                          bluetoothd's for another 4 s, then the kernel's
///
/// One that is restarted is back within 0.1 to 3 s, and would otherwise cost two changes of the way; one that was stopped costs
/// 4 of the 15 s in which heart rate is to go on.
package struct BackendSelector: Equatable, Sendable {
    /// What people want.
    package enum Preference: Equatable, Sendable {
        /// The best way that there is.
        case auto
        case kernel
        case bluetoothd
    }

    package enum Backend: Equatable, Sendable {
        case kernel, bluetoothd
    }

    /// How long is waited to be told whether bluetoothd runs: a bus may hang.
    package static let startTimeout = Duration.seconds(2)

    /// How long bluetoothd may be gone.
    package static let holdTime = Duration.seconds(4)

    /// The way to be used; nil while it is not decided.
    package private(set) var way: Backend?

    /// Why it was chosen, where nobody has said it.
    package private(set) var reason: SanitizedText?

    /// When ``tick(at:)`` has something to decide, if nothing happens before.
    package private(set) var deadline: Instant?

    private let isFree: Bool

    package init(_ wish: Preference, at now: Instant) {
        isFree = wish == .auto
        switch wish {
        case .auto: deadline = now + Self.startTimeout
        case .kernel: way = .kernel
        case .bluetoothd: way = .bluetoothd
        }
    }

    /// Whether bluetoothd runs has been told.
    package mutating func receive(isRunning: Bool, at now: Instant) {
        guard isFree else { return }
        if isRunning {
            deadline = nil
            choose(.bluetoothd, "bluetoothd runs")
        } else if way != .bluetoothd {
            deadline = nil
            choose(.kernel, "bluetoothd does not run")
        } else if deadline == nil {
            deadline = now + Self.holdTime
        }
    }

    /// Says what time it is.
    package mutating func tick(at now: Instant) {
        guard let deadline, now >= deadline else { return }
        self.deadline = nil
        choose(.kernel, way == nil ? "the system bus does not answer" : "bluetoothd does not run")
    }

    /// Why the present way was chosen is told once, with it.
    private mutating func choose(_ way: Backend, _ reason: String) {
        guard way != self.way else { return }
        self.way = way
        self.reason = SanitizedText(reason)
    }
}
