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

    /// A group of a later release, whose meaning is not known.
    package private(set) var unknown: SanitizedText?

    package static let limit = 5

    /// The group of the report.
    package var code: String {
        unknown?.text ?? (isRecent ? "RE" : "") + intensity.rawValue + (isInVicinity ? "VC" : "")
            + descriptors.map(\.rawValue).joined() + kinds.map(\.rawValue).joined()
    }
}

extension WeatherPhenomenon {
    /// A group of a report that another program has read.
    package init(_ group: SanitizedText) {
        self = WeatherPhenomenon(Array(group.text.utf8)[...]) ?? WeatherPhenomenon()
        if kinds.isEmpty, descriptors.isEmpty { unknown = group }
    }

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
