/// Finds the turning points of a level, and counts the metres between them.
struct TurningPoints {
    /// 1 upwards, −1 downwards, 0 before the first turning point.
    private var direction = 0
    /// The lowest level since the last high turning point, and the highest one since the last low one.
    private(set) var low = 0.0
    private(set) var high = 0.0

    /// - Parameter least: metres from a turning point after which the next one is known.
    /// - Returns: the metres that are known to be climbed and descended now.
    mutating func add(_ level: Double, least: Double) -> (up: Double, down: Double) {
        switch direction {
        case 1:
            if level > high {
                defer { high = level }
                return (level - high, 0)
            }
            guard high - level >= least else { return (0, 0) }
            direction = -1
            low = level
            return (0, high - level)
        case -1:
            if level < low {
                defer { low = level }
                return (0, low - level)
            }
            guard level - low >= least else { return (0, 0) }
            direction = 1
            high = level
            return (level - low, 0)
        default:
            low = min(low, level)
            high = max(high, level)
            if level - low >= least {
                direction = 1
                return (level - low, 0)
            }
            guard high - level >= least else { return (0, 0) }
            direction = -1
            low = level
            return (0, high - level)
        }
    }
}
