package import Domain

/// When the next request to a host may start: one at a time, a limit in each hour, and a delay after a failure that
/// doubles with each further one.
package struct HostSchedule: Equatable, Sendable {
    /// Who asks.
    package enum Purpose: Sendable {
        /// The program itself, again and again.
        case periodic
        /// The program itself, for data that changes within seconds.
        case live
        /// A user, who waits for the response. It does not wait for the delay after a failure, but for the time that the
        /// host has asked for.
        case command

        /// The most requests in an hour.
        package var hourlyLimit: Int {
            switch self {
            case .periodic: 12
            case .live: 4000
            case .command: 60
            }
        }
    }

    package static let minimumDelay = Duration.seconds(2)
    package static let maximumDelay = Duration.seconds(900)
    private static let hour = Duration.seconds(3600)

    package private(set) var isBusy = false
    private var failures = 0
    private var delayedUntil: Instant?
    /// The end of Retry-After.
    private var blockedUntil: Instant?
    /// When the requests of the last hour started, the oldest first.
    private var starts: [Purpose: [Instant]] = [:]
    /// Who started the last request.
    private var started = Purpose.periodic

    package init() {}

    /// When a request may start; `now` or earlier: at once.
    package func earliestStart(for purpose: Purpose, at now: Instant) -> Instant {
        let recent = starts[purpose, default: []].drop { $0 + Self.hour <= now }
        let budget = recent.count < purpose.hourlyLimit ? nil : recent.first.map { $0 + Self.hour }
        let delay = purpose == .command ? nil : delayedUntil
        return [budget, delay, blockedUntil].compactMap(\.self).max() ?? now
    }

    package mutating func start(_ purpose: Purpose, at now: Instant) {
        isBusy = true
        started = purpose
        starts[purpose, default: []].append(now)
        if starts[purpose, default: []].count > purpose.hourlyLimit { starts[purpose]?.removeFirst() }
    }

    package mutating func succeed() {
        isBusy = false
        failures = 0
        delayedUntil = nil
        blockedUntil = nil
    }

    /// - Parameters:
    ///   - wasReached: whether the host received the request. Another one does not count in the hour.
    ///   - retryAfter: the time that the host has asked for; at most an hour of it counts.
    ///   - jitter: 0 to 1, random.
    package mutating func fail(wasReached: Bool = true, retryAfter: Duration?, jitter: Double, at now: Instant) {
        isBusy = false
        if !wasReached {
            starts[started]?.removeLast()
        }
        let doubled = Self.minimumDelay * (1 << min(failures, 16))
        let delay = min(doubled, Self.maximumDelay)
        failures += 1
        delayedUntil = now + delay * (1 - jitter / 4)
        blockedUntil = retryAfter.map { now + min($0, Self.hour) }
    }
}
