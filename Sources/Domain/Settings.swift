/// The settings of a device. Every client shows and changes the same ones.
package struct Settings: Equatable, Sendable {
    /// Kilometres instead of miles.
    package var metric = false
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
    /// The straps to use: addresses, names, or ends of names. Empty for any.
    package var straps: [String] = []
    package var zones: Zones?
    /// Beats per minute; 0 is unknown.
    package var maxHeartRate = 0
    /// Beats per minute; 0 is unknown.
    package var restingHeartRate = 0
    package var components = Component.defaults

    package init() {}

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
        case .number(let property, _): self[keyPath: property] = other[keyPath: property]
        case .sport: sport = other.sport
        case .straps: straps = other.straps
        case .zones: zones = other.zones
        case .components: components = other.components
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

/// A data field of the run screen. It is a setting, so that all clients of a device show the same screen.
package struct Component: Equatable, Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case time = "Time"
        case distance = "Distance"
        case pace = "Pace"
        case heartRate = "Heart Rate"
        case zone = "Zone"
    }

    package enum Colour: String, CaseIterable, Sendable {
        case red, orange, yellow, green, mint, teal, cyan, blue, indigo, purple, pink, brown, white, gray, black
        case primary, secondary
    }

    package var name: Name
    /// The place on the screen, from 0; each occurs once.
    package var position: Int
    package var visible = true
    package var titleVisible = true
    /// 12 to 100.
    package var size: Int
    package var colour = Colour.primary

    package init(
        name: Name, position: Int, visible: Bool = true, titleVisible: Bool = true, size: Int,
        colour: Colour = .primary
    ) {
        self.name = name
        self.position = position
        self.visible = visible
        self.titleVisible = titleVisible
        self.size = size
        self.colour = colour
    }

    /// The components of a new device.
    package static let defaults = [
        Component(name: .time, position: 0, size: 54),
        Component(name: .distance, position: 1, size: 24),
        Component(name: .pace, position: 2, size: 24),
        Component(name: .heartRate, position: 3, size: 24),
        Component(name: .zone, position: 4, titleVisible: false, size: 24),
    ]
}
