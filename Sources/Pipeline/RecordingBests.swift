package import Domain

/// Finds the best times over distances and the best mean powers inside an activity, from its rows.
///
/// Source: docs/behaviour.md, "Personal bests".
package struct RecordingBests {
    private var times: WindowSearch?
    private var powers = WindowSearch(BestKind.powers.map { Double($0.seconds ?? 0) * 1000 }, .greatestRise)

    // Distance
    /// Measures the distance of a recording whose samples state none; nil once one does.
    private var track: TrackDistance?
    /// The newest sample of such a recording: its fix is counted when the next row comes.
    private var pending: RecordingSample?
    /// The newest point: where the distance is known.
    private var known: (elapsed: Int64, metres: Double, coordinate: Coordinate?)?
    /// Whether the position was absent since `known`.
    private var isLost = false
    /// The active time of the sample after `known` that had no position or no new one.
    private var newestElapsed: Int64 = 0

    // Power
    private var elapsed: Int64 = 0
    /// Watts times milliseconds since the start.
    private var energy = 0.0

    /// Without a position for this long, in milliseconds of active time, the distance is uncertain.
    private static let longestLoss: Int64 = 10_000
    /// Samples may be this far apart.
    private static let longestStep: Int64 = 60_000
    /// A power counts for at most this time before its sample.
    private static let longestPower: Int64 = 10_000

    /// - Parameter recording: its sport, and whether it is indoors, decide what counts.
    package init(_ recording: RecordedActivity) {
        guard recording.sport.isOnFoot else { return }
        times = WindowSearch(BestKind.times.compactMap(\.metres), .leastRise)
        if !recording.isIndoor { track = TrackDistance(recording) }
    }

    package mutating func ingest(_ row: RecordingRow) {
        track?.ingest(row)
        switch row {
        case .sample(let sample):
            addPower(of: sample)
            if times != nil { addDistance(of: sample) }
        case .segment: interrupt()
        case .end: powers.interrupt()
        case .begin, .beats, .lap, .autoPause, .autoResume: break
        }
    }

    /// Ends the recording.
    ///
    /// - Returns: the best of each kind that the recording is long enough for, by kind.
    package mutating func finish() -> [BestEffort] {
        track?.finish()
        addPending()
        var efforts: [BestEffort] = []
        for (kind, window) in zip(BestKind.times, times?.best ?? []) {
            guard let window, window.rise > 0 else { continue }
            efforts.append(
                BestEffort(
                    kind, window.rise, elapsedMilliseconds: Int64(window.y.rounded()), distanceMetres: window.x))
        }
        for (index, kind) in BestKind.powers.enumerated() {
            guard let window = powers.best[index], window.rise > 0 else { continue }
            efforts.append(
                BestEffort(
                    kind, window.rise / powers.widths[index], elapsedMilliseconds: Int64(window.x.rounded())))
        }
        return efforts
    }

    // MARK: Distance

    private mutating func addDistance(of sample: RecordingSample) {
        if let metres = sample.distanceMetres, metres.isFinite {
            if track != nil {
                // The recording states distances: what was measured before the first of them does not count.
                track = nil
                pending = nil
                known = nil
                times = WindowSearch(BestKind.times.compactMap(\.metres), .leastRise)
            }
            add(sample, metres)
        } else if track != nil {
            addPending()
            pending = sample
        }
    }

    private mutating func addPending() {
        guard let pending, let track else { return }
        self.pending = nil
        add(pending, track.metresBefore)
    }

    private mutating func add(_ sample: RecordingSample, _ metres: Double) {
        let time = sample.elapsedMilliseconds
        guard let known else { return begin(sample, metres) }
        let metres = max(metres, known.metres)
        guard time >= known.elapsed else { return }
        let isAway = time - max(newestElapsed, known.elapsed) > Self.longestStep
        newestElapsed = time
        if known.coordinate != nil, metres == known.metres,
            sample.coordinate == nil || sample.coordinate == known.coordinate
        {
            // The receiver has no new position. The metres of this time come with the next one.
            isLost = isLost || sample.coordinate == nil
            if isAway { interrupt() }
            return
        }
        if isAway || isLost && time - known.elapsed >= Self.longestLoss { interrupt() }
        begin(sample, metres)
    }

    private mutating func begin(_ sample: RecordingSample, _ metres: Double) {
        known = (sample.elapsedMilliseconds, metres, sample.coordinate)
        newestElapsed = sample.elapsedMilliseconds
        isLost = false
        times?.add(x: metres, y: Double(sample.elapsedMilliseconds))
    }

    /// No best reaches over this place.
    private mutating func interrupt() {
        addPending()
        times?.interrupt()
        known = nil
        isLost = false
    }

    // MARK: Power

    private mutating func addPower(of sample: RecordingSample) {
        let time = sample.elapsedMilliseconds - elapsed
        guard time >= 0 else { return }
        defer { elapsed = sample.elapsedMilliseconds }
        guard let power = sample.countedPower else { return powers.interrupt() }
        if time > Self.longestPower { powers.interrupt() }
        if powers.isEmpty {
            let begin = time > Self.longestPower ? sample.elapsedMilliseconds : elapsed
            powers.add(x: Double(begin), y: energy)
        }
        guard time > 0, time <= Self.longestPower else { return }
        energy += Double(power) * Double(time)
        powers.add(x: Double(sample.elapsedMilliseconds), y: energy)
    }
}
