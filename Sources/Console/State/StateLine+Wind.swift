import Domain
package import JSONCoding

extension StateLine {
    /// The block `wind` of a STATE line: the wind that a rider meets. Speeds are in metres per second at the rider's height.
    package struct Wind: Equatable {
        var station: String
        var metres: Double
        /// Seconds.
        var age: Double?
        /// Positive against the movement.
        var head: Double?
        /// Positive from the right.
        var cross: Double?
        /// Where the wind comes from, in degrees from the direction of movement, positive on the right.
        var relative: Double?
        var speed: Double?
        /// Nil with all figures, and for a reason of a later release.
        var reason: WindStatus.Reason?

        /// Nil without a station and its distance.
        package init?(_ json: JSON) {
            guard let station = json["station"]?.harmlessText(), let metres = json.metres("distance_m") else {
                return nil
            }
            self.station = station
            self.metres = metres
            age = json.metres("age_s")
            head = json.metres("headwind_mps")
            cross = json.metres("crosswind_mps")
            relative = json.metres("relative_deg")
            speed = json.metres("speed_mps")
            reason = json["reason"]?.string.flatMap(WindStatus.Reason.init)
        }
    }
}

extension WeatherText {
    /// The wind on the rider. Its station is named if it is none of those whose figures are shown.
    func text(of wind: StateLine.Wind, beside figures: TopicWeather.Figures) -> WeatherLine {
        let shown = [figures.station.name] + figures.others.map(\.station.name)
        let age = wind.age.map { ", " + WeatherUnits.duration(milliseconds: Int64($0 * 1000)) + " old" } ?? ""
        let source = shown.contains(wind.station) ? "" : " (\(wind.station), \(place(metres: wind.metres))\(age))"
        return WeatherLine(texts: texts(of: wind).map { $0 + source }, role: .figure, rank: 2)
    }

    private func texts(of wind: StateLine.Wind) -> [String] {
        let atRider = ", 1 m above the ground"
        guard let head = wind.head, let cross = wind.cross else {
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
