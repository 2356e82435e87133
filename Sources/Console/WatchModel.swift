import Domain

/// Model of the run screen.
struct WatchModel: Equatable {
    /// Nil if the daemon is away.
    var state: StateLine?
    var settings = Settings()
    /// Units from the command line; nil to follow the setting.
    var metric: Bool?
    /// The lap that has just ended.
    var endedLap: StateLine.Lap?
    /// How long the daemon has been silent, in seconds; nil if it is not.
    var silentSeconds: Int?
    /// The runtime directory.
    var directory = ""
    /// The daemon's message before it closed the connection.
    var error: String?
    /// The offset of local time from UTC.
    var minutesFromUTC = 0

    var isMetric: Bool { metric ?? settings.metric }
}
