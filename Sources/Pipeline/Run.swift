import Domain

/// One run from its start to its stop: its ticks, its figures, its laps.
struct Run {
    private(set) var id: Int
    let sport: Sport
    /// Indoors no position is used.
    let isIndoor: Bool
    let startedAt: Instant
    /// The time of day of the start is that of another boot: it does not follow from the present one.
    private(set) var isStamped = false
    private(set) var started: UTC?

    var clock: TickSchedule
    private(set) var total = TotalsAccumulator()
    private(set) var lap = TotalsAccumulator()
    private(set) var lapNumber = 1
    /// When the last lap was closed, by a command or by itself.
    private(set) var lapClosedAt: Instant?
    private(set) var gaps = 0
    private(set) var ticks = TickStats()
    var pace = PaceMeter()
    var speedometer = Speedometer()
    /// What the run's distance cannot exceed, over pauses and outages too.
    var limit: DistanceLimit
    /// What tells movement from drift, from the start on.
    var movement = MotionDetector()
    private(set) var sign: InactivityCheckpoint

    /// A tick that is applied so much after its moment is late.
    private static let late = Duration.milliseconds(50)

    init(id: Int, sport: Sport, isIndoor: Bool, at now: Instant) {
        self.id = id
        self.sport = sport
        self.isIndoor = isIndoor
        startedAt = now
        clock = TickSchedule(startedAt: now)
        limit = DistanceLimit(fastest: sport.maxSpeed, at: now)
        sign = InactivityCheckpoint(at: now, isIndoor: isIndoor)
    }

    mutating func renumber(_ numbers: Renumbering.Shift) {
        id = numbers(id)
    }

    var state: RunState {
        clock.next == nil ? .paused : .active
    }

    /// Counts the time of ticks that were applied `lateness` after the first of them was due.
    mutating func addTicks(_ count: Int64, lateness: Duration) {
        let milliseconds = count * TickSchedule.period.wholeMilliseconds
        total.addTime(milliseconds: milliseconds)
        lap.addTime(milliseconds: milliseconds)
        if lateness >= Self.late { ticks.late += Int(count) }
        ticks.worst = max(ticks.worst, lateness)
    }

    mutating func addSecond(metres: Double, isStanding: Bool, speed: Double?) {
        total.addSecond(metres: metres, isStanding: isStanding, speed: speed)
        lap.addSecond(metres: metres, isStanding: isStanding, speed: speed)
    }

    mutating func addHeartRate(_ beatsPerMinute: Int) {
        let milliseconds = TickSchedule.period.wholeMilliseconds
        total.addHeartRate(beatsPerMinute, milliseconds: milliseconds)
        lap.addHeartRate(beatsPerMinute, milliseconds: milliseconds)
    }

    mutating func raiseMaximumHeartRate(to beatsPerMinute: Int) {
        total.raiseMaximumHeartRate(to: beatsPerMinute)
        lap.raiseMaximumHeartRate(to: beatsPerMinute)
    }

    /// The boot in which the run began is over: what is known of the start's time of day now is all that ever will be.
    mutating func stampStart(_ time: UTC?) {
        guard !isStamped else { return }
        isStamped = true
        started = time
    }

    mutating func addGap() {
        gaps += 1
    }

    /// The board moves, the heart beats, or a person has said something.
    mutating func showSign(at now: Instant, isDevice: Bool) {
        sign.at = now
        sign.quietSince = now
        sign.isJudged = sign.isJudged || isDevice
        sign.total = total
        sign.lap = lap
        sign.lapNumber = lapNumber
        sign.gaps = gaps
    }

    /// Nothing could show a sign until now: the board slept, or the program was gone.
    mutating func excuseQuiet(at now: Instant) {
        sign.quietSince = now
        movement = MotionDetector()
    }

    /// Closes the lap and begins the next; returns the number and the figures of the closed one.
    mutating func closeLap(at now: Instant) -> (number: Int, figures: Totals) {
        defer {
            lap = TotalsAccumulator()
            lapNumber += 1
            lapClosedAt = now
        }
        return (lapNumber, lap.figures)
    }

    var activity: Activity {
        var activity = Activity(
            id: id, sport: sport, total: total.figures, pace: state == .active ? pace.pace : nil,
            speed: state == .active ? speedometer.speed : nil, lap: lap.figures, lapNumber: lapNumber)
        activity.isIndoor = isIndoor
        return activity
    }

    func summary(endedAt now: Instant, started: UTC?, ended: UTC?, isOpen: Bool, isDemo: Bool) -> ActivitySummary {
        ActivitySummary(
            id: id, sport: sport, isOpen: isOpen, started: started, ended: ended, total: total.figures,
            totalMilliseconds: (now - startedAt).wholeMilliseconds, laps: lapNumber, lastLap: lap.figures, gaps: gaps,
            isDemo: isDemo)
    }

    /// Makes the run what it was at its last sign of life.
    mutating func fallBackToSign() {
        total = sign.total
        lap = sign.lap
        lapNumber = sign.lapNumber
        gaps = sign.gaps
    }
}

/// The last movement, beat or command of a run, and what the run had come to then: a forgotten one is closed as of there.
struct InactivityCheckpoint {
    fileprivate(set) var at: Instant
    /// The quiet counts from here: from the sign, or from later where nothing could show one.
    fileprivate(set) var quietSince: Instant
    /// Quiet says something. Indoors without a strap nothing ever shows a sign.
    fileprivate(set) var isJudged: Bool
    fileprivate(set) var total = TotalsAccumulator()
    fileprivate(set) var lap = TotalsAccumulator()
    fileprivate(set) var lapNumber = 1
    fileprivate(set) var gaps = 0

    fileprivate init(at now: Instant, isIndoor: Bool) {
        at = now
        quietSince = now
        isJudged = !isIndoor
    }
}
