/// The codes of weather reports in words. Source: WMO-No. 306, code table 4678.
extension WeatherPhenomenon {
    /// Such as "light showers of rain" or "thunderstorm with heavy hail".
    package var words: String {
        if let unknown { return unknown.text }
        var text = Self.list(kinds.map(Self.name))
        if text.isEmpty {
            text = descriptors.last.map(Self.nameAlone) ?? ""
        } else {
            for descriptor in descriptors.reversed() where descriptor != .thunderstorm {
                text = Self.joined(descriptor, text)
            }
        }
        switch intensity {
        case .light: text = "light " + text
        case .moderate: break
        case .heavy: text = kinds == [.funnelCloud] ? "tornado or waterspout" : "heavy " + text
        }
        // The intensity is that of the precipitation.
        if descriptors.contains(.thunderstorm), !kinds.isEmpty { text = "thunderstorm with " + text }
        if isInVicinity { text += " in the vicinity" }
        return isRecent ? "recent " + text : text
    }

    private static func name(_ kind: Kind) -> String {
        switch kind {
        case .drizzle: "drizzle"
        case .rain: "rain"
        case .snow: "snow"
        case .snowGrains: "snow grains"
        case .iceCrystals: "ice crystals"
        case .icePellets: "ice pellets"
        case .hail: "hail"
        case .smallHail: "small hail"
        case .unknownPrecipitation: "precipitation"
        case .mist: "mist"
        case .fog: "fog"
        case .smoke: "smoke"
        case .volcanicAsh: "volcanic ash"
        case .dust: "dust"
        case .sand: "sand"
        case .haze: "haze"
        case .spray: "spray"
        case .dustWhirls: "dust whirls"
        case .squalls: "squalls"
        case .funnelCloud: "funnel cloud"
        case .sandstorm: "sandstorm"
        case .duststorm: "duststorm"
        }
    }

    private static func joined(_ descriptor: Descriptor, _ text: String) -> String {
        switch descriptor {
        case .shallow: "shallow " + text
        case .patches: "patches of " + text
        case .partial: "partial " + text
        case .lowDrifting: "low drifting " + text
        case .blowing: "blowing " + text
        case .showers: "showers of " + text
        case .thunderstorm: "thunderstorm with " + text
        case .freezing: "freezing " + text
        }
    }

    /// A descriptor of nothing: a shower or a thunderstorm, and what the others describe in other reports.
    private static func nameAlone(_ descriptor: Descriptor) -> String {
        switch descriptor {
        case .showers: "showers"
        case .thunderstorm: "thunderstorm"
        case .shallow, .patches, .partial: joined(descriptor, "fog")
        case .lowDrifting, .blowing: joined(descriptor, "snow, dust or sand")
        case .freezing: joined(descriptor, "precipitation or fog")
        }
    }

    /// "a", "a and b", "a, b and c".
    private static func list(_ names: [String]) -> String {
        names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
    }
}
