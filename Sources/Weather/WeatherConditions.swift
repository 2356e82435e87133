package import Domain

/// What a report observes, or a part of a forecast expects: wind, visibility, weather and clouds.
package struct WeatherConditions: Hashable, Sendable {
    /// Nil if it is missing.
    package var wind: Wind?
    /// The prevailing visibility. Nil if it is missing.
    package var visibility: Visibility?
    /// Visibilities in directions in which it differs.
    package var directionalVisibilities: [DirectionalVisibility] = []
    /// `CAVOK`: visibility 10 km or more, no weather, and no cloud below 5000 ft.
    package var isCavok = false
    /// Empty for none. Nil if it is missing; a part of a forecast without it leaves it as it was.
    package var weather: [WeatherPhenomenon]?
    /// From the lowest to the highest, as reported. Empty with ``isCavok``. Nil if they are missing.
    package var clouds: [CloudLayer]?

    package init() {}

    /// Maximum number of elements of each list. Further ones are not decoded.
    package static let listLimit = 8

    /// The height of the lowest layer that covers more than half of the sky, or the vertical visibility. Nil if there is
    /// none, or it is missing.
    package var ceilingMetres: Double? {
        clouds?.filter { [.broken, .overcast, .obscured].contains($0.cover) }.compactMap(\.baseMetres).min()
    }

    /// These conditions after a change that names what changes only.
    package func changed(by change: WeatherConditions) -> WeatherConditions {
        var result = self
        if let wind = change.wind { result.wind = wind }
        if let visibility = change.visibility {
            result.visibility = visibility
            result.isCavok = change.isCavok
        }
        if let weather = change.weather {
            result.weather = weather
            if !weather.isEmpty { result.isCavok = false }
        }
        if let clouds = change.clouds {
            result.clouds = clouds
            if !change.isCavok { result.isCavok = false }
        }
        return result
    }
}

/// Decodes the groups that METAR and TAF have in common, word by word.
struct ConditionsDecoder {
    private(set) var conditions = WeatherConditions()
    /// Whether any group was decoded, and be it that its value is missing.
    private(set) var isEmpty = true
    private var hasWind = false
    private var hasVisibility = false

    /// Decodes one group, which may be several words.
    ///
    /// - Returns: false if the next word is none, and is not skipped.
    mutating func decode(_ words: inout ReportWords) -> Bool {
        guard decodeGroup(&words) else { return false }
        isEmpty = false
        return true
    }

    private mutating func decodeGroup(_ words: inout ReportWords) -> Bool {
        if words.skip("CAVOK") {
            conditions.isCavok = true
            conditions.visibility = .tenKilometres
            conditions.weather = []
            conditions.clouds = []
            hasVisibility = true
            return true
        }
        return decodeWind(&words) || decodeVisibility(&words) || decodeWeather(&words) || decodeClouds(&words)
            || skipWindShear(&words)
    }

    private mutating func decodeWind(_ words: inout ReportWords) -> Bool {
        if hasWind {
            if words.skip("///V///") { return true }
            guard let range = Wind.range(words.peek()) else { return false }
            words.skip()
            conditions.wind?.range = range
            return true
        }
        // Without a unit it might be the temperature, later.
        if isEmpty, words.skip("/////") {
            hasWind = true
            return true
        }
        guard let wind = Wind.parse(&words) else { return false }
        conditions.wind = wind.value
        hasWind = true
        return true
    }

    private mutating func decodeVisibility(_ words: inout ReportWords) -> Bool {
        guard let group = Visibility.parse(&words) else { return false }
        if case .value(let value) = group {
            if let direction = value.direction, hasVisibility {
                if conditions.directionalVisibilities.count < WeatherConditions.listLimit {
                    conditions.directionalVisibilities.append(
                        DirectionalVisibility(visibility: value.visibility, direction: direction))
                }
            } else if !hasVisibility {
                conditions.visibility = value.visibility
            }
        }
        hasVisibility = true
        return true
    }

    private mutating func decodeWeather(_ words: inout ReportWords) -> Bool {
        if words.skip("NSW") {
            conditions.weather = []
            return true
        }
        // "HZ/-RA"
        let parts = words.peek().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let phenomena = parts.compactMap(WeatherPhenomenon.init)
        guard phenomena.count == parts.count else { return false }
        words.skip()
        let room = WeatherConditions.listLimit - (conditions.weather?.count ?? 0)
        conditions.weather = (conditions.weather ?? []) + phenomena.prefix(room)
        return true
    }

    /// A word may have several layers without spaces between.
    private mutating func decodeClouds(_ words: inout ReportWords) -> Bool {
        if words.skip("///") { return true }
        var reader = GroupReader(words.peek())
        var layers: [CloudLayer] = []
        while !reader.isAtEnd {
            guard let layer = CloudLayer.parse(&reader) else { return false }
            layers.append(layer)
        }
        guard !layers.isEmpty else { return false }
        words.skip()
        add(layers)
        return true
    }

    /// Appends the layers whose values are not all missing.

    mutating func add(_ layers: [CloudLayer]) {
        let known = layers.filter { $0 != CloudLayer() }
        let room = WeatherConditions.listLimit - (conditions.clouds?.count ?? 0)
        if !known.isEmpty { conditions.clouds = (conditions.clouds ?? []) + known.prefix(room) }
        isEmpty = false
    }

    /// Wind at a height, `WS020/18040KT`, and at runways: `WS R24`, `WS ALL RWY`, `WS TKOF RWY25`.
    private func skipWindShear(_ words: inout ReportWords) -> Bool {
        if words.skip("WS") {
            while words.isNext("ALL") || words.isNext("TKOF") || words.isNext("LDG") || Self.isRunway(words.peek()) {
                words.skip()
            }
            return true
        }
        guard words.peek().starts(with: "WS".utf8) else { return false }
        words.skip()
        return true
    }

    /// `R24`, `RWY24`, `RWY`.
    private static func isRunway(_ word: ArraySlice<UInt8>) -> Bool {
        var reader = GroupReader(word)
        return reader.skip("RWY") || (reader.skip("R") && reader.digits(2) != nil)
    }
}
