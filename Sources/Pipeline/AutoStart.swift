package import Domain

/// Begins a run by itself, for boards whose only switch is the power: when the board has moved 50 m (``MotionDetector``), or a strap has given
/// beats for 30 s.
///
///     fixes, readings ──▶ AutoStart ──▶ since when a run is to have begun ──▶ the start, taken back to there
///
/// It looks on during runs too, and is asked only while there is none. After a run has ended, however that was, each of the two begins
/// the next one only after it was away for 2 min: a stop by hand at the end of a ride is not undone by the walk into the house, nor by the
/// strap that is still worn. An end as of a moment that lies back counts from there.
package struct AutoStart: Sendable {
    private var movement = MotionDetector()
    /// When the board moved last, and when there was a beat last.
    private var movedAt: Instant?
    private var beatAt: Instant?
    /// Since when the beats have come without a hole.
    private var beatsSince: Instant?
    /// What began before is over with the run before; nil where it was away since.
    private var endedAt: (movement: Instant?, beats: Instant?)

    /// Beats for so long begin a run.
    package static let beats = Duration.seconds(30)
    /// A longer hole between good readings is one; readings that are none are part of it.
    private static let hole = Duration.seconds(3)
    /// Movement, or beats, that were away for so long after the end of a run begin another.
    package static let rearmDelay = RunCommand.maxBackdate

    package init() {}

    /// Takes what the pipeline has said.
    ///
    /// - Returns: when a run is to have begun; nil where none is to begin. To be heeded while none is on only.
    package mutating func receive(_ outputs: [Output]) -> Instant? {
        var since: Instant?
        for output in outputs {
            switch output {
            case .fix(let fix): since = since ?? receive(fix)
            case .heart(let reading): since = since ?? receive(reading)
            case .event(let event):
                switch event.kind {
                case .stop, .discard:
                    endedAt = (event.at, event.at)
                    since = nil
                default: break
                }
            }
        }
        return since
    }

    private mutating func receive(_ fix: AcceptedFix) -> Instant? {
        let position = fix.position
        let point = TrackPoint(
            coordinate: position.coordinate, moment: .nanoseconds(fix.at.nanoseconds), arrivedAt: fix.at,
            speed: position.speed, accuracy: position.accuracy)
        guard movement.receive(point, isJump: fix.isJump) else { return nil }
        if let ended = endedAt.movement, fix.at - max(movedAt ?? ended, ended) >= Self.rearmDelay {
            endedAt.movement = nil
        }
        movedAt = fix.at
        return endedAt.movement == nil ? movement.beganAt : nil
    }

    private mutating func receive(_ reading: HeartRateSample) -> Instant? {
        guard reading.quality == .good else { return nil }
        if let ended = endedAt.beats, reading.at - max(beatAt ?? ended, ended) >= Self.rearmDelay {
            endedAt.beats = nil
        }
        if beatsSince == nil || beatAt.map({ reading.at - $0 > Self.hole }) ?? true { beatsSince = reading.at }
        beatAt = reading.at
        guard endedAt.beats == nil, let beatsSince, reading.at - beatsSince >= Self.beats else { return nil }
        return beatsSince
    }
}
