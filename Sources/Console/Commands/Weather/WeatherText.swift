package import Domain
import Weather
import Wire

/// A line about the weather.
package struct WeatherLine: Equatable {
    enum Role: Equatable {
        /// The station, its distance and the age of its observation, of the figures that follow.
        case station(isStale: Bool)
        /// The same of the forecast that follows.
        case forecast
        case warning, reason, figure, hour
        /// An empty line.
        case gap
    }

    /// Variants from long to short.
    package internal(set) var texts: [String]
    var role: Role
    /// The lines of the lowest ranks remain where not all fit. A station has no higher rank than its figures.
    var rank: Int

    var isTitle: Bool {
        switch role {
        case .station, .forecast: true
        case .warning, .reason, .figure, .hour, .gap: false
        }
    }

    /// The text for a place without a limit.
    package var long: String {
        switch role {
        case .station, .forecast: texts[0]
        case .warning: "! " + texts[0]
        case .reason, .figure, .hour: "  " + texts[0]
        case .gap: ""
        }
    }
}

/// The weather in lines of text, for the command and for the screen.
package struct WeatherText {
    let units: WeatherUnits
    /// Nil while the time of day is unknown.
    let now: UTC?
    /// What the program that published the data calls it.
    var isStale = false
    /// Milliseconds since the publication, which the age is at least; nil if that is unknown.
    var publishedMilliseconds: Int?

    package init(units: WeatherUnits, now: UTC?, isStale: Bool = false, publishedMilliseconds: Int? = nil) {
        self.units = units
        self.now = now
        self.isStale = isStale
        self.publishedMilliseconds = publishedMilliseconds
    }

    package func lines(of weather: TopicWeather, sun: SunStatus? = nil, wind: WindStatus? = nil)
        -> [WeatherLine]
    {
        let reason = weather.reason.map { WeatherLine(texts: [$0.uppercasedFirst], role: .reason, rank: 2) }
        guard let figures = weather.figures else {
            return [WeatherLine(texts: ["No weather"], role: .station(isStale: false), rank: 0), reason].compactMap(
                \.self)
        }
        var lines = [title(of: figures.station, hasSite: true, rank: 0)]
        if let reason { lines.append(reason) }
        lines += warnings(of: figures)
        let others = figures.others.reduce(into: Set()) { $0.formUnion($1.figures) }
        let rider = wind.map { text(of: $0, beside: figures) }
        lines += self.lines(of: figures, without: others, rider)
        for other in figures.others {
            var missing = Set(Self.order)
            missing.subtract(other.figures)
            let more = self.lines(of: figures, without: missing, rider)
            guard let rank = more.map(\.rank).min() else { continue }
            lines.append(title(of: other.station, hasSite: false, rank: rank))
            lines += more
        }
        return lines + forecastLines(of: figures, sun: sun)
    }

    private static let order: [StationWeather.Figure] = [
        .weather, .temperature, .wind, .dewPoint, .visibility, .pressure, .clouds,
    ]

    // MARK: Stations

    private func title(of station: WeatherFigures.Station, hasSite: Bool, rank: Int) -> WeatherLine {
        let isStale = self.isStale || isOld(station.observed)
        let age = age(of: station.observed) + (isStale ? ", stale" : "")
        let place = place(metres: station.metres)
        let direction = station.metres > 0 ? station.bearing.map { " to the " + RunFormat.compass($0) } ?? "" : ""
        let site = hasSite ? station.site.map { " " + $0 } ?? "" : ""
        let height =
            station.elevation.map { " (" + RunFormat.height(metres: $0, metric: units.metric) + " above sea level)" }
            ?? ""
        return WeatherLine(
            texts: [
                station.name + site + height + ", " + place + direction + ", " + age,
                station.name + site + ", " + place + direction + ", " + age,
                station.name + ", " + place + direction + ", " + age, station.name + ", " + place + ", " + age,
                station.name + " " + place + " " + age,
                // On a screen of 20 columns.
                station.name + " "
                    + [wholePlace(metres: station.metres), age.substituting(" old", with: "")].map {
                        $0.substituting(" ", with: "")
                    }.joined(separator: " "),
            ], role: .station(isStale: isStale), rank: rank)
    }

    func place(metres: Double) -> String {
        metres > 0 ? units.distance(metres) : "here"
    }

    /// In whole kilometres or miles.
    private func wholePlace(metres: Double) -> String {
        let unit = units.metric ? 1000 : RunFormat.metresPerMile
        return place(metres: metres < unit ? metres : (metres / unit).rounded() * unit)
    }

    func isOld(_ observed: UTC) -> Bool {
        milliseconds(since: observed).map { $0 > WeatherTopic.lifetime.wholeMilliseconds } ?? false
    }

    private func age(of observed: UTC) -> String {
        if let milliseconds = milliseconds(since: observed) {
            return WeatherUnits.duration(milliseconds: milliseconds) + " old"
        }
        return publishedMilliseconds.map { "at least \(WeatherUnits.duration(milliseconds: Int64($0))) old" }
            ?? "age unknown"
    }

    /// Nil if a clock is wrong: the time is more than 10 minutes ahead.
    func milliseconds(since time: UTC) -> Int64? {
        guard let now, time.milliseconds - now.milliseconds <= 600_000 else { return nil }
        return max(now.milliseconds - time.milliseconds, 0)
    }

    // MARK: Figures

    /// - Parameter rider: the line of the wind on the rider, which follows the wind.
    private func lines(
        of figures: WeatherFigures, without missing: Set<StationWeather.Figure>, _ rider: WeatherLine?
    ) -> [WeatherLine] {
        Self.order.filter { !missing.contains($0) }.flatMap { figure in
            let (texts, rank): ([String], Int) =
                switch figure {
                case .weather: (weatherTexts(figures.conditions, hasSky: !missing.contains(.clouds)), 1)
                case .temperature: (temperatureTexts(figures), 1)
                case .wind: (windTexts(figures.conditions), 1)
                case .dewPoint: (humidityTexts(figures), 5)
                case .visibility: (visibility(figures.conditions).map { ["Visibility " + $0] } ?? [], 5)
                case .pressure: (figures.hectopascals.map { ["Pressure " + units.pressure($0)] } ?? [], 7)
                case .clouds: (cloudTexts(figures.conditions, hasSky: missing.contains(.weather)), 7)
                }
            let lines = texts.isEmpty ? [] : [WeatherLine(texts: texts, role: .figure, rank: rank)]
            return figure == .wind ? lines + [rider].compactMap(\.self) : lines
        }
    }

    private func weatherTexts(_ conditions: WeatherConditions, hasSky: Bool) -> [String] {
        let weather = conditions.weather.map(Self.words) ?? ""
        let sky = hasSky ? Self.sky(conditions) : nil
        if weather.isEmpty { return sky.map { [$0.uppercasedFirst] } ?? [] }
        return [weather + (sky.map { ", " + $0 } ?? ""), weather].map(\.uppercasedFirst)
    }

    static func words(_ weather: [WeatherPhenomenon]) -> String {
        weather.map(\.words).joined(separator: ", ")
    }

    static func sky(_ conditions: WeatherConditions) -> String? {
        conditions.clouds.flatMap { WeatherWords.sky($0.compactMap(\.cover)) }
    }

    private func temperatureTexts(_ figures: WeatherFigures) -> [String] {
        let station = figures.temperature.map(units.temperature)
        let here = figures.temperatureHere.map(units.temperature)
        let felt = figures.feelsLike.map(units.temperature)
        let first = station ?? here
        let beside = here == first ? nil : here
        let more = felt == first ? nil : felt
        func text(_ parts: String?...) -> String { parts.compactMap(\.self).joined(separator: ", ").uppercasedFirst }
        let texts = [
            text(first, beside.map { $0 + " at the altitude here" }, more.map { "feels like " + $0 }),
            text(first, beside.map { "here " + $0 }, more.map { "feels like " + $0 }),
            text(first, more.map { "feels " + $0 }),
        ]
        return texts[0].isEmpty ? [] : texts
    }

    private func windTexts(_ conditions: WeatherConditions) -> [String] {
        guard let wind = conditions.wind else { return [] }
        let from = wind.fromDegrees.map { RunFormat.compass(Double($0)) }
        guard let speed = wind.metresPerSecond.map(units.speed) else { return from.map { ["Wind from " + $0] } ?? [] }
        let gust = wind.gustMetresPerSecond.map { ", gusts of " + units.speed($0) } ?? ""
        let shortGust = wind.gustMetresPerSecond.map { ", gusts " + units.speedFigures($0) } ?? ""
        if wind.metresPerSecond == 0, wind.gustMetresPerSecond == nil { return ["Calm"] }
        let range =
            wind.range.map { [$0.fromDegrees, $0.toDegrees].map { RunFormat.compass(Double($0)) } }
            .map { ", between " + $0.joined(separator: " and ") } ?? ""
        guard !wind.isVariable, let from else {
            let lead = wind.isVariable ? "Variable wind of " : "Wind of "
            return [lead + speed + range + gust, lead + speed + gust, lead + speed + shortGust]
        }
        return [
            "Wind from \(from) at \(speed)\(range)\(gust)", "Wind from \(from) at \(speed)\(gust)",
            "Wind \(from) \(speed)\(shortGust)",
        ]
    }

    private func humidityTexts(_ figures: WeatherFigures) -> [String] {
        let parts = [
            figures.humidity.map { "humidity " + units.whole($0) + " %" },
            figures.dewPoint.map { "dew point " + units.temperature($0) },
        ].compactMap(\.self)
        return parts.isEmpty ? [] : [parts.joined(separator: ", ").uppercasedFirst]
    }

    func visibility(_ conditions: WeatherConditions) -> String? {
        conditions.visibility.map { visibility in
            switch visibility.bound {
            case .exact: units.distance(visibility.metres)
            case .atLeast: units.distance(visibility.metres) + " or more"
            case .lessThan: "less than " + units.distance(visibility.metres)
            }
        }
    }

    private func cloudTexts(_ conditions: WeatherConditions, hasSky: Bool) -> [String] {
        let layers = (conditions.clouds ?? []).filter { $0.baseMetres != nil || $0.kind != nil }
        if layers.isEmpty { return hasSky ? Self.sky(conditions).map { [$0.uppercasedFirst] } ?? [] : [] }
        return ["Clouds " + layers.map(text).joined(separator: ", ")]
    }

    private func text(of layer: CloudLayer) -> String {
        let cover: String? =
            switch layer.cover {
            case .few: "few"
            case .scattered: "scattered"
            case .broken: "broken"
            case .overcast: "overcast"
            case .obscured: "vertical visibility"
            case .skyClear, .clear, .noSignificantCloud, .noCloudDetected, nil: nil
            }
        let kind: String? =
            switch layer.kind {
            case .cumulonimbus: "cumulonimbus"
            case .toweringCumulus: "towering cumulus"
            case nil: nil
            }
        let height = layer.baseMetres.map { (layer.cover == .obscured ? "" : "at ") + units.cloudBase($0) }
        let parts = cover == nil ? [kind, height] : [cover, height, kind.map { "(\($0))" }]
        return parts.compactMap(\.self).joined(separator: " ")
    }
}

extension String {
    var uppercasedFirst: String { prefix(1).uppercased() + dropFirst() }
}
