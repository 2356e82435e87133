import Domain

/// Accumulates the totals of a run or a lap.
struct TotalsAccumulator {
    private(set) var elapsedMilliseconds: Int64 = 0
    private var standingMilliseconds: Int64 = 0
    private(set) var metres = 0.0
    private var maximumSpeed: Double?
    /// Sum of beats per minute times milliseconds, and those milliseconds.
    private var heartSum = 0.0
    private var heartMilliseconds: Int64 = 0
    private var maximumHeartRate: Int?
    private var zones = ZoneTimes()

    mutating func addTime(milliseconds: Int64) {
        elapsedMilliseconds += milliseconds
    }

    mutating func addHeartRate(_ beatsPerMinute: Int, zone: Int?, milliseconds: Int64) {
        if let zone { zones.addTick(in: zone) }
        heartSum += Double(beatsPerMinute) * Double(milliseconds)
        heartMilliseconds += milliseconds
    }

    mutating func addDistance(_ metres: Double) {
        self.metres += metres
    }

    mutating func addSecond(metres: Double, isStanding: Bool, speed: Double?) {
        self.metres += metres
        if isStanding { standingMilliseconds += 1000 }
        if let speed { maximumSpeed = max(maximumSpeed ?? speed, speed) }
    }

    mutating func raiseMaximumHeartRate(to beatsPerMinute: Int) {
        maximumHeartRate = max(maximumHeartRate ?? beatsPerMinute, beatsPerMinute)
    }

    var figures: Totals {
        var figures = Totals()
        figures.elapsedMilliseconds = elapsedMilliseconds
        figures.movingMilliseconds = max(elapsedMilliseconds - standingMilliseconds, 0)
        figures.distanceMetres = metres
        figures.maximumSpeed = maximumSpeed
        figures.averageHeartRate = heartMilliseconds > 0 ? heartSum / Double(heartMilliseconds) : nil
        figures.maximumHeartRate = maximumHeartRate
        figures.zones = zones
        return figures
    }
}
