import Domain
import Weather

/// The codes of weather reports in words. Source: WMO-No. 306, code table 4678.
enum WeatherWords {
    /// Such as "light showers of rain" or "thunderstorm with heavy hail".
    static func text(_ phenomenon: WeatherPhenomenon) -> String {
        let descriptors = phenomenon.descriptors
        var text = list(phenomenon.kinds.map(name))
        if text.isEmpty {
            text = descriptors.last.map(nameAlone) ?? ""
        } else {
            for descriptor in descriptors.reversed() where descriptor != .thunderstorm {
                text = joined(descriptor, text)
            }
        }
        switch phenomenon.intensity {
        case .light: text = "light " + text
        case .moderate: break
        case .heavy: text = phenomenon.kinds == [.funnelCloud] ? "tornado or waterspout" : "heavy " + text
        }
        // The intensity is that of the precipitation.
        if descriptors.contains(.thunderstorm), !phenomenon.kinds.isEmpty { text = "thunderstorm with " + text }
        if phenomenon.isInVicinity { text += " in the vicinity" }
        return phenomenon.isRecent ? "recent " + text : text
    }

    /// The part of the sky that the layers cover, such as "cloudy"; nil if it is not known.
    static func sky(_ covers: [CloudLayer.Cover]) -> String? {
        let darkest: [CloudLayer.Cover] = [
            .obscured, .overcast, .broken, .scattered, .few, .noSignificantCloud, .noCloudDetected, .clear, .skyClear,
        ]
        return darkest.first(where: covers.contains).map { cover in
            switch cover {
            case .obscured: "sky obscured"
            case .overcast: "overcast"
            case .broken: "cloudy"
            case .scattered: "partly cloudy"
            case .few: "few clouds"
            case .noSignificantCloud: "no significant clouds"
            case .noCloudDetected: "no clouds detected"
            case .clear, .skyClear: "clear sky"
            }
        }
    }

    private static func name(_ kind: WeatherPhenomenon.Kind) -> String {
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

    private static func joined(_ descriptor: WeatherPhenomenon.Descriptor, _ text: String) -> String {
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
    private static func nameAlone(_ descriptor: WeatherPhenomenon.Descriptor) -> String {
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
