/// Everything that is known at one moment, published as STATE; nil if unknown.
package struct State: Equatable, Sendable {
    /// Moment of the state: the scheduled moment of its tick.
    package var at: Instant
    package var time: UTC?
    package var clock: ClockSource
    package var run: RunState
    /// Nil while idle.
    package var activity: Activity?
    package var heart: HeartRateStatus
    /// Nil if the newest accepted fix is 10 s old or older.
    package var position: Timestamped<Position>?
    package var positionIsStale = false
    /// Nil without a receiver, and indoors.
    package var acquisition: AcquisitionStatus?
    /// Whether a run starts at the next position.
    package var isWaitingForPosition = false
    /// The sensors, at most ``SensorReadings/capacity``, the strap first, and the newest values of each by its index.
    package var sensors: [SensorStatus] = []
    package var readings = SensorReadings()
    package var ownFields = OwnFieldStatus()
    package var gpsd: LinkStatus
    package var bluetooth: BluetoothStatus
    package var recorder: RecorderStatus
    package var power: PowerStatus?
    /// Nil if no course is loaded.
    package var course: CourseStatus?
    /// Nil without a run or a partner.
    package var partner: PartnerStatus?
    /// Nil before the first accepted fix, and while the time of day is unknown.
    package var sun: SunStatus?
    /// Nil without an observation of a weather station.
    package var wind: WindStatus?
    package var ticks: TickStats
    package var faults: [Fault]
    /// Whether the values are those of a simulation or of a recording that is replayed.
    package var isDemo = false

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

extension State {
    /// The value of the first sensor of the list that has one.
    package func newest<Value>(_ value: (SensorReading) -> Value?) -> Value? {
        for index in sensors.indices {
            if let value = value(readings[index]) { return value }
        }
        return nil
    }
}

/// Source of the time of day.
package enum ClockSource: String, CaseIterable, Sendable {
    /// The system's clock, which the kernel reports as synchronised.
    case system
    /// A receiver: three fixes agree.
    case receiver
    /// The machine's real-time clock, which nothing has confirmed in this boot: a guess.
    case rtc
    case unset
}

/// What measures the speed and the distance of a run.
package enum SpeedSource: String, CaseIterable, Sendable {
    /// Nothing: an indoor run without a sensor.
    case none
    case position, wheel
    case footPod = "foot-pod"
    case machine
}

/// The highest average power over fixed durations. It allocates nothing.
package struct BestPowers: Equatable, Sendable {
    /// Seconds, rising.
    package static let durations = [5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600]

    private var storage = InlineArray<10, Double>(repeating: -1)

    package init() {}

    /// Watts over the duration with this index; nil if the run had no such stretch with power.
    package subscript(index: Int) -> Double? {
        get { storage[index] < 0 ? nil : storage[index] }
        set { storage[index] = newValue ?? -1 }
    }

    package static func == (lhs: BestPowers, rhs: BestPowers) -> Bool {
        durations.indices.allSatisfy { lhs.storage[$0] == rhs.storage[$0] }
    }
}

/// Values of the run in progress.
package struct Activity: Equatable, Sendable {
    /// From 1, never reused.
    package var id: Int
    package var sport: Sport
    /// Whether an automatic pause is in progress; the timer runs.
    package var isAutoPaused = false
    /// Whether the run uses no position; not on the wire.
    package var isIndoor = false
    package var total: Totals
    /// Seconds per metre, over about the last 5 s.
    package var pace: Double?
    /// Metres per second, over the last 3 s; nil while paused.
    package var speed: Double?
    /// Metres per second by the wheel, the foot pod or the machine that measures the speed; nil if the position does.
    package var sensorSpeed: Double?
    /// What measures speed and distance.
    package var speedSource = SpeedSource.position
    /// Watts: the newest value, and the averages of the last 3 s and 10 s; nil without a power meter.
    package var power: Double?
    package var power3s: Double?
    package var power10s: Double?
    /// Part of the left pedal in percent; nil if the power meter does not measure it.
    package var leftBalance: Double?
    /// The newest power in percent of the setting `ftp`; nil if that is unknown.
    package var percentOfFTP: Double?
    /// The power zone, 1 to 7; nil if no zones are known.
    package var powerZone: Int?
    /// Revolutions of the crank, or steps, per minute; zero: the sensor is present, nothing turns.
    package var cadence: Double?
    /// Over the last two minutes; nil without RR intervals, and while paused.
    package var variability: HeartRateVariability?
    /// Metres above mean sea level by the barometer, which the receiver has set; nil if the receiver's altitude counts.
    package var altitude: Double?
    /// The slope of the last 30 m or more, in percent; nil if it is unknown.
    package var grade: Double?
    /// Seconds per metre: the pace on level ground that costs as much as the pace on the present grade; nil without a
    /// pace or a grade, for sports that are not on foot, and indoors.
    package var gradeAdjustedPace: Double?
    /// Metres per second, positive upwards; 0 while standing.
    package var verticalSpeed: Double?
    /// What measures the climb now; nil if nothing does.
    package var ascentSource: AscentSource?
    package var lap: Totals
    /// From 1.
    package var lapNumber: Int
    /// Totals of the lap before; nil in the first lap.
    package var lastLap: Totals?
    /// Nil without a workout.
    package var workout: WorkoutStatus?

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

    /// Whether something measures the distance.
    package var hasDistance: Bool {
        speedSource != .none
    }
}

/// Totals of a run or a lap.
package struct Totals: Equatable, Sendable {
    /// Active time, in milliseconds: 100 for each tick.
    package var elapsedMilliseconds: Int64 = 0
    /// Active time without automatic pauses, or while they are off without the standing seconds, in milliseconds.
    package var movingMilliseconds: Int64 = 0
    package var distanceMetres = 0.0
    /// The highest speed, in metres per second.
    package var maximumSpeed: Double?
    /// Beats per minute, averaged over time.
    package var averageHeartRate: Double?
    /// Highest heart rate that two consecutive notifications reached.
    package var maximumHeartRate: Int?
    /// Zero while zones are off or unset.
    package var zones = ZoneTimes()
    /// What the body has spent, in kilocalories; nil if neither a strap counts it nor the settings give it.
    package var energyKilocalories: Double?
    /// The training impulse of Banister; nil without its settings or without a heart rate.
    package var trainingImpulse: Double?
    /// Watts, averaged over time.
    package var averagePower: Double?
    package var maximumPower: Int?
    /// Watts: the fourth root of the mean fourth power of the 30 s average.
    package var normalizedPower: Double?
    package var workJoules: Double?
    /// Revolutions of the crank, or steps, per minute, averaged over the time in which they were above zero.
    package var averageCadence: Double?
    package var maximumCadence: Double?
    /// Active time in the power zones; zero without zones.
    package var powerZones = ZoneTimes()
    /// The highest averages of power, in watts; empty in laps.
    package var bestPowers = BestPowers()
    /// Metres climbed and descended; nil if no altitude was known.
    package var ascent: Double?
    package var descent: Double?
    /// The estimated error of ``ascent``, in metres: two of three are nearer to the truth.
    package var ascentError: Double?
    /// What has measured most of the time.
    package var ascentSource: AscentSource?
    /// Seconds per metre: the active time over the metres on level ground that cost as much; nil if no grade was known.
    package var gradeAdjustedPace: Double?
    /// Active time that automatic pauses took out of the moving time, in milliseconds; nil without automatic pauses.
    package var autoPausedMilliseconds: Int64?

    package init() {}

    /// Seconds per metre over the active time; nil before the first counted metre.
    package var averagePace: Double? {
        distanceMetres > 0 ? Double(elapsedMilliseconds) / 1000 / distanceMetres : nil
    }

    /// Seconds per metre over the moving time; nil before the first counted metre.
    package var averageMovingPace: Double? {
        distanceMetres > 0 && movingMilliseconds > 0 ? Double(movingMilliseconds) / 1000 / distanceMetres : nil
    }

    /// Metres per second over the moving time; nil without any.
    package var averageMovingSpeed: Double? {
        movingMilliseconds > 0 ? distanceMetres * 1000 / Double(movingMilliseconds) : nil
    }

    /// Metres per second over the active time; nil before the first tick.
    package var averageSpeed: Double? {
        elapsedMilliseconds > 0 ? distanceMetres * 1000 / Double(elapsedMilliseconds) : nil
    }
}

/// Heart rate and the link to the strap.
package struct HeartRateStatus: Equatable, Sendable {
    package var link: LinkStatus
    /// Beats per minute, and when the notification arrived; nil if that is 10 s ago or not a valid heart rate.
    package var beatsPerMinute: Timestamped<Int>?
    package var isStale = false
    package var contact: Bool?
    /// 0 to 100.
    package var batteryPercent: Int?
    /// Zone, 0 to 5, and the place on the zone bar, 0 to 1; nil if zones are off or unset.
    package var zone: Int?
    package var zoneFraction: Double?
    /// The heart rate in percent of the settings' maximum, and of the range from the resting to the maximum heart rate, 0
    /// or more; nil if the settings are not set.
    package var percentOfMaximum: Double?
    package var percentOfReserve: Double?

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

/// Position of an accepted fix.
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

/// Status of the recorder.
package struct RecorderStatus: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// There is no journal.
        case off
        case writing
        /// No write completed for over 2 s: the disk is slow.
        case stalled
        /// The disk returned an error.
        case failed
    }

    package var state: State
    /// Age of the oldest row that is not yet written.
    package var behindMilliseconds: Int64?
    /// Time since the last sync to disk: rows written before it survive a power cut.
    package var syncedMillisecondsAgo: Int64?
    /// Free disk space, in MiB.
    package var freeMebibytes: Int?
    /// Sentence for users that describes the problem; it does not change while the problem lasts.
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

    /// The status some time after it was read: readers take what was written before the last sync for safe, so that must not
    /// seem later than it was.
    package func aged(by time: Duration) -> RecorderStatus {
        var status = self
        status.syncedMillisecondsAgo = syncedMillisecondsAgo.map { $0 + max(time.wholeMilliseconds, 0) }
        return status
    }
}

/// Status of the power supply, as far as the drivers report it.
package struct PowerStatus: Equatable, Sendable {
    /// Charge of the battery, 0 to 100 %; nil if there is no battery.
    package var batteryPercent: Int?
    /// Whether the battery is charging or full; nil if the driver does not report it.
    package var isCharging: Bool?
    /// Whether the supply voltage is, or was recently, too low for the board; nil
    /// if no driver monitors it. Not on the wire: it is published as a fault.
    package var isUnderVoltage: Bool?

    package init(batteryPercent: Int? = nil, isCharging: Bool? = nil, isUnderVoltage: Bool? = nil) {
        self.batteryPercent = batteryPercent
        self.isCharging = isCharging
        self.isUnderVoltage = isUnderVoltage
    }
}

/// Lateness of the ticks of the current or last run.
package struct TickStats: Equatable, Sendable {
    /// Number of ticks that were applied 50 ms or more after their moment.
    package var late = 0
    /// Greatest lateness of a tick.
    package var worst = Duration.zero

    package init() {}
}

/// A current problem that the user should know.
package struct Fault: Equatable, Sendable {
    /// A token for programs.
    package var name: FaultName
    package var since: Instant
    /// Sentence for users.
    package var message: String

    package init(name: FaultName, since: Instant, message: String) {
        self.name = name
        self.since = since
        self.message = message
    }
}

/// Names of faults, as on the wire. Later versions may add some; clients show the message of an unknown one.
package enum FaultName: String, CaseIterable, Sendable {
    case batteryEmpty = "battery-empty"
    case batteryLow = "battery-low"
    case clockUnset = "clock-unset"
    case deviceCopied = "device-copied"
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
