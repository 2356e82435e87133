package import Domain
import Formats
import Glibc
import JSONCoding
import Linux
import Pipeline
import Storage
import Wire

extension Command {
    static let replay = [
        Command(
            "replay", words: [source], options: [Options.speed, Options.interval, Options.sport, Options.course],
            "print the lines of a run or a file at N times real time, or at once",
            read: { arguments in
                (
                    try ReplaySource(word: arguments.words[0]),
                    ReplayPace(
                        speed: arguments[Options.speed], every: arguments[Options.interval] ?? 100,
                        sport: arguments[Options.sport], course: arguments[Options.course])
                )
            }, run: { try $0.replay($1.0, $1.1) })
    ]
    static let rows = [
        Command(
            "rows", words: [source], options: [Options.sport],
            "print an activity, or that of a file, as JSON lines: the data of an upload",
            read: { arguments in
                (try ReplaySource(word: arguments.words[0]), arguments[Options.sport])
            }, run: { try $0.rows($1.0, sport: $1.1) })
    ]

    private static let source = CommandArgument.one(
        "ID|FILE", "a file, or the number or uuid of an activity", .activitiesAndFiles)
}

extension Options {
    fileprivate static let interval = CommandOption<Int>(
        "--interval-ms", word: "N", "between two states", needs: "a multiple of 100 from 100 to 60000",
        parse: { Int($0).flatMap { Subscription.isPeriod($0) ? $0 : nil } })
    fileprivate static let course = CommandOption.text(
        "--course", "FILE|REF", "follow it", needs: "a file or a course", .files)
}

/// The source of a replay.
package enum ReplaySource: Equatable {
    /// An activity of the journal.
    case activity(ActivityReference)
    case file(String)

    /// - Throws: ``Failure`` with status 2 if the word is a number that no activity has.
    fileprivate init(word: String) throws(Failure) {
        let isNumber = word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        // A file may have such a name.
        let isUUID = UUIDPrefix(word) != nil && access(word, F_OK) != 0
        self =
            isNumber || isUUID || word == ActivityReference.lastWord
            ? .activity(try ActivityReference(word: word)) : .file(word)
    }
}

/// The speed and rate of a replay.
package struct ReplayPace: Equatable {
    /// Factor relative to real time; nil means as fast as possible.
    var speed: Double?
    /// Milliseconds between two states of an active run.
    var every = 100
    /// The sport of a recording that does not name one.
    var sport: Sport?
    /// A course file, or a course of the list; nil for that of the activity.
    var course: String?

    package init(speed: Double? = nil, every: Int = 100, sport: Sport? = nil, course: String? = nil) {
        self.speed = speed
        self.every = every
        self.sport = sport
        self.course = course
    }
}

extension Invocation {
    /// Prints the STATE and EVENT lines of an activity, or those that a file would produce.
    func replay(_ replayed: ReplaySource, _ pace: ReplayPace) throws(Failure) {
        let lines = ReplayLines(pace)
        let course = try pace.course.map { word throws(Failure) in try replayedCourse(word) }
        switch replayed {
        case .activity(let id):
            let state = StateDirectory(stateDirectory)
            let journal = try state.journal()
            do {
                try Self.replay(journal.number(of: id), of: journal, pace, course, lines)
            } catch {
                throw state.failure(reading: error)
            }
        case .file(let path):
            do {
                try Self.replay(RecordingFile(path: path), pace, course, lines)
            } catch {
                throw error as? Failure ?? .failed("cannot replay \(path): \(error)")
            }
        }
        try lines.flush()
    }

    /// - Parameter course: a course instead of those of the activity; nil for these.
    private static func replay(
        _ id: Int, of journal: JournalReader, _ pace: ReplayPace, _ course: LoadedCourse?, _ lines: ReplayLines
    ) throws {
        guard let recording = try journal.recording(id), let summary = try journal.summary(of: id) else {
            throw journal.noActivity(id)
        }
        var replay: Replay?
        try journal.entries(of: id) { entry in
            if case .snapshot(var snapshot) = entry.kind, replay == nil {
                snapshot.course = course ?? snapshot.course
                replay = Replay(snapshot, every: .milliseconds(pace.every))
            } else {
                if course != nil, case .input(.course) = entry.kind { return }
                replay?.apply(entry) { lines.receive($0, $1) }
                try lines.check()
            }
        }
        guard replay != nil else {
            return try self.replay(recording, pace, course, lines) { body in try journal.rows(of: id).each(body) }
        }
        // An activity that was interrupted and closed later has no entry of its end.
        guard !summary.isOpen, replay?.pipeline.runState != .idle, let part = try journal.parts(of: id).last else {
            return
        }
        let end = part.at + .milliseconds(recording.totalMilliseconds - part.beginsAt)
        replay?.apply(InputLogEntry(at: end, .command(.stop))) { lines.receive($0, $1) }
        try lines.check()
    }

    /// Reads the file twice, as an import does.
    private static func replay(
        _ file: RecordingFile, _ pace: ReplayPace, _ course: LoadedCourse?, _ lines: ReplayLines
    ) throws {
        var survey = FileSurvey()
        var recording = try file.read { survey.ingest($0) }.recording
        recording.sport = pace.sport ?? recording.sport
        var figures = FileFigures(recording, survey)
        try replay(recording, pace, course, lines) { body in _ = try file.read { row in try body(figures.ingest(row)) }
        }
    }

    private static func replay(
        _ recording: RecordedActivity, _ pace: ReplayPace, _ course: LoadedCourse?, _ lines: ReplayLines,
        rows: ((RecordingRow) throws -> Void) throws -> Void
    ) throws {
        var entries = RecordingReplaySource(recording, sport: pace.sport)
        var snapshot = entries.snapshot
        snapshot.course = course
        var replay = Replay(snapshot, every: .milliseconds(pace.every))
        func receive(_ entry: InputLogEntry) throws {
            replay.apply(entry) { lines.receive($0, $1) }
            try lines.check()
        }
        try rows { row in try entries.ingest(row, receive) }
        try entries.finish(receive)
    }
}

/// Prints the lines of a replay, each at its time if a speed is given.
final class ReplayLines {
    private var lines = JSONWriter(capacity: 65_536)
    /// The states on a course have its block.
    private var stateLines = StateLines(settings: Settings())
    /// Selects the states to print, as for a subscriber of state.sock.
    private var reader = SubscriberQueue(ring: EventRing())
    private let speed: Double?
    /// The moment of the first line, and when it was printed.
    private var first: (moment: Instant, at: Instant)?
    /// The activity has started; earlier states are not part of it.
    private var hasBegun = false
    private var failure: Failure?

    /// The number of bytes that triggers a write.
    private static let chunk = 32_768

    init(_ pace: ReplayPace) {
        speed = pace.speed
        var request = SubscriptionRequest()
        request.everyMilliseconds = pace.every
        reader.apply(request, ring: EventRing())
    }

    /// Formats the effects of a step.
    func receive(_ pipeline: Pipeline, _ effects: Effects) {
        hasBegun = hasBegun || pipeline.runState != .idle
        guard hasBegun, failure == nil else { return }
        for case .event(let event) in effects.outputs {
            wait(for: event.at)
            lines.event(event, sequence: nil)
        }
        if case (var state, let isChange)? = effects.state, reader.accepts(StateKey(state), isChange: isChange) {
            // Earlier releases recorded fixes of indoor runs.
            if state.activity?.isIndoor == true { state.position = nil }
            wait(for: state.at)
            if state.course == nil {
                lines.stateLine(state, sequence: nil)
            } else {
                stateLines.settingsChanged(pipeline.settings)
                stateLines.encode(state, sequence: nil)
                lines.append(lines: stateLines.line(with: [.course, .partner]))
            }
        }
        if lines.bytes.count >= Self.chunk { print() }
    }

    /// - Throws: the error of a failed write.
    func check() throws(Failure) {
        if let failure { throw failure }
    }

    func flush() throws(Failure) {
        print()
        try check()
    }

    private func print() {
        do throws(Failure) {
            try writeOut(lines.bytes)
        } catch {
            failure = error
        }
        lines.clear()
    }

    private func wait(for moment: Instant) {
        guard let speed else { return }
        print()
        let first = self.first ?? (moment, Clock.now())
        self.first = first
        let due = first.at + .seconds((moment - first.moment).inSeconds / speed)
        Clock.sleep(until: due)
    }
}
