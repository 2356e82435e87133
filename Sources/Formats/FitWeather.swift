package import Domain

/// The numbers of `weather_status`. Source: Garmin FIT SDK 21.218, profile; docs/behaviour.md, "The weather at the start".
package enum FitWeather {
    private static let rain: Int64 = 3
    private static let snow: Int64 = 4
    private static let windy: Int64 = 5
    private static let thunderstorms: Int64 = 6
    private static let wintryMix: Int64 = 7
    private static let fog: Int64 = 8
    private static let hazy: Int64 = 11
    private static let hail: Int64 = 12
    private static let scatteredShowers: Int64 = 13
    private static let scatteredThunderstorms: Int64 = 14
    private static let unknownPrecipitation: Int64 = 15
    private static let lightRain: Int64 = 16
    private static let heavyRain: Int64 = 17
    private static let lightSnow: Int64 = 18
    private static let heavySnow: Int64 = 19
    private static let lightRainSnow: Int64 = 20
    private static let heavyRainSnow: Int64 = 21

    /// A file has one of several: the first of these.
    private static let order = [
        thunderstorms, hail, wintryMix, heavyRainSnow, lightRainSnow, heavySnow, heavyRain, snow, rain, lightSnow,
        lightRain, unknownPrecipitation, scatteredThunderstorms, scatteredShowers, windy, fog, hazy,
    ]

    /// Nil if the profile has no number for any of them.
    package static func status(of weather: [WeatherPhenomenon]) -> Int64? {
        let statuses = weather.compactMap(status)
        return order.first { statuses.contains($0) }
    }

    private static func status(of weather: WeatherPhenomenon) -> Int64? {
        if weather.isRecent { return nil }
        func has(_ descriptor: WeatherPhenomenon.Descriptor) -> Bool { weather.descriptors.contains(descriptor) }
        func has(_ kinds: WeatherPhenomenon.Kind...) -> Bool { kinds.contains { weather.kinds.contains($0) } }
        if weather.isInVicinity {
            return has(.thunderstorm) ? scatteredThunderstorms : has(.showers) ? scatteredShowers : nil
        }
        if has(.thunderstorm) { return thunderstorms }
        // The wind has lifted it from the ground.
        if has(.blowing) || has(.lowDrifting) { return nil }
        if has(.hail) { return hail }
        let (isRain, isSnow) = (has(.rain, .drizzle), has(.snow, .snowGrains))
        if has(.smallHail, .icePellets) || has(.freezing) && (isRain || has(.unknownPrecipitation)) {
            return wintryMix
        }
        if isRain || isSnow {
            let statuses =
                isRain && isSnow
                ? (lightRainSnow, wintryMix, heavyRainSnow)
                : isSnow ? (lightSnow, snow, heavySnow) : (lightRain, has(.rain) ? rain : lightRain, heavyRain)
            switch weather.intensity {
            case .light: return statuses.0
            case .moderate: return statuses.1
            case .heavy: return statuses.2
            }
        }
        if has(.unknownPrecipitation) { return unknownPrecipitation }
        if has(.squalls) { return windy }
        // Shallow or partial fog leaves the view free.
        if has(.fog) { return has(.shallow) || has(.patches) || has(.partial) ? nil : fog }
        return has(.mist, .haze, .smoke, .dust, .sand, .volcanicAsh) ? hazy : nil
    }
}
