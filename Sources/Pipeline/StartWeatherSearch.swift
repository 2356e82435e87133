package import Domain

/// Finds the weather at the start of an activity in its entries: the observation that was known, else the first one
/// that arrives within ``StartWeather/arrivalLimit``. Source: docs/behaviour.md, "The weather at the start".
package struct StartWeatherSearch: Sendable {
    /// Nil while it is not found, and if there is none.
    package private(set) var weather: StartWeather?
    /// Whether no later entry counts.
    package private(set) var hasEnded = false
    /// The date of the start.
    private let start: UTC?
    private var startedAt: Instant?
    private var newest: WeatherObservation?

    /// - Parameter start: nil if the date is unknown.
    package init(start: UTC?) {
        self.start = start
    }

    /// Ends the search if the moment is too late for a further entry.
    package mutating func advance(to now: Instant) {
        if let startedAt, now - startedAt >= StartWeather.arrivalLimit { hasEnded = true }
    }

    /// Receives the entries of the activity in their order, with moments of one clock. Those of other kinds than
    /// snapshots, weather and commands may be left out.
    package mutating func receive(_ entry: InputLogEntry) {
        advance(to: entry.at)
        if hasEnded { return }
        switch entry.kind {
        case .snapshot(let snapshot): newest = snapshot.weather
        case .input(.weather(let weather)): newest = weather
        // The first command is the start. A backdated one follows the entries before it.
        case .command: if startedAt == nil { startedAt = entry.at }
        case .input, .suspended, .outage, .shutdown, .ended: return
        }
        guard startedAt != nil, let newest else { return }
        weather = StartWeather(newest, start: start)
        hasEnded = weather != nil
    }
}
