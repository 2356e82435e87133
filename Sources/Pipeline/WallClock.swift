import Domain

/// The time of day: a mapping from the boot clock to UTC, and where it comes from.
///
/// The system's clock is believed while the kernel calls it synchronised, else three 3D fixes in a row that agree and do not lie before
/// the release's date. Source: behaviour.md, "The time of day".
struct WallClock {
    /// The mapping moved: EVENT `clock`.
    struct Change: Equatable {
        var source: ClockSource
        /// How far the time of day moved; nil when it was not known before.
        var stepMilliseconds: Int64?
    }

    private(set) var source = ClockSource.unset
    /// UTC less time since boot, in milliseconds.
    private var offset: Int64?
    /// When `offset` was last taken from the system's clock.
    private var mappedAt: Instant?
    private var isSynchronised = false
    /// Offsets of the last 3D fixes, at most three.
    private var fixOffsets: [Int64] = []

    /// A difference of more than this is a step, in milliseconds.
    private static let step: Int64 = 500

    func time(at instant: Instant) -> UTC? {
        offset.map { UTC(milliseconds: instant.milliseconds + $0) }
    }

    /// What the system's clock says.
    mutating func system(_ time: UTC, isSynchronised: Bool, at now: Instant) -> Change? {
        self.isSynchronised = isSynchronised
        guard isSynchronised else { return nil }
        let measured = time.milliseconds - now.milliseconds
        let isDue = mappedAt.map { now - $0 >= .seconds(60) } ?? true
        let isStep = offset.map { abs(measured - $0) > Self.step } ?? true
        guard source != .system || isStep || isDue else { return nil }
        mappedAt = now
        return map(measured, from: .system, isStep: isStep)
    }

    /// What an accepted fix says.
    mutating func receiver(_ time: UTC, mode: UInt8, arrivedAt: Instant) -> Change? {
        guard mode >= 3, time >= Release.date else {
            fixOffsets.removeAll(keepingCapacity: true)
            return nil
        }
        fixOffsets.append(time.milliseconds - arrivedAt.milliseconds)
        if fixOffsets.count > 3 { fixOffsets.removeFirst() }
        // A fix arrives late, never early: the largest offset is the nearest.
        guard !isSynchronised, fixOffsets.count == 3, let largest = fixOffsets.max(), let smallest = fixOffsets.min(),
            largest - smallest <= Self.step
        else { return nil }
        let isStep = offset.map { abs(largest - $0) > Self.step } ?? true
        guard source != .receiver || isStep else { return nil }
        return map(largest, from: .receiver, isStep: isStep)
    }

    private mutating func map(_ measured: Int64, from source: ClockSource, isStep: Bool) -> Change? {
        let before = offset
        let isChange = isStep || source != self.source
        offset = measured
        self.source = source
        return isChange ? Change(source: source, stepMilliseconds: before.map { measured - $0 }) : nil
    }
}
