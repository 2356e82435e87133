/// Formats a run's values for screens. Source: docs/behaviour.md, "What screens show"; the formats are RunFree's.
package enum RunFormat {
    /// Metres in one international mile.
    package static let metresPerMile = 1609.344
    /// Metres in one international foot.
    package static let metresPerFoot = 0.3048

    /// `S.t` under a minute, `M:SS` under an hour, then `H:MM:SS`; truncated, not rounded.
    package static func elapsed(milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        switch seconds {
        case ..<60: return "\(seconds).\(milliseconds % 1000 / 100)"
        case ..<3600: return "\(seconds / 60):\(twoDigits(seconds % 60))"
        default: return "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
        }
    }

    /// A duration with its sign.
    package static func difference(milliseconds: Int64) -> String {
        (milliseconds < 0 ? "-" : "+") + elapsed(milliseconds: abs(milliseconds))
    }

    /// Kilometres or miles with two decimals.
    package static func distance(metres: Double, metric: Bool) -> String {
        DecimalFormat.text(metres / (metric ? 1000 : metresPerMile), decimals: 2) ?? "--"
    }

    package static func distanceUnit(metric: Bool) -> String {
        metric ? "km" : "mi"
    }

    /// `M:SS` per kilometre or mile, truncated; `--:--` if there is no pace.
    package static func pace(secondsPerMetre: Double?, metric: Bool) -> String {
        guard let pace = secondsPerMetre, pace.isFinite, pace > 0 else { return "--:--" }
        let seconds = pace * (metric ? 1000 : metresPerMile)
        guard seconds < 1e9 else { return "--:--" }
        return "\(Int64(seconds) / 60):\(twoDigits(Int64(seconds) % 60))"
    }

    package static func paceUnit(metric: Bool) -> String {
        metric ? "min/km" : "min/mi"
    }

    /// Metres or feet, whole, with the unit: heights and accuracies.
    package static func height(metres: Double, metric: Bool) -> String {
        heightFigures(metres: metres, metric: metric) + " " + heightUnit(metric: metric)
    }

    /// Whole metres or feet; `--` if the height is unknown.
    package static func heightFigures(metres: Double?, metric: Bool) -> String {
        metres.flatMap { DecimalFormat.text(metric ? $0 : $0 / metresPerFoot, decimals: 0) } ?? "--"
    }

    package static func heightUnit(metric: Bool) -> String {
        metric ? "m" : "ft"
    }

    /// Kilometres or miles an hour with one decimal; `--.-` if there is no speed.
    package static func speed(metresPerSecond speed: Double?, metric: Bool) -> String {
        speed.flatMap { DecimalFormat.text($0 * 3600 / (metric ? 1000 : metresPerMile), decimals: 1) } ?? "--.-"
    }

    package static func speedUnit(metric: Bool) -> String {
        metric ? "km/h" : "mph"
    }

    /// Whole degrees Celsius or Fahrenheit, with the unit.
    package static func temperature(celsius: Double, metric: Bool) -> String {
        let degrees = DecimalFormat.scaled(metric ? celsius : celsius * 1.8 + 32, decimals: 0)
        return (degrees.map { String($0) } ?? "--") + (metric ? " °C" : " °F")
    }

    /// One of eight directions, from 0 for north, clockwise.
    package static func direction(ofBearing degrees: Double) -> Int {
        let turn = degrees.truncatingRemainder(dividingBy: 360)
        return Int(((turn < 0 ? turn + 360 : turn) / 45).rounded()) % 8
    }

    /// The name of one of eight directions, such as NE.
    package static func compass(_ degrees: Double) -> String {
        ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][direction(ofBearing: degrees)]
    }

    private static func twoDigits(_ value: Int64) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
