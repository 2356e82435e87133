import Domain

/// Selects what measures the distance of a run, and hands over between sources without losing or repeating a metre.
///
/// Outdoors the position counts while it is fresh, then the first of wheel, foot pod and machine that is present. After
/// the position has been fresh for 5 s, it counts again. Indoors only the sensors count. Every source measures
/// distance over time: the next source counts from the moment up to which the one before has counted.
struct DistanceSource {
    /// The sensor in use; nil if it is the position, or nothing.
    private(set) var sensor: DistanceSensor?
    /// The moment from which the sensor in use counts.
    private var countedFrom: Instant
    /// The moment up to which it has counted, and the metres since ``countedFrom``.
    private var countedUntil: Instant
    private var metres = 0.0
    /// What was counted since the last second.
    private var counted = Step()
    /// The newest stretches of the sensors that are not in use, oldest first.
    private var pending: [(sensor: DistanceSensor, stretch: SensorStretch)] = []
    /// Metres that the sensor has counted beyond the first position; the next positions do not count them again.
    private var surplus = 0.0
    private var freshSince: Instant?

    struct Step {
        var metres = 0.0
        var span = Duration.zero
    }

    /// How long the position must be fresh before it replaces a sensor.
    private static let settled = Duration.seconds(5)
    /// The longest time between a sensor's last notification and the first position that the sensor's speed covers.
    private static let bridged = Duration.seconds(2)
    private static let pendingLimit = 128

    init(at now: Instant) {
        countedFrom = now
        countedUntil = now
        pending.reserveCapacity(Self.pendingLimit)
    }

    /// Restarts at the resumption of the timer: what was covered before does not count.
    mutating func restart(at now: Instant) {
        begin(at: now)
        counted = Step()
        surplus = 0
        pending.removeAll(keepingCapacity: true)
    }

    private mutating func begin(at moment: Instant) {
        countedFrom = moment
        countedUntil = moment
        metres = 0
    }

    /// Receives the distance that a sensor has measured while the timer runs.
    mutating func receive(_ stretch: SensorStretch, of sensor: DistanceSensor) {
        if sensor == self.sensor { return count(stretch) }
        if pending.count == Self.pendingLimit { pending.removeFirst() }
        pending.append((sensor, stretch))
    }

    private mutating func count(_ stretch: SensorStretch) {
        guard stretch.to > countedFrom else { return }
        let metres = stretch.metres(after: countedFrom)
        self.metres += metres
        counted.metres += metres
        counted.span += stretch.to - max(stretch.from, countedFrom)
        countedUntil = max(countedUntil, stretch.to)
    }

    /// Returns and clears what the sensor has counted since the last second.
    mutating func takeCounted() -> Step {
        defer { counted = Step() }
        return counted
    }

    /// Removes the metres that a sensor has counted already from a step of the position.
    mutating func reduce(_ step: inout Odometer.Step) {
        let repeated = min(surplus, step.metres)
        surplus = step.gap == nil ? surplus - repeated : 0
        step.metres -= repeated
    }

    /// The position as the selection sees it.
    struct Position {
        var isFresh: Bool
        /// The arrival of the position up to which the odometer has counted; nil if there is none.
        var countedUntil: Instant?
        /// The arrival of the newest fix.
        var newestAt: Instant?
    }

    /// Selects the source of the next second.
    ///
    /// - Parameters:
    ///   - best: the first sensor that is present; nil if there is none.
    ///   - speed: metres per second of the sensor in use.
    ///   - position: nil indoors.
    /// - Returns: Whether the source has changed.
    mutating func select(_ best: DistanceSensor?, speed: Double?, _ position: Position?, at now: Instant) -> Bool {
        freshSince = position?.isFresh == true ? freshSince ?? now : nil
        let isSettled = freshSince.map { now - $0 >= Self.settled } ?? false
        let usesPosition = position != nil && (isSettled || sensor == nil && position?.isFresh == true)
        let next = usesPosition ? nil : best
        guard next != sensor else { return false }
        if sensor == nil {
            begin(at: max(countedFrom, position?.countedUntil ?? countedFrom))
            surplus = 0
        } else if next == nil {
            handOver(to: position, speed: speed ?? 0)
        } else {
            begin(at: countedUntil)
        }
        sensor = next
        for entry in pending where entry.sensor == next { count(entry.stretch) }
        pending.removeAll(keepingCapacity: true)
        return true
    }

    /// Lets the position count from its newest fix on. If that is from before the sensor's time, the next fix ends a gap,
    /// of which the sensor has counted a part.
    private mutating func handOver(to position: Position?, speed: Double) {
        guard let newest = position?.newestAt else { return }
        if newest <= countedFrom {
            surplus = metres
        } else if newest < countedUntil {
            surplus = speed * (countedUntil - newest).inSeconds
        } else {
            let missing = newest - countedUntil
            counted.metres += speed * min(missing, Self.bridged).inSeconds
            counted.span += missing
        }
        begin(at: newest)
    }
}
