import Domain

/// Computes the power of each second of a run, its short averages, and the sums that need a history.
///
/// A second's power is the average of its notifications. Some power meters send less than one a second: the last value
/// holds for 3 s. A second without power is no zero: it does not count in averages, and ends stretches of best power. A second
/// with a power above ``PowerLimit/watts`` is one without power.
struct PowerMeter {
    /// Watts of the last second, and of the last 3 s and 10 s; nil if the sensor is absent.
    private(set) var watts: Double?
    private(set) var average3s: Double?
    private(set) var average10s: Double?
    /// The average of the last 30 s; nil before 30 s with power.
    private(set) var average30s: Double?

    /// Sum and number of the notifications since the last second, and when the newest came.
    private var sum = 0.0
    private var count = 0
    private var newest: Timestamped<Int>?
    /// Whether a notification since the last second was beyond the limit.
    private var hasSpike = false
    /// Sums of watts from the first second with power on, of the last hour: a ring of ``hour`` + 1 values. Empty before
    /// the first notification.
    private var sums: [Double] = []
    /// Seconds with power in sequence, and the place in the ring.
    private var seconds = 0
    private var place = 0

    private static let held = Duration.seconds(3)
    private static let hour = 3600

    mutating func receive(watts: Int, at now: Instant) {
        if sums.isEmpty { sums = Array(repeating: 0, count: Self.hour + 1) }
        sum += Double(watts)
        count += 1
        newest = Timestamped(watts, at: now)
    }

    /// Receives a power that no person has.
    mutating func receiveSpike() {
        hasSpike = true
        newest = nil
    }

    /// Ends a second of active time.
    mutating func tick(at now: Instant) {
        defer {
            sum = 0
            count = 0
            hasSpike = false
        }
        if hasSpike { return clear() }
        let isHeld = newest.map { $0.age(at: now) < Self.held } ?? false
        guard count > 0 || isHeld, let newest else { return clear() }
        let watts = count > 0 ? sum / Double(count) : Double(newest.value)
        let before = sums[place]
        place = (place + 1) % sums.count
        sums[place] = before + watts
        seconds += 1
        self.watts = watts
        average3s = average(of: min(3, seconds))
        average10s = average(of: min(10, seconds))
        average30s = average(of: 30)
    }

    /// Clears the values: the sensor is absent, or the timer does not run.
    mutating func clear() {
        watts = nil
        average3s = nil
        average10s = nil
        average30s = nil
        seconds = 0
    }

    /// The average of the last seconds; nil if there are fewer.
    func average(of count: Int) -> Double? {
        guard count > 0, count <= seconds, count < sums.count else { return nil }
        return (sums[place] - sums[(place + sums.count - count) % sums.count]) / Double(count)
    }
}

extension BestPowers {
    /// Raises each average that the last seconds exceed.
    mutating func raise(by meter: PowerMeter) {
        for (index, seconds) in Self.durations.enumerated() {
            guard let average = meter.average(of: seconds) else { return }
            self[index] = max(self[index] ?? 0, average)
        }
    }
}
