package import Domain
package import JSONCoding

/// The data of the topic `weather`: the figures of a weather station, or a reason why there are none.
package enum WeatherTopic {
    package static let name = "weather"
    /// Figures that are older are not published.
    package static let lifetime = Duration.seconds(2 * 3600)
    /// Metres. Figures of stations that are farther away are not published.
    package static let distanceLimit = 100_000

    /// - Returns: when the oldest of the figures was observed; nil for a reason.
    /// - Throws: ``RPCError`` that names the wrong member.
    package static func check(_ data: JSON) throws(RPCError) -> UTC? {
        if data["reason"] != nil, data["station"] == nil {
            try TopicShape.object(reason).check(data, at: "data")
            return nil
        }
        try TopicShape.object(figures).check(data, at: "data")
        let stations = [data] + (data["other_stations"]?.array ?? [])
        return stations.compactMap { $0["observed_at"]?.string.flatMap { UTC(iso8601: $0) } }.min()
    }

    /// The figures of data that nobody has checked, without members that are wrong; nil for a reason, and if the station,
    /// its distance or the time is missing.
    package static func readable(_ data: JSON) -> JSON? {
        TopicShape.object(figures).conforming(data)
    }

    /// The observation in data that ``check(_:)`` has accepted; nil for a reason, and if a name is no text.
    ///
    /// The wind may be of another station than the first: then station, distance and time are those of that station.
    static func observation(_ data: JSON) -> WeatherObservation? {
        let other = data["other_stations"]?.array?.first { station in
            station["figures"]?.array?.contains { $0.string == "wind" } == true
        }
        let station = other ?? data
        guard let name = station["station"]?.string.flatMap({ SanitizedText($0) }),
            let observed = station["observed_at"]?.string.flatMap({ UTC(iso8601: $0) }),
            let distance = station["distance_m"]?.number
        else { return nil }
        let from = data["wind_from_deg"]?.number.map { $0.truncatingRemainder(dividingBy: 360) }
        let conditions = data["weather"]?.array?.compactMap { $0["code"]?.string }.joined(separator: " ")
        return try? WeatherObservation(
            station: name, observed: observed, distance: distance,
            direction: data["wind_variable"]?.bool == true ? .variable : from.map { .from($0) },
            windSpeed: data["wind_speed_mps"]?.number, gust: data["wind_gust_mps"]?.number,
            temperature: data["temperature_c"]?.number, humidity: data["humidity_percent"]?.number,
            pressure: data["pressure_hpa"]?.number.map { $0 * 100 },
            conditions: conditions.flatMap { SanitizedText($0) })
    }

    /// The objects of the data, by their names in schema.json and docs/protocol.md.
    static let tables: [(name: String, members: [TopicMember])] = [
        ("weather", figures), ("weather_reason", reason), ("weather_station", otherStation),
        ("weather_forecast", forecast), ("weather_period", period), ("weather_overlay", overlay),
        ("weather_phenomenon", phenomenon), ("weather_cloud", cloud),
    ]

    private static let reason = [
        TopicMember("reason", .text, isRequired: true, "Why there are no figures, for users. There is no other member.")
    ]

    private static let figures: [TopicMember] =
        station
        + [
            TopicMember("observed_at", .time, isRequired: true, "When it was observed, at most 2 h ago."),
            TopicMember("site", .text, "The place of the station, for users."),
            TopicMember("bearing_deg", .number(0...360), unit: "°", "The direction of the station from here."),
            TopicMember("elevation_m", .number(-500...9000), unit: "m", "The elevation of the station."),
            TopicMember("temperature_c", .number(-100...70), unit: "°C", "The temperature at the station."),
            TopicMember(
                "temperature_here_c", .number(-100...70), unit: "°C",
                "The temperature for the altitude here: 6.5 °C less for each 1000 m above the station."),
            TopicMember("dew_point_c", .number(-100...70), unit: "°C", "The dew point."),
            TopicMember("humidity_percent", .number(0...100), unit: "%", "The relative humidity."),
            TopicMember("feels_like_c", .number(-120...90), unit: "°C", "Wind chill, heat index, or the temperature."),
            TopicMember("pressure_hpa", .number(800...1100), unit: "hPa", "The air pressure, for sea level."),
        ] + conditions
        + [
            TopicMember(
                "other_stations", .object(otherStation), listLimit: 7,
                "The stations of the figures that the first one lacks."),
            TopicMember("forecast", .object(forecast), "The forecast of the nearest station that has one."),
            TopicMember("rain_from", .time, "When the forecast has the next precipitation."),
            TopicMember("wind_shift_at", .time, "When the forecast has another wind."),
            TopicMember("reason", .text, "Why there is no newer observation, for users."),
        ]

    private static let otherStation: [TopicMember] =
        station
        + [
            TopicMember("observed_at", .time, isRequired: true, "When it was observed, at most 2 h ago."),
            TopicMember(
                "figures",
                .token(["temperature", "dew_point", "wind", "visibility", "weather", "clouds", "pressure"]),
                listLimit: 7, isRequired: true, "The figures of this station."),
        ]

    private static let forecast: [TopicMember] =
        station
        + [
            TopicMember("issued_at", .time, isRequired: true, "When the forecast was made."),
            TopicMember(
                "periods", .object(period), listLimit: 48, isRequired: true, "The forecast in the order of time."),
        ]

    private static let period: [TopicMember] =
        span + conditions
        + [
            TopicMember(
                "overlays", .object(overlay), listLimit: 8, "Conditions that may or will be there for a part of it.")
        ]

    private static let overlay: [TopicMember] =
        [
            TopicMember(
                "kind", .token(["becoming", "temporary", "possible"]), isRequired: true,
                "A change within the time, for times of less than 1 h, or with a probability."),
            TopicMember("probability_percent", .number(0...100), unit: "%", "The probability."),
        ] + span + conditions

    private static let phenomenon = [
        TopicMember("code", .text, isRequired: true, "The group of the report, such as `-SHRA`."),
        TopicMember("intensity", .token(["light", "heavy"]), "The intensity; without it moderate."),
        TopicMember("vicinity", .flag, "It is 8 to 16 km from the station."),
        TopicMember(
            "descriptors", .text, listLimit: 5, "Such as `SH` (showers), `TS` (thunderstorm), `FZ` (freezing)."),
        TopicMember("phenomena", .text, listLimit: 5, "Such as `RA` (rain), `SN` (snow), `FG` (fog)."),
    ]

    private static let cloud = [
        TopicMember(
            "cover", .token(["FEW", "SCT", "BKN", "OVC", "SKC", "CLR", "NSC", "NCD", "VV"]),
            "The part of the sky that the layer covers; `VV`: the sky cannot be seen."),
        TopicMember("base_m", .number(0...40_000), unit: "m", "The height of the layer, above the station."),
        TopicMember("type", .token(["CB", "TCU"]), "Cumulonimbus, towering cumulus."),
    ]

    private static let conditions = [
        TopicMember("wind_from_deg", .number(0...360), unit: "°", "Where the wind comes from, from true north."),
        TopicMember("wind_variable", .flag, "The direction varies."),
        TopicMember("wind_speed_mps", .number(0...150), unit: "m/s", "The wind 10 m above the ground; 0: calm."),
        TopicMember("wind_gust_mps", .number(0...150), unit: "m/s", "Gusts."),
        TopicMember(
            "wind_range_deg", .number(0...360), listLimit: 2, unit: "°",
            "The two directions between which the wind varies, clockwise."),
        TopicMember("visibility_m", .number(0...100_000), unit: "m", "The prevailing visibility."),
        TopicMember("visibility_bound", .token(["at_least", "less_than"]), "The visibility is a limit."),
        TopicMember(
            "weather", .object(phenomenon), listLimit: 8, "Precipitation, fog and the like; empty for none."),
        TopicMember("clouds", .object(cloud), listLimit: 8, "The layers from the lowest to the highest."),
        TopicMember(
            "ceiling_m", .number(0...40_000), unit: "m",
            "The height of the lowest layer that covers more than half of the sky."),
        TopicMember(
            "icon", .token(icons.flatMap { [$0, $0 + "-sky"] }),
            "The drawing that stands for it, such as `rain`; with `-sky` the sun or the moon shows beside the clouds."),
    ]

    /// The names of ``WeatherIcon``.
    private static let icons = [
        "tornado", "thunder-rain", "thunder", "hail", "ice", "sleet", "snow", "heavy-rain", "rain", "drizzle", "wind",
        "fog", "dust", "haze", "overcast", "cloudy", "partly-cloudy", "few-clouds", "clear",
    ]

    private static let station = [
        TopicMember("station", .text, isRequired: true, "The name of the station, such as `EDDB`."),
        TopicMember(
            "distance_m", .number(0...distanceLimit), unit: "m", isRequired: true,
            "The distance from here to the station."
        ),
    ]

    private static let span = [
        TopicMember("from", .time, isRequired: true, "When it begins."),
        TopicMember("to", .time, isRequired: true, "When it ends."),
    ]
}
