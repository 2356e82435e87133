/// One output of the pipeline other than the state. Outputs keep the order in which they occurred.
package enum Output: Equatable, Sendable {
    case event(Event)
    case heart(HeartRateSample)
    case fix(AcceptedFix)
}

/// A change, published as EVENT. Events are never dropped silently.
package struct Event: Equatable, Sendable {
    package var at: Instant
    package var time: UTC?
    /// Whether only a real-time clock gives ``time``; not on the wire.
    package var isTimeGuessed: Bool
    /// The activity in progress; nil while idle.
    package var activity: Int?
    package var kind: Kind

    package init(
        at: Instant, time: UTC? = nil, isTimeGuessed: Bool = false, activity: Int? = nil, kind: Kind
    ) {
        self.at = at
        self.time = time
        self.isTimeGuessed = isTimeGuessed
        self.activity = activity
        self.kind = kind
    }

    package enum Kind: Equatable, Sendable {
        /// `back` is how far the start was backdated. `resumed`: the activity continues after an outage.
        case start(Sport, back: Duration = .zero, resumed: Bool = false)
        case pause(elapsedMilliseconds: Int64, distanceMetres: Double, Trigger)
        case resume(elapsedMilliseconds: Int64, distanceMetres: Double, Trigger)
        /// An automatic pause has begun, or ended, at this active time, a little before the event. The timer runs on.
        case autoPause(elapsedMilliseconds: Int64, distanceMetres: Double)
        case autoResume(elapsedMilliseconds: Int64, distanceMetres: Double)
        case lap(Totals, number: Int, Trigger)
        /// The user has marked a place. The number counts from 1.
        case mark(RecordedMark, number: Int)
        case stop(ActivitySummary)
        case discard(ActivitySummary)
        /// `after` is the duration of the previous state.
        case link(LinkOwner, LinkStatus, after: Duration)
        case fix(Freshness, mode: UInt8, after: Duration)
        case gap(GapCause, seconds: Double, metres: Double?, counted: Bool)
        /// `stepMilliseconds` is the change of the time of day; nil if it was unknown before.
        case clock(ClockSource, stepMilliseconds: Int64?)
        case recorder(RecorderStatus.State, message: String?)
        case fault(Fault, raised: Bool)
        case settings(SettingKey, Settings)
        /// Another source measures the speed and the distance of the run.
        case source(SpeedSource, previous: SpeedSource)
        /// The position has given this value of a setting. The owner stores it.
        case calibration(SettingKey, Int)
        /// A vehicle approaches, or the last one has passed. Distance in metres and speed of approach in metres per
        /// second of the nearest.
        case radar(vehicles: Int, metres: Int?, metresPerSecond: Double?)
        case alert(AlertReport)
        /// A step of the workout begins: its number from 0 and its words; nil if the workout is over.
        case workout(step: Int, steps: Int, text: String?)
        /// The distance of the activity has exceeded that of a badge.
        case badge(Badge)
        case course(CourseEvent)
        case cue(CueReport)
        case climb(ClimbReport)
        /// Half an hour or less is left to the end of civil twilight.
        case light(SunStatus)
        /// A message to the user from another program.
        case notice(topic: String, key: String, SanitizedText)
    }

    package enum Trigger: String, CaseIterable, Sendable {
        case command, auto, distance, time
    }

    package enum LinkOwner: String, Sendable {
        case heart, gpsd, sensor
    }

    package enum Freshness: String, CaseIterable, Sendable {
        case fresh, stale, absent
    }

    package enum GapCause: String, Sendable {
        case position, sleep, restart
    }
}

/// One activity of a list.
package struct ActivitySummary: Equatable, Sendable {
    package var id: Int
    /// Nil in a replay, and in a journal of an earlier release that cannot be written.
    package var uuid: UUID?
    package var sport: Sport
    /// Name given by the user.
    package var name: SanitizedText?
    package var isOpen: Bool
    package var started: UTC?
    /// Whether the times are by a real-time clock that nothing has confirmed.
    package var isTimeGuessed = false
    package var ended: UTC?
    package var total: Totals
    /// Time from start to end, pauses included, in milliseconds.
    package var totalMilliseconds: Int64
    package var laps: Int
    /// The lap that the end of the activity closed; not on the wire.
    package var lastLap: Totals
    package var gaps: Int
    package var isDemo: Bool
    /// Set if the activity was copied from a damaged journal.
    package var recovered: RecoveryNote?
    /// Set if the activity is in the trash.
    package var trashed: TrashMark?

    package init(
        id: Int, sport: Sport, isOpen: Bool, started: UTC?, ended: UTC?, total: Totals, totalMilliseconds: Int64,
        laps: Int, lastLap: Totals = Totals(), gaps: Int, isDemo: Bool
    ) {
        self.id = id
        self.sport = sport
        self.isOpen = isOpen
        self.started = started
        self.ended = ended
        self.total = total
        self.totalMilliseconds = totalMilliseconds
        self.laps = laps
        self.lastLap = lastLap
        self.gaps = gaps
        self.isDemo = isDemo
    }
}

/// That a record is in the trash.
package struct TrashMark: Equatable, Sendable {
    /// When it was put there; nil without a clock.
    package var at: UTC?

    package init(at: UTC?) {
        self.at = at
    }
}

/// Losses of an activity that was copied from a damaged journal.
package struct RecoveryNote: Equatable, Sendable {
    /// The activity's number in the damaged journal; nil if it kept its number.
    package var formerID: Int?
    /// Number of rows that could not be read.
    package var lostRows: Int

    package init(formerID: Int? = nil, lostRows: Int) {
        self.formerID = formerID
        self.lostRows = lostRows
    }
}

/// One notification of the strap with its quality and its place on the beat clock.
package struct HeartRateSample: Equatable, Sendable {
    package var at: Instant
    package var time: UTC?
    package var measurement: HeartRateMeasurement
    package var quality: HeartRateQuality
    /// Whether beats are missing before this notification.
    package var gap: Bool
    /// End of the last RR interval on the beat clock.
    package var beatAt: Instant?

    package init(
        at: Instant, time: UTC?, measurement: HeartRateMeasurement, quality: HeartRateQuality, gap: Bool,
        beatAt: Instant?
    ) {
        self.at = at
        self.time = time
        self.measurement = measurement
        self.quality = quality
        self.gap = gap
        self.beatAt = beatAt
    }
}

/// A fix that passed the filter.
package struct AcceptedFix: Equatable, Sendable {
    /// Arrival of the first report.
    package var at: Instant
    package var time: UTC?
    package var receiverTime: UTC?
    package var device: SanitizedText?
    package var position: Position
    /// Whether the distance from the previous fix does not count; not on the wire.
    package var isJump: Bool

    package init(
        at: Instant, time: UTC?, receiverTime: UTC?, device: SanitizedText?, position: Position, isJump: Bool = false
    ) {
        self.at = at
        self.time = time
        self.receiverTime = receiverTime
        self.device = device
        self.position = position
        self.isJump = isJump
    }
}
