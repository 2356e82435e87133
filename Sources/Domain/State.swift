/// Everything that is known at one moment, as it is published. Nil is not known.
package struct State: Equatable, Sendable {
    /// The moment that the state is of: its tick's scheduled moment.
    package var at: Instant
    package var time: UTC?
    package var clock: ClockSource
    package var run: RunState
    /// Absent while idle.
    package var activity: Activity?
    package var heart: HeartRateStatus
    /// Absent when the newest fix is 10 s old.
    package var position: Timestamped<Position>?
    package var positionIsStale = false
    package var gpsd: LinkStatus
    package var bluetooth: BluetoothStatus
    package var recorder: RecorderStatus
    package var power: PowerStatus?
    package var ticks: TickStats
    package var faults: [Fault]

    package init(
        at: Instant, time: UTC? = nil, clock: ClockSource = .unset, run: RunState = .idle, activity: Activity? = nil,
        heart: HeartRateStatus, position: Timestamped<Position>? = nil, positionIsStale: Bool = false, gpsd: LinkStatus,
        bluetooth: BluetoothStatus, recorder: RecorderStatus, power: PowerStatus? = nil, ticks: TickStats,
        faults: [Fault] = []
    ) {
        self.at = at
        self.time = time
        self.clock = clock
        self.run = run
        self.activity = activity
        self.heart = heart
        self.position = position
        self.positionIsStale = positionIsStale
        self.gpsd = gpsd
        self.bluetooth = bluetooth
        self.recorder = recorder
        self.power = power
        self.ticks = ticks
        self.faults = faults
    }
}

/// Where the time of day comes from.
package enum ClockSource: String, CaseIterable, Sendable {
    /// The kernel says that its clock is synchronised.
    case system
    /// Three fixes of a receiver agree.
    case receiver
    case unset
}

/// The figures of the run that is on.
package struct Activity: Equatable, Sendable {
    /// From 1, never used twice.
    package var id: Int
    package var sport: Sport
    /// No position is used; not on the wire.
    package var isIndoor = false
    package var total: Totals
    /// Seconds per metre over about the last 5 s.
    package var pace: Double?
    /// Metres per second over the last 3 s; absent while paused.
    package var speed: Double?
    package var lap: Totals
    /// From 1.
    package var lapNumber: Int

    package init(
        id: Int, sport: Sport, total: Totals, pace: Double? = nil, speed: Double? = nil, lap: Totals, lapNumber: Int
    ) {
        self.id = id
        self.sport = sport
        self.total = total
        self.pace = pace
        self.speed = speed
        self.lap = lap
        self.lapNumber = lapNumber
    }
}

/// What a run, or a lap of it, has come to.
package struct Totals: Equatable, Sendable {
    /// Active time, in milliseconds: 100 for each tick.
    package var elapsedMilliseconds: Int64 = 0
    /// Active time less the seconds that stood still, in milliseconds.
    package var movingMilliseconds: Int64 = 0
    package var distanceMetres = 0.0
    /// The highest speed, in metres per second.
    package var maximumSpeed: Double?
    /// Beats per minute, weighted by time.
    package var averageHeartRate: Double?
    /// The highest heart rate held for two notifications.
    package var maximumHeartRate: Int?

    package init() {}

    /// Seconds per metre over the active time; nil before the first metre is counted.
    package var averagePace: Double? {
        distanceMetres > 0 ? Double(elapsedMilliseconds) / 1000 / distanceMetres : nil
    }
}

/// The heart and the link to the strap.
package struct HeartRateStatus: Equatable, Sendable {
    package var link: LinkStatus
    /// Beats per minute, when it was notified; absent when 10 s old or no reading.
    package var beatsPerMinute: Timestamped<Int>?
    package var isStale = false
    package var contact: Bool?
    /// 0 to 100.
    package var batteryPercent: Int?
    /// 0 to 5 and the place on the bar, 0 to 1; absent when zones are off or unset.
    package var zone: Int?
    package var zoneFraction: Double?

    package init(
        link: LinkStatus, beatsPerMinute: Timestamped<Int>? = nil, isStale: Bool = false, contact: Bool? = nil,
        batteryPercent: Int? = nil, zone: Int? = nil, zoneFraction: Double? = nil
    ) {
        self.link = link
        self.beatsPerMinute = beatsPerMinute
        self.isStale = isStale
        self.contact = contact
        self.batteryPercent = batteryPercent
        self.zone = zone
        self.zoneFraction = zoneFraction
    }
}

/// A fix that was accepted.
package struct Position: Equatable, Sendable {
    package var coordinate: Coordinate
    /// Metres above mean sea level.
    package var altitude: Double?
    /// Estimated horizontal error, in metres.
    package var accuracy: Double?
    /// Metres per second.
    package var speed: Double?
    /// Degrees from true north.
    package var track: Double?
    /// 2 or 3.
    package var mode: UInt8
    package var satellites: Int?

    package init(
        coordinate: Coordinate, altitude: Double? = nil, accuracy: Double? = nil, speed: Double? = nil,
        track: Double? = nil, mode: UInt8, satellites: Int? = nil
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.accuracy = accuracy
        self.speed = speed
        self.track = track
        self.mode = mode
        self.satellites = satellites
    }
}

/// The recording.
package struct RecorderStatus: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// There is no journal.
        case off
        case writing
        /// The disk is slow: nothing was taken for over 2 s.
        case stalled
        /// The disk refuses.
        case failed
    }

    package var state: State
    /// The age of the oldest row that is not written.
    package var behindMilliseconds: Int64?
    /// How long ago everything that was written then was certain to survive a power cut.
    package var syncedMillisecondsAgo: Int64?
    /// Room on the disk, in MiB.
    package var freeMebibytes: Int?
    /// What is wrong, as a sentence for people that stays the same as long as it is wrong.
    package var message: String?

    package init(
        state: State, behindMilliseconds: Int64? = nil, syncedMillisecondsAgo: Int64? = nil,
        freeMebibytes: Int? = nil, message: String? = nil
    ) {
        self.state = state
        self.behindMilliseconds = behindMilliseconds
        self.syncedMillisecondsAgo = syncedMillisecondsAgo
        self.freeMebibytes = freeMebibytes
        self.message = message
    }
}

/// How the board is supplied, as far as its drivers say it.
package struct PowerStatus: Equatable, Sendable {
    /// What is left in the battery, 0 to 100 %; nil where there is none.
    package var batteryPercent: Int?
    /// The battery is being charged, or is full; nil where it does not say.
    package var isCharging: Bool?
    /// The supply voltage is, or was just now, too low for the board; nil where nothing watches it. Not on the wire: it is a fault.
    package var isUnderVoltage: Bool?

    package init(batteryPercent: Int? = nil, isCharging: Bool? = nil, isUnderVoltage: Bool? = nil) {
        self.batteryPercent = batteryPercent
        self.isCharging = isCharging
        self.isUnderVoltage = isUnderVoltage
    }
}

/// How punctual the ticks of the present run were.
package struct TickStats: Equatable, Sendable {
    /// Ticks applied 50 ms or more after their moment.
    package var late = 0
    /// The longest that a tick of this run was applied after its moment.
    package var worst = Duration.zero

    package init() {}
}

/// Something that is wrong now and that a person should know.
package struct Fault: Equatable, Sendable {
    /// A token for programs.
    package var name: FaultName
    package var since: Instant
    /// A sentence for people.
    package var message: String

    package init(name: FaultName, since: Instant, message: String) {
        self.name = name
        self.since = since
        self.message = message
    }
}

/// Every fault by the token that it has on the wire. New ones may come; clients show the message of one that they do not know.
package enum FaultName: String, CaseIterable, Sendable {
    case batteryEmpty = "battery-empty"
    case batteryLow = "battery-low"
    case eventFlood = "event-flood"
    case exportFailed = "export-failed"
    case gpsdFlood = "gpsd-flood"
    case inUse = "in-use"
    case needsPairing = "needs-pairing"
    case noPermission = "no-permission"
    case parametersRefused = "parameters-refused"
    case positionRejected = "position-rejected"
    case recorderFailed = "recorder-failed"
    case recorderStalled = "recorder-stalled"
    case strapFlood = "strap-flood"
    case supervisionTimeout = "supervision-timeout"
    case underVoltage = "under-voltage"
}
