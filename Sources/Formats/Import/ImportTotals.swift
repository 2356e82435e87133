import Domain

/// Accumulates the totals of a stretch of an imported recording.
struct ImportTotals {
    /// The longest time that one heart rate is valid for, in milliseconds; some files have few points.
    private static let longestWeight: Int64 = 10_000

    private(set) var figures = Totals()
    /// The distance from the start of the recording to the start of the stretch.
    private var baseMetres = 0.0
    private var lastMetres = 0.0
    /// The time since the last sample, or since the start.
    private var sinceSample: Int64 = 0
    private var heartWeight = 0.0
    private var heartSum = 0.0
    private var lastHeartRate: Int?

    init() {}

    /// Creates the totals of the stretch after another.
    init(after other: ImportTotals) {
        baseMetres = other.lastMetres
        lastMetres = other.lastMetres
        sinceSample = other.sinceSample
    }

    /// Adds active time.
    mutating func pass(_ milliseconds: Int64) {
        figures.elapsedMilliseconds += milliseconds
        figures.movingMilliseconds += milliseconds
        sinceSample += milliseconds
    }

    mutating func add(_ sample: RecordingSample) {
        if let metres = sample.distanceMetres {
            lastMetres = max(metres, lastMetres)
            figures.distanceMetres = lastMetres - baseMetres
        }
        if let speed = sample.speed { figures.maximumSpeed = max(speed, figures.maximumSpeed ?? 0) }
        if let rate = sample.heartRate {
            // At least 1 ms, so that a single point, or many at one time, have an average too.
            let weight = Double(min(max(sinceSample, 1), Self.longestWeight))
            heartWeight += weight
            heartSum += weight * Double(rate)
            figures.averageHeartRate = heartSum / heartWeight
            let held = min(rate, lastHeartRate ?? rate)
            figures.maximumHeartRate = max(held, figures.maximumHeartRate ?? 0)
        }
        lastHeartRate = sample.heartRate
        sinceSample = 0
    }

    /// Adds the file's totals of a lap without points. Its time is added by ``pass(_:)``.
    mutating func add(_ source: TrackRows.SourceLap) {
        figures.distanceMetres += source.distanceMetres ?? 0
        if let rate = source.averageHeartRate, let time = source.elapsedMilliseconds, time > 0 {
            heartWeight += Double(time)
            heartSum += Double(time) * rate
            figures.averageHeartRate = heartSum / heartWeight
        }
        if let rate = source.maximumHeartRate { figures.maximumHeartRate = max(rate, figures.maximumHeartRate ?? 0) }
    }
}
