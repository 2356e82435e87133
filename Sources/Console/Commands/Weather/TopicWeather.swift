package import JSONCoding
import Weather
import Wire

/// The data of the topic `weather` for users: figures, a reason why there are none or no newer ones, or both.
package struct TopicWeather: Equatable {
    /// Nil with a reason alone.
    var figures: WeatherFigures?
    var reason: String?

    /// Values that are absent, of the wrong type or out of range are nil. Text is sanitised. Nil if the data has neither
    /// figures with their station, distance and time nor a reason.
    package init?(_ data: JSON) {
        figures = WeatherTopic.readable(data).flatMap { WeatherFigures($0) }
        reason = data["reason"]?.harmlessText(limit: 256)
        if figures == nil, reason == nil { return nil }
    }
}
