import Domain

/// The figures of a stretch of samples, counted.
struct FitTally {
    /// A sample stands for the time since the one before it, but not for more than so many milliseconds.
    private static let longestStep: Int64 = 10_000

    private var elapsedBefore: Int64 = 0
    private var distanceBefore = 0.0
    private var distance = 0.0
    private var newest: Int64
    private var beats = 0.0
    private var beatTime = 0.0
    private var figures = Figures()

    init() {
        newest = 0
    }

    /// The next stretch.
    ///
    /// - Parameter elapsed: active time at its beginning, in milliseconds.
    init(after last: FitTally, elapsed: Int64) {
        newest = last.newest
        elapsedBefore = elapsed
        distanceBefore = last.distance
        distance = last.distance
    }

    mutating func add(_ sample: RecordingSample) {
        let step = min(max(sample.elapsedMilliseconds - newest, 0), Self.longestStep)
        newest = sample.elapsedMilliseconds
        if let metres = sample.distanceMetres { distance = max(distance, metres) }
        if let heartRate = sample.heartRate {
            // The very first sample stands for no time, and for the heart all the same.
            let time = Double(max(step, 1))
            beats += Double(heartRate) * time
            beatTime += time
            figures.maximumHeartRate = max(figures.maximumHeartRate ?? 0, heartRate)
        }
        if let speed = sample.speed {
            figures.maximumSpeed = max(figures.maximumSpeed ?? 0, speed)
            if speed >= 0.5 { figures.movingMilliseconds += step }
        } else {
            figures.movingMilliseconds += step
        }
    }

    /// - Parameter elapsed: active time at the end of the stretch, in milliseconds.
    func figures(elapsed: Int64) -> Figures {
        var figures = figures
        figures.elapsedMilliseconds = max(elapsed - elapsedBefore, 0)
        figures.movingMilliseconds = min(figures.movingMilliseconds, figures.elapsedMilliseconds)
        figures.distanceMetres = distance - distanceBefore
        figures.averageHeartRate = beatTime > 0 ? beats / beatTime : nil
        return figures
    }
}
