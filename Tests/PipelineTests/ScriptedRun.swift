import Domain
import Pipeline

/// A pipeline on a manual clock, and a runner whose fixes a test makes.
struct ScriptedRun {
    var pipeline: Pipeline
    /// The effects that ``settle()`` has not collected yet.
    var effects = Effects()
    var now: Instant
    var events: [Event] = []
    var outputs: [Output] = []
    var states: [State] = []
    /// Metres north of the start.
    var metres = 0.0
    private var time = UTC(milliseconds: 1_800_000_000_000)

    static let start = Instant(milliseconds: 1_000_000)

    init(_ settings: Settings = Settings()) {
        now = Self.start
        pipeline = Pipeline(settings: settings, isDemo: false, at: now)
        pipeline.step(.time, at: now, into: &effects)
        settle()
    }

    /// Advances the clock in the pipeline's own steps, so that nothing is late.
    mutating func wait(_ duration: Duration) {
        let end = now + duration
        while pipeline.deadline <= end {
            now = pipeline.deadline
            pipeline.step(.time, at: now, into: &effects)
            settle()
        }
        now = end
    }

    /// Delays the loop: everything due meanwhile is applied at once.
    mutating func sleep(_ duration: Duration) {
        now += duration
        pipeline.step(.time, at: now, into: &effects)
        settle()
    }

    @discardableResult
    mutating func perform(_ command: RunCommand) throws -> Pipeline.Outcome {
        defer { settle() }
        return try pipeline.step(command, at: now, into: &effects)
    }

    @discardableResult
    mutating func begin(_ sport: Sport = .run) throws -> Pipeline.Outcome {
        try perform(.start(sport, indoor: false))
    }

    mutating func receive(_ input: Input) {
        pipeline.step(.input(input), at: now, into: &effects)
        settle()
    }

    /// Sends a fix at the present place and time.
    mutating func fix(speed: Double? = nil, accuracy: Double? = 5, mode: UInt8 = 3, east: Double = 0) {
        receive(.fix(nextFix(speed: speed, accuracy: accuracy, mode: mode, east: east)))
    }

    /// Returns the fix that ``fix(speed:accuracy:mode:east:)`` sends; its time is that of the clock.
    func nextFix(speed: Double? = nil, accuracy: Double? = 5, mode: UInt8 = 3, east: Double = 0) -> Fix {
        Fix(
            arrivedAt: now, time: UTC(milliseconds: time.milliseconds + now.milliseconds - Self.start.milliseconds),
            mode: mode, latitude: metres / 110_574.27, longitude: 13 + east / 111_319.49, accuracy: accuracy,
            speed: speed)
    }

    /// Runs for some seconds at a speed, with one fix just before the end of each second.
    mutating func run(seconds: Int, speed: Double, reported: Double? = nil) {
        for _ in 0..<seconds {
            wait(.milliseconds(990))
            metres += speed
            fix(speed: reported ?? speed)
            wait(.milliseconds(10))
        }
    }

    /// Continues with the pipeline of an engine in which a run is in progress.
    mutating func adopt(_ engine: RunEngine) {
        var (engine, stop) = (engine, Effects())
        if let interrupted = engine.suspend(at: now, into: &stop) { pipeline = interrupted }
    }

    var state: State { pipeline.state(at: now) }
    var activity: Activity? { state.activity }

    mutating func settle() {
        outputs += effects.outputs
        for case .event(let event) in effects.outputs { events.append(event) }
        if let state = effects.state?.state { states.append(state) }
        effects.removeAll()
    }
}

extension Settings {
    /// All settings of the user's body.
    static var ofABody: Settings {
        var settings = Settings()
        settings.age = 40
        settings.sex = .male
        settings.weightKilograms = 80
        settings.restingHeartRate = 60
        settings.maxHeartRate = 190
        return settings
    }
}
