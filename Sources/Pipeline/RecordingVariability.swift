package import Domain

/// Computes the variability of the heart rate over a whole recording from its rows, without the pauses.
///
/// α1 is the mean of the values of two minutes, one each 5 s.
package struct RecordingVariability {
    private var sums = VariabilitySums()
    private var filter = BeatFilter()
    private var meter = VariabilityMeter()
    private var before: VariabilityMeter.Beat?
    private var isRunning = false
    private var isBroken = true
    /// The end of the newest beat, in milliseconds since the start of the recording.
    private var chained: Double?
    private var alphas = (sum: 0.0, count: 0)
    private var measuredAt: Instant?
    /// The values of two minutes, one each 5 s. Of very long recordings every second, fourth… one is kept.
    package private(set) var points: [VariabilityPoint] = []
    private var nextPointAt: Int64 = 0
    private var pointStep: Int64 = 1

    private static let mostPoints = 1 << 15
    /// The fewest good beats.
    private static let fewest = 30
    /// The largest distance of a row's moment from the chain of its beats, in milliseconds.
    private static let tolerance = 2000.0

    package init() {}

    package mutating func ingest(_ row: RecordingRow) {
        switch row {
        case .begin:
            isRunning = true
            interrupt()
        case .end: isRunning = false
        case .beats(let at, let rr, let gap): if isRunning { add(rr, at: at, gap: gap) }
        case .sample, .lap, .segment, .autoPause, .autoResume: break
        }
    }

    /// Nil without beats.
    package var figures: HeartRateVariability? {
        guard before != nil else { return nil }
        var figures = sums.figures(fewest: Self.fewest)
        if figures.meanInterval != nil, alphas.count > 0 { figures.alpha1 = alphas.sum / Double(alphas.count) }
        return figures
    }

    private mutating func interrupt() {
        isBroken = true
        filter.restart()
        meter.interrupt()
        chained = nil
    }

    private mutating func add(_ rr: [UInt16], at: Int64, gap: Bool) {
        let length = rr.reduce(0.0) { $0 + Double($1) * 1000 / 1024 }
        let end = (chained ?? Double(at) - length) + length
        if gap || abs(end - Double(at)) > Self.tolerance { interrupt() }
        let chained = chained == nil ? Double(at) : end
        self.chained = chained
        meter.receive(rr, until: Instant(nanoseconds: Int64(chained * 1e6)), gap: isBroken)
        for units in rr {
            var beat = VariabilityMeter.Beat(end: 0, units: units, isGood: false, followsGood: false)
            beat.isGood = filter.judge(beat.interval)
            beat.followsGood = beat.isGood && !isBroken && before?.isGood == true
            isBroken = false
            beat.count(in: &sums, after: before)
            before = beat
        }
        guard let figures = meter.figures, figures.measuredAt != measuredAt else { return }
        measuredAt = figures.measuredAt
        add(VariabilityPoint(at: figures.measuredAt.milliseconds, rmssd: figures.rmssd, alpha1: figures.alpha1))
        guard let alpha = figures.alpha1 else { return }
        alphas = (alphas.sum + alpha, alphas.count + 1)
    }

    private mutating func add(_ point: VariabilityPoint) {
        guard point.at >= nextPointAt else { return }
        points.append(point)
        if points.count == Self.mostPoints {
            points = points.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
            pointStep = max(pointStep * 2, 10_000)
        }
        nextPointAt = point.at + pointStep
    }
}
