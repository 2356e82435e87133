/// The time of day at one moment of the boot clock. It is stored with an activity, never computed with.
package struct ClockMapping: Equatable, Sendable {
    package var at: Instant
    package var time: UTC
    package var source: ClockSource

    package init(at: Instant, time: UTC, source: ClockSource) {
        self.at = at
        self.time = time
        self.source = source
    }

    /// The time of day of `instant`: by the last mapping at or before it, or else by the first one after it.
    ///
    /// Source: docs/behaviour.md, "The time of day".
    ///
    /// - Parameter mappings: The mappings of the instant's boot, in order.
    /// - Returns: The time and the source of its mapping; nil if no mapping has a known clock.
    package static func time(
        of instant: Instant, by mappings: some Sequence<ClockMapping>
    ) -> (time: UTC, source: ClockSource)? {
        var used: ClockMapping?
        for mapping in mappings where mapping.source != .unset {
            guard mapping.at <= instant || used == nil else { break }
            used = mapping
        }
        return used.map {
            (UTC(milliseconds: $0.time.milliseconds + instant.milliseconds - $0.at.milliseconds), $0.source)
        }
    }
}
