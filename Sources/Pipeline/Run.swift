import Domain

/// One run from its start to its stop: its ticks, its figures, its laps.
struct Run {
    let id: Int
    let sport: Sport
    /// Indoors no position is used.
    let isIndoor: Bool
    let startedAt: Instant
    /// The time of day of the start is that of another boot: it does not follow from the present one.
    private(set) var isStamped = false
    private(set) var started: UTC?

    var clock: TickClock
    private(set) var total = Tally()
    private(set) var lap = Tally()
    private(set) var lapNumber = 1
    private(set) var gaps = 0
    private(set) var ticks = Ticks()
    var pace = PaceMeter()
    var speedometer = Speedometer()

    /// A tick that is applied so much after its moment is late.
    private static let late = Duration.milliseconds(50)

    init(id: Int, sport: Sport, isIndoor: Bool, at now: Instant) {
        self.id = id
        self.sport = sport
        self.isIndoor = isIndoor
        startedAt = now
        clock = TickClock(startedAt: now)
    }

    var state: RunState {
        clock.next == nil ? .paused : .active
    }

    /// Counts the time of ticks that were applied `lateness` after the first of them was due.
    mutating func addTicks(_ count: Int64, lateness: Duration) {
        let milliseconds = count * TickClock.period.wholeMilliseconds
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
        let milliseconds = TickClock.period.wholeMilliseconds
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

    /// Closes the lap and begins the next; returns the number and the figures of the closed one.
    mutating func closeLap() -> (number: Int, figures: Figures) {
        defer {
            lap = Tally()
            lapNumber += 1
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

    func summary(endedAt now: Instant, started: UTC?, ended: UTC?, isOpen: Bool, isDemo: Bool) -> Summary {
        Summary(
            id: id, sport: sport, isOpen: isOpen, started: started, ended: ended, total: total.figures,
            totalMilliseconds: (now - startedAt).wholeMilliseconds, laps: lapNumber, lastLap: lap.figures, gaps: gaps,
            isDemo: isDemo)
    }
}
