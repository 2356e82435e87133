/// Judges each RR interval by those before it: the correction of artefacts while a run is in progress.
///
/// An interval is good if it is possible, and differs little from the interval before it and from the last good one. The
/// difference may be 20 % below 90 bpm (Malik), 7 % from 110 bpm on, where a heart beats more regularly, and in
/// between proportionally. After a bad interval it is enough to be within 10 % of the last good one. Two bad intervals
/// in a row that agree are a new level of the heart rate: the next one is compared with them.
package struct BeatFilter: Equatable, Sendable {
    /// In milliseconds.
    private var previous: Double?
    private var good: Double?
    private var wasBad = false
    /// The number of bad intervals in a row that agree with each other.
    private var agreeing = 0

    package init() {}

    /// 30 to 222 beats a minute, in milliseconds.
    private static let possible = 270.0...2000.0
    private static let slow = (interval: 60_000 / 90.0, tolerance: 0.2)
    private static let fast = (interval: 60_000 / 110.0, tolerance: 0.07)
    private static let returning = 0.1
    private static let newLevel = 2

    /// Forgets the intervals: beats are missing before the next one.
    mutating func restart() {
        self = BeatFilter()
    }

    /// - Parameter interval: in milliseconds.
    /// - Returns: Whether the interval is one between two normal beats.
    package mutating func judge(_ interval: Double) -> Bool {
        let isPossible = Self.possible.contains(interval)
        let tolerance = Self.tolerance(at: good ?? interval)
        let isSteady = previous.map { abs(interval - $0) <= tolerance * $0 } ?? true
        var isGood = isPossible
        if isPossible, previous != nil {
            let isNear = good.map { abs(interval - $0) <= tolerance * $0 } ?? true
            let returns = good.map { wasBad && abs(interval - $0) <= min(Self.returning, tolerance) * $0 } ?? false
            isGood = isSteady && isNear || returns
        }
        if isGood {
            good = interval
            agreeing = 0
        } else if isPossible {
            agreeing = isSteady && previous != nil ? agreeing + 1 : 1
            if agreeing >= Self.newLevel {
                good = interval
                agreeing = 0
            }
        } else {
            agreeing = 0
        }
        previous = interval
        wasBad = !isGood
        return isGood
    }

    private static func tolerance(at interval: Double) -> Double {
        if interval <= fast.interval { return fast.tolerance }
        if interval >= slow.interval { return slow.tolerance }
        let part = (interval - fast.interval) / (slow.interval - fast.interval)
        return fast.tolerance + part * (slow.tolerance - fast.tolerance)
    }
}
