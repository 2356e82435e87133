import Domain
package import JSONCoding
import Weather
import Wire

/// The data of the topic `weather` for users: figures, a reason why there are none or no newer ones, or both.
///
/// Values that are absent, of the wrong type or out of range are nil. Text is sanitised.
package struct TopicWeather: Equatable {
    /// Nil with a reason alone.
    var figures: Figures?
    var reason: String?

    /// The figures of one station, and those of others that it lacks.
    struct Figures: Equatable {
        var station: Station
        var conditions: Conditions
        /// Degrees Celsius, like the other temperatures.
        var temperature: Double?
        var temperatureHere: Double?
        var feelsLike: Double?
        var dewPoint: Double?
        /// Percent.
        var humidity: Double?
        var hectopascals: Double?
        /// The stations of the figures that the first one lacks.
        var others: [OtherStation]
        var forecast: Forecast?
        var rainFrom: UTC?
        var windShiftAt: UTC?
    }

    struct OtherStation: Equatable {
        var station: Station
        var figures: Set<Figure>
    }

    enum Figure: String {
        case temperature
        case dewPoint = "dew_point"
        case wind, visibility, weather, clouds, pressure
    }

    struct Station: Equatable {
        var name: String
        var site: String?
        /// From here to the station.
        var metres: Double
        /// Degrees from true north, from here to the station.
        var bearing: Double?
        var elevation: Double?
        var observed: UTC
    }

    /// Speeds are in metres per second, lengths in metres, directions in degrees from true north.
    struct Conditions: Equatable {
        var windFrom: Double?
        var isWindVariable = false
        var windSpeed: Double?
        var gust: Double?
        /// The two directions between which the wind varies, clockwise.
        var windRange: [Double] = []
        var visibility: Double?
        var visibilityBound: Visibility.Bound
        /// Empty for none; nil if it is not known.
        var weather: [Phenomenon]?
        var clouds: [Cloud]?
    }

    struct Phenomenon: Equatable {
        /// The group of the report.
        var code: String
        /// Nil for a group of a later release.
        var decoded: WeatherPhenomenon?
    }

    struct Cloud: Equatable {
        var cover: CloudLayer.Cover?
        var base: Double?
        var kind: CloudLayer.Kind?
    }

    struct Forecast: Equatable {
        var station: String
        var metres: Double
        var issued: UTC
        /// In the order of time.
        var periods: [Period]
    }

    package struct Period: Equatable {
        var span: Range<UTC>
        var conditions: Conditions
        var overlays: [Overlay]
    }

    /// Conditions that may or will be there for a part of a period.
    package struct Overlay: Equatable {
        var kind: Kind
        var probability: Int?
        var span: Range<UTC>
        var conditions: Conditions

        package enum Kind: String {
            case becoming, temporary, possible
        }
    }

    /// Nil if the data has neither figures with their station, distance and time nor a reason.
    package init?(_ data: JSON) {
        figures = WeatherTopic.readable(data).flatMap { Figures($0) }
        reason = data["reason"]?.harmlessText(limit: 256)
        if figures == nil, reason == nil { return nil }
    }
}

// The parameters are values that ``WeatherTopic/readable(_:)`` has accepted: numbers are in their ranges.
extension TopicWeather.Figures {
    fileprivate init?(_ json: JSON) {
        guard let station = TopicWeather.Station(json) else { return nil }
        self.station = station
        conditions = TopicWeather.Conditions(json)
        temperature = json["temperature_c"]?.number
        temperatureHere = json["temperature_here_c"]?.number
        feelsLike = json["feels_like_c"]?.number
        dewPoint = json["dew_point_c"]?.number
        humidity = json["humidity_percent"]?.number
        hectopascals = json["pressure_hpa"]?.number
        others = (json["other_stations"]?.array ?? []).compactMap { TopicWeather.OtherStation($0) }
        forecast = json["forecast"].flatMap { TopicWeather.Forecast($0) }
        rainFrom = json.time("rain_from")
        windShiftAt = json.time("wind_shift_at")
    }
}

extension TopicWeather.OtherStation {
    fileprivate init?(_ json: JSON) {
        guard let station = TopicWeather.Station(json) else { return nil }
        self.station = station
        let names = (json["figures"]?.array ?? []).compactMap(\.string)
        figures = Set(names.compactMap(TopicWeather.Figure.init))
    }
}

extension TopicWeather.Station {
    fileprivate init?(_ json: JSON) {
        guard let name = json["station"]?.harmlessText(), let metres = json["distance_m"]?.number,
            let observed = json.time("observed_at")
        else { return nil }
        self.name = name
        self.metres = metres
        self.observed = observed
        site = json["site"]?.harmlessText()
        bearing = json["bearing_deg"]?.number
        elevation = json["elevation_m"]?.number
    }
}

extension TopicWeather.Conditions {
    fileprivate init(_ json: JSON) {
        windFrom = json["wind_from_deg"]?.number
        isWindVariable = json["wind_variable"]?.bool ?? false
        windSpeed = json["wind_speed_mps"]?.number
        gust = json["wind_gust_mps"]?.number
        let range = (json["wind_range_deg"]?.array ?? []).compactMap(\.number)
        windRange = range.count == 2 ? range : []
        visibility = json["visibility_m"]?.number
        switch json["visibility_bound"]?.string {
        case "at_least": visibilityBound = .atLeast
        case "less_than": visibilityBound = .lessThan
        default: visibilityBound = .exact
        }
        weather = json["weather"]?.array?.compactMap { phenomenon in
            phenomenon["code"]?.harmlessText().map {
                TopicWeather.Phenomenon(code: $0, decoded: WeatherPhenomenon(Array($0.utf8)[...]))
            }
        }
        clouds = json["clouds"]?.array?.map { layer in
            TopicWeather.Cloud(
                cover: layer["cover"]?.string.flatMap(CloudLayer.Cover.init), base: layer["base_m"]?.number,
                kind: layer["type"]?.string.flatMap(CloudLayer.Kind.init))
        }
    }
}

extension TopicWeather.Forecast {
    fileprivate init?(_ json: JSON) {
        guard let station = json["station"]?.harmlessText(), let metres = json["distance_m"]?.number,
            let issued = json.time("issued_at")
        else { return nil }
        self.station = station
        self.metres = metres
        self.issued = issued
        periods = (json["periods"]?.array ?? []).compactMap { period in
            period.span.map { span in
                TopicWeather.Period(
                    span: span, conditions: TopicWeather.Conditions(period),
                    overlays: (period["overlays"]?.array ?? []).compactMap { TopicWeather.Overlay($0) })
            }
        }
    }
}

extension TopicWeather.Overlay {
    fileprivate init?(_ json: JSON) {
        guard let kind = json["kind"]?.string.flatMap(Kind.init), let span = json.span else { return nil }
        self.kind = kind
        self.span = span
        probability = json["probability_percent"]?.number.map { Int($0.rounded()) }
        conditions = TopicWeather.Conditions(json)
    }
}

extension JSON {
    fileprivate func time(_ name: String) -> UTC? {
        self[name]?.string.flatMap { UTC(iso8601: $0) }
    }

    /// The members `from` and `to`; nil if a time is missing, or the end is not after the beginning.
    fileprivate var span: Range<UTC>? {
        guard let from = time("from"), let to = time("to"), from < to else { return nil }
        return from..<to
    }
}
