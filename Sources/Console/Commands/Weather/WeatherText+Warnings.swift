import Domain
import Weather

// What a rider is warned of. docs/behaviour.md, "The weather for users", lists it.
extension WeatherText {
    private enum Danger {
        case funnelCloud, thunderstorm, squalls, hail, ice, heavyPrecipitation, sandOrAsh, wind, sight, heat, cold
    }

    /// What is dangerous, for which reasons.
    private typealias Finding = (dangers: Set<Danger>, text: String)

    /// Metres per second, gusts or the mean wind.
    private static let strongWind = 17.0
    /// Metres, below which there is fog.
    private static let fogVisibility = 1000.0
    /// Degrees Celsius, as people feel them.
    private static let heat = 32.0
    private static let cold = -10.0

    /// One line for each danger that is observed, else for its first time in the forecast of the next hours.
    func warnings(of figures: WeatherFigures) -> [WeatherLine] {
        var warned: Set<Danger> = []
        var lines: [WeatherLine] = []
        func warn(_ findings: [Finding], _ time: String, source: String = "", short: String = "") {
            for finding in findings where !finding.dangers.isSubset(of: warned) {
                warned.formUnion(finding.dangers)
                let text = finding.text.uppercasedFirst + ": " + time
                let texts = [text + source, text, (short + finding.text).uppercasedFirst]
                lines.append(WeatherLine(texts: texts, role: .warning, rank: 2))
            }
        }
        for (figure, findings) in observed(figures) {
            let station = figures.others.first { $0.figures.contains(figure) }?.station ?? figures.station
            warn(findings, "at " + station.name + (isStale || isOld(station.observed) ? "" : " now"))
        }
        guard let forecast = figures.forecast, let ahead else { return lines }
        let source = " (\(forecast.station))"
        for period in forecast.periods where period.period.overlaps(ahead) {
            let time = time(from: period.period, in: ahead)
            warn(
                findings(in: period.state.conditions), "forecast " + (time.map { "from " + $0 } ?? "now"),
                source: source,
                short: (time ?? "forecast") + ": ")
            for overlay in period.state.overlays where overlay.period.overlaps(ahead) {
                let time = self.time(from: overlay.period, in: ahead)
                let probability = overlay.probability.map { "\($0) %" }
                warn(
                    findings(in: overlay.conditions),
                    Self.manner(of: overlay) + " " + (time.map { "from " + $0 } ?? "now"), source: source,
                    short: [time ?? "forecast", probability].compactMap(\.self).joined(separator: " ") + ": ")
            }
        }
        return lines
    }

    private func observed(_ figures: WeatherFigures) -> [(StationWeather.Figure, [Finding])] {
        let conditions = figures.conditions
        let felt: Finding? = figures.feelsLike.flatMap { celsius in
            if celsius > Self.heat { return ([.heat], "heat that feels like " + units.temperature(celsius)) }
            return celsius < Self.cold ? ([.cold], "cold that feels like " + units.temperature(celsius)) : nil
        }
        return [
            (.weather, phenomena(in: conditions)), (.wind, [wind(in: conditions)].compactMap(\.self)),
            (.visibility, [sight(in: conditions)].compactMap(\.self)), (.temperature, [felt].compactMap(\.self)),
        ]
    }

    private func findings(in conditions: WeatherConditions) -> [Finding] {
        phenomena(in: conditions) + [wind(in: conditions), sight(in: conditions)].compactMap(\.self)
    }

    private func phenomena(in conditions: WeatherConditions) -> [Finding] {
        (conditions.weather ?? []).compactMap { phenomenon in
            let dangers = Self.dangers(of: phenomenon)
            return dangers.isEmpty ? nil : (dangers, phenomenon.words)
        }
    }

    private static func dangers(of phenomenon: WeatherPhenomenon) -> Set<Danger> {
        if phenomenon.isRecent { return [] }
        var dangers: Set<Danger> = []
        if phenomenon.descriptors.contains(.thunderstorm) { dangers.insert(.thunderstorm) }
        if phenomenon.descriptors.contains(.freezing) { dangers.insert(.ice) }
        for kind in phenomenon.kinds {
            switch kind {
            case .funnelCloud: dangers.insert(.funnelCloud)
            case .squalls: dangers.insert(.squalls)
            case .hail, .smallHail: dangers.insert(.hail)
            case .sandstorm, .duststorm, .volcanicAsh: dangers.insert(.sandOrAsh)
            case .fog:
                let parts: [WeatherPhenomenon.Descriptor] = [.shallow, .patches, .partial]
                let isEverywhere = !phenomenon.isInVicinity && !phenomenon.descriptors.contains(where: parts.contains)
                if isEverywhere { dangers.insert(.sight) }
            case .drizzle, .rain, .snow, .snowGrains, .icePellets, .unknownPrecipitation:
                if phenomenon.intensity == .heavy { dangers.insert(.heavyPrecipitation) }
            case .iceCrystals, .mist, .smoke, .dust, .sand, .haze, .spray, .dustWhirls: break
            }
        }
        return dangers
    }

    private func wind(in conditions: WeatherConditions) -> Finding? {
        if let gust = conditions.wind?.gustMetresPerSecond, gust > Self.strongWind {
            return ([.wind], "gusts of " + units.speed(gust))
        }
        guard let speed = conditions.wind?.metresPerSecond, speed > Self.strongWind else { return nil }
        return ([.wind], "wind of " + units.speed(speed))
    }

    private func sight(in conditions: WeatherConditions) -> Finding? {
        guard let sight = conditions.visibility, sight.metres < Self.fogVisibility, sight.bound != .atLeast,
            let text = visibility(conditions)
        else { return nil }
        return ([.sight], "visibility " + text)
    }

    private static func manner(of overlay: ForecastGroup) -> String {
        let probability = overlay.probability.map { "possible (\($0) %)" }
        return switch overlay.kind {
        case .becoming: "forecast"
        case .temporary: [probability, "at times"].compactMap(\.self).joined(separator: " ")
        case .possible, .initial, .from: probability ?? "possible"
        }
    }

    /// The beginning of a time; nil if that is over.
    private func time(from period: ForecastGroup.Period, in ahead: Range<UTC>) -> String? {
        period.start > ahead.lowerBound ? units.moment(period.start, now: ahead.lowerBound) : nil
    }
}
