import Domain

/// The drawing that stands for conditions.
package struct WeatherIcon: Hashable, Sendable {
    /// What matters most comes first, down to haze; the cover of the sky counts without any of those.
    package enum Kind: String, CaseIterable, Sendable {
        case tornado
        case thunderRain = "thunder-rain"
        case thunder, hail, ice, sleet, snow
        case heavyRain = "heavy-rain"
        case rain, drizzle, wind, fog, dust, haze
        case overcast, cloudy
        case partlyCloudy = "partly-cloudy"
        case fewClouds = "few-clouds"
        case clear
    }

    package var kind: Kind
    /// Whether clouds leave room for the sun or the moon.
    package var showsSky: Bool

    package init(_ kind: Kind, showsSky: Bool = false) {
        self.kind = kind
        self.showsSky = showsSky
    }

    /// Such as `rain`, and `rain-sky` with the sun or the moon beside the cloud.
    package var name: String { kind.rawValue + (showsSky ? "-sky" : "") }
}

extension WeatherConditions {
    /// Nil if nothing is known.
    package var icon: WeatherIcon? {
        let covers = (clouds ?? []).compactMap(\.cover).map(\.icon)
        let cover = WeatherIcon.Kind.allCases.first { covers.contains($0) }
        let found = (weather ?? []).compactMap(\.icon)
        guard let kind = WeatherIcon.Kind.allCases.first(where: { found.contains($0) }) ?? cover else { return nil }
        let isOpen = kind == .haze || cover.map { [.clear, .fewClouds, .partlyCloudy].contains($0) } ?? false
        return WeatherIcon(kind, showsSky: isOpen && kind.mayShowSky)
    }
}

extension WeatherIcon.Kind {
    fileprivate var mayShowSky: Bool {
        switch self {
        case .clear, .fewClouds, .partlyCloudy, .drizzle, .rain, .heavyRain, .snow, .thunder, .thunderRain, .haze: true
        case .tornado, .hail, .ice, .sleet, .wind, .fog, .dust, .overcast, .cloudy: false
        }
    }
}

extension CloudLayer.Cover {
    fileprivate var icon: WeatherIcon.Kind {
        switch self {
        case .skyClear, .clear, .noSignificantCloud, .noCloudDetected: .clear
        case .few: .fewClouds
        case .scattered: .partlyCloudy
        case .broken: .cloudy
        case .overcast: .overcast
        case .obscured: .fog
        }
    }
}

extension WeatherPhenomenon {
    /// Nil for an unknown one, and for what is over.
    fileprivate var icon: WeatherIcon.Kind? {
        if isRecent { return nil }
        let isWet = kinds.contains { [.drizzle, .rain, .unknownPrecipitation].contains($0) }
        if descriptors.contains(.thunderstorm) { return isWet ? .thunderRain : .thunder }
        if descriptors.contains(.freezing), isWet { return .ice }
        if kinds.contains(.snow), isWet { return .sleet }
        let icons = kinds.map(\.icon)
        guard let first = WeatherIcon.Kind.allCases.first(where: { icons.contains($0) }) else {
            return descriptors.first?.icon
        }
        return first == .rain && intensity == .heavy ? .heavyRain : first
    }
}

extension WeatherPhenomenon.Kind {
    fileprivate var icon: WeatherIcon.Kind {
        switch self {
        case .funnelCloud, .dustWhirls: .tornado
        case .hail, .smallHail: .hail
        case .icePellets: .sleet
        case .snow, .snowGrains, .iceCrystals: .snow
        case .rain, .unknownPrecipitation: .rain
        case .drizzle: .drizzle
        case .squalls: .wind
        case .mist, .fog, .smoke, .volcanicAsh, .spray: .fog
        case .haze: .haze
        case .dust, .sand, .sandstorm, .duststorm: .dust
        }
    }
}

extension WeatherPhenomenon.Descriptor {
    /// Of a group without a kind.
    fileprivate var icon: WeatherIcon.Kind? {
        switch self {
        case .showers: .rain
        case .freezing: .ice
        case .shallow, .patches, .partial: .fog
        case .lowDrifting, .blowing: .snow
        case .thunderstorm: nil
        }
    }
}
