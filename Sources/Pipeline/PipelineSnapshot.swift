package import Domain

/// Snapshot of an idle pipeline. A pipeline restored from it behaves like the original, to the bit.
package struct PipelineSnapshot: Equatable, Sendable {
    package var settings: Settings
    package var isDemo: Bool
    package var rules = RunRules.current
    /// Number of the last activity; the next one gets the number after it.
    package var lastActivity: Int
    package var heartLink: Timestamped<LinkStatus>
    package var gpsdLink: Timestamped<LinkStatus>
    package var bluetooth: BluetoothStatus
    /// 0 to 100.
    package var batteryPercent: Int?
    package var position: Timestamped<Position>?
    package var freshness: Timestamped<Event.Freshness>
    package var faults: [Fault]
    package var rejections: RejectionStreak?
    package var clock = Clock()
    package var heart = Heart()
    package var sensors: [TrackedSensor] = []
    package var filter = Filter()
    /// The newest accepted fix.
    package var newest: TrackPoint?
    /// Distances of recent seconds' points from their extrapolation, in metres, oldest first; at most 60.
    package var jitter: [Double] = []
    package var course: LoadedCourse?
    package var partner: Partner?
    package var weather: WeatherObservation?
    /// Moment of the next periodic state.
    package var nextSecond: Instant

    package init(
        settings: Settings, isDemo: Bool, lastActivity: Int, heartLink: Timestamped<LinkStatus>,
        gpsdLink: Timestamped<LinkStatus>, bluetooth: BluetoothStatus, freshness: Timestamped<Event.Freshness>,
        faults: [Fault],
        nextSecond: Instant
    ) {
        self.settings = settings
        self.isDemo = isDemo
        self.lastActivity = lastActivity
        self.heartLink = heartLink
        self.gpsdLink = gpsdLink
        self.bluetooth = bluetooth
        self.freshness = freshness
        self.faults = faults
        self.nextSecond = nextSecond
    }

    /// Consecutive rejected fixes.
    package struct RejectionStreak: Equatable, Sendable {
        package var since: Instant
        package var last: Instant
        package var reason: FixRejection

        package init(since: Instant, last: Instant, reason: FixRejection) {
            self.since = since
            self.last = last
            self.reason = reason
        }
    }

    /// Mapping from the boot clock to UTC.
    package struct Clock: Equatable, Sendable {
        package var source = ClockSource.unset
        /// UTC minus time since boot, in milliseconds.
        package var offset: Int64?
        /// When the offset was last set from the system's clock.
        package var mappedAt: Instant?
        package var isSynchronised = false
        /// Offsets given by the last 3D fixes, oldest first; at most three.
        package var fixOffsets: [Int64] = []

        package init() {}
    }

    /// State of the heart-rate monitor.
    package struct Heart: Equatable, Sendable {
        package var last: Timestamped<HeartRateMeasurement>?
        package var quality = HeartRateQuality.good
        /// Moment of the last beat on the beat clock.
        package var beatAt: Instant?
        package var hasBegun = false
        package var isBroken = false
        /// The value that arrives unchanged and without RR intervals, and since when.
        package var unchanged: Timestamped<UInt16>?

        package init() {}
    }

    /// State of the fix filter.
    package struct Filter: Equatable, Sendable {
        package var last: TrackPoint?
        package var lastTime: UTC?
        /// Consecutive times that do not fit the receiver's clock, oldest first; at most three.
        package var suspected: [UTC] = []
        /// Recent error estimates, in metres, oldest first; at most 120.
        package var accuracies: [Double] = []
        /// Accepted points of about the last second, oldest first; at most 64.
        package var recent: [TrackPoint] = []
        /// First of the consecutive fixes with an impossible speed, and their number.
        package var impossibleSince: Duration?
        package var impossibleCount = 0
        /// How far the fixes' times have run ahead of their arrivals.
        package var lead = Duration.zero

        package init() {}
    }

    /// The snapshot with every moment moved later by `shift`; the time of day does not change.
    func shifted(by shift: Duration) -> PipelineSnapshot {
        var shifted = self
        shifted.heartLink.measuredAt += shift
        shifted.gpsdLink.measuredAt += shift
        shifted.position?.measuredAt += shift
        shifted.freshness.measuredAt += shift
        for index in faults.indices { shifted.faults[index].since += shift }
        shifted.rejections?.since += shift
        shifted.rejections?.last += shift
        shifted.clock.mappedAt? += shift
        shifted.clock.offset = clock.offset.map { $0 - shift.wholeMilliseconds }
        shifted.clock.fixOffsets = clock.fixOffsets.map { $0 - shift.wholeMilliseconds }
        shifted.heart.last?.measuredAt += shift
        shifted.heart.beatAt? += shift
        shifted.heart.unchanged?.measuredAt += shift
        for index in sensors.indices { shifted.sensors[index] = sensors[index].shifted(by: shift) }
        shifted.filter.last?.arrivedAt += shift
        for index in filter.recent.indices { shifted.filter.recent[index].arrivedAt += shift }
        shifted.newest?.arrivedAt += shift
        shifted.nextSecond += shift
        return shifted
    }
}

/// An accepted fix on the receiver's time line.
package struct TrackPoint: Equatable, Sendable {
    package var coordinate: Coordinate
    /// Moment on a time line without steps, from the receiver's times, or arrivals where those are missing or reset.
    package var moment: Duration
    package var arrivedAt: Instant
    /// Metres per second.
    package var speed: Double?
    /// Metres.
    package var accuracy: Double?

    package init(
        coordinate: Coordinate, moment: Duration, arrivedAt: Instant, speed: Double? = nil, accuracy: Double? = nil
    ) {
        self.coordinate = coordinate
        self.moment = moment
        self.arrivedAt = arrivedAt
        self.speed = speed
        self.accuracy = accuracy
    }
}
