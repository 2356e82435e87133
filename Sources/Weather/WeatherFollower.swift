package import Domain

/// Keeps the weather of a moving place up to date, while it is wanted.
///
///     unwanted ──▶ due ──▶ looking up ──▶ waiting: for the next report of the station, for a third of the way to it,
///        ▲          ▲                       │      or after a failure
///        └──────────┴───────────────────────┘
package struct WeatherFollower: Sendable {
    package enum Action: Equatable, Sendable {
        /// A lookup of this place. ``received(_:failure:at:_:)`` follows.
        case lookUp(Coordinate, altitude: Double?)
        /// Publish this as the topic's data.
        case publish([UInt8], validUntil: UTC)
    }

    /// The least time between two lookups.
    package static let minimumInterval = Duration.seconds(300)
    private static let longestInterval = Duration.seconds(1200)
    /// After the time at which a station makes a report: until the service has it.
    private static let reportDelay = Duration.seconds(300)
    /// The age at which figures are dropped.
    private static let ageLimit: Int64 = 2 * 3_600_000
    /// A reason, and figures with one, are published again before they become stale.
    private static let reasonInterval = Duration.seconds(300)
    private static let reasonValidity: Int64 = 900_000
    /// Movements that are published at once: a new distance, not a new report.
    private static let republishDistance = 2000.0
    private static let republishInterval = Duration.seconds(60)
    /// Metres; nearer movements cause no lookup.
    private static let leastMovement = 5000.0

    private var isWanted = false
    private var place: Coordinate?
    private var altitude: Double?
    private var isLookingUp = false
    private var lookedUpAt: Instant?
    private var nextAt: Instant?
    private var weather: StationWeather?
    private var reason: String?
    private var cycles = ReportCycles()
    /// Lookups in a row that brought no newer report.
    private var unchanged = 0
    private var publishedAt: Instant?
    private var publishedPlace: Coordinate?

    package init() {}

    /// When ``tick(at:_:)`` must be called next.
    package var deadline: Instant? {
        guard isWanted else { return nil }
        return [isLookingUp ? nil : nextAt, repetition].compactMap(\.self).min()
    }

    /// When to publish a reason again; nil for figures without one.
    private var repetition: Instant? {
        weather == nil || reason != nil ? publishedAt.map { $0 + Self.reasonInterval } : nil
    }

    /// - Parameter wanted: whether anybody uses the weather.
    package mutating func want(_ wanted: Bool, at now: Instant, _ time: UTC) -> [Action] {
        guard wanted != isWanted else { return [] }
        isWanted = wanted
        guard wanted else { return [] }
        nextAt = max(now, nextAt ?? now)
        return publish(at: now, time) + tick(at: now, time)
    }

    /// The daemon has forgotten all data: it is connected again.
    package mutating func reconnected(at now: Instant, _ time: UTC) -> [Action] {
        isWanted ? publish(at: now, time) : []
    }

    package mutating func move(to place: Coordinate, altitude: Double?, at now: Instant, _ time: UTC) -> [Action] {
        let isFirst = self.place == nil
        (self.place, self.altitude) = (place, altitude)
        guard isWanted else { return [] }
        if isFirst { nextAt = now }
        guard let weather else { return tick(at: now, time) }
        let moved = GreatCircle(from: weather.place, to: place).metres
        if moved > max(weather.source.way.metres / 3, Self.leastMovement) {
            hasten(at: now)
        }
        var actions: [Action] = []
        if let publishedPlace, GreatCircle(from: publishedPlace, to: place).metres > Self.republishDistance,
            publishedAt.map({ $0 + Self.republishInterval <= now }) ?? true
        {
            actions = publish(at: now, time)
        }
        return actions + tick(at: now, time)
    }

    /// Starts a lookup that is due, drops figures that are too old, and publishes a reason again.
    package mutating func tick(at now: Instant, _ time: UTC) -> [Action] {
        guard isWanted else { return [] }
        var actions: [Action] = []
        if let weather, time.milliseconds - weather.oldest.milliseconds >= Self.ageLimit {
            self.weather = nil
            reason = reason ?? "no station has reported within 2 h"
            actions = publish(at: now, time)
        }
        if let repetition, repetition <= now { actions = publish(at: now, time) }
        guard !isLookingUp, let due = nextAt, due <= now else { return actions }
        guard let place else {
            nextAt = nil
            return actions + fail("no position yet", at: now, time)
        }
        isLookingUp = true
        lookedUpAt = now
        return actions + [.lookUp(place, altitude: altitude)]
    }

    /// The end of a lookup.
    ///
    /// - Parameters:
    ///   - found: the weather, or why there is none.
    ///   - failure: why the weather is not newer; nil if it is the newest.
    ///   - retryAt: when to try again after a failure; nil for the usual time.
    package mutating func receive(
        _ found: Result<StationWeather, Reason>, failure: Reason? = nil, retryAt: Instant? = nil, at now: Instant,
        _ time: UTC
    ) -> [Action] {
        isLookingUp = false
        switch found {
        case .success(let found):
            let isNewer =
                found.source.observed != weather?.source.observed
                || found.source.station != weather?.source.station
            unchanged = isNewer ? 0 : unchanged + 1
            weather = found
            reason = failure.flatMap { $0.isPause ? reason : $0.text }
            cycles.add(found.source.observed, of: found.source.station.name)
            nextAt = failure == nil ? nextLookup(found, at: now, time) : afterFailure(retryAt, at: now)
            return publish(at: now, time)
        case .failure(let failure):
            nextAt = afterFailure(retryAt, at: now)
            if failure.isPause, reason != nil || weather != nil { return [] }
            return fail(failure.text, at: now, time)
        }
    }

    /// Why there is no weather, at most 64 characters for users.
    package struct Reason: Error, Equatable, Sendable {
        package var text: String
        /// Whether nothing failed, but the limit of requests is reached. It replaces no other reason.
        package var isPause: Bool

        package init(_ text: String, isPause: Bool = false) {
            self.text = text
            self.isPause = isPause
        }
    }

    /// Looks up as soon as the least time between two lookups allows.
    private mutating func hasten(at now: Instant) {
        nextAt = min(nextAt ?? now, max(now, (lookedUpAt ?? now) + Self.minimumInterval))
    }

    private func afterFailure(_ retryAt: Instant?, at now: Instant) -> Instant {
        max(retryAt ?? now + Self.minimumInterval * 2, now)
    }

    /// When the station's next report should be there; later for a station that is late.
    private func nextLookup(_ found: StationWeather, at now: Instant, _ time: UTC) -> Instant {
        let cycle = cycles.interval(of: found.source.station.name)
        let age = Duration.milliseconds(time.milliseconds - found.source.observed.milliseconds)
        let untilReport = cycle + Self.reportDelay - age
        let least = min(Self.minimumInterval * (unchanged + 1), Self.longestInterval)
        return now + max(untilReport, least)
    }

    private mutating func fail(_ text: String, at now: Instant, _ time: UTC) -> [Action] {
        guard text != reason || publishedAt == nil else { return [] }
        reason = text
        return publish(at: now, time)
    }

    private mutating func publish(at now: Instant, _ time: UTC) -> [Action] {
        if let place, weather != nil, weather?.moved(to: place, altitude: altitude) == nil {
            weather = nil
            reason = reason ?? "the stations are farther than 100 km by now"
            hasten(at: now)
        }
        if let place, let seen = weather?.moved(to: place, altitude: altitude) {
            publishedAt = now
            publishedPlace = place
            let cycle = cycles.interval(of: seen.source.station.name) + Self.reportDelay * 3
            let end = max(
                seen.source.observed.milliseconds + cycle.wholeMilliseconds, time.milliseconds + Self.reasonValidity)
            return [.publish(seen.data(reason: reason, at: time), validUntil: UTC(milliseconds: end))]
        }
        guard let reason else { return [] }
        publishedAt = now
        return [
            .publish(
                StationWeather.data(reason: reason),
                validUntil: UTC(milliseconds: time.milliseconds + Self.reasonValidity))
        ]
    }
}

/// How often stations report, learned from the times of their reports.
package struct ReportCycles: Sendable {
    private static let limit = 64
    /// What stations do.
    private static let known: [Duration] = [.seconds(1200), .seconds(1800), .seconds(3600)]

    private var stations: [String: (last: UTC, interval: Duration?)] = [:]

    package init() {}

    /// Until two reports of the station were seen, 30 min.
    package func interval(of station: String) -> Duration {
        stations[station]?.interval ?? .seconds(1800)
    }

    package mutating func add(_ observed: UTC, of station: String) {
        guard let entry = stations[station] else {
            if stations.count >= Self.limit { stations = [:] }
            stations[station] = (observed, nil)
            return
        }
        let gap = Duration.milliseconds(observed.milliseconds - entry.last.milliseconds)
        guard gap > .zero else { return }
        // A report between two regular ones is no shorter cycle, and an outage no longer one.
        let fitting = Self.known.first { (gap - $0).magnitude <= $0 / 6 }
        stations[station] = (observed, fitting ?? entry.interval)
    }
}

extension Duration {
    fileprivate var magnitude: Duration { self < .zero ? .zero - self : self }
}
