package import Domain

/// The solar day at a place, kept until the day ends or the place changes.
///
/// The place is rounded to 0.001°, so that the times depend on the present place and time alone. A run computes them
/// again about each 100 m. That changes them by at most 0.5 s at 52° of latitude, and 3 s at 65°.
package struct SunMemory {
    private var place: Coordinate?
    private var day: SolarDay?

    package init() {}

    mutating func update(at time: UTC, _ place: Coordinate) {
        let place = Self.rounded(place)
        guard !holds(time, place) else { return }
        self.place = place
        day = SolarDay(of: time, at: place)
    }

    /// The status; computed anew if the memory is of another place or day.
    package func status(at time: UTC, _ place: Coordinate) -> SunStatus {
        let place = Self.rounded(place)
        if let day, holds(time, place) { return day.status(at: time) }
        return SolarDay(of: time, at: place).status(at: time)
    }

    private func holds(_ time: UTC, _ place: Coordinate) -> Bool {
        place == self.place && day?.span.contains(time) == true
    }

    private static func rounded(_ place: Coordinate) -> Coordinate {
        Coordinate(
            latitude: (place.latitude * 1000).rounded() / 1000, longitude: (place.longitude * 1000).rounded() / 1000)
    }
}

extension World {
    /// Light left at which EVENT `light` warns, in seconds.
    private static let warning = 1800.0

    /// Follows the sun through a second.
    ///
    /// - Parameter lastPlace: where the last accepted fix was, if an outage of the run has removed the position.
    /// - Returns: the status if the light ends soon.
    mutating func followSun(at now: Instant, lastPlace: Coordinate?) -> SunStatus? {
        guard let place = position?.value.coordinate ?? lastPlace, let time = wallClock.time(at: now) else {
            return nil
        }
        sun.update(at: time, place)
        // A clock that nothing has confirmed may be wrong by hours.
        guard !wallClock.isGuess else { return nil }
        let status = sun.status(at: time, place)
        guard let left = status.lightLeft, left > 0, left <= Self.warning else { return nil }
        return status
    }

    func sunStatus(at now: Instant, lastPlace: Coordinate?) -> SunStatus? {
        guard let place = position?.value.coordinate ?? lastPlace, let time = wallClock.time(at: now) else {
            return nil
        }
        return sun.status(at: time, place)
    }
}
