/// A setting, by its name on the wire and in paced.conf.
///
/// Each is one row of ``kind`` and ``text``. The requests, their errors, the schema, the pages of the protocol and of paced.conf, the
/// example file and the journal's values follow from it. A new setting has a property in ``Settings`` and a token in the journal, too.
package enum SettingKey: String, CaseIterable, Sendable {
    case metric
    case twelveHourClock = "twelve_hour_clock"
    case useHeartRateZones = "use_heart_rate_zones"
    case sport
    case autoLapMetres = "auto_lap_m"
    case autoLapSeconds = "auto_lap_s"
    case autoStopMinutes = "auto_stop_minutes"
    case autoPause = "auto_pause"
    case sensors
    case zones
    case maxHeartRate = "max_heart_rate"
    case restingHeartRate = "resting_heart_rate"
    case age
    case sex
    case weightKilograms = "weight_kg"
    case ftp
    case powerZones = "power_zones"
    case wheelMillimetres = "wheel_mm"
    case stridePermille = "stride_permille"
    case climbScore = "climb_score"
    case climbLaps = "climb_laps"
    case recordAllSensors = "record_all_sensors"
    case alerts
    case workout
    case screens

    /// The type of a setting's value, and where ``Settings`` keeps it.
    package enum Kind: Sendable {
        case flag(any WritableKeyPath<Settings, Bool> & Sendable)
        /// A flag that may be unset.
        case optionalFlag(any WritableKeyPath<Settings, Bool?> & Sendable)
        /// A whole number in a range.
        case number(any WritableKeyPath<Settings, Int> & Sendable, ClosedRange<Int>)
        /// Some of the sports.
        case sports(any WritableKeyPath<Settings, [Sport]> & Sendable)
        case sport, sex, sensors, zones, powerZones, alerts, workout, screens
    }

    package var kind: Kind { row.0 }

    /// Whether the setting may be unset.
    package var isOptional: Bool { Settings().isUnset(self) }

    /// The meaning of the setting, for the schema and the pages. Values and default follow from ``kind`` and ``Settings``.
    package var text: String { row.1 }

    private var row: (Kind, String) {
        switch self {
        case .metric:
            (
                .optionalFlag(\.metric),
                "Screens show kilometres instead of miles. While it is unset, each client follows its LC_MEASUREMENT."
            )
        case .twelveHourClock: (.flag(\.twelveHourClock), "Screens show 3:07 PM instead of 15:07.")
        case .useHeartRateZones: (.flag(\.useHeartRateZones), "STATE has heart-rate zones, if they are set.")
        case .sport: (.sport, "The sport of a run that names none.")
        case .autoLapMetres:
            (.number(\.autoLapMetres, 0...1_000_000), "Closes a lap at each multiple of this distance; 0 is off.")
        case .autoLapSeconds:
            (
                .number(\.autoLapSeconds, 0...86_400),
                """
                Closes a lap at each multiple of this active time; 0 is off. Only one of auto_lap_m and auto_lap_s can be on.
                """
            )
        case .autoStopMinutes:
            (
                .number(\.autoStopMinutes, 0...1_440),
                """
                Stops a run without movement, beats and commands for this many minutes, at the last of these; 0 is off. With
                AutoStart=yes in paced.conf the default is 30.
                """
            )
        case .autoPause:
            (
                .sports(\.autoPause),
                "The sports whose standing time is not part of moving_ms, as automatic pauses; empty is off."
            )
        case .sensors:
            (
                .sensors,
                """
                The sensors to use, at most 16: addresses, names, or the ends of names. The known strap or one that is near is
                used if it names no strap.
                """
            )
        case .zones: (.zones, "The lowest heart rates of the five zones, rising, 1 to 250.")
        case .maxHeartRate:
            (
                .number(\.maxHeartRate, 0...250),
                "The highest heart rate of the user, for fields in percent and trimp; 0 is unknown."
            )
        case .restingHeartRate:
            (
                .number(\.restingHeartRate, 0...250),
                "The heart rate of the user at rest, for fields in percent and trimp; 0 is unknown."
            )
        case .age: (.number(\.age, 0...120), "The age of the user in years, for energy; 0 is unknown.")
        case .sex: (.sex, "The sex of the user, for energy and trimp: female or male.")
        case .weightKilograms:
            (.number(\.weightKilograms, 0...300), "The weight of the user in kg, for energy; 0 is unknown.")
        case .ftp:
            (.number(\.ftp, 0...2000), "The functional threshold power of the rider in watts; 0 is unknown.")
        case .powerZones:
            (
                .powerZones,
                """
                The lowest power of the zones 2 to 7 in watts, rising, 1 to 4000. While it is unset, they are 55, 75, 90,
                105, 120 and 150 % of ftp.
                """
            )
        case .wheelMillimetres:
            (
                .number(\.wheelMillimetres, 0...4000),
                """
                The way of a turn of the wheel in mm, from 500. While it is 0, it is 2105, and is set when 3 km by position with a
                wheel sensor are over.
                """
            )
        case .stridePermille:
            (
                .number(\.stridePermille, 0...2000),
                """
                The distance over that of the foot pod in thousandths, from 500. While it is 0, it is 1000, and is set when 3 km by
                position with a foot pod are over.
                """
            )
        case .climbScore:
            (
                .number(\.climbScore, 1500...64_000),
                """
                The smallest climb of a course that counts: its length in m times its average grade in percent, from 1500.
                A climb of category 4 has 3500.
                """
            )
        case .climbLaps: (.flag(\.climbLaps), "Closes a lap at the foot and at the top of each climb of the course.")
        case .recordAllSensors:
            (
                .flag(\.recordAllSensors),
                """
                Records a second sensor of power, heart rate, cadence or of a kind of own fields beside the one that counts, as
                own fields such as power_2.
                """
            )
        case .alerts:
            (
                .alerts,
                """
                The alerts of a run, at most one of each kind: heart_rate 120..165, zone 2..3, power ..280, power_zone 3, \
                cadence 80.., speed 25..35 km/h, pace 4:30..5:00 /km, distance 1 km, time 10 min, sensor_lost, position_lost. \
                Units are km/h, m/s, mph; /km, /mi; m, km, mi; s, min, h.
                """
            )
        case .workout:
            (
                .workout,
                """
                The steps of the workout of the next run, at most 100, empty without one: a length (10 min, 1 km, or lap for \
                the next lap), a target as in alerts, and # with a name, such as 10 min zone 2 # Warm-up. Target and name may \
                be left out.
                """
            )
        case .screens:
            (
                .screens,
                "The pages of the run screen for each sport, the same on every client of a device. A sport that is left out has its default."
            )
        }
    }
}
