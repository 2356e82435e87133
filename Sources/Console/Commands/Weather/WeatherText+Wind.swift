import Domain
import Weather

// The wind that a rider meets.
extension WeatherText {
    /// The wind on the rider. Its station is named if it is none of those whose figures are shown.
    func text(of wind: WindStatus, beside figures: WeatherFigures) -> WeatherLine {
        let shown = [figures.station.name] + figures.others.map(\.station.name)
        let age = wind.age.map { ", " + WeatherUnits.duration(milliseconds: Int64($0 * 1000)) + " old" } ?? ""
        let station = wind.station.text
        let source = shown.contains(station) ? "" : " (\(station), \(place(metres: wind.distance))\(age))"
        return WeatherLine(texts: texts(of: wind).map { $0 + source }, role: .figure, rank: 2)
    }

    private func texts(of wind: WindStatus) -> [String] {
        let atRider = ", 1 m above the ground"
        guard let head = wind.headwind, let cross = wind.crosswind else {
            switch wind.reason {
            case .variable: return ["Variable wind" + (wind.speed.map { " of " + units.speed($0) + atRider } ?? "")]
            case .noCourse: return ["Headwind unknown: no direction of travel", "Headwind unknown"]
            case .stale: return ["Headwind unknown: the observation is stale", "Headwind unknown"]
            case .calm, .notReported, nil: return ["Headwind unknown"]
            }
        }
        guard let relative = wind.relative else { return ["No headwind: calm"] }
        let arrow = Self.arrow(ofWindFrom: relative) + " "
        let along = (head < 0 ? "Tailwind " : "Headwind ") + units.speed(abs(head))
        let side = cross < 0 ? "left" : "right"
        return [
            arrow + along + ", crosswind \(units.speed(abs(cross))) from the \(side)" + atRider,
            arrow + along + ", crosswind \(units.speed(abs(cross))) from the \(side)",
            arrow + along + ", \(units.speedFigures(abs(cross))) from the \(side)",
            arrow + along,
        ]
    }

    /// The direction to which the wind blows: upwards is that of the movement.
    private static func arrow(ofWindFrom relative: Double) -> String {
        ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"][RunFormat.direction(ofBearing: relative + 180)]
    }
}
