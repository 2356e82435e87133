import Domain

/// What the strap's notifications come to: a beat value with an age, its quality, and the beat clock.
///
/// Source: docs/behaviour.md, "Heart rate".
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

    /// The value never outlives a stop, a disconnect or a change of strap.
    mutating func clear() {
        memory.last = nil
        memory.unchanged = nil
    }

    /// The link was lost: beats are missing before the next notification.
    mutating func reset() {
        clear()
        memory.isBroken = memory.hasBegun
        memory.beatAt = nil
    }

    /// Beats per minute, while they are a reading and under 10 s old.
    func beatsPerMinute(at now: Instant) -> Timestamped<Int>? {
        guard let last = memory.last, memory.quality == .good, last.age(at: now) < .seconds(10) else { return nil }
        return Timestamped(Int(last.value.beatsPerMinute), at: last.measuredAt)
    }

    /// Whether the strap touches skin, as long as its last word is under 10 s old.
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
        // Straps are known that deny contact for a whole connection while every beat is right.
        if measurement.contact == false, measurement.rrIntervals.isEmpty { return .noContact }
        if let since = memory.unchanged?.measuredAt, now - since >= .seconds(60) { return .frozen }
        return .good
    }

    /// Chains the intervals to the beat before, unless that strays 2 s from the arrival; returns whether beats are missing before them.
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
