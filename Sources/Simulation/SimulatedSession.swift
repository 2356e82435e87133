package import Domain

/// The sessions that `--demo` simulates.
package enum SimulatedSession: String, CaseIterable, Sendable {
    case run
    case ride
    /// Intervals on a trainer, without a position.
    case indoor

    /// Nil for the sport of the settings.
    package var sport: Sport? {
        self == .run ? nil : .ride
    }

    package var isIndoor: Bool { self == .indoor }

    /// Which link the session loses on purpose, and when, as a sentence of the log.
    package var plannedLosses: String {
        let (tunnel, dropout) = (PeriodicIncident.tunnel, PeriodicIncident.dropout)
        let position = "GPS after \(Int(tunnel.first)) s, in a tunnel of \(Int(tunnel.length)) s, and "
        return "the demo loses on purpose \(isIndoor ? "" : position)"
            + "the strap after \(Int(dropout.first)) s, for \(Int(dropout.length)) s"
    }
}

extension SimulatedSession {
    /// The effort of an indoor session: a warm-up of 5 min, then 4 min hard and 3 min easy in turn.
    ///
    /// - Parameter seconds: since the start.
    /// - Returns: the equivalent running speed on the flat, in metres per second.
    static func indoorEffort(after seconds: Double) -> Double {
        if seconds < 300 { return 1.9 }
        return (seconds - 300).truncatingRemainder(dividingBy: 420) < 240 ? 3.3 : 2.2
    }
}
