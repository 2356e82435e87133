import Domain

/// Estimates the mapping from the boot clock to UTC, and reports its source.
///
/// The system's clock gives it while the kernel reports synchronisation, else three consecutive 3D fixes that agree
/// and are not before the release date, else the last mapping stays. Before the first of these, the machine's
/// real-time clock gives a guess. Source: docs/behaviour.md, "The time of day"; docs/decisions/clock.md.
struct UTCEstimator {
    /// A change of the mapping, reported as EVENT `clock`.
    struct Change: Equatable {
        var source: ClockSource
        /// Change of the time of day; nil if it was unknown before.
        var stepMilliseconds: Int64?
    }

    private(set) var memory = PipelineSnapshot.Clock()

    init(_ memory: PipelineSnapshot.Clock = PipelineSnapshot.Clock()) {
        self.memory = memory
    }

    /// Greatest difference that is not a step, in milliseconds.
    private static let step: Int64 = 500

    var source: ClockSource { memory.source }
    var isGuess: Bool { source == .rtc }

    func time(at instant: Instant) -> UTC? {
        memory.offset.map { UTC(milliseconds: instant.milliseconds + $0) }
    }

    /// Whether ``system(_:isSynchronised:at:)`` would change nothing.
    func ignores(_ time: UTC, isSynchronised: Bool, at now: Instant) -> Bool {
        isSynchronised == memory.isSynchronised
            && (!isSynchronised || isKnown(time.milliseconds - now.milliseconds, at: now))
    }

    /// Whether ``realTimeClock(_:at:)`` would change nothing.
    func ignores(realTimeClock time: UTC, at now: Instant) -> Bool {
        switch source {
        case .system, .receiver: true
        case .rtc: !isStep(time.milliseconds - now.milliseconds)
        case .unset: time < Release.date
        }
    }

    /// Receives a reading of a clock that only the real-time clock has set; any other source replaces it.
    mutating func realTimeClock(_ time: UTC, at now: Instant) -> Change? {
        guard !ignores(realTimeClock: time, at: now) else { return nil }
        return map(time.milliseconds - now.milliseconds, from: .rtc)
    }

    /// Whether the time of a 3D fix would change nothing.
    func ignores(receiver time: UTC, arrivedAt: Instant) -> Bool {
        memory.isSynchronised || source == .receiver && !isStep(time.milliseconds - arrivedAt.milliseconds)
    }

    /// Whether the system's clock gave this offset less than a minute ago.
    private func isKnown(_ measured: Int64, at now: Instant) -> Bool {
        source == .system && !isStep(measured) && memory.mappedAt.map { now - $0 < .seconds(60) } ?? false
    }

    private func isStep(_ measured: Int64) -> Bool {
        memory.offset.map { abs(measured - $0) > Self.step } ?? true
    }

    /// Receives a reading of the system's clock.
    mutating func system(_ time: UTC, isSynchronised: Bool, at now: Instant) -> Change? {
        memory.isSynchronised = isSynchronised
        let measured = time.milliseconds - now.milliseconds
        guard isSynchronised, !isKnown(measured, at: now) else { return nil }
        memory.mappedAt = now
        return map(measured, from: .system)
    }

    /// Receives the time of an accepted fix.
    mutating func receiver(_ time: UTC, mode: UInt8, arrivedAt: Instant) -> Change? {
        guard mode >= 3, time >= Release.date else {
            memory.fixOffsets.removeAll(keepingCapacity: true)
            return nil
        }
        memory.fixOffsets.append(time.milliseconds - arrivedAt.milliseconds)
        if memory.fixOffsets.count > 3 { memory.fixOffsets.removeFirst() }
        // A fix arrives late, never early: the largest offset is the most accurate.
        let offsets = memory.fixOffsets
        guard !memory.isSynchronised, offsets.count == 3, let largest = offsets.max(), let smallest = offsets.min(),
            largest - smallest <= Self.step, source != .receiver || isStep(largest)
        else { return nil }
        return map(largest, from: .receiver)
    }

    private mutating func map(_ measured: Int64, from source: ClockSource) -> Change? {
        let before = memory.offset
        let isChange = isStep(measured) || source != self.source
        memory.offset = measured
        memory.source = source
        return isChange ? Change(source: source, stepMilliseconds: before.map { measured - $0 }) : nil
    }
}
