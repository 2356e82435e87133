import Domain

/// One run from start to stop: its ticks, totals and laps.
struct Run {
    private(set) var id: Int
    let sport: Sport
    /// Indoors no position is used.
    let isIndoor: Bool
    let startedAt: Instant
    /// Whether ``started`` is final: the boot of the start is over, and the current clock mapping does not apply to it.
    private(set) var isStamped = false
    private(set) var started: UTC?
    /// Whether only a real-time clock gives ``started``.
    private(set) var isStartGuessed = false

    var clock: TickSchedule
    private var totals = RunTotals()
    private(set) var lastLap: Totals?
    /// When the last lap was closed, by a command or automatically.
    private(set) var lapClosedAt: Instant?
    private(set) var gaps = 0
    /// How many places the user has marked.
    private(set) var marks = 0
    private(set) var ticks = TickStats()
    var pace = PaceMeter()
    var speedometer = Speedometer()
    /// Limit of the run's distance, across pauses and outages too.
    var limit: DistanceLimit
    var source: DistanceSource
    var power = PowerMeter()
    var calibration = SensorCalibration()
    var variability = VariabilityMeter()
    private var energyCounter = EnergyCounter()
    /// Values of the sensors in the last second.
    private(set) var cadence: Double?
    private var leftBalance: Double?
    private var powerZone: Int?
    private var percentOfFTP: Double?
    var sensorSpeed: Double?
    /// The greatest distance that a recording has stated, and when; nil if positions give the distance.
    private var stated: (metres: Double, at: Instant)?
    private var elevation = ElevationMeter()
    /// The newest climb that a recording has stated; nil if altitudes give it.
    private var statedClimb: StatedClimb?
    /// Distinguishes movement from drift, from the start on.
    var movement = MotionDetector()
    private(set) var sign: InactivityCheckpoint
    private var autoPause = AutoPauseDetector()
    var alerts: AlertMonitor
    /// Nil without a workout.
    var workout: WorkoutProgress?
    /// Nil without a course, and indoors.
    var guide: CourseGuide?
    /// Where the last accepted fix before an outage was; the pipeline forgets its position then.
    var placeBeforeOutage: Coordinate?
    /// Whether EVENT `light` has been reported.
    var isWarnedOfDark = false
    /// The badge that the distance on foot has not exceeded yet; nil beyond the last one.
    private var nextBadge = Badge.next(at: 0)

    /// Least lateness of a late tick.
    private static let late = Duration.milliseconds(50)

    init(id: Int, sport: Sport, isIndoor: Bool, at now: Instant) {
        self.id = id
        self.sport = sport
        self.isIndoor = isIndoor
        startedAt = now
        clock = TickSchedule(startedAt: now)
        limit = DistanceLimit(fastest: sport.maxSpeed, at: now)
        source = DistanceSource(at: now)
        sign = InactivityCheckpoint(at: now, isIndoor: isIndoor)
        alerts = AlertMonitor(at: now)
    }

    mutating func renumber(_ numbers: Renumbering.Shift) {
        id = numbers(id)
    }

    var state: RunState {
        clock.next == nil ? .paused : .active
    }

    var elapsedMilliseconds: Int64 { totals.total.elapsedMilliseconds }
    var metres: Double { totals.total.metres }
    var lapMetres: Double { totals.lap.metres }

    /// Adds the time of ticks; `lateness` is that of the first of them.
    mutating func addTicks(_ count: Int64, lateness: Duration) -> ActiveSpan {
        let before = elapsedMilliseconds
        totals.add { $0.addTime(milliseconds: count * TickSchedule.period.wholeMilliseconds) }
        if lateness >= Self.late { ticks.late += Int(count) }
        ticks.worst = max(ticks.worst, lateness)
        return ActiveSpan(start: before, end: elapsedMilliseconds)
    }

    mutating func addSecond(metres: Double, isStanding: Bool, speed: Double?) {
        totals.add { $0.addSecond(metres: metres, isStanding: isStanding, speed: speed) }
    }

    /// Adds a second of the sensors.
    mutating func addSecond(cadence: Double?, leftBalance: Double?, _ settings: Settings) {
        self.cadence = cadence
        self.leftBalance = leftBalance
        powerZone = power.watts.flatMap(settings.powerZone)
        percentOfFTP = settings.ftp > 0 ? power.watts.map { $0 * 100 / Double(settings.ftp) } : nil
        totals.addPower(power, zone: powerZone)
        if let cadence { totals.add { $0.addCadence(cadence) } }
    }

    /// Adds a second of own fields.
    mutating func addSecond(_ values: OwnFieldValues, count: Int) {
        totals.add { $0.ownFields.add(values, count: count) }
    }

    var ownFieldAverages: (lap: OwnFieldValues, total: OwnFieldValues) {
        (totals.lap.ownFields.values, totals.total.ownFields.values)
    }

    /// Adds distance besides that of a second.
    mutating func addDistance(_ metres: Double) {
        totals.add { $0.addDistance(metres) }
    }

    var hasStatedDistance: Bool { stated != nil }

    /// Counts the distance that a recording states, as ``FileDistance`` does; not what is covered in a pause.
    mutating func receive(statedMetres metres: Double, at now: Instant) {
        guard metres.isFinite else { return }
        let before = stated ?? (self.metres, startedAt)
        stated = (max(before.metres, metres), now)
        guard state == .active else { return }
        let counted = limit.allow(metres - before.metres, over: now - before.at, until: now, isWhole: true)
        addDistance(counted)
    }

    /// The next badge whose distance the run has exceeded since the last call; nil if there is none.
    mutating func popBadge() -> Badge? {
        guard sport.isOnFoot, let badge = nextBadge, metres > badge.distanceMetres else { return nil }
        nextBadge = Badge.next(at: badge.distanceMetres)
        return badge
    }

    // MARK: Climb

    /// Receives the altitude of a fix.
    mutating func receive(altitudeOf fix: Fix) {
        guard state == .active, let altitude = fix.altitude, fix.mode >= 3 else { return }
        elevation.receive(altitude: altitude, accuracy: fix.verticalAccuracy)
    }

    /// Receives the air pressure in pascals.
    mutating func receive(pascals: Double) {
        guard state == .active, !isIndoor else { return }
        elevation.receive(pascals: pascals)
    }

    /// Counts the climb that a recording states.
    mutating func receive(_ climb: StatedClimb) {
        guard climb.ascent.isFinite, climb.descent.isFinite else { return }
        let before = statedClimb
        statedClimb = climb
        guard state == .active else { return }
        addClimb(
            ElevationMeter.Step(
                ascent: max(climb.ascent - (before?.ascent ?? 0), 0),
                descent: max(climb.descent - (before?.descent ?? 0), 0), source: climb.source))
    }

    /// Counts the climb of a second.
    mutating func countClimb(isStanding: Bool) {
        guard statedClimb == nil, !isIndoor else { return }
        addClimb(elevation.tick(metres: metres, isStanding: isStanding))
    }

    /// Counts the metres of a second on the present grade.
    mutating func countGrade() {
        guard isGradeAdjusted else { return }
        let grade = grade
        totals.add { $0.addGrade(grade) }
    }

    private var isGradeAdjusted: Bool { sport.isOnFoot && !isIndoor }

    /// Percent; nil if it is unknown.
    private var grade: Double? {
        statedClimb.map(\.grade) ?? elevation.grade
    }

    /// Counts the climb up to the end of the active time.
    mutating func flushClimb() {
        addClimb(climbRemainder)
    }

    /// The climb that the filters still hold back, because they wait for later altitudes. It counts if the time ends now.
    private var climbRemainder: ElevationMeter.Step {
        state == .active && statedClimb == nil && !isIndoor ? elevation.remainder() : ElevationMeter.Step()
    }

    mutating func restartClimb() {
        elevation.restart()
    }

    private mutating func addClimb(_ step: ElevationMeter.Step) {
        totals.add { $0.addClimb(step) }
    }

    // MARK: Automatic pauses

    /// Judges a second by its speed in metres per second; nil if that is unknown.
    mutating func judgeAutoPause(_ speed: Double?) -> AutoPauseDetector.Change? {
        let step = autoPause.tick(
            speed, AutoPauseDetector.Rule(sport), at: elapsedMilliseconds,
            lapBegan: elapsedMilliseconds - totals.lap.elapsedMilliseconds)
        addAutoPause(milliseconds: step.milliseconds)
        return step.change
    }

    /// Ends an automatic pause because the setting is off.
    mutating func switchOffAutoPause() -> AutoPauseDetector.Change? {
        autoPause.switchOff(at: elapsedMilliseconds)
    }

    /// Ends an automatic pause now.
    mutating func stopAutoPause() -> AutoPauseDetector.Change? {
        let step = autoPause.stop(at: elapsedMilliseconds)
        if step.milliseconds > 0 { addAutoPause(milliseconds: step.milliseconds) }
        return step.change
    }

    private mutating func addAutoPause(milliseconds: Int64) {
        totals.add { $0.addAutoPause(milliseconds: milliseconds) }
    }

    /// Adds a tick with a fresh heart rate.
    mutating func addHeartRate(_ beatsPerMinute: Int, _ settings: Settings) {
        let milliseconds = TickSchedule.period.wholeMilliseconds
        let zone = settings.useHeartRateZones ? settings.zones?.zone(of: beatsPerMinute) : nil
        totals.add { $0.addHeartRate(beatsPerMinute, zone: zone, milliseconds: milliseconds) }
        let minutes = Double(milliseconds) / 60_000
        if !energyCounter.isCounting, let model = settings.energyModel {
            addEnergy(kilojoules: model.kilojoulesPerMinute(at: Double(beatsPerMinute)) * minutes)
        }
        if let model = settings.impulseModel {
            let impulse = model.perMinute(at: Double(beatsPerMinute)) * minutes
            totals.add { $0.addImpulse(impulse) }
        }
    }

    /// Receives the kilojoules that the strap has counted.
    mutating func receive(strapEnergy kilojoules: UInt16) {
        guard state == .active else { return }
        let wasCounting = energyCounter.isCounting
        // The heart rate has given the energy up to the first step from 0.
        guard let step = energyCounter.receive(kilojoules), wasCounting else { return }
        addEnergy(kilojoules: Double(step))
    }

    /// Counts the strap's energy from its next value on.
    mutating func interruptEnergy() {
        energyCounter.interrupt()
    }

    private mutating func addEnergy(kilojoules: Double) {
        totals.add { $0.addEnergy(kilojoules: kilojoules) }
    }

    mutating func raiseMaximumHeartRate(to beatsPerMinute: Int) {
        totals.add { $0.raiseMaximumHeartRate(to: beatsPerMinute) }
    }

    /// Fixes the time of day of the start by the current clock mapping, when its boot is over.
    mutating func stampStart(_ wallClock: UTCEstimator) {
        guard !isStamped else { return }
        isStamped = true
        started = wallClock.time(at: startedAt)
        isStartGuessed = wallClock.isGuess
    }

    mutating func addMark() {
        marks += 1
    }

    mutating func addGap() {
        gaps += 1
    }

    /// Records a sign of life: movement, a heart rate, or a command.
    mutating func recordSign(at now: Instant, isDevice: Bool) {
        sign.at = now
        // A backdated start excuses the quiet up to the command: an earlier sign does not take that back.
        sign.quietSince = max(sign.quietSince, now)
        sign.isJudged = sign.isJudged || isDevice
        sign.totals = totals
        sign.climb = climbRemainder
        sign.autoPause = autoPause
        sign.gaps = gaps
    }

    /// Restarts the quiet time after a hole or an outage, in which there could be no sign of life.
    mutating func restartQuietTime(at now: Instant) {
        sign.quietSince = now
        movement = MotionDetector()
    }

    /// Closes the lap and begins the next; returns the number and the totals of the closed one.
    mutating func closeLap(at now: Instant) -> (number: Int, figures: Totals) {
        let milliseconds = autoPause.count(to: elapsedMilliseconds)
        if milliseconds > 0 { addAutoPause(milliseconds: milliseconds) }
        let closed = totals.closeLap()
        lastLap = closed.figures
        lapClosedAt = now
        return closed
    }

    var activity: Activity {
        var activity = Activity(
            id: id, sport: sport, total: totals.total.figures, pace: state == .active ? pace.pace : nil,
            speed: state == .active ? speedometer.speed : nil, lap: totals.lap.figures,
            lapNumber: totals.lapNumber)
        activity.isIndoor = isIndoor
        activity.speedSource = speedSource
        if state == .active {
            activity.sensorSpeed = sensorSpeed
            activity.power = power.watts
            activity.power3s = power.average3s
            activity.power10s = power.average10s
            activity.percentOfFTP = percentOfFTP
            activity.powerZone = powerZone
            activity.leftBalance = leftBalance
            activity.cadence = cadence
            activity.variability = variability.figures
            activity.altitude = elevation.altitude
            activity.grade = grade
            if isGradeAdjusted, let pace = activity.pace, let level = grade.flatMap(GradeAdjustment.levelMetres) {
                activity.gradeAdjustedPace = pace / level
            }
            activity.verticalSpeed = statedClimb.map(\.verticalSpeed) ?? elevation.verticalSpeed
            activity.ascentSource = statedClimb?.source ?? elevation.source
        }
        activity.lastLap = lastLap
        activity.isAutoPaused = autoPause.isPaused
        return activity
    }

    /// What the run has measured up to this second.
    var guidedSecond: CourseGuide.Second {
        let total = totals.total.figures
        return CourseGuide.Second(
            elapsedMilliseconds: total.elapsedMilliseconds, movingMilliseconds: total.movingMilliseconds,
            ascent: total.ascent)
    }

    var speedSource: SpeedSource {
        source.sensor?.odometer.source ?? (isIndoor ? .none : .position)
    }

    func summary(endedAt now: Instant, in world: inout World) -> ActivitySummary {
        var summary = ActivitySummary(
            id: id, sport: sport, isOpen: false, started: started, ended: world.wallClock.time(at: now),
            total: totals.total.figures, totalMilliseconds: (now - startedAt).wholeMilliseconds,
            laps: totals.lapNumber, lastLap: totals.lap.figures, gaps: gaps, isDemo: world.isDemo)
        summary.isTimeGuessed = isStartGuessed
        return summary
    }

    /// Rolls the run back to its last sign of life.
    mutating func rollBackToSign() {
        totals = sign.totals
        gaps = sign.gaps
        addClimb(sign.climb)
        autoPause = sign.autoPause
        // What came after the sign does not count.
        elevation = ElevationMeter()
    }
}

/// Totals at the last movement, valid heart rate or command. An abandoned run is rolled back to this point.
struct InactivityCheckpoint {
    fileprivate(set) var at: Instant
    /// Beginning of the quiet time: the sign, or the end of a later hole or outage.
    fileprivate(set) var quietSince: Instant
    /// Whether quiet time can end the run. Indoors it cannot before the first valid heart rate.
    fileprivate(set) var isJudged: Bool
    fileprivate var totals = RunTotals()
    /// The climb that the filters held back, which a rollback adds.
    fileprivate(set) var climb = ElevationMeter.Step()
    fileprivate(set) var autoPause = AutoPauseDetector()
    fileprivate(set) var gaps = 0

    fileprivate init(at now: Instant, isIndoor: Bool) {
        at = now
        quietSince = now
        isJudged = !isIndoor
    }
}
