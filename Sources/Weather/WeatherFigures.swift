package import Domain
package import JSONCoding

/// The data of the topic `weather` as another program reads it: the figures of a station, and those of others that it lacks.
///
/// Text is sanitised.
package struct WeatherFigures: Equatable, Sendable {
    package let station: Station
    package let conditions: WeatherConditions
    /// Degrees Celsius, like the other temperatures.
    package let temperature: Double?
    package let temperatureHere: Double?
    package let feelsLike: Double?
    package let dewPoint: Double?
    /// Percent.
    package let humidity: Double?
    package let hectopascals: Double?
    /// The stations of the figures that the first one lacks.
    package let others: [Other]
    package let forecast: Forecast?
    package let rainFrom: UTC?
    package let windShiftAt: UTC?

    package struct Other: Equatable, Sendable {
        package let station: Station
        package let figures: [StationWeather.Figure]
    }

    package struct Station: Equatable, Sendable {
        package let name: String
        package let site: String?
        /// From the place to the station.
        package let metres: Double
        /// Degrees from true north, from the place to the station.
        package let bearing: Double?
        package let elevation: Double?
        package let observed: UTC
    }

    package struct Forecast: Equatable, Sendable {
        package let station: String
        package let metres: Double
        package let issued: UTC
        /// In the order of time.
        package let periods: [Taf.Segment]
    }
}

extension WeatherFigures {
    /// - Parameter json: what `WeatherTopic` has accepted or corrected: numbers are in their ranges.
    package init?(_ json: JSON) {
        guard let station = Station(json) else { return nil }
        self.station = station
        conditions = WeatherConditions(json)
        temperature = json["temperature_c"]?.number
        temperatureHere = json["temperature_here_c"]?.number
        feelsLike = json["feels_like_c"]?.number
        dewPoint = json["dew_point_c"]?.number
        humidity = json["humidity_percent"]?.number
        hectopascals = json["pressure_hpa"]?.number
        others = (json["other_stations"]?.array ?? []).compactMap { Other($0) }
        forecast = json["forecast"].flatMap { Forecast($0) }
        rainFrom = json.time("rain_from")
        windShiftAt = json.time("wind_shift_at")
    }
}

extension WeatherFigures.Other {
    fileprivate init?(_ json: JSON) {
        guard let station = WeatherFigures.Station(json) else { return nil }
        self.station = station
        figures = (json["figures"]?.array ?? []).compactMap { $0.string.flatMap(StationWeather.Figure.init) }
    }
}

extension WeatherFigures.Station {
    fileprivate init?(_ json: JSON) {
        guard let name = json.text("station"), let metres = json["distance_m"]?.number,
            let observed = json.time("observed_at")
        else { return nil }
        self.name = name
        self.metres = metres
        self.observed = observed
        site = json.text("site")
        bearing = json["bearing_deg"]?.number
        elevation = json["elevation_m"]?.number
    }
}

extension WeatherConditions {
    fileprivate init(_ json: JSON) {
        self.init()
        wind = Wind(json)
        visibility = json["visibility_m"]?.number.map {
            let bounds: [String: Visibility.Bound] = ["at_least": .atLeast, "less_than": .lessThan]
            return Visibility(metres: $0, bound: json["visibility_bound"]?.string.flatMap { bounds[$0] } ?? .exact)
        }
        weather = json["weather"]?.array?.compactMap { phenomenon in
            phenomenon["code"]?.string.flatMap { SanitizedText($0) }.map { WeatherPhenomenon($0) }
        }
        clouds = json["clouds"]?.array?.map { layer in
            CloudLayer(
                cover: layer["cover"]?.string.flatMap(CloudLayer.Cover.init), baseMetres: layer["base_m"]?.number,
                kind: layer["type"]?.string.flatMap(CloudLayer.Kind.init))
        }
    }
}

extension Wind {
    /// Nil if nothing of it is known.
    fileprivate init?(_ json: JSON) {
        func degrees(_ json: JSON?) -> Int? { json?.number.map { Int($0.rounded()) } }
        self.init()
        fromDegrees = degrees(json["wind_from_deg"])
        isVariable = json["wind_variable"]?.bool ?? false
        metresPerSecond = json["wind_speed_mps"]?.number
        gustMetresPerSecond = json["wind_gust_mps"]?.number
        let directions = (json["wind_range_deg"]?.array ?? []).compactMap(degrees)
        if directions.count == 2 { range = Range(fromDegrees: directions[0], toDegrees: directions[1]) }
        if self == Wind() { return nil }
    }
}

extension WeatherFigures.Forecast {
    fileprivate init?(_ json: JSON) {
        guard let station = json.text("station"), let metres = json["distance_m"]?.number,
            let issued = json.time("issued_at")
        else { return nil }
        self.station = station
        self.metres = metres
        self.issued = issued
        periods = (json["periods"]?.array ?? []).compactMap { period in
            period.span.map { span in
                let overlays = (period["overlays"]?.array ?? []).compactMap { ForecastGroup($0) }
                return Taf.Segment(
                    period: span, state: ForecastState(conditions: WeatherConditions(period), overlays: overlays))
            }
        }
    }
}

extension ForecastGroup {
    fileprivate init?(_ json: JSON) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init), let span = json.span else { return nil }
        let probability = json["probability_percent"]?.number.map { Int($0.rounded()) }
        self.init(kind: kind, period: span, probability: probability, conditions: WeatherConditions(json))
    }
}

extension JSON {
    fileprivate func text(_ name: String) -> String? {
        self[name]?.string.flatMap { SanitizedText($0)?.text }
    }

    fileprivate func time(_ name: String) -> UTC? {
        self[name]?.string.flatMap { UTC(iso8601: $0) }
    }

    /// The members `from` and `to`; nil if a time is missing, or the end is not after the beginning.
    fileprivate var span: ForecastGroup.Period? {
        guard let from = time("from"), let to = time("to"), from < to else { return nil }
        return ForecastGroup.Period(start: from, end: to)
    }
}
