import Domain

/// What a screen is drawn from.
struct WatchModel: Equatable {
    /// Nil while the daemon is not there.
    var state: StateLine?
    var settings = Settings()
    /// Units that were asked for, whatever the setting says.
    var metric: Bool?
    /// The lap that has just ended.
    var endedLap: StateLine.Lap?
    /// For how long the daemon has said nothing, in seconds; nil while it speaks.
    var silentSeconds: Int?
    /// Where the daemon is looked for.
    var directory = ""
    /// What the daemon said when it closed the connection.
    var trouble: String?
    /// How far local time is ahead of UTC.
    var minutesFromUTC = 0

    var isMetric: Bool { metric ?? settings.metric }
}
