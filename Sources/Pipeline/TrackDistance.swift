package import Domain

/// Computes the distance of a recorded track from its positions and times; equal to a ``Replay``'s, to the bit.
///
/// It applies only the ticks after a new fix, so that its work grows with the rows and not with the time between them.
package struct TrackDistance: Sendable {
    package private(set) var metres = 0.0
    /// The distance without what the position of the newest row adds: that of the row before.
    ///
    /// A position counts at the tick after it. If the row has a heart rate too, that tick belongs to the row.
    package private(set) var metresBefore = 0.0
    /// Numbers of rejected positions: impossible speed for the sport, or a time that does not rise.
    package var refused: (speed: Int, time: Int) { (filter.refused[.speed] ?? 0, filter.refused[.time] ?? 0) }

    private var entries: RecordingReplaySource
    private let sport: Sport
    private let isIndoor: Bool
    private var filter = FixFilter()
    private var odometer: Odometer
    private var limit: DistanceLimit
    private var clock: TickSchedule?
    /// Number of ticks so far; every tenth counts distance.
    private var ticks: Int64 = 0
    private var hasNewFix = false

    private static let ticksOfSecond: Int64 = 10

    /// - Parameter recording: Header of the recording. An indoor one has no distance by position.
    package init(_ recording: RecordedActivity) {
        entries = RecordingReplaySource(recording, sport: nil)
        sport = recording.sport
        isIndoor = recording.isIndoor
        odometer = recording.isSwim ? Odometer(standing: Odometer.standingInWater) : Odometer()
        limit = DistanceLimit(fastest: sport.maxSpeed, at: entries.start)
    }

    package mutating func ingest(_ row: RecordingRow) {
        var entries = entries
        var before: Double?
        entries.ingest(row) {
            apply($0)
            if case .input(.fix) = $0.kind { before = metres }
        }
        self.entries = entries
        metresBefore = before ?? metres
    }

    /// Ends the track.
    package mutating func finish() {
        var entries = entries
        entries.finish { apply($0) }
        self.entries = entries
        metresBefore = metres
    }

    private mutating func apply(_ entry: InputLogEntry) {
        advance(to: entry.at)
        switch entry.kind {
        case .input(.fix(let fix)):
            guard !isIndoor, case .accepted(let point, let isJump) = filter.judge(fix, fastest: sport.maxSpeed) else {
                return
            }
            odometer.receive(point, isJump: isJump)
            hasNewFix = true
        case .command(.start):
            clock = TickSchedule(startedAt: entry.at)
            odometer.seed(at: entry.at)
        case .command(.pause): clock?.pause(at: entry.at)
        case .command(.resume):
            clock?.resume(at: entry.at)
            odometer.seed(at: entry.at)
        default: break
        }
    }

    /// Applies the due ticks; only the first whole second after a fix counts distance.
    private mutating func advance(to now: Instant) {
        guard let next = clock?.next, next <= now else { return }
        let due = (now - next).wholeNanoseconds / TickSchedule.period.wholeNanoseconds + 1
        let toSecond = Self.ticksOfSecond - ticks % Self.ticksOfSecond
        if hasNewFix, due >= toSecond {
            hasNewFix = false
            let tick = next + TickSchedule.period * Int(toSecond - 1)
            var step = odometer.tick(at: tick, sport: sport)
            step.hold(to: &limit, at: tick)
            metres += step.metres
        }
        clock?.finish(ticks: due)
        ticks += due
    }
}
