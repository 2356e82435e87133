package import Domain

/// Counts the revolutions of a wheel or a crank, and measures their rate, from the counters of a sensor.
///
/// The meter has no clock: the owner passes the time of each notification and of each reading.
///
/// - Revolutions are the difference of two counts, across a wrap of the counter too. A difference that is too large for
///   the time since the last notification with the old count is no wrap but a reset, or a wheel rolled in reverse: the
///   meter continues from the new count and adds nothing. It does the same with a crank after 60 s without
///   notifications, because a crank's counter is too short to recognise a reset after a long time.
/// - The rate is the difference of the counts over the difference of the event times. These wrap after 64 s, or 32 s
///   for the wheel of a power meter; the time of arrival selects the number of wraps. An event time that is more than
///   5 s beside its arrival does not count, and the time of arrival replaces it.
/// - A repeated count is no new revolution. The rate stays as it is, until no revolution has come for 3 s or two
///   expected periods, the later of both, but at most the slowest period. Then it is zero. Two periods alone are too
///   short for a fast crank, and 3 s too short for a bike that is pushed.
/// - A count that rises while its event time does not is kept until the event time rises.
/// - The first notification of a connection may be old: some sensors send one that they kept. It shows that the sensor
///   is present, and has no other effect. So revolutions of the time without a connection are counted with the second
///   one, under the rule above.
///
/// Source: Bluetooth SIG, Cycling Speed and Cadence Profile 1.0, section 4.4; docs/decisions/sensors.md, "Sensors".
package struct RevolutionMeter: Equatable, Sendable {
    /// What turns, and the units of its counters.
    package enum Rotor: String, CaseIterable, Sendable {
        case wheel
        /// The wheel of a power meter: event times in 1/2048 s.
        case powerMeterWheel = "power-meter-wheel"
        case crank

        /// Units of the event time in a second.
        var ticksPerSecond: Double {
            self == .powerMeterWheel ? 2048 : 1024
        }

        /// The largest count: 32 bits of a wheel, 16 bits of a crank.
        var largestCount: UInt32 {
            self == .crank ? UInt32(UInt16.max) : .max
        }

        /// The highest rate in revolutions per second: 63 m/s of a wheel of 2.1 m, 35 m/s of one of 1.17 m; a cadence
        /// of 300.
        var fastest: Double {
            self == .crank ? 5 : 30
        }

        /// The longest time without notifications whose revolutions are counted, in seconds.
        var longestGap: Double {
            self == .crank ? 60 : .infinity
        }

        /// The longest period of a turning rotor in seconds: a wheel of 2.1 m at 1.26 km/h; a cadence of 20.
        var slowestPeriod: Double {
            self == .crank ? 3 : 6
        }
    }

    /// New revolutions, and the time that they took.
    package struct Counted: Equatable, Sendable {
        package var revolutions: Int
        /// Longer than a few seconds after a gap. Another source may have covered such a span.
        package var span: Duration

        package static let none = Counted(revolutions: 0, span: .zero)
    }

    /// All that the meter remembers.
    package struct Memory: Equatable, Sendable {
        /// The last count with a new revolution, and the time of that revolution on the boot clock.
        package var base: RevolutionCount?
        package var eventAt = Instant(nanoseconds: 0)
        /// The time of the last notification with the count of ``base``.
        package var unchangedAt = Instant(nanoseconds: 0)
        /// The time of the last notification.
        package var receivedAt: Instant?
        /// The time since which notifications have shown no revolution.
        package var quietSince = Instant(nanoseconds: 0)
        /// Revolutions per second at ``eventAt``; nil before it is known.
        package var rate: Double?
        /// Whether the next notification is the first of a connection.
        package var isConnecting = true

        package init() {}
    }

    /// The rate is absent from 5 s after the last notification.
    package static let lifetime = Duration.seconds(5)
    /// The shortest time without a revolution after which the rate is zero, in seconds.
    private static let shortestQuiet = 3.0
    /// The rate is zero only if a notification confirms all but the last 1.5 s without a revolution. Otherwise
    /// notifications are missing, not revolutions.
    private static let unconfirmed = 1.5
    /// The largest difference between an event and its arrival, and what a late notification adds to a span, in seconds.
    private static let clockTolerance = 5.0
    private static let lateness = 2.0

    package let rotor: Rotor
    package private(set) var memory: Memory

    package init(_ rotor: Rotor, _ memory: Memory = Memory()) {
        self.rotor = rotor
        self.memory = memory
    }

    /// The meter with every moment moved later by `shift`.
    package func shifted(by shift: Duration) -> RevolutionMeter {
        var memory = memory
        memory.eventAt += shift
        memory.unchangedAt += shift
        memory.receivedAt? += shift
        memory.quietSince += shift
        return RevolutionMeter(rotor, memory)
    }

    /// The first notification of the next connection may be old, so it will have no effect.
    package mutating func disconnected() {
        memory.isConnecting = true
    }

    /// Revolutions per second. Zero: the sensor is present, nothing turns. Nil: the sensor is absent, or has not yet
    /// shown a rate.
    package func rate(at now: Instant) -> Double? {
        guard isPresent(at: now) else { return nil }
        return isStanding(at: now) ? 0 : memory.rate
    }

    /// Receives the count of one notification and returns its new revolutions.
    package mutating func received(_ count: RevolutionCount, at time: Instant) -> Counted {
        let now = max(time, memory.receivedAt ?? time)
        if memory.isConnecting || !isPresent(at: now) {
            memory.rate = nil
            memory.quietSince = now
        }
        let wasStanding = isStanding(at: now)
        memory.receivedAt = now
        if memory.isConnecting {
            memory.isConnecting = false
            return .none
        }
        guard let base = memory.base else {
            rebase(to: count, at: now)
            return .none
        }
        let new = (count.revolutions &- base.revolutions) & rotor.largestCount
        guard new > 0 else {
            memory.unchangedAt = now
            return .none
        }
        let unseen = (now - memory.unchangedAt).inSeconds
        guard unseen <= rotor.longestGap, Double(new) <= rotor.fastest * (unseen + Self.lateness) else {
            rebase(to: count, at: now)
            return .none
        }
        let waited = (now - memory.eventAt).inSeconds
        let span = span(from: base.eventTime, to: count.eventTime, waited: waited)
        // Infinite if the event time is the same.
        let rate = Double(new) / span
        guard rate <= rotor.fastest else { return .none }
        if span <= rotor.slowestPeriod {
            memory.rate = rate
        } else {
            memory.rate = wasStanding ? 0 : nil
        }
        let eventAt = memory.eventAt + .nanoseconds(Int64(span * 1e9))
        // The last notification with the old count did not have the event, and this one does.
        memory.eventAt = min(max(eventAt, memory.unchangedAt), now)
        memory.unchangedAt = now
        memory.quietSince = memory.eventAt
        memory.base = count
        return Counted(revolutions: Int(new), span: .nanoseconds(Int64(span * 1e9)))
    }

    private mutating func rebase(to count: RevolutionCount, at now: Instant) {
        memory.base = count
        memory.eventAt = now
        memory.unchangedAt = now
        memory.quietSince = now
        memory.rate = nil
    }

    /// Seconds between two events, the later of which arrives `waited` seconds after the earlier one happened.
    private func span(from earlier: UInt16, to later: UInt16, waited: Double) -> Double {
        let wrap = 65536 / rotor.ticksPerSecond
        let difference = Double(later &- earlier) / rotor.ticksPerSecond
        let span = difference + max(((waited - difference) / wrap).rounded(), 0) * wrap
        return abs(waited - span) <= Self.clockTolerance ? span : waited
    }

    /// Whether a notification has come within ``lifetime``.
    package func isPresent(at now: Instant) -> Bool {
        memory.receivedAt.map { now - $0 < Self.lifetime } ?? false
    }

    private func isStanding(at now: Instant) -> Bool {
        guard let receivedAt = memory.receivedAt else { return false }
        let periods = memory.rate.map { $0 > 0 ? 2 / $0 : 0 } ?? 0
        let quiet = max(min(periods, rotor.slowestPeriod), Self.shortestQuiet)
        let confirmed = (receivedAt - memory.quietSince).inSeconds
        return (now - memory.quietSince).inSeconds >= quiet && confirmed >= quiet - Self.unconfirmed
    }
}
