/// A setting, by its name on the wire and in paced.conf.
///
/// Each is one row of ``kind`` and ``text``: settings.get and settings.set, their errors, paced.conf, the manual page and the journal's
/// values follow from it. A new setting has a property in ``Settings`` and a token in the journal, too.
package enum SettingKey: String, CaseIterable, Sendable {
    case metric
    case twelveHourClock = "twelve_hour_clock"
    case useHeartRateZones = "use_heart_rate_zones"
    case sport
    case autoLapMetres = "auto_lap_m"
    case autoLapSeconds = "auto_lap_s"
    case autoStopMinutes = "auto_stop_minutes"
    case straps
    case zones
    case components

    /// The type of a setting's value, and where ``Settings`` keeps it.
    package enum Kind: Sendable {
        case flag(any WritableKeyPath<Settings, Bool> & Sendable)
        /// A whole number in a range.
        case number(any WritableKeyPath<Settings, Int> & Sendable, ClosedRange<Int>)
        case sport, straps, zones, components
    }

    package var kind: Kind { row.0 }

    /// What the setting does and the values that it takes, for the manual page and the example file.
    package var text: String { row.1 }

    private var row: (Kind, String) {
        switch self {
        case .metric: (.flag(\.metric), "Display kilometres instead of miles: yes or no.")
        case .twelveHourClock: (.flag(\.twelveHourClock), "Display 3:07 PM instead of 15:07: yes or no.")
        case .useHeartRateZones: (.flag(\.useHeartRateZones), "Display heart-rate zones: yes or no.")
        case .sport: (.sport, "The sport of a run that names none: run, walk, hike, ride or other.")
        case .autoLapMetres:
            (
                .number(\.autoLapMetres, 0...1_000_000),
                "Close a lap after each distance of this many metres, up to 1000000; 0 for none."
            )
        case .autoLapSeconds:
            (
                .number(\.autoLapSeconds, 0...86_400),
                """
                Close a lap after each time of this many seconds, up to 86400; 0 for none. Only one of auto_lap_m and auto_lap_s
                can be on.
                """
            )
        case .autoStopMinutes:
            (
                .number(\.autoStopMinutes, 0...1_440),
                """
                Stop a run that has neither moved nor had a beat nor a command for this many minutes, up to 1440, at the last of
                these; 0 for never. The default with AutoStart=yes is 30.
                """
            )
        case .straps: (.straps, "The straps to use: a list of addresses, names or ends of names.")
        case .zones:
            (.zones, "The lowest heart rates of the five zones, rising, separated by spaces or commas. Empty for none.")
        case .components: (.components, "The data fields of the run screen, as JSON on one line.")
        }
    }
}
