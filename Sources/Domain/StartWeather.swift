/// The weather at the start of an activity. Source: docs/behaviour.md, "The weather at the start".
package struct StartWeather: Equatable, Sendable {
    package let observation: WeatherObservation
    /// Seconds from the observation to the start, below 0 for a later one; nil if the date of the start is unknown.
    package let age: Double?

    /// An observation counts after the start if it arrives before this time.
    package static let arrivalLimit = Duration.seconds(15 * 60)
    /// Seconds before the start from which on an observation does not count.
    private static let oldest = 7200.0
    /// Seconds after the start: ``arrivalLimit``, and 10 min by which the clock of a publisher may be ahead.
    private static let latest = 1500.0

    /// Nil for an observation that is stale, that is not of the time of the start, and that has no figure.
    ///
    /// - Parameter start: nil if the date is unknown.
    package init?(_ observation: WeatherObservation, start: UTC?) {
        guard !observation.isStale,
            observation.temperature != nil || observation.windSpeed != nil || observation.humidity != nil
                || !observation.phenomena.isEmpty
        else { return nil }
        age = start.map { Double($0.milliseconds - observation.observed.milliseconds) / 1000 }
        if let age, age >= Self.oldest || age < -Self.latest { return nil }
        self.observation = observation
    }
}

extension StartWeather {
    /// The weather on one line. The station, its distance and the time follow a semicolon.
    package func text(metric: Bool) -> String {
        let distance = RunFormat.distance(metres: observation.distance, metric: metric)
        let source = [
            observation.station.text, "\(distance) \(RunFormat.distanceUnit(metric: metric)) away", moment,
        ].compactMap(\.self)
        return figures(metric: metric).joined(separator: ", ") + "; " + source.joined(separator: ", ")
    }

    private func figures(metric: Bool) -> [String] {
        func speed(_ value: Double) -> String {
            RunFormat.speed(metresPerSecond: value, metric: metric) + " " + RunFormat.speedUnit(metric: metric)
        }
        func whole(_ value: Double) -> String { DecimalFormat.text(value, decimals: 0) ?? "--" }
        var figures: [String] = []
        if let celsius = observation.temperature {
            figures.append(RunFormat.temperature(celsius: celsius, metric: metric))
        }
        if let wind = observation.windSpeed {
            switch observation.direction {
            case _ where wind == 0: figures.append("calm")
            case .from(let degrees):
                let from = "\(whole(degrees))° (\(RunFormat.compass(degrees)))"
                figures.append("wind \(speed(wind)) from \(from)")
            case .variable: figures.append("variable wind \(speed(wind))")
            case nil: figures.append("wind \(speed(wind))")
            }
        }
        if let gust = observation.gust { figures.append("gusts " + speed(gust)) }
        if let humidity = observation.humidity { figures.append("humidity \(whole(humidity)) %") }
        return figures + observation.phenomena.map(\.words)
    }

    private var moment: String? {
        guard let age, let minutes = DecimalFormat.scaled(age / 60, decimals: 0) else { return nil }
        if minutes == 0 { return "observed at the start" }
        return "observed \(abs(minutes)) min \(minutes > 0 ? "before" : "after") the start"
    }
}
