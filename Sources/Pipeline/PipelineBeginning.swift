import Domain

/// Snapshot and restore of an idle pipeline.
extension Pipeline {
    /// Snapshot of an idle pipeline; it holds nothing of a run.
    package var beginning: PipelineSnapshot {
        var beginning = PipelineSnapshot(
            settings: settings, isDemo: isDemo, lastActivity: lastActivity, heartLink: heartLink, gpsdLink: gpsdLink,
            bluetooth: bluetooth, freshness: freshness, faults: faults, nextSecond: nextSecond)
        beginning.batteryPercent = batteryPercent
        beginning.position = position
        beginning.refusing = refusing
        beginning.clock = wallClock.memory
        beginning.heart = heart.memory
        beginning.filter = filter.memory
        beginning.newest = odometer.newest
        beginning.jitter = odometer.jitter.inOrder
        return beginning
    }

    package init(_ beginning: PipelineSnapshot) {
        self.init(settings: beginning.settings, isDemo: beginning.isDemo, at: beginning.nextSecond)
        lastActivity = beginning.lastActivity
        heartLink = beginning.heartLink
        gpsdLink = beginning.gpsdLink
        bluetooth = beginning.bluetooth
        freshness = beginning.freshness
        faults = beginning.faults
        batteryPercent = beginning.batteryPercent
        position = beginning.position
        refusing = beginning.refusing
        wallClock = UTCEstimator(beginning.clock)
        heart = HeartRateMonitor(beginning.heart)
        filter = FixFilter(beginning.filter)
        odometer = Odometer(newest: beginning.newest, jitter: beginning.jitter)
    }
}
