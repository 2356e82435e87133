import Domain
import JSONCoding
import JournalCoding
import Pipeline
import Simulation
import TestKit
import Testing

/// The daemon's loop without devices and sockets: it feeds inputs at their times, and keeps outputs and rows.
struct LiveRun {
    var engine: RunEngine
    /// The effects that ``settle()`` has not collected yet.
    var effects = Effects()
    var now: Instant
    /// The published states without the members that depend on the host.
    var states: [State] = []
    var events: [Event] = []
    /// The states at whole seconds, for the rows of a recording.
    var seconds: [State] = []
    var entries: [InputLogEntry] = []
    var recordingBuilder = RecordingBuilder()
    var rows: [RecordingRow] = []
    /// The truncations, with the number of rows that each applies to.
    var cuts: [(count: Int, cut: RecordingBuilder.Truncation)] = []
    var random: SeededRandom
    /// Whether the loop is never late.
    var isPunctual = true
    private var nextClock: Instant
    /// The error of the system clock in milliseconds, although the kernel reports it as synchronised.
    var clockError: Int64 = 0

    /// UTC minus the boot clock, in milliseconds.
    static let offset: Int64 = 1_790_000_000_000

    init(_ pipeline: Pipeline, at now: Instant, seed: UInt64) {
        engine = RunEngine(pipeline, at: now)
        self.now = now
        nextClock = now
        random = SeededRandom(seed: seed)
    }

    var runState: RunState { engine.runState }

    mutating func wait(until moment: Instant) {
        while true {
            let due = min(engine.deadline, nextClock)
            guard due <= moment else { break }
            now = max(now, isPunctual ? due : due + lateness())
            if now >= nextClock {
                nextClock = now + .seconds(1)
                let time = UTC(milliseconds: now.milliseconds + Self.offset + clockError)
                engine.step(.time, at: now, into: &effects)
                settle()
                engine.step(.input(.systemClock(time, isSynchronised: true)), at: now, into: &effects)
                let recorder = RecorderStatus(state: .writing, behindMilliseconds: now.milliseconds % 500)
                engine.step(.input(.recorder(recorder)), at: now, into: &effects)
            }
            engine.step(.time, at: now, into: &effects)
            settle()
        }
        now = max(now, moment)
    }

    /// Mostly zero; rarely more than a second, sometimes a hole.
    private mutating func lateness() -> Duration {
        switch random.uniform() {
        case ..<0.99: .zero
        case ..<0.996: .milliseconds(250)
        case ..<0.9993: .milliseconds(3300)
        default: .seconds(47)
        }
    }

    mutating func receive(_ input: Input, at moment: Instant) {
        wait(until: moment)
        engine.step(.time, at: now, into: &effects)
        settle()
        engine.step(.input(input), at: now, into: &effects)
        settle()
    }

    @discardableResult
    mutating func perform(_ command: RunCommand) -> Pipeline.Outcome? {
        engine.step(.time, at: now, into: &effects)
        settle()
        defer { settle() }
        return try? engine.step(command, at: now, into: &effects)
    }

    mutating func settle() {
        let settings = engine.settings
        recordingBuilder.ingest(
            effects.recordedOutputs, seconds: effects.seconds, zones: settings.useHeartRateZones ? settings.zones : nil)
        if let cut = recordingBuilder.popTruncation() { cuts.append((rows.count, cut)) }
        rows += recordingBuilder.drainRows()
        for case .event(let event) in effects.outputs {
            if case .recorder = event.kind { continue }
            events.append(event)
        }
        if let state = effects.state?.state { states.append(state.withoutMachine) }
        seconds += effects.seconds
        entries += effects.entries
        effects.removeAll()
    }
}

extension LiveRun {
    /// Runs a demo with commands at random times: starts, backdated ones too, pauses, laps, a stop.
    static func demo(seed: UInt64, isPunctual: Bool, back: Duration) throws -> (LiveRun, asked: Instant) {
        let start = Instant(milliseconds: 3_600_000)
        var settings = Settings()
        settings.useHeartRateZones = true
        settings.zones = try Zones([100, 120, 140, 160, 180])
        settings.autoLapMetres = seed.isMultiple(of: 2) ? 400 : 0
        settings.autoStopMinutes = seed.isMultiple(of: 3) ? 1 : 0
        settings.maxHeartRate = 190
        settings.restingHeartRate = 55
        settings.age = 41
        settings.sex = seed.isMultiple(of: 2) ? .female : .male
        settings.weightKilograms = seed.isMultiple(of: 5) ? 0 : 72
        settings.autoPause = seed % 4 < 2 ? [.run] : []
        var live = LiveRun(
            Pipeline(settings: settings, isDemo: true, lastActivity: 16, at: start), at: start, seed: seed)
        var simulated = SimulatedRun(
            seed: seed, startedAt: start, utc: UTC(milliseconds: LiveRun.offset + start.milliseconds))
        live.isPunctual = isPunctual
        let begin = start + .milliseconds(Int64.random(in: 130_000...200_000, using: &live.random))
        let end = begin + .milliseconds(Int64.random(in: 200_000...400_000, using: &live.random))
        var asked: Instant?
        var nextCommand = begin
        while live.now < end {
            for input in simulated.advance(to: simulated.nextAt) {
                if asked == nil || live.now < end { live.receive(input.value, at: input.measuredAt) }
            }
            guard live.now >= nextCommand else { continue }
            if asked == nil {
                live.perform(.start(.run, indoor: false, back: back))
                asked = live.now
            } else {
                live.perform([.lap, .pause, .resume, .toggle][Int.random(in: 0...3, using: &live.random)])
            }
            nextCommand = live.now + .milliseconds(Int64.random(in: 500...60_000, using: &live.random))
        }
        live.perform(.stop)
        return (live, try #require(asked))
    }
}

extension State {
    var withoutMachine: State {
        var state = self
        state.recorder = RecorderStatus(state: .off)
        state.ticks = TickStats()
        return state
    }
}

/// The states and events of a replay of entries.
struct Rerecorded {
    var states: [State] = []
    var events: [Event] = []
    var recordingBuilder: RecordingBuilder
    var rows: [RecordingRow] = []
    var replay: Replay

    /// - Parameter entries: the entries of one activity; each is encoded and decoded on the way.
    init(_ entries: some Sequence<InputLogEntry>, until end: Instant? = nil) throws {
        var replay: Replay?
        var states: [State] = []
        var events: [Event] = []
        var recordingBuilder = RecordingBuilder()
        var rows: [RecordingRow] = []
        func observe(_ pipeline: Pipeline, _ effects: Effects) {
            let settings = pipeline.settings
            recordingBuilder.ingest(
                effects.outputs, seconds: effects.seconds, zones: settings.useHeartRateZones ? settings.zones : nil)
            rows += recordingBuilder.drainRows()
            for case .event(let event) in effects.outputs { events.append(event) }
            if let state = effects.state?.state { states.append(state.withoutMachine) }
        }
        for entry in entries {
            var writer = JSONWriter()
            writer.entry(entry.kind)
            let read = InputLogEntry(
                at: entry.at, try InputLogEntry.Kind(name: entry.kind.name, json: JSON(parsing: writer.bytes)))
            if replay == nil, case .snapshot(let snapshot) = read.kind { replay = Replay(snapshot) }
            replay?.apply(read, observe)
        }
        if let end { replay?.advance(to: end, observe) }
        guard let replay else { throw NoBeginning() }
        self.replay = replay
        self.states = states
        self.events = events
        self.recordingBuilder = recordingBuilder
        self.rows = rows
    }

    struct NoBeginning: Error {}
}
