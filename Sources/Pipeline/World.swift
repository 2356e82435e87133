import Domain

/// What a run sees besides itself: the settings, the time of day, and what the devices measure. It outlives the run.
///
/// The methods of a run get it inout even to read it: Swift would copy so large a value in each tick.
struct World {
    var settings: Settings
    let isDemo: Bool
    var rules = RunRules.current
    var wallClock = UTCEstimator()
    var odometer = Odometer()
    var heart = HeartRateMonitor()
    /// Heart rate of the previous notification if it was valid, for the maximum.
    var previousHeartRate: Int?
    var sensors = SensorTable()
    var ownFields = OwnFieldTable()
    var position: Timestamped<Position>?
    var freshness: Timestamped<Event.Freshness>
    var course: LoadedCourse?
    /// No part of a snapshot: it only saves time.
    var sun = SunMemory()

    init(settings: Settings, isDemo: Bool, at now: Instant) {
        self.settings = settings
        self.isDemo = isDemo
        freshness = Timestamped(.absent, at: now)
    }

    /// - Parameter activity: Number of the run in progress; nil while idle.
    func emit(_ kind: Event.Kind, of activity: Int?, at now: Instant, into effects: inout Effects) {
        effects.outputs.append(
            .event(
                Event(
                    at: now, time: wallClock.time(at: now), isTimeGuessed: wallClock.isGuess, activity: activity,
                    kind: kind)))
    }
}
