/// What a recorded activity is as a whole, as lists show it and files begin or end with it.
///
/// What happened in it second by second are its ``RecordingRow``s. Moments inside a recording are milliseconds of the boot clock since it
/// began, pauses and outages included: a step of the wall clock changes none of them. A file's time of day is ``started`` and so much.
package struct RecordedActivity: Equatable, Sendable {
    /// From 1; nil for one that is not in a journal.
    package var id: Int?
    package var sport: Sport
    package var isIndoor = false
    package var isDemo = false
    /// What a person called it.
    package var name: SanitizedText?
    package var started: UTC
    /// No clock was known while it lasted, and none became known afterwards: ``started`` is a guess.
    package var isTimeUncertain = false
    /// From its start to its end, pauses and outages included, in milliseconds.
    package var totalMilliseconds: Int64 = 0
    /// The figures over its active time.
    package var total = Totals()
    /// The laps in order, the last one ended by the end of the activity. At least one, where the activity has any active time.
    package var laps: [RecordingLap] = []
    /// Active time in zones 0 to 5, in milliseconds, and the zones; nil where none were set.
    package var zoneMilliseconds: [Int64] = []
    package var zones: Zones?
    /// The strap that gave most of the beats.
    package var strap: RecordingStrap?
    /// What an imported file said of itself, to be shown beside what we count.
    package var claim: SourceTotals?

    package init(sport: Sport, started: UTC) {
        self.sport = sport
        self.started = started
    }
}

/// A lap of a recording.
package struct RecordingLap: Equatable, Sendable {
    /// Why it ended; nil for the last one, which the activity's end ended.
    package var trigger: Event.Trigger?
    /// Milliseconds since the recording began; pauses lie between.
    package var beganAt: Int64
    package var endedAt: Int64
    package var figures: Totals

    package init(trigger: Event.Trigger?, beganAt: Int64, endedAt: Int64, figures: Totals) {
        self.trigger = trigger
        self.beganAt = beganAt
        self.endedAt = endedAt
        self.figures = figures
    }
}

/// A strap, as files name it.
package struct RecordingStrap: Equatable, Sendable {
    package var address: BluetoothAddress?
    package var name: SanitizedText?
    package var manufacturer: SanitizedText?
    package var serialNumber: SanitizedText?
    package var firmware: SanitizedText?
    /// 0 to 100, as last told.
    package var batteryPercent: Int?

    package init() {}
}

/// The totals that an imported file claims.
package struct SourceTotals: Equatable, Sendable {
    /// What wrote the file.
    package var creator: SanitizedText?
    package var elapsedMilliseconds: Int64?
    package var totalMilliseconds: Int64?
    package var distanceMetres: Double?
    package var ascentMetres: Double?
    package var averageHeartRate: Double?
    package var maximumHeartRate: Int?

    package init() {}
}
