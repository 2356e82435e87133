/// The variability of the heart rate over two minutes, or over a whole run; nil if unknown or not trustworthy.
///
/// Source: docs/behaviour.md, "Heart rate variability".
package struct HeartRateVariability: Equatable, Sendable {
    /// The newest beat.
    package var measuredAt = Instant(milliseconds: 0)
    /// Beats that the correction leaves out, in percent of all.
    package var artifactPercent = 0.0
    /// The mean RR interval, in milliseconds.
    package var meanInterval: Double?
    /// The root of the mean square of successive differences, in milliseconds.
    package var rmssd: Double?
    /// The standard deviation of the intervals, with N − 1, in milliseconds.
    package var sdnn: Double?
    /// Successive differences over 50 ms, in percent of the differences.
    package var pnn50: Double?
    /// The short-term scaling exponent of the detrended fluctuation analysis.
    package var alpha1: Double?
    /// Breaths per minute, estimated from the intervals.
    package var respiration: Double?
    /// Whether the rhythm of the intervals is regular enough for a breath.
    package var isRespirationGood = false

    /// With a greater part of left out beats the other values are absent, in percent.
    package static let artifactLimit = 5.0

    package init() {}
}

/// The variability of the two minutes before a moment of a recording.
package struct VariabilityPoint: Equatable, Sendable {
    /// Milliseconds since the start of the recording.
    package var at: Int64
    /// Milliseconds; nil with too many artefacts, and with too few beats.
    package var rmssd: Double?
    package var alpha1: Double?

    package init(at: Int64, rmssd: Double?, alpha1: Double?) {
        self.at = at
        self.rmssd = rmssd
        self.alpha1 = alpha1
    }
}
