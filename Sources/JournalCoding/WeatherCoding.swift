import Domain
import JSONCoding

// The observation of a weather station in an entry of the input log and in a snapshot.

extension JSONWriter {
    /// Writes no member for no observation.
    mutating func members(of weather: WeatherObservation?) {
        guard let weather else { return }
        member("station", weather.station.text)
        member("observed_ms", weather.observed.milliseconds)
        member("distance", exact: weather.distance)
        switch weather.direction {
        case .from(let degrees): member("wind_from", exact: degrees)
        case .variable: member("wind_variable", true)
        case nil: break
        }
        member("wind", exact: weather.windSpeed)
        member("gust", exact: weather.gust)
        member("temperature", exact: weather.temperature)
        member("humidity", exact: weather.humidity)
        member("pressure", exact: weather.pressure)
        member("conditions", weather.conditions?.text)
        if weather.isStale { member("stale", true) }
    }
}

extension WeatherObservation? {
    init(_ json: JSON) throws(ParseError) {
        guard json["station"] != nil else {
            self = nil
            return
        }
        guard let station = SanitizedText(try json.member("station").text()) else {
            throw ParseError(at: 0, expected: "the name of a station")
        }
        let degrees = json["wind_from"]?.number
        self = try WeatherObservation(
            station: station, observed: try json.member("observed_ms").utc(),
            distance: try json.member("distance").real(),
            direction: degrees.map { .from($0) } ?? (json["wind_variable"]?.bool == true ? .variable : nil),
            windSpeed: json["wind"]?.number, gust: json["gust"]?.number, temperature: json["temperature"]?.number,
            humidity: json["humidity"]?.number, pressure: json["pressure"]?.number,
            conditions: json["conditions"]?.string.flatMap { SanitizedText($0) },
            isStale: json["stale"]?.bool ?? false)
    }
}
