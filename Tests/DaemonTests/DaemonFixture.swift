import Daemon
import Domain
import Formats
import Linux
import Pipeline
import Storage
import Wire

/// The recording part of a daemon, without devices and sockets.
struct DaemonFixture {
    /// UTC minus the boot clock, in milliseconds.
    static let offset: Int64 = 1_790_000_000_000

    struct NotWritten: Error {}

    let begun: RecordingState
    var said: [Output] = []
    /// The EVENT lines of the recorder.
    var lines: [EventLine] = []

    init(begun: RecordingState) {
        self.begun = begun
    }

    /// Starts, and resumes the activity that was left open.
    init(
        in directory: String, at now: Instant, resumeMinutes: Int = 15, time: UTC? = nil, isDemo: Bool = false
    ) throws {
        let found = try JournalStartup(in: directory, at: Clock.systemTime())
        var status = StateDirectoryStatus(journal: found, isReady: true)
        status.interrupted = InterruptedActivity(
            found, from: try JournalReader(in: directory), isDemo: isDemo, bootID: Clock.bootID(), at: now, time: time,
            limit: .seconds(resumeMinutes * 60))
        let journal = try Journal(in: directory) { nil }
        begun = RecordingState(Pipeline(settings: Settings(), isDemo: isDemo, at: now), journal, [.fit], at: now)
        _ = begun.adopt(status, isServing: false, at: now)
        journal.startWriting()
    }

    static func time(at now: Instant) -> UTC {
        UTC(milliseconds: now.milliseconds + offset)
    }

    /// A beat each second, for this number of seconds.
    mutating func ride(_ seconds: Int, from start: Instant, knowsTime: Bool = true) {
        for second in 0..<seconds {
            let now = start + .milliseconds(second * 1000 + 250)
            begun.engine.step(.time, at: now, into: &begun.effects)
            say(at: now)
            if knowsTime {
                begun.step(.systemClock(Self.time(at: now), isSynchronised: true), at: now)
            }
            begun.step(.heart(HeartRateMeasurement(beatsPerMinute: 120, rrIntervals: [512])), at: now)
            say(at: now)
        }
    }

    mutating func say(at now: Instant) {
        let effects = begun.effects
        said += effects.outputs
        begun.provisional?.append(effects.entries)
        lines += begun.recorder.record(effects, effects.outputs, zones: nil, at: now)
        begun.effects.removeAll()
    }

    /// Receives an input at `now`, as the daemon's loop does.
    mutating func receive(_ input: Input, at now: Instant) {
        begun.engine.step(.time, at: now, into: &begun.effects)
        say(at: now)
        begun.step(input, at: now)
        say(at: now)
    }

    /// Ends the daemon by a signal at `now`, or by a kill if that is nil.
    mutating func end(at now: Instant?) throws {
        if let now {
            begun.engine.step(.shutDown, at: now, into: &begun.effects)
            say(at: now)
        }
        if !begun.recorder.journal.close() { throw NotWritten() }
    }

    mutating func perform(_ command: RunCommand, at now: Instant) throws {
        _ = try begun.perform(command, at: now)
        say(at: now)
    }

    var events: [Event] {
        said.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    var state: State { begun.engine.state(at: begun.engine.deadline) }
}

extension RecordingState {
    func step(_ input: Input, at now: Instant) {
        engine.step(.input(input), at: now, into: &effects)
    }
}
