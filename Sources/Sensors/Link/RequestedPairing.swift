package import Domain

/// A pairing that a person has requested.
struct RequestedPairing: Sendable {
    enum Phase: Equatable {
        /// It starts at the next tick, so that it never ends before the request returns.
        case requested
        case searching
        case pairing(LEAddress)
    }

    let pattern: SensorMatcher
    let endsAt: Instant
    var phase = Phase.requested

    var deadline: Instant {
        phase == .requested ? endsAt - PairingResult.limit : endsAt
    }

    /// The result if it ends without one: the sensor was not found, or did not agree in time.
    var resultIfCancelled: PairingResult {
        if case .pairing = phase { .refused } else { .absent }
    }
}

extension SensorDriver {
    /// The known strap that a pattern means.
    package func knownStrap(matching pattern: SensorMatcher, at now: Instant) -> LEAddress? {
        if let known = selector.meant(by: pattern, at: now) { return known }
        return sensor(of: 0).flatMap { pattern.matches($0, name: name(of: $0)) ? $0 : nil }
    }
}
