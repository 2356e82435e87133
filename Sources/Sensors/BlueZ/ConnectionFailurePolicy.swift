package import Domain

/// What has gone wrong with a strap's links of late, and what helps against it.
package struct ConnectionFailurePolicy: Sendable {
    package enum RecoveryAction: Equatable, Sendable {
        /// Have bluetoothd forget the device: what it keeps of its services may be old.
        case removeDevice
        /// Switch the adapter off and on.
        case powerCycle
    }

    /// Connections in a row that could not be made, after which one is begun only when nothing searches, and after which the adapter is
    /// switched off and on.
    package static let cautionLimit = 2
    package static let failureLimit = 10

    /// Connections in a row whose services could not be found out.
    package static let unresolvedLimit = 2

    /// So many streams that the air cut within so long are a fault of the supervision timeout.
    package static let fadingLimit = 3
    package static let fadingPeriod = Duration.seconds(600)

    private var strap: LEAddress?
    private var failures = 0
    private var unresolved = 0
    /// When streams faded last.
    private var fadings: [Instant] = []

    package init() {}

    /// Whether a connection is to be begun only when nothing searches: some adapters cannot do both.
    package var isCautious: Bool {
        failures >= Self.cautionLimit
    }

    /// A connection has ended, or could not be made.
    ///
    /// - Parameter wasConnected: whether it could be subscribed to.
    package mutating func lost(
        _ loss: StrapLink.DisconnectCause, of strap: LEAddress?, wasConnected: Bool, at now: Instant
    ) -> RecoveryAction? {
        if strap != self.strap { self = ConnectionFailurePolicy() }
        self.strap = strap
        switch loss {
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

    /// The strap is connected, and its services are known.
    package mutating func connected() {
        failures = 0
        unresolved = 0
    }

    /// Whether the supervision timeout is too short for where the strap is worn.
    package func isFading(at now: Instant) -> Bool {
        guard fadings.count == Self.fadingLimit, let last = fadings.last, now - last < Self.fadingPeriod else {
            return false
        }
        return last - fadings[0] <= Self.fadingPeriod
    }

    /// When that may be over, if nothing happens before.
    package func deadline(at now: Instant) -> Instant? {
        isFading(at: now) ? fadings.last.map { $0 + Self.fadingPeriod } : nil
    }
}
