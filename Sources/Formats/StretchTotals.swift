package import Domain

/// Accumulates the totals of a stretch of recorded samples.
package struct StretchTotals {
    /// The longest time that one heart rate is valid for, in milliseconds; some files have few points.
    private static let longestWeight: Int64 = 10_000

    package private(set) var figures = Totals()
    /// The distance from the start of the recording to the start of the stretch.
    private var baseMetres = 0.0
    private var lastMetres = 0.0
    /// The time since the last sample, or since the start.
    private var sinceSample: Int64 = 0
    private var heartWeight = 0.0
    private var heartSum = 0.0
    private var lastHeartRate: Int?
    /// The newest heart rate, what of it counts so far, and its weight, until the one after it shows whether it is a spike.
    private var unsettled: (rate: Int, held: Int, weight: Double)?
    private var powerWeight = 0.0
    private var powerSum = 0.0
    private var rollingPower = RollingPower()
    private var fourthPowers = 0.0
    private var fourthPowerCount = 0
    private var cadenceWeight = 0.0
    private var cadenceSum = 0.0

    package init() {}

    /// Creates the totals of the stretch after another.
    package init(after other: StretchTotals) {
        baseMetres = other.lastMetres
        lastMetres = other.lastMetres
        sinceSample = other.sinceSample
        rollingPower = other.rollingPower
    }

    /// Adds active time, which may be of an automatic pause.
    package mutating func pass(_ milliseconds: Int64, isAutoPaused: Bool = false) {
        figures.elapsedMilliseconds += milliseconds
        if isAutoPaused {
            figures.autoPausedMilliseconds = (figures.autoPausedMilliseconds ?? 0) + milliseconds
        } else {
            figures.movingMilliseconds += milliseconds
        }
        sinceSample += milliseconds
    }

    package mutating func add(_ sample: RecordingSample) {
        if let metres = sample.distanceMetres {
            lastMetres = max(metres, lastMetres)
            figures.distanceMetres = lastMetres - baseMetres
        }
        if let speed = sample.speed { figures.maximumSpeed = max(speed, figures.maximumSpeed ?? 0) }
        addHeartRate(sample.heartRate)
        addPower(sample.countedPower.map { Double($0) })
        if let cadence = sample.cadence.map({ Double($0) }), cadence > 0 {
            let weight = Double(min(max(sinceSample, 1), Self.longestWeight))
            cadenceWeight += weight
            cadenceSum += weight * cadence
            figures.averageCadence = cadenceSum / cadenceWeight
            figures.maximumCadence = max(cadence, figures.maximumCadence ?? 0)
        }
        sinceSample = 0
    }

    /// Of a heart rate that is higher than those before and after it, the excess counts neither for the maximum nor for the
    /// average.
    private mutating func addHeartRate(_ rate: Int?) {
        defer { lastHeartRate = rate }
        guard let rate else { return }
        // At least 1 ms, so that a single point, or many at one time, have an average too.
        let weight = Double(min(max(sinceSample, 1), Self.longestWeight))
        let held = min(rate, lastHeartRate ?? rate)
        figures.maximumHeartRate = max(held, figures.maximumHeartRate ?? 0)
        if let unsettled, lastHeartRate != nil {
            let settled = min(unsettled.rate, max(unsettled.held, rate))
            heartSum += unsettled.weight * Double(settled - unsettled.held)
        }
        unsettled = (rate, held, weight)
        heartWeight += weight
        heartSum += weight * Double(held)
        figures.averageHeartRate = heartSum / heartWeight
    }

    private mutating func addPower(_ watts: Double?) {
        guard let watts else {
            rollingPower = RollingPower()
            return
        }
        let weight = Double(min(max(sinceSample, 1), Self.longestWeight))
        powerWeight += weight
        powerSum += weight * watts
        figures.averagePower = powerSum / powerWeight
        figures.maximumPower = max(Int(watts), figures.maximumPower ?? 0)
        figures.workJoules = powerSum / 1000
        for _ in 0..<Int((weight / 1000).rounded()) {
            guard let average = rollingPower.add(watts) else { continue }
            let square = average * average
            fourthPowers += square * square
            fourthPowerCount += 1
        }
        if fourthPowerCount > 0 {
            figures.normalizedPower = (fourthPowers / Double(fourthPowerCount)).squareRoot().squareRoot()
        }
    }

    /// Adds the file's totals of a lap without points. Its time is added by ``pass(_:)``.
    mutating func add(_ source: TrackRows.SourceLap) {
        figures.distanceMetres += source.distanceMetres ?? 0
        if let rate = source.averageHeartRate, let time = source.elapsedMilliseconds, time > 0 {
            heartWeight += Double(time)
            heartSum += Double(time) * rate
            figures.averageHeartRate = heartSum / heartWeight
        }
        if let watts = source.averagePower, let time = source.elapsedMilliseconds, time > 0 {
            powerWeight += Double(time)
            powerSum += Double(time) * watts
            figures.averagePower = powerSum / powerWeight
            figures.workJoules = powerSum / 1000
        }
        if let watts = source.maximumPower { figures.maximumPower = max(watts, figures.maximumPower ?? 0) }
        if let cadence = source.averageCadence, let time = source.elapsedMilliseconds, time > 0 {
            cadenceWeight += Double(time)
            cadenceSum += Double(time) * cadence
            figures.averageCadence = cadenceSum / cadenceWeight
        }
        if let cadence = source.maximumCadence { figures.maximumCadence = max(cadence, figures.maximumCadence ?? 0) }
        if let rate = source.maximumHeartRate { figures.maximumHeartRate = max(rate, figures.maximumHeartRate ?? 0) }
    }
}

/// The average power of the last 30 s, of one value a second.
private struct RollingPower {
    private var watts = InlineArray<30, Double>(repeating: 0)
    private var count = 0
    private var sum = 0.0

    /// Nil before 30 values.
    mutating func add(_ value: Double) -> Double? {
        let place = count % 30
        // Values are whole watts: the sum stays exact.
        sum += value - watts[place]
        watts[place] = value
        count += 1
        return count < 30 ? nil : sum / 30
    }
}
