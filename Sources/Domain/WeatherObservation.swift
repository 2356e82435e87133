/// An observation of a weather station, from the topic `weather`.
///
/// Station, time and distance are those of the wind. Other figures may be of a station nearby.
package struct WeatherObservation: Equatable, Sendable {
    /// Where the wind comes from.
    package enum Direction: Equatable, Sendable {
        /// Degrees from true north, from 0 to below 360.
        case from(Double)
        /// VRB: no direction is reported.
        case variable
    }

    /// The name of the station, such as EDDB.
    package let station: SanitizedText
    /// When it was observed.
    package let observed: UTC
    /// Metres from the place that the observation was asked for to the station, 0 to 20,100,000.
    package let distance: Double
    /// Nil if it is unknown, and in a calm.
    package let direction: Direction?
    /// Metres per second at 10 m over the ground, averaged over 10 min, 0 to 150; 0: calm.
    package let windSpeed: Double?
    /// Metres per second at 10 m over the ground, 0 to 150.
    package let gust: Double?
    /// Degrees Celsius, -100 to 70.
    package let temperature: Double?
    /// Relative humidity in percent, 0 to 100.
    package let humidity: Double?
    /// Air pressure at sea level in pascals, 80,000 to 110,000.
    package let pressure: Double?
    /// The groups of the weather in a report, such as `-RA BR`. Nil for none, and if it is unknown.
    package let conditions: SanitizedText?
    /// Whether the time is over for which its publisher calls it valid.
    package var isStale: Bool

    /// - Throws: ``ParseError`` at 0 for a value that is not finite or out of its range.
    package init(
        station: SanitizedText, observed: UTC, distance: Double, direction: Direction? = nil, windSpeed: Double? = nil,
        gust: Double? = nil, temperature: Double? = nil, humidity: Double? = nil, pressure: Double? = nil,
        conditions: SanitizedText? = nil, isStale: Bool = false
    ) throws(ParseError) {
        func check(_ value: Double?, _ range: ClosedRange<Double>, _ expected: StaticText) throws(ParseError) {
            if let value, !range.contains(value) { throw ParseError(at: 0, expected: expected) }
        }
        try check(distance, 0...20_100_000, "a distance of 0 to 20100000 m")
        if case .from(let degrees) = direction {
            guard degrees >= 0, degrees < 360 else {
                throw ParseError(at: 0, expected: "a direction below 360 degrees")
            }
        }
        try check(windSpeed, 0...150, "a wind speed of 0 to 150 m/s")
        try check(gust, 0...150, "gusts of 0 to 150 m/s")
        try check(temperature, -100...70, "a temperature of -100 to 70 degrees Celsius")
        try check(humidity, 0...100, "a humidity of 0 to 100 %")
        try check(pressure, 80_000...110_000, "a pressure of 80000 to 110000 Pa")
        self.station = station
        self.observed = observed
        self.distance = distance
        self.direction = direction
        self.windSpeed = windSpeed
        self.gust = gust
        self.temperature = temperature
        self.humidity = humidity
        self.pressure = pressure
        self.conditions = conditions
        self.isStale = isStale
    }
}

extension WeatherObservation {
    /// The weather at the station, without groups of unknown meaning. Empty for none, and if it is unknown.
    package var phenomena: [WeatherPhenomenon] {
        guard let conditions else { return [] }
        return Array(conditions.text.utf8).split(separator: UInt8(ascii: " ")).compactMap { WeatherPhenomenon($0) }
    }
}
