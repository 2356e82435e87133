/// The sex of the user, for models of energy and load.
package enum Sex: String, CaseIterable, Sendable {
    case female, male
}

/// The settings of a device. Every client shows and changes the same ones.
package struct Settings: Equatable, Sendable {
    /// Kilometres instead of miles; nil if each client follows its locale.
    package var metric: Bool?
    package var twelveHourClock = false
    package var useHeartRateZones = false
    /// The sport of a run that names none.
    package var sport = Sport.run
    /// A lap closes after this many metres; 0 is off.
    package var autoLapMetres = 0
    /// A lap closes after this many seconds; 0 is off.
    package var autoLapSeconds = 0
    /// A run without movement, beats and commands for this many minutes stops at the last of them, and a longer hole
    /// in time pauses it; 0 is off.
    package var autoStopMinutes = 0
    /// The sports with automatic pauses, in the order of `Sport.allCases`.
    package var autoPause = [Sport.ride]
    /// The sensors to use: addresses, names, or ends of names. Empty for any.
    package var sensors: [String] = []
    package var zones: Zones?
    /// Beats per minute; 0 is unknown.
    package var maxHeartRate = 0
    /// Beats per minute; 0 is unknown.
    package var restingHeartRate = 0
    /// Years; 0 is unknown.
    package var age = 0
    package var sex: Sex?
    /// Kilograms; 0 is unknown.
    package var weightKilograms = 0
    /// Watts of the functional threshold; 0 is unknown.
    package var ftp = 0
    /// Millimetres of a turn of the wheel; 0 is unknown.
    package var wheelMillimetres = 0
    /// Distance over that of the foot pod, in thousandths; 0 is unknown.
    package var stridePermille = 0
    /// The smallest climb of a course that counts: its length in metres times its average grade in percent.
    package var climbScore = 3500
    /// A lap closes at the foot and at the top of each climb of the course.
    package var climbLaps = false
    /// A second sensor of power, heart rate or cadence is recorded beside the one that counts.
    package var recordAllSensors = false
    /// The power zones; nil if they follow from ``ftp``.
    package var powerZones: PowerZones?
    /// At most one of each kind.
    package var alerts: [Alert] = []
    package var workout: [WorkoutStep] = []
    package var screens = Screens()

    package init() {}

    /// The power zone, 1 to 7; nil if zones and the threshold are unknown.
    package func powerZone(of watts: Double) -> Int? {
        powerZones?.zone(of: watts) ?? PowerZones.zone(of: watts, ftp: ftp)
    }

    /// A heart rate in percent of the maximum; nil if that is unknown.
    package func percentOfMaximum(_ beatsPerMinute: Int) -> Double? {
        maxHeartRate > 0 ? Double(beatsPerMinute) / Double(maxHeartRate) * 100 : nil
    }

    /// The place of a heart rate between the resting and the maximum one, in percent, 0 or more (Karvonen); nil if one
    /// of them is unknown.
    package func percentOfReserve(_ beatsPerMinute: Int) -> Double? {
        guard restingHeartRate > 0, maxHeartRate > restingHeartRate else { return nil }
        let reserve = Double(maxHeartRate - restingHeartRate)
        return max(Double(beatsPerMinute - restingHeartRate) / reserve * 100, 0)
    }

    /// Copies one setting.
    package mutating func adopt(_ key: SettingKey, from other: Settings) {
        switch key.kind {
        case .flag(let property): self[keyPath: property] = other[keyPath: property]
        case .optionalFlag(let property): self[keyPath: property] = other[keyPath: property]
        case .number(let property, _): self[keyPath: property] = other[keyPath: property]
        case .sport: sport = other.sport
        case .sex: sex = other.sex
        case .sports(let property): self[keyPath: property] = other[keyPath: property]
        case .sensors: sensors = other.sensors
        case .zones: zones = other.zones
        case .powerZones: powerZones = other.powerZones
        case .alerts: alerts = other.alerts
        case .workout: workout = other.workout
        case .screens: screens = other.screens
        }
    }

    /// Whether a setting has no value.
    package func isUnset(_ key: SettingKey) -> Bool {
        switch key.kind {
        case .optionalFlag(let property): self[keyPath: property] == nil
        case .sex: sex == nil
        case .zones: zones == nil
        case .powerZones: powerZones == nil
        case .flag, .number, .sport, .sports, .sensors, .alerts, .workout, .screens: false
        }
    }

    /// The settings whose values differ.
    package func differences(from other: Settings) -> [SettingKey] {
        SettingKey.allCases.filter { key in
            var copy = self
            copy.adopt(key, from: other)
            return copy != self
        }
    }
}
