/// What the time of day was at one moment of the boot clock. It is stored beside what is recorded, never computed with.
package struct ClockMapping: Equatable, Sendable {
    package var at: Instant
    package var time: UTC
    package var source: ClockSource

    package init(at: Instant, time: UTC, source: ClockSource) {
        self.at = at
        self.time = time
        self.source = source
    }

    /// The time of day of a moment by the mappings of its boot, in their order: by the last one before it, and where there is none by
    /// the first after it. Nil where no clock was ever known.
    ///
    /// Source: docs/behaviour.md, "The time of day".
    package static func time(of instant: Instant, by mappings: some Sequence<ClockMapping>) -> UTC? {
        var used: ClockMapping?
        for mapping in mappings where mapping.source != .unset {
            guard mapping.at <= instant || used == nil else { break }
            used = mapping
        }
        return used.map { UTC(milliseconds: $0.time.milliseconds + instant.milliseconds - $0.at.milliseconds) }
    }
}
