import Domain

/// Accumulates the totals of a run or a lap.
struct TotalsAccumulator {
    private(set) var elapsedMilliseconds: Int64 = 0
    private var standingMilliseconds: Int64 = 0
    /// Nil while automatic pauses are off.
    private var autoPausedMilliseconds: Int64?
    private(set) var metres = 0.0
    private(set) var climb = ClimbTotals()
    private var levelMetres = LevelMetres()
    private var maximumSpeed: Double?
    /// Sum of beats per minute times milliseconds, and those milliseconds.
    private var heartSum = 0.0
    private var heartMilliseconds: Int64 = 0
    private var maximumHeartRate: Int?
    private var zones = ZoneTimes()
    private var kilojoules: Double?
    private var impulse: Double?
    /// Sum of watts over the seconds with power, and their number.
    private var powerSum = 0.0
    private var powerSeconds = 0
    private var maximumPower: Double?
    /// Sum of the fourth powers of the averages of 30 s, and their number.
    private var fourthPowers = 0.0
    private var fourthPowerCount = 0
    /// Sum of the cadence over the seconds in which it was above zero, and their number.
    private var cadenceSum = 0.0
    private var cadenceSeconds = 0
    private var maximumCadence: Double?
    private var powerZones = ZoneTimes()
    private var bestPowers = BestPowers()
    var ownFields = OwnFieldAverages()

    mutating func addTime(milliseconds: Int64) {
        elapsedMilliseconds += milliseconds
    }

    mutating func addHeartRate(_ beatsPerMinute: Int, zone: Int?, milliseconds: Int64) {
        if let zone { zones.addTick(in: zone) }
        heartSum += Double(beatsPerMinute) * Double(milliseconds)
        heartMilliseconds += milliseconds
    }

    /// Adds energy of the body, which may be 0.
    mutating func addEnergy(kilojoules: Double) {
        self.kilojoules = (self.kilojoules ?? 0) + kilojoules
    }

    mutating func addImpulse(_ impulse: Double) {
        self.impulse = (self.impulse ?? 0) + impulse
    }

    /// Adds a second with power.
    mutating func addPower(_ meter: PowerMeter, zone: Int?) {
        guard let watts = meter.watts else { return }
        powerSum += watts
        powerSeconds += 1
        maximumPower = max(maximumPower ?? watts, watts)
        if let zone { powerZones.addSecond(in: zone) }
        guard let average = meter.average30s else { return }
        let square = average * average
        fourthPowers += square * square
        fourthPowerCount += 1
    }

    mutating func raiseBestPowers(by meter: PowerMeter) {
        bestPowers.raise(by: meter)
    }

    /// Adds a second with a cadence.
    mutating func addCadence(_ perMinute: Double) {
        guard perMinute > 0 else { return }
        cadenceSum += perMinute
        cadenceSeconds += 1
        maximumCadence = max(maximumCadence ?? perMinute, perMinute)
    }

    mutating func addDistance(_ metres: Double) {
        self.metres += metres
    }

    mutating func addSecond(metres: Double, isStanding: Bool, speed: Double?) {
        self.metres += metres
        if isStanding { standingMilliseconds += 1000 }
        if let speed { maximumSpeed = max(maximumSpeed ?? speed, speed) }
    }

    /// Adds time of automatic pauses, which may be 0.
    mutating func addAutoPause(milliseconds: Int64) {
        autoPausedMilliseconds = (autoPausedMilliseconds ?? 0) + milliseconds
    }

    mutating func addClimb(_ step: ElevationMeter.Step) {
        climb.add(step)
    }

    /// Counts the metres since the last call on a grade in percent.
    mutating func addGrade(_ percent: Double?) {
        levelMetres.count(to: metres, percent: percent)
    }

    mutating func raiseMaximumHeartRate(to beatsPerMinute: Int) {
        maximumHeartRate = max(maximumHeartRate ?? beatsPerMinute, beatsPerMinute)
    }

    var figures: Totals {
        var figures = Totals()
        figures.elapsedMilliseconds = elapsedMilliseconds
        figures.movingMilliseconds = max(
            elapsedMilliseconds - standingMilliseconds - (autoPausedMilliseconds ?? 0), 0)
        figures.autoPausedMilliseconds = autoPausedMilliseconds
        figures.distanceMetres = metres
        figures.maximumSpeed = maximumSpeed
        figures.averageHeartRate = heartMilliseconds > 0 ? heartSum / Double(heartMilliseconds) : nil
        figures.maximumHeartRate = maximumHeartRate
        figures.zones = zones
        figures.energyKilocalories = kilojoules.map { $0 / EnergyModel.kilojoulesPerKilocalorie }
        figures.trainingImpulse = impulse
        if powerSeconds > 0 {
            figures.averagePower = powerSum / Double(powerSeconds)
            figures.maximumPower = maximumPower.map { Int($0.rounded()) }
            figures.workJoules = powerSum
        }
        if fourthPowerCount > 0 {
            figures.normalizedPower = (fourthPowers / Double(fourthPowerCount)).squareRoot().squareRoot()
        }
        if cadenceSeconds > 0 {
            figures.averageCadence = cadenceSum / Double(cadenceSeconds)
            figures.maximumCadence = maximumCadence
        }
        figures.powerZones = powerZones
        figures.bestPowers = bestPowers
        climb.write(to: &figures)
        figures.gradeAdjustedPace = levelMetres.pace(milliseconds: elapsedMilliseconds, metres: metres)
        return figures
    }
}

/// The totals of a run and of its lap, which count the same.
struct RunTotals {
    private(set) var total = TotalsAccumulator()
    private(set) var lap = TotalsAccumulator()
    private(set) var lapNumber = 1

    mutating func add(_ count: (inout TotalsAccumulator) -> Void) {
        count(&total)
        count(&lap)
    }

    /// Adds a second with power. Best powers are those of the run only.
    mutating func addPower(_ meter: PowerMeter, zone: Int?) {
        add { $0.addPower(meter, zone: zone) }
        total.raiseBestPowers(by: meter)
    }

    /// Closes the lap and begins the next; returns the number and the totals of the closed one.
    mutating func closeLap() -> (number: Int, figures: Totals) {
        defer {
            lap = TotalsAccumulator()
            lapNumber += 1
        }
        return (lapNumber, lap.figures)
    }
}

/// The active time of a tick, or of the ticks of a hole, in milliseconds.
struct ActiveSpan {
    let start: Int64
    let end: Int64

    /// Whether a multiple of the period is in it.
    func completes(milliseconds period: Int64) -> Bool {
        end / period != start / period
    }

    var isSecond: Bool { completes(milliseconds: 1000) }
}
