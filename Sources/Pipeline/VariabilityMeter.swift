package import Domain

/// Computes the variability of the heart rate over the last two minutes, each 5 s.
///
/// It computes when beats arrive, not in a tick. The window has at most ``beatLimit`` beats, so that the time is bounded.
///
/// Source: docs/behaviour.md, "Heart rate variability".
package struct VariabilityMeter: Sendable {
    /// The values at the newest step; nil before the first.
    package private(set) var figures: HeartRateVariability?

    private var beats: [Beat] = []
    private var filter = BeatFilter()
    /// Whether the next beat has no neighbour before it.
    private var isBroken = true
    /// The good intervals of a step, kept for the capacity.
    private var good: [Double] = []
    private var fluctuations = FluctuationAnalysis()
    private var breaths = RespirationEstimator()

    struct Beat: Equatable, Sendable {
        /// The end of the interval on the beat clock, in milliseconds since boot.
        var end: Int64
        /// 1/1024 s.
        var units: UInt16
        var isGood: Bool
        /// Whether the interval before it ended where it begins, and both are good.
        var followsGood: Bool

        /// Milliseconds.
        var interval: Double { Double(units) * 1000 / 1024 }

        func count(in sums: inout VariabilitySums, after before: Beat?) {
            guard isGood else { return sums.countBad() }
            sums.count(interval, after: followsGood ? before?.interval : nil)
        }
    }

    /// Milliseconds.
    static let window: Int64 = 120_000
    private static let step: Int64 = 5000
    /// 120 s at 300 beats a minute. Of more, the oldest are left out.
    private static let beatLimit = 600
    /// The fewest good beats for the exponent, and for the other values.
    private static let fewestForAlpha = 100
    private static let fewest = 30
    /// The least part of the window that the intervals of the exponent cover, in milliseconds.
    private static let leastCovered = 110_000.0

    package init() {}

    /// Notes that beats are missing: after a pause.
    package mutating func interrupt() {
        isBroken = true
        filter.restart()
        figures = nil
    }

    /// Receives the intervals of a notification.
    ///
    /// - Parameters:
    ///   - end: the end of the last interval on the beat clock.
    ///   - gap: whether beats are missing before the first one.
    package mutating func receive(_ intervals: [UInt16], until end: Instant, gap: Bool) {
        guard !intervals.isEmpty else { return }
        if gap {
            isBroken = true
            filter.restart()
        }
        if beats.isEmpty { beats.reserveCapacity(Self.beatLimit) }
        let sum = intervals.reduce(Int64(0)) { $0 + Int64($1) }
        var passed: Int64 = 0
        for units in intervals {
            passed += Int64(units)
            append(units, at: end.milliseconds - (sum - passed) * 1000 / 1024)
        }
        let newest = end.milliseconds
        guard let figures else { return measure(at: end) }
        if abs(newest - figures.measuredAt.milliseconds) >= Self.step { measure(at: end) }
    }

    private mutating func append(_ units: UInt16, at end: Int64) {
        if beats.count == Self.beatLimit { beats.removeFirst(Self.beatLimit / 8) }
        var beat = Beat(end: end, units: units, isGood: false, followsGood: false)
        beat.isGood = filter.judge(beat.interval)
        beat.followsGood = beat.isGood && !isBroken && beats.last?.isGood == true
        isBroken = false
        beats.append(beat)
    }

    private mutating func measure(at end: Instant) {
        let newest = end.milliseconds
        // The beat clock may restart earlier than it was.
        let old = beats.firstIndex { newest - $0.end < Self.window && $0.end <= newest } ?? beats.endIndex
        beats.removeFirst(old)
        var sums = VariabilitySums()
        good.removeAll(keepingCapacity: true)
        var covered = 0.0
        for (index, beat) in beats.enumerated() {
            beat.count(in: &sums, after: index > 0 ? beats[index - 1] : nil)
            covered += beat.interval
            if beat.isGood { good.append(beat.interval) }
        }
        var figures = sums.figures(fewest: Self.fewest)
        figures.measuredAt = end
        if figures.meanInterval != nil {
            if good.count >= Self.fewestForAlpha, covered >= Self.leastCovered {
                figures.alpha1 = fluctuations.alpha1(of: good)
            }
            let estimate = breaths.estimate(from: beats)
            figures.respiration = estimate?.perMinute
            figures.isRespirationGood = estimate?.isGood ?? false
        }
        self.figures = figures
    }
}

/// The sums behind the variability in the time domain.
package struct VariabilitySums: Equatable, Sendable {
    private var all = 0
    private var good = 0
    /// Of the good intervals, and of the differences of neighbours, in milliseconds.
    private var sum = 0.0
    private var squares = 0.0
    private var differences = 0
    private var differenceSquares = 0.0
    private var wide = 0

    /// The difference of neighbours that counts in pNN50, in milliseconds.
    private static let wideDifference = 50.0

    package init() {}

    /// Counts an artefact.
    package mutating func countBad() {
        all += 1
    }

    /// - Parameters:
    ///   - interval: in milliseconds.
    ///   - before: the interval that ended where this one begins; nil if that is missing or bad.
    package mutating func count(_ interval: Double, after before: Double?) {
        all += 1
        good += 1
        sum += interval
        squares += interval * interval
        guard let before else { return }
        let difference = interval - before
        differences += 1
        differenceSquares += difference * difference
        if abs(difference) > Self.wideDifference { wide += 1 }
    }

    /// - Parameter fewest: the fewest good intervals.
    package func figures(fewest: Int) -> HeartRateVariability {
        var figures = HeartRateVariability()
        guard all > 0 else { return figures }
        figures.artifactPercent = Double(all - good) * 100 / Double(all)
        guard figures.artifactPercent <= HeartRateVariability.artifactLimit, good >= fewest, good > 1 else {
            return figures
        }
        let mean = sum / Double(good)
        figures.meanInterval = mean
        figures.sdnn = max((squares - mean * sum) / Double(good - 1), 0).squareRoot()
        guard differences > 0 else { return figures }
        figures.rmssd = (differenceSquares / Double(differences)).squareRoot()
        figures.pnn50 = Double(wide) * 100 / Double(differences)
        return figures
    }
}
