import Domain

/// Measures the speed over the last 3 s, once a second.
struct Speedometer {
    /// Metres per second.
    private(set) var speed: Double?
    /// Speeds of the receiver in the last 3 s, oldest first.
    private var reported: [(at: Instant, speed: Double)] = []
    /// Metres counted in each of the last 3 s, oldest first.
    private var counted: [Double] = []

    private static let span = Duration.seconds(3)
    private static let limit = 64

    init() {
        reported.reserveCapacity(Self.limit)
        counted.reserveCapacity(4)
    }

    mutating func receive(_ point: TrackPoint) {
        guard let speed = point.speed else { return }
        if reported.count == Self.limit { reported.removeFirst() }
        reported.append((point.arrivedAt, speed))
    }

    mutating func tick(at now: Instant, metres: Double, isStanding: Bool, isStale: Bool) {
        reported.removeFirst(reported.firstIndex { now - $0.at < Self.span } ?? reported.count)
        counted.append(metres)
        if counted.count > 3 { counted.removeFirst() }
        if isStale {
            speed = nil
        } else if isStanding {
            speed = 0
        } else if !reported.isEmpty {
            speed = reported.reduce(0) { $0 + $1.speed } / Double(reported.count)
        } else {
            speed = counted.reduce(0, +) / Double(counted.count)
        }
    }

    /// Measures a second by a sensor's speed.
    mutating func tick(sensorSpeed: Double?) {
        guard let sensorSpeed else { return clear() }
        reported.removeAll(keepingCapacity: true)
        counted.append(sensorSpeed)
        if counted.count > 3 { counted.removeFirst() }
        speed = counted.reduce(0, +) / Double(counted.count)
    }

    mutating func clear() {
        speed = nil
        counted.removeAll(keepingCapacity: true)
    }
}
