import Domain

/// Computes the current heart rate with its age and quality, and the beat clock, from the strap's notifications.
///
/// Source: docs/decisions/training.md; docs/behaviour.md, "Heart rate".
struct HeartRateMonitor {
    private(set) var memory = PipelineSnapshot.Heart()

    init(_ memory: PipelineSnapshot.Heart = PipelineSnapshot.Heart()) {
        self.memory = memory
    }

    /// Judges one notification and places it on the beat clock.
    mutating func receive(_ measurement: HeartRateMeasurement, at now: Instant) -> (
        HeartRateQuality, gap: Bool, beatAt: Instant?
    ) {
        memory.quality = judge(measurement, at: now)
        memory.last = Timestamped(measurement, at: now)
        let gap = placeBeats(measurement.rrIntervals, at: now)
        return (memory.quality, gap, measurement.rrIntervals.isEmpty ? nil : memory.beatAt)
    }

    /// Clears the value; called at a stop, a disconnection or a change of strap.
    mutating func clear() {
        memory.last = nil
        memory.unchanged = nil
    }

    /// Clears the value and restarts the beat clock: beats are missing before the next notification.
    mutating func reset() {
        clear()
        memory.isBroken = memory.hasBegun
        memory.beatAt = nil
    }

    /// Beats per minute; nil if the last notification is invalid or 10 s old.
    func beatsPerMinute(at now: Instant) -> Timestamped<Int>? {
        guard let last = memory.last, memory.quality == .good, last.age(at: now) < .seconds(10) else { return nil }
        return Timestamped(Int(last.value.beatsPerMinute), at: last.measuredAt)
    }

    /// Skin contact of the last notification; nil if that is 10 s old.
    func contact(at now: Instant) -> Bool? {
        memory.last.flatMap { $0.age(at: now) < .seconds(10) ? $0.value.contact : nil }
    }

    func isStale(at now: Instant) -> Bool {
        memory.last.map { $0.age(at: now) >= .seconds(3) } ?? false
    }

    private mutating func judge(_ measurement: HeartRateMeasurement, at now: Instant) -> HeartRateQuality {
        let value = measurement.beatsPerMinute
        if !measurement.rrIntervals.isEmpty || memory.unchanged?.value != value {
            memory.unchanged = Timestamped(value, at: now)
        }
        if value == 0 { return .zero }
        if value > 240 { return .outOfRange }
        // Some straps report no contact for a whole connection although every RR interval is right.
        if measurement.contact == false, measurement.rrIntervals.isEmpty { return .noContact }
        if let since = memory.unchanged?.measuredAt, now - since >= .seconds(60) { return .frozen }
        return .good
    }

    /// Chains the intervals to the previous beat, or restarts the chain at the arrival if it strays 2 s from that.
    ///
    /// - Returns: Whether beats are missing before the intervals.
    private mutating func placeBeats(_ intervals: [UInt16], at now: Instant) -> Bool {
        var gap = memory.isBroken
        memory.isBroken = false
        memory.hasBegun = true
        guard !intervals.isEmpty else { return gap }
        let sum = intervals.reduce(Int64(0)) { $0 + Int64($1) }
        let chained = memory.beatAt.map { Instant(nanoseconds: $0.nanoseconds + sum * 1_000_000_000 / 1024) }
        if let chained, abs((chained - now).wholeNanoseconds) < 2_000_000_000 {
            memory.beatAt = chained
        } else {
            gap = gap || memory.beatAt != nil
            memory.beatAt = now
        }
        return gap
    }
}
