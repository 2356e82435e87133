import CMath
package import Domain

/// Counts ascent and descent, once a second, by the air pressure or by the receiver's altitude.
///
///     pressures ──▶ mean of 10 s ───┐
///                                   ├──▶ level ──▶ turning points ──▶ ascent, descent, grade, vertical speed
///     altitudes ──▶ mean of 100 s ──┘
///
/// The level is the sum of the changes of the source in use. The second of a mean is the middle one of its seconds.
/// When the source changes, the new source continues from the second up to which the previous source has counted.
///
/// Source: docs/behaviour.md, "Ascent and descent".
package struct ElevationMeter {
    /// What a second adds.
    package struct Step: Equatable {
        /// Metres.
        package internal(set) var ascent = 0.0
        package internal(set) var descent = 0.0
        /// What has measured it; nil if nothing has.
        var source: AscentSource?

        package init(ascent: Double = 0, descent: Double = 0, source: AscentSource? = nil) {
            self.ascent = ascent
            self.descent = descent
            self.source = source
        }
    }

    /// What measures; nil if nothing does.
    package private(set) var source: AscentSource?
    /// Percent; nil while unknown or standing.
    package private(set) var grade: Double?
    /// Metres per second; nil while unknown.
    package private(set) var verticalSpeed: Double?
    /// Metres above mean sea level by the barometer; nil before the receiver has set it.
    package private(set) var altitude: Double?

    /// Moving seconds.
    private var second = 0
    /// Seconds of the present standing.
    private var stood = 0
    private var barometer = AltitudeFilter(width: 10)
    private var receiver = AltitudeFilter(width: 100)
    private var pressure = SecondMean()
    private var fixes = SecondMean()
    /// The receiver's error estimate, averaged over about a minute.
    private var verticalAccuracy: Double?
    /// The means of the barometer of the last seconds, and the first of these seconds.
    private var history = SecondRing()
    private var historySince = 0
    /// The receiver's altitude minus that of the standard atmosphere: the sum of the first seconds, and their number.
    private var calibration = (sum: 0.0, count: 0)

    /// The second up to which the level is counted, and the output of the source in use there.
    private var countedUntil = 0
    private var counted: Double?
    private var level = 0.0
    private var turns = TurningPoints()
    private var levels = SecondRing()
    private var distances = SecondRing()
    /// The first second of ``levels`` from which they are continuous.
    private var levelsSince = 0

    package init() {}

    /// Metres between turning points of the barometer, and of a receiver that states no error.
    private static let barometerTurn = 2.0
    private static let receiverTurn = 12.0
    /// Metres between turning points over the receiver's vertical error estimate, and the range of that.
    private static let turnPerError = 1.2
    private static let receiverTurns = 6.0...15.0
    /// Metres per second: the pressure of the weather changes more slowly, also in a storm.
    private static let weather = 0.05
    /// Least metres of a grade, and its longest time in seconds.
    private static let gradeDistance = 30.0
    private static let gradeSeconds = 120
    private static let calibrationSeconds = 10

    // MARK: Inputs

    /// Receives the air pressure in pascals.
    package mutating func receive(pascals: Double) {
        // 300 to 1100 hPa, the range of the sensors.
        guard (30_000...110_000).contains(pascals) else { return }
        receive(barometric: 44_330.77 * (1 - pow(pascals / 101_325, 0.190_263)))
    }

    /// Receives the altitude of a barometer, in metres.
    package mutating func receive(barometric altitude: Double) {
        guard abs(altitude) < 1e5 else { return }
        pressure.add(altitude)
    }

    /// Receives the altitude of the receiver and its error estimate, in metres.
    package mutating func receive(altitude: Double, accuracy: Double?) {
        guard abs(altitude) < 1e5 else { return }
        fixes.add(altitude)
        if let accuracy, accuracy.isFinite, accuracy > 0 {
            let before = verticalAccuracy ?? accuracy
            verticalAccuracy = before + (min(accuracy, 100) - before) / 60
        }
    }

    // MARK: Seconds

    /// Ends a second of active time.
    ///
    /// - Parameter metres: the distance so far.
    package mutating func tick(metres: Double, isStanding: Bool) -> Step {
        let pressed = pressure.tick()
        let fixed = fixes.tick()
        calibrate(pressed, fixed)
        if isStanding {
            stood += 1
            grade = nil
            verticalSpeed = source == nil ? nil : 0
            return Step(source: source)
        }
        let drift = Self.weather * Double(stood)
        stood = 0
        second += 1
        distances[second] = metres
        var step = Step()
        let measured = pressed.map { barometer.add($0, second: second, drift: drift) }
        let received = fixed.map { receiver.add($0, second: second, drift: 0) }
        if let measured {
            if history.isEmpty { historySince = measured.second }
            history[measured.second] = measured.altitude
        } else {
            history.clear()
            barometer.clear()
        }
        switch (measured, received) {
        case (let measured?, let received):
            if source == .barometer {
                count(measured, &step)
            } else if source == nil || counted == nil || received == nil {
                begin(.barometer, with: measured, &step)
            } else if countedUntil >= historySince {
                replaceReceiver(until: measured, &step)
            } else if let received {
                count(received, &step)
            }
        case (nil, let received?):
            if source == .receiver {
                count(received, &step)
            } else if received.second >= countedUntil {
                begin(.receiver, with: received, &step)
            }
        case (nil, nil):
            grade = nil
            verticalSpeed = nil
            return step
        }
        measureSlope()
        step.source = source
        return step
    }

    /// What is missing up to the newest altitude, for the end of the active time. It changes nothing.
    package func remainder() -> Step {
        var step = Step(source: source)
        guard let source, var last = counted else { return step }
        var filter = source == .receiver ? receiver : barometer
        var turns = turns
        var level = level
        while let output = filter.shorten() {
            level += output.altitude - last
            last = output.altitude
            let (up, down) = turns.add(level, least: leastTurn)
            step.ascent += up
            step.descent += down
        }
        return step
    }

    /// Restarts the means after a pause. The climb during the pause does not count.
    package mutating func restart() {
        barometer.reset()
        receiver.reset()
        history.clear()
        pressure = SecondMean()
        fixes = SecondMean()
        stood = 0
        counted = nil
        source = nil
        grade = nil
        verticalSpeed = nil
        countedUntil = second
        levelsSince = second + 1
    }

    private mutating func calibrate(_ pressed: Double?, _ fixed: Double?) {
        if let pressed, let fixed, calibration.count < Self.calibrationSeconds {
            calibration = (calibration.sum + fixed - pressed, calibration.count + 1)
        }
        altitude =
            calibration.count > 0 ? pressed.map { $0 + calibration.sum / Double(calibration.count) } : nil
    }

    // MARK: Level

    /// Begins to count by a source, whose first output continues the level.
    private mutating func begin(_ source: AscentSource, with output: AltitudeFilter.Output, _ step: inout Step) {
        self.source = source
        counted = output.altitude
        levelsSince = output.second
        count(output, &step)
    }

    /// Lets the barometer count from where the receiver's mean has ended.
    private mutating func replaceReceiver(until newest: AltitudeFilter.Output, _ step: inout Step) {
        source = .barometer
        counted = history[countedUntil]
        var at = countedUntil + 1
        while at < newest.second {
            count(AltitudeFilter.Output(altitude: history[at], second: at), &step)
            at += 1
        }
        count(newest, &step)
    }

    private mutating func count(_ output: AltitudeFilter.Output, _ step: inout Step) {
        level += output.altitude - (counted ?? output.altitude)
        counted = output.altitude
        countedUntil = output.second
        levels[output.second] = level
        let (up, down) = turns.add(level, least: leastTurn)
        step.ascent += up
        step.descent += down
    }

    private var leastTurn: Double {
        guard source == .receiver else { return Self.barometerTurn }
        guard let verticalAccuracy else { return Self.receiverTurn }
        let range = Self.receiverTurns
        return min(max(Self.turnPerError * verticalAccuracy, range.lowerBound), range.upperBound)
    }

    private mutating func measureSlope() {
        let now = countedUntil
        let span = source == .barometer ? 10 : 30
        verticalSpeed = now - span >= levelsSince ? (levels[now] - levels[now - span]) / Double(span) : nil
        grade = nil
        var from = now - 1
        while from >= max(levelsSince, now - Self.gradeSeconds) {
            let metres = distances[now] - distances[from]
            if metres >= Self.gradeDistance {
                grade = (levels[now] - levels[from]) / metres * 100
                return
            }
            from -= 1
        }
    }
}

/// The mean of the values of a second. A value holds for 10 s.
private struct SecondMean {
    private var sum = 0.0
    private var count = 0
    private var newest: Double?
    private var age = 0

    private static let held = 10

    mutating func add(_ value: Double) {
        guard value.isFinite else { return }
        sum += value
        count += 1
    }

    /// Ends a second; nil if there was no value for too long.
    mutating func tick() -> Double? {
        if count > 0 {
            newest = sum / Double(count)
            sum = 0
            count = 0
            age = 0
        } else {
            age += 1
            if age > Self.held { newest = nil }
        }
        return newest
    }
}

/// The values of the last 256 seconds.
private struct SecondRing {
    private var values: [Double] = []
    private(set) var isEmpty = true

    private static let size = 256

    subscript(second: Int) -> Double {
        get { values.isEmpty ? 0 : values[second & (Self.size - 1)] }
        set {
            if values.isEmpty { values = Array(repeating: 0, count: Self.size) }
            isEmpty = false
            values[second & (Self.size - 1)] = newValue
        }
    }

    mutating func clear() {
        isEmpty = true
    }
}
