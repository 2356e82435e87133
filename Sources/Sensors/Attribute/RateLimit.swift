import Domain

/// Limits events to a number within any one second.
struct RateLimit: Sendable {
    /// The times of the last events, at most `limit`. Once it is full it is a ring whose oldest element is at `oldest`.
    private var moments: [Instant] = []
    private var oldest = 0
    private let limit: Int

    init(perSecond limit: Int) {
        self.limit = limit
    }

    /// Counts an event. False if it exceeds the limit.
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
