package import Weather

/// Drawings of the weather from printable ASCII, which each terminal and each console font has.
package enum WeatherDrawing {
    package static let columns = 14

    /// Five lines of at most ``columns`` characters.
    package static func lines(of icon: WeatherIcon, isNight: Bool) -> [String] {
        let sky = icon.showsSky ? (isNight ? moonBehind : sunBehind) : nil
        switch icon.kind {
        case .clear: return isNight ? moon : sun
        case .fewClouds, .partlyCloudy: return [""] + (sky ?? cloud) + [""]
        case .cloudy: return [""] + cloud + [""]
        case .overcast: return ["     .--.", "  .-(    ).-.", " (___.__)    )", "    (___.___.)", ""]
        case .haze:
            return isNight
                ? ["    .-.", "   (  (", "    `-'", " _ - _ - _ -", "  _ - _ - _"]
                : ["   \\ .-. /", " -- (   ) --", "   / `-' \\", " _ - _ - _ -", "  _ - _ - _"]
        case .fog: return [" _ - _ - _ -", "  _ - _ - _", " _ - _ - _ -", "  _ - _ - _", " _ - _ - _ -"]
        case .dust: return ["  . ~ ~ . ~", " ~ . ~ ~ .", "  ~ ~ . ~ ~", " . ~ ~ . ~", "  ~ . ~ ~ ."]
        case .wind: return ["      __", " ____(  )", "       __)", " ______     _", "       )___)"]
        case .tornado: return [" ___________", "  \\_______/", "    \\___/", "     \\_/", "      '"]
        case .drizzle: return (sky ?? cloud) + ["    '  '  '", "  '  '  '"]
        case .rain: return (sky ?? cloud) + ["   /  /  /", "  /  /  /"]
        case .heavyRain: return (sky ?? cloud) + ["   // // //", "  // // //"]
        case .snow: return (sky ?? cloud) + ["    *  *  *", "  *  *  *"]
        case .sleet: return cloud + ["    /  *  /", "  *  /  *"]
        case .hail: return cloud + ["    o  o  o", "  o  o  o"]
        case .ice: return cloud + ["   /  /  /", "  ---------"]
        case .thunder: return (sky ?? cloud) + ["      _/", "     /"]
        case .thunderRain: return (sky ?? cloud) + ["   /  _/  /", "  /  /   /"]
        }
    }

    private static let cloud = ["     .--.", "  .-(    ).", " (___.__)__)"]
    private static let sun = ["    \\   /", "     .-.", "  - (   ) -", "     `-'", "    /   \\"]
    private static let moon = ["     _.._", "   .' .-'`", "  /  /", "  |  \\", "   '._'-._"]
    private static let sunBehind = ["  \\ /", " _ /''.--.", "   \\_(___.__)"]
    private static let moonBehind = ["   .-.", "  (  (.--.", "   `-(___.__)"]
}
