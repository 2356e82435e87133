import Domain

/// Tells a flood from a burst: at most so many events within any second.
struct RateLimit: Sendable {
    /// The moments of the last events, at most as many as are allowed; `oldest` is where the oldest one stands once there are so many.
    private var moments: [Instant] = []
    private var oldest = 0
    private let limit: Int

    init(perSecond limit: Int) {
        self.limit = limit
    }

    /// Counts an event; false when it is one too many.
    mutating func allows(_ now: Instant) -> Bool {
        if moments.count < limit {
            moments.append(now)
            return true
        }
        let isAllowed = now - moments[oldest] >= .seconds(1)
        moments[oldest] = now
        oldest = (oldest + 1) % limit
        return isAllowed
    }
}
