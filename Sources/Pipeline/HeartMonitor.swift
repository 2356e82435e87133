import Domain

/// What the strap's notifications come to: a beat value with an age, its quality, and the beat clock.
///
/// Source: behaviour.md, "Heart rate"; the beat clock is that of facts/bluetooth-and-gpsd.md, section A.1.
struct HeartMonitor {
    /// The last notification, as long as it is worth something.
    private(set) var last: Timed<HeartRateMeasurement>?
    private(set) var quality = HeartQuality.good

    /// Where the last beat lies on the beat clock.
    private var beatAt: Instant?
    private var hasBegun = false
    /// The link was lost since the last notification: some were missed.
    private var isBroken = false
    /// Since when the same value came without RR intervals.
    private var unchangedSince: (value: UInt16, at: Instant)?

    /// Judges one notification and places it on the beat clock.
    mutating func receive(_ measurement: HeartRateMeasurement, at now: Instant) -> (
        HeartQuality, gap: Bool, beatAt: Instant?
    ) {
        quality = judge(measurement, at: now)
        last = Timed(measurement, at: now)
        let gap = placeBeats(measurement.rrIntervals, at: now)
        return (quality, gap, measurement.rrIntervals.isEmpty ? nil : beatAt)
    }

    /// The value never outlives a stop, a disconnect or a change of strap.
    mutating func clear() {
        last = nil
        unchangedSince = nil
    }

    /// The link was lost: beats are missing before the next notification.
    mutating func lose() {
        clear()
        isBroken = hasBegun
        beatAt = nil
    }

    /// Beats per minute, while they are a reading and under 10 s old.
    func beatsPerMinute(at now: Instant) -> Timed<Int>? {
        guard let last, quality == .good, last.age(at: now) < .seconds(10) else { return nil }
        return Timed(Int(last.value.beatsPerMinute), at: last.measuredAt)
    }

    /// Whether the strap touches skin, as long as its last word is under 10 s old.
    func contact(at now: Instant) -> Bool? {
        last.flatMap { $0.age(at: now) < .seconds(10) ? $0.value.contact : nil }
    }

    func isStale(at now: Instant) -> Bool {
        last.map { $0.age(at: now) >= .seconds(3) } ?? false
    }

    private mutating func judge(_ measurement: HeartRateMeasurement, at now: Instant) -> HeartQuality {
        let value = measurement.beatsPerMinute
        if !measurement.rrIntervals.isEmpty || unchangedSince?.value != value {
            unchangedSince = (value, now)
        }
        if value == 0 { return .zero }
        if value > 240 { return .outOfRange }
        // Straps are known that deny contact for a whole connection while every beat is right.
        if measurement.contact == false, measurement.rrIntervals.isEmpty { return .noContact }
        if let since = unchangedSince?.at, now - since >= .seconds(60) { return .frozen }
        return .good
    }

    /// Chains the intervals to the beat before, unless that strays 2 s from the arrival; returns whether beats are missing before them.
    private mutating func placeBeats(_ intervals: [UInt16], at now: Instant) -> Bool {
        var gap = isBroken
        isBroken = false
        hasBegun = true
        guard !intervals.isEmpty else { return gap }
        let sum = intervals.reduce(Int64(0)) { $0 + Int64($1) }
        let chained = beatAt.map { Instant(nanoseconds: $0.nanoseconds + sum * 1_000_000_000 / 1024) }
        if let chained, abs((chained - now).wholeNanoseconds) < 2_000_000_000 {
            beatAt = chained
        } else {
            gap = gap || beatAt != nil
            beatAt = now
        }
        return gap
    }
}
