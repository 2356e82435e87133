/// Weather in a report, such as `-SHRA`: light showers of rain.
package struct WeatherPhenomenon: Hashable, Sendable {
    package enum Intensity: String, Sendable {
        case light = "-"
        case moderate = ""
        case heavy = "+"
    }

    package enum Descriptor: String, CaseIterable, Sendable {
        case shallow = "MI"
        case patches = "BC"
        case partial = "PR"
        case lowDrifting = "DR"
        case blowing = "BL"
        case showers = "SH"
        case thunderstorm = "TS"
        case freezing = "FZ"
    }

    package enum Kind: String, CaseIterable, Sendable {
        case drizzle = "DZ"
        case rain = "RA"
        case snow = "SN"
        case snowGrains = "SG"
        case iceCrystals = "IC"
        case icePellets = "PL"
        case hail = "GR"
        case smallHail = "GS"
        case unknownPrecipitation = "UP"
        case mist = "BR"
        case fog = "FG"
        case smoke = "FU"
        case volcanicAsh = "VA"
        case dust = "DU"
        case sand = "SA"
        case haze = "HZ"
        case spray = "PY"
        case dustWhirls = "PO"
        case squalls = "SQ"
        case funnelCloud = "FC"
        case sandstorm = "SS"
        case duststorm = "DS"
    }

    package var intensity = Intensity.moderate
    /// Within 8 to 16 km of the station, not at it.
    package var isInVicinity = false
    /// In the past hour, but no longer.
    package var isRecent = false
    /// At most ``limit``, with the kinds together.
    package var descriptors: [Descriptor] = []
    package var kinds: [Kind] = []

    package static let limit = 5

    /// The group of the report.
    package var code: String {
        (isRecent ? "RE" : "") + intensity.rawValue + (isInVicinity ? "VC" : "")
            + descriptors.map(\.rawValue).joined() + kinds.map(\.rawValue).joined()
    }
}

extension WeatherPhenomenon {
    /// Parses a group of a report. Nil if it is no weather.
    package init?(_ group: ArraySlice<UInt8>) {
        var rest = group
        func skip(_ text: String) -> Bool {
            guard rest.starts(with: text.utf8) else { return false }
            rest = rest.dropFirst(text.utf8.count)
            return true
        }
        if skip("RE") { isRecent = true }
        if skip("-") { intensity = .light } else if skip("+") { intensity = .heavy }
        if skip("VC") { isInVicinity = true }
        while !rest.isEmpty {
            if let kind = Kind.allCases.first(where: { skip($0.rawValue) }) {
                kinds.append(kind)
            } else if let descriptor = Descriptor.allCases.first(where: { skip($0.rawValue) }) {
                descriptors.append(descriptor)
            } else {
                return nil
            }
            if kinds.count + descriptors.count > Self.limit { return nil }
        }
        if kinds.isEmpty, descriptors.isEmpty { return nil }
    }
}

extension WeatherPhenomenon {
    /// The words for screens, such as light showers of rain.
    package var words: String {
        let parts = kinds.map(\.words)
        var text = parts.joined(separator: " and ")
        if descriptors.contains(.showers) { text = text.isEmpty ? "showers" : "showers of " + text }
        for descriptor in Descriptor.allCases where descriptors.contains(descriptor) {
            guard let word = descriptor.word else { continue }
            text = text.isEmpty ? word : word + " " + text
        }
        let isThunderstorm = descriptors.contains(.thunderstorm)
        if isThunderstorm, text.isEmpty { text = "thunderstorm" }
        switch intensity {
        case .light: text = "light " + text
        case .moderate: break
        case .heavy: text = "heavy " + text
        }
        if isThunderstorm, !parts.isEmpty { text = "thunderstorm with " + text }
        return (isRecent ? "recent " : "") + text + (isInVicinity ? " nearby" : "")
    }
}

extension WeatherPhenomenon.Descriptor {
    /// The word before the phenomenon; nil for one that changes the sentence.
    fileprivate var word: String? {
        switch self {
        case .shallow: "shallow"
        case .patches: "patchy"
        case .partial: "partial"
        case .lowDrifting: "low drifting"
        case .blowing: "blowing"
        case .showers, .thunderstorm: nil
        case .freezing: "freezing"
        }
    }
}

extension WeatherPhenomenon.Kind {
    fileprivate var words: String {
        switch self {
        case .drizzle: "drizzle"
        case .rain: "rain"
        case .snow: "snow"
        case .snowGrains: "snow grains"
        case .iceCrystals: "ice crystals"
        case .icePellets: "ice pellets"
        case .hail: "hail"
        case .smallHail: "small hail"
        case .unknownPrecipitation: "unknown precipitation"
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
}
