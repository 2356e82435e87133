/// Everything that an idle pipeline knows: one that is made from it goes on as the one that it was taken from, to the bit.
package struct PipelineSnapshot: Equatable, Sendable {
    package var settings: Settings
    package var isDemo: Bool
    /// The number of the activity before; the next one has the number after it.
    package var lastActivity: Int
    package var heartLink: Timestamped<LinkStatus>
    package var gpsdLink: Timestamped<LinkStatus>
    package var bluetooth: BluetoothStatus
    /// 0 to 100.
    package var batteryPercent: Int?
    package var position: Timestamped<Position>?
    package var freshness: Timestamped<Event.Freshness>
    package var faults: [Fault]
    package var refusing: RejectionStreak?
    package var clock = Clock()
    package var heart = Heart()
    package var filter = Filter()
    /// The newest accepted fix.
    package var newest: TrackPoint?
    /// How noisy the track was lately, in metres, oldest first; at most 60.
    package var jitter: [Double] = []
    /// When the state is published next.
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

    /// Fixes that are refused one after another.
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

    /// How the boot clock maps to the time of day.
    package struct Clock: Equatable, Sendable {
        package var source = ClockSource.unset
        /// UTC less time since boot, in milliseconds.
        package var offset: Int64?
        /// When the offset was last taken from the system's clock.
        package var mappedAt: Instant?
        package var isSynchronised = false
        /// What the last 3D fixes give for the offset, oldest first; at most three.
        package var fixOffsets: [Int64] = []

        package init() {}
    }

    /// What the strap's notifications have come to.
    package struct Heart: Equatable, Sendable {
        package var last: Timestamped<HeartRateMeasurement>?
        package var quality = HeartRateQuality.good
        /// Where the last beat lies on the beat clock.
        package var beatAt: Instant?
        package var hasBegun = false
        package var isBroken = false
        /// Since when the same value came without RR intervals.
        package var unchanged: Timestamped<UInt16>?

        package init() {}
    }

    /// What the judge of fixes remembers.
    package struct Filter: Equatable, Sendable {
        package var last: TrackPoint?
        package var lastTime: UTC?
        /// Times in a row that do not fit the receiver's clock, oldest first; at most three.
        package var suspected: [UTC] = []
        /// The last error estimates, in metres, oldest first; at most 120.
        package var accuracies: [Double] = []
        /// Accepted points of the last second or a little more, oldest first; at most 64.
        package var recent: [TrackPoint] = []
        /// The first of the fixes in a row whose speed was impossible, and how many there were.
        package var impossibleSince: Duration?
        package var impossibleCount = 0
        /// How far the fixes' times have run ahead of their arrivals.
        package var lead = Duration.zero

        package init() {}
    }

    /// The same on a clock that stands so much later; the time of day stays what it is.
    func shifted(by shift: Duration) -> PipelineSnapshot {
        var shifted = self
        shifted.heartLink.measuredAt += shift
        shifted.gpsdLink.measuredAt += shift
        shifted.position?.measuredAt += shift
        shifted.freshness.measuredAt += shift
        for index in faults.indices { shifted.faults[index].since += shift }
        shifted.refusing?.since += shift
        shifted.refusing?.last += shift
        shifted.clock.mappedAt? += shift
        shifted.clock.offset = clock.offset.map { $0 - shift.wholeMilliseconds }
        shifted.clock.fixOffsets = clock.fixOffsets.map { $0 - shift.wholeMilliseconds }
        shifted.heart.last?.measuredAt += shift
        shifted.heart.beatAt? += shift
        shifted.heart.unchanged?.measuredAt += shift
        shifted.filter.last?.arrivedAt += shift
        for index in filter.recent.indices { shifted.filter.recent[index].arrivedAt += shift }
        shifted.newest?.arrivedAt += shift
        shifted.nextSecond += shift
        return shifted
    }
}

/// A fix that passed the filter, on the receiver's time line.
package struct TrackPoint: Equatable, Sendable {
    package var coordinate: Coordinate
    /// Where the fix lies on one line of time without steps, made of the receiver's own times and, where those are missing or were
    /// set anew, of the arrivals.
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
