package import Domain

/// Counts recent failures of a device's links and chooses a recovery action.
package struct ConnectionFailurePolicy: Sendable {
    package enum RecoveryAction: Equatable, Sendable {
        /// Make bluetoothd forget the device, because its cached services may be outdated.
        case removeDevice
        /// Switch the adapter off and on.
        case powerCycle
    }

    /// The consecutive failures after which a connection starts only without a discovery, and those after which the
    /// adapter is power-cycled.
    package static let cautionLimit = 2
    package static let failureLimit = 10

    /// The consecutive connections whose services could not be resolved before the device is removed.
    package static let unresolvedLimit = 2

    /// This number of supervision timeouts within the period is a fault.
    package static let fadingLimit = 3
    package static let fadingPeriod = Duration.seconds(600)

    private var device: LEAddress?
    private var failures = 0
    private var unresolved = 0
    /// The times of the last supervision timeouts.
    private var fadings: [Instant] = []

    package init() {}

    /// Whether to connect only while no discovery runs: some adapters cannot do both.
    package var isCautious: Bool {
        failures >= Self.cautionLimit
    }

    /// Records that a connection ended or could not be made.
    ///
    /// - Parameter wasConnected: whether it reached the state in which it can be subscribed.
    package mutating func lost(
        _ cause: DisconnectCause, of device: LEAddress?, wasConnected: Bool, at now: Instant
    ) -> RecoveryAction? {
        if device != self.device { self = ConnectionFailurePolicy() }
        self.device = device
        switch cause {
        case .unreachable where !wasConnected:
            failures += 1
            guard failures >= Self.failureLimit else { return nil }
            failures = 0
            return .powerCycle
        case .attTimeout where !wasConnected, .unsupported where !wasConnected:
            unresolved += 1
            guard unresolved >= Self.unresolvedLimit else { return nil }
            unresolved = 0
            return .removeDevice
        case .supervisionTimeout where wasConnected: fadings = fadings.suffix(Self.fadingLimit - 1) + [now]
        default: break
        }
        return nil
    }

    /// Records that the device is connected and its services are resolved.
    package mutating func connected() {
        failures = 0
        unresolved = 0
    }

    /// Whether the supervision timeout is too short for where the device is worn.
    package func isFading(at now: Instant) -> Bool {
        guard fadings.count == Self.fadingLimit, let last = fadings.last, now - last < Self.fadingPeriod else {
            return false
        }
        return last - fadings[0] <= Self.fadingPeriod
    }

    /// The time at which ``isFading(at:)`` may end if nothing happens before.
    package func deadline(at now: Instant) -> Instant? {
        isFading(at: now) ? fadings.last.map { $0 + Self.fadingPeriod } : nil
    }
}
