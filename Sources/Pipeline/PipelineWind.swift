import Domain

/// The wind of the last observation at the rider. Source: docs/behaviour.md, "The wind".
extension Pipeline {
    /// Seconds after which an observation has no figures.
    private static let oldestWeather = 7200.0

    func windStatus(at now: Instant) -> WindStatus? {
        guard let weather else { return nil }
        let age = world.wallClock.time(at: now).map {
            Double(max($0.milliseconds - weather.observed.milliseconds, 0)) / 1000
        }
        var status = WindStatus(station: weather.station, distance: weather.distance, age: age)
        status.reason = describe(weather, age: age, at: now, in: &status)
        return status
    }

    /// Sets the figures that are known.
    ///
    /// - Returns: why others are not.
    private func describe(
        _ weather: WeatherObservation, age: Double?, at now: Instant, in status: inout WindStatus
    ) -> WindStatus.Reason? {
        if weather.isStale || (age ?? 0) >= Self.oldestWeather { return .stale }
        guard let speed = weather.windSpeed else { return .notReported }
        if speed == 0 {
            (status.speed, status.headwind, status.crosswind) = (0, 0, 0)
            return .calm
        }
        status.speed = speed * WindOnRider.heightFactor
        switch weather.direction {
        case nil: return .notReported
        case .variable: return .variable
        case .from(let degrees): status.from = degrees
        }
        guard let position = world.position, position.age(at: now) < Self.staleAge, let course = position.value.track,
            let movement = position.value.speed, let wind = WindOnRider(weather, course: course, speed: movement)
        else { return .noCourse }
        (status.headwind, status.crosswind, status.relative) = (wind.headwind, wind.crosswind, wind.relative)
        return nil
    }
}
