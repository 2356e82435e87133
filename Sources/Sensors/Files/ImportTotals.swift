import Domain

/// Counts what a stretch of an imported recording has come to.
struct ImportTotals {
    /// The longest time that a heart rate stands for, in milliseconds: files that keep a point now and then.
    private static let longestWeight: Int64 = 10_000

    private(set) var figures = Totals()
    /// The distance from the recording's start at which the stretch begins.
    private var baseMetres = 0.0
    private var lastMetres = 0.0
    /// Time since the last sample, or since the beginning.
    private var sinceSample: Int64 = 0
    private var heartWeight = 0.0
    private var heartSum = 0.0
    private var lastHeartRate: Int?

    init() {}

    /// The stretch that begins where another ends.
    init(after other: ImportTotals) {
        baseMetres = other.lastMetres
        lastMetres = other.lastMetres
        sinceSample = other.sinceSample
    }

    /// Active time passes.
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
            // A file of a single point, or of many at one moment, has an average too.
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

    /// Takes what a lap without points says of itself, beside the time that has passed.
    mutating func claim(_ claim: TrackRows.LapClaim) {
        figures.distanceMetres += claim.distanceMetres ?? 0
        if let rate = claim.averageHeartRate, let time = claim.elapsedMilliseconds, time > 0 {
            heartWeight += Double(time)
            heartSum += Double(time) * rate
            figures.averageHeartRate = heartSum / heartWeight
        }
        if let rate = claim.maximumHeartRate { figures.maximumHeartRate = max(rate, figures.maximumHeartRate ?? 0) }
    }
}
