package import Domain

/// The weather at a place: the report of the nearest station that has one, and the figures that it lacks from stations
/// that are farther away.
package struct StationWeather: Equatable, Sendable {
    /// A figure of a report.
    package enum Figure: String, CaseIterable, Sendable {
        case temperature
        case dewPoint = "dew_point"
        case wind
        case visibility
        case weather
        case clouds
        case pressure
    }

    /// A station as seen from the place.
    package struct Source: Equatable, Sendable {
        package var station: WeatherStation
        package var way: GreatCircle
        package var observed: UTC
    }

    /// Another station, and its figures.
    package struct Other: Equatable, Sendable {
        package var source: Source
        package var figures: [Figure]
    }

    package struct Forecast: Equatable, Sendable {
        package var station: WeatherStation
        package var way: GreatCircle
        package var taf: Taf
    }

    /// Where the weather was asked for.
    package let place: Coordinate
    /// Metres above the sea; nil if it is unknown.
    package let altitude: Double?
    package let source: Source
    /// The report of the station, with the figures of the others.
    package let report: Metar
    /// The stations of these figures.
    package let others: [Other]
    package let forecast: Forecast?
    /// All reports, the nearest first.
    package let reports: [StationReport]
    private let receivedAt: UTC

    /// By how much a report may be newer than the clock says.
    static let clockTolerance: Int64 = 10 * 60_000
    /// Other stations with figures.
    private static let otherLimit = 7

    /// Nil if no station within ``WeatherLookup/distanceLimit`` has a report of the last 90 min.
    package init?(_ reports: [StationReport], around place: Coordinate, altitude: Double?, at time: UTC) {
        let sorted = reports.map { (report: $0, way: GreatCircle(from: place, to: $0.station.place)) }
            .filter { $0.way.metres <= WeatherLookup.distanceLimit }.sorted { $0.way.metres < $1.way.metres }
        let usable = sorted.compactMap { report, way -> (source: Source, metar: Metar)? in
            guard let metar = report.metar?.plausible, !metar.isMissing, !metar.figures.isEmpty,
                time.milliseconds - metar.time.milliseconds < WeatherLookup.ageLimit
            else { return nil }
            return (Source(station: report.station, way: way, observed: metar.time), metar)
        }
        guard let first = usable.first else { return nil }
        var merged = first.metar
        var others: [Other] = []
        for (source, metar) in usable.dropFirst().prefix(Self.otherLimit) {
            let added = metar.figures.filter { !merged.figures.contains($0) }
            if added.isEmpty { continue }
            for figure in added { merged.adopt(figure, of: metar) }
            others.append(Other(source: source, figures: added))
        }
        self.place = place
        self.altitude = altitude
        source = first.source
        report = merged
        self.others = others
        forecast =
            sorted.lazy.compactMap { report, way in
                report.taf.flatMap {
                    $0.validity.end > time && !$0.groups.isEmpty
                        ? Forecast(station: report.station, way: way, taf: $0) : nil
                }
            }.first
        self.reports = sorted.map(\.report)
        receivedAt = time
    }

    /// When the oldest of the figures was observed.
    package var oldest: UTC { others.map(\.source.observed).min().map { min($0, source.observed) } ?? source.observed }

    /// The same reports as seen from another place. Nil if all stations are then too far away.
    package func moved(to place: Coordinate, altitude: Double?) -> StationWeather? {
        StationWeather(reports, around: place, altitude: altitude, at: receivedAt)
    }

    /// The temperature for the altitude of the place, by the lapse rate of the standard atmosphere. Nil if it is not
    /// known, or the difference is less than 100 m.
    package var temperatureHere: Double? {
        let station = others.first { $0.figures.contains(.temperature) }?.source.station ?? source.station
        guard let celsius = report.celsius, let altitude, let elevation = station.elevation,
            (altitude - elevation).magnitude > 100
        else { return nil }
        return Metar.plausible(celsius: celsius - (altitude - elevation) * 0.0065)
    }

    /// Percent. Nil unless one station has both temperature and dew point.
    package var humidity: Double? {
        let isMixed = others.contains { $0.figures.contains(.temperature) != $0.figures.contains(.dewPoint) }
        return isMixed ? nil : report.humidity
    }

    /// Degrees Celsius, of the temperature at the station.
    package var feelsLike: Double? {
        let felt = report.celsius.flatMap {
            ApparentTemperature.feelsLike(
                celsius: $0, wind: report.conditions.wind?.metresPerSecond, humidity: humidity)
        }
        // The formulas have no limits.
        return felt.flatMap { (-120...90).contains($0) ? $0 : nil }
    }
}

extension Metar {
    /// The figures that the report has.
    var figures: [StationWeather.Figure] {
        StationWeather.Figure.allCases.filter { figure in
            switch figure {
            case .temperature: celsius != nil
            case .dewPoint: dewPointCelsius != nil
            case .wind: conditions.wind?.metresPerSecond != nil
            case .visibility: conditions.visibility != nil
            case .weather: conditions.weather != nil && isAttended
            case .clouds: conditions.clouds != nil
            case .pressure: hectopascals != nil
            }
        }
    }

    /// A report that has nothing else does not say that there is no weather.
    private var isAttended: Bool {
        celsius != nil || conditions.wind != nil || conditions.visibility != nil || conditions.weather?.isEmpty == false
    }

    fileprivate mutating func adopt(_ figure: StationWeather.Figure, of other: Metar) {
        switch figure {
        case .temperature: celsius = other.celsius
        case .dewPoint: dewPointCelsius = other.dewPointCelsius
        case .wind: conditions.wind = other.conditions.wind
        case .visibility: conditions.visibility = other.conditions.visibility
        case .weather: conditions.weather = other.conditions.weather
        case .clouds: conditions.clouds = other.conditions.clouds
        case .pressure: hectopascals = other.hectopascals
        }
    }
}

extension Metar {
    /// The report without figures that no station can observe, such as those with a digit too many.
    var plausible: Metar {
        var result = self
        result.celsius = celsius.flatMap(Self.plausible)
        result.dewPointCelsius = dewPointCelsius.flatMap(Self.plausible)
        result.conditions = conditions.plausible
        return result
    }

    fileprivate static func plausible(celsius: Double) -> Double? {
        (-100...70).contains(celsius) ? celsius : nil
    }
}

extension WeatherConditions {
    /// The fastest wind ever measured at a station had 113 m/s.
    private static let fastestWind = 150.0
    private static let farthestVisibility = 100_000.0

    var plausible: WeatherConditions {
        var result = self
        if wind?.metresPerSecond ?? 0 > Self.fastestWind { result.wind = nil }
        if wind?.gustMetresPerSecond ?? 0 > Self.fastestWind { result.wind?.gustMetresPerSecond = nil }
        if visibility?.metres ?? 0 > Self.farthestVisibility {
            result.visibility = Visibility(metres: Self.farthestVisibility, bound: .atLeast)
        }
        return result
    }
}
