package import Domain

/// Starts a run automatically, for boards whose only switch is the power: when the board
/// has moved 50 m (``MotionDetector``), or a strap has sent valid heart rates for 30 s.
///
///     fixes, heart-rate samples ──▶ AutoStart ──▶ the moment to which a start is backdated
///
/// It receives outputs during runs too; its result counts only while idle. After a run has ended,
/// movement or beats start the next one only after ``rearmDelay`` without them. So neither the walk
/// home after a stop by hand nor a strap that is still worn starts another run. The delay counts from
/// the moment at which the run ended, which for an automatic stop is earlier than the stop itself.
package struct AutoStart: Sendable {
    private var movement = MotionDetector()
    /// Moments of the last movement and of the last valid heart rate.
    private var movedAt: Instant?
    private var beatAt: Instant?
    /// Beginning of the current series of valid heart rates.
    private var beatsSince: Instant?
    /// End of the last run; nil once movement, or beats, were absent for ``rearmDelay``.
    private var endedAt: (movement: Instant?, beats: Instant?)

    /// Duration of valid heart rates that starts a run.
    package static let beats = Duration.seconds(30)
    /// Longest time between two valid samples of one series.
    private static let hole = Duration.seconds(3)
    /// Time without movement, or beats, after a run until they can start another.
    package static let rearmDelay = RunCommand.maxBackdate

    package init() {}

    /// Receives the outputs of the pipeline.
    ///
    /// - Returns: The moment to which a run's start is backdated; nil if none starts. Ignore it during a run.
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
