/// Computes the mean of the altitudes of the last seconds, in metres. The second of a mean is the middle one of these.
struct AltitudeFilter {
    /// A mean, and the middle one of its seconds.
    struct Output {
        var altitude: Double
        var second: Int
    }

    /// The longest mean, in seconds.
    private let width: Int
    /// A ring of the altitudes, oldest at `place - count`. Empty before the first altitude.
    private var altitudes: [Double] = []
    private var place = 0
    private(set) var count = 0
    private var sum = 0.0
    /// What jumps have added to the altitudes.
    private var offset = 0.0
    /// The newest altitude with the offset, and its second.
    private var newest: (altitude: Double, second: Int)?

    /// Metres of a jump, and metres per second: no one climbs or dives faster.
    private static let jump = 5.0
    private static let fastest = 5.0
    /// The longest gap between two altitudes of one mean, in seconds. A longer gap restarts the mean.
    private static let longestGap = 10

    init(width: Int) {
        self.width = width
    }

    /// Adds the altitude of a second. A jump does not count. After standing a change may be ten times the drift.
    ///
    /// - Parameter drift: the largest change since the last second that is no climb, in metres.
    mutating func add(_ altitude: Double, second: Int, drift: Double) -> Output {
        if altitudes.isEmpty { altitudes = Array(repeating: 0, count: width) }
        if let newest {
            let step = altitude + offset - newest.altitude
            let gap = second - newest.second
            if abs(step) <= drift || abs(step) > Self.jump + Self.fastest * Double(max(gap, 1)) + 10 * drift {
                offset -= step
            }
            if gap > Self.longestGap { clear() }
        }
        if count == width { removeOldest() }
        let value = altitude + offset
        newest = (value, second)
        altitudes[place] = value
        place = (place + 1) % width
        count += 1
        sum += value
        return output(second)
    }

    /// Removes the two oldest altitudes, so that the middle second is one later.
    ///
    /// - Returns: the mean of the remaining altitudes; nil if the newest altitude has been the middle one.
    mutating func shorten() -> Output? {
        guard let newest, count > 2 else { return nil }
        removeOldest()
        removeOldest()
        return output(newest.second)
    }

    /// Ends the means, and keeps the newest altitude: the next one continues it.
    mutating func clear() {
        count = 0
        sum = 0
    }

    /// Forgets the altitudes.
    mutating func reset() {
        clear()
        offset = 0
        newest = nil
    }

    private func output(_ second: Int) -> Output {
        Output(altitude: sum / Double(count), second: second - (count - 1) / 2)
    }

    private mutating func removeOldest() {
        sum -= altitudes[(place - count + width) % width]
        count -= 1
    }
}
