import Adapters
import Domain
import Linux
import Outputs
import Pipeline

/// How the recording begins with the daemon: what the journal knows, and the activity that was left open.
extension Daemon {
    /// What the daemon begins with.
    struct Begun {
        var recollection: Recollection
        var recorder: RunRecorder
        /// Those of earlier starts, the newest last.
        var events: [(sequence: Int, line: [UInt8])]
    }

    /// Looks into the journal, begins to write it, and takes up what was left open. Waits for the disk: nothing is due yet.
    ///
    /// A journal that cannot be used is no reason not to start: the state says what is wrong, and recording begins when it is mended.
    static func begin(
        _ pipeline: Pipeline, isDemo: Bool, _ configuration: Configuration, directory: String, at now: Instant
    ) throws(SystemError) -> Begun {
        var found: JournalPreparation?
        do {
            found = try JournalPreparation(in: directory, at: Clock.systemTime())
        } catch {
            Log.write(.error, "cannot read the journal in \(directory): \(error), trying on")
        }
        if let (path, reason) = found?.damaged {
            Log.write(.warning, "the journal was damaged (\(reason)); it is kept as \(path), and a new one is begun")
        }
        let journal = try Journal(
            in: directory, nextActivity: found?.nextActivity ?? 1, syncSeconds: configuration.syncSeconds)
        var begun = Begun(
            recollection: Recollection(pipeline, at: now),
            recorder: RunRecorder(journal, bootID: Clock.bootID(), scribe: Scribe(isDemo: isDemo), at: now),
            events: found?.events ?? [])
        guard let open = found?.open, let id = open.recording.id else { return begun }
        // A demo goes on with a demo only.
        let limit = open.recording.isDemo == isDemo ? Duration.seconds(configuration.resumeMinutes * 60) : nil
        do {
            try begun.takeUp(open, limit: limit, directory: directory, at: now)
        } catch {
            Log.write(.error, "cannot go on with activity \(id): \(error), leaving it as it is")
        }
        return begun
    }
}

extension Daemon.Begun {
    /// Goes on with an activity that was left open, or ends it as of its last moment.
    ///
    /// - Parameter limit: how long ago that may lie; nil ends it in any case.
    fileprivate mutating func takeUp(
        _ open: OpenActivity, limit: Duration?, directory: String, at now: Instant
    ) throws {
        let journal = recorder.journal
        let reader = try JournalReader(in: directory)
        let time = Clock.isSynchronised() ? Clock.systemTime() : nil
        let age: Duration
        let isSameBoot: Bool
        switch limit.map({ TakeUpDecision(open, bootID: recorder.bootID, at: now, time: time, limit: $0) }) {
        case .goesOn(let after, let same): (age, isSameBoot) = (after, same)
        case .goesOnForNow: (age, isSameBoot) = (.seconds(1), false)
        case .isOver, nil: return try end(open, TakenUp(open, from: reader, last: open.last))
        }
        let taken = try TakenUp(open, from: reader, last: now - age)
        guard let id = open.recording.id else { return }
        let part = JournalPart(
            number: open.parts.count, bootID: recorder.bootID, at: now,
            beginsAt: open.lastAt + age.wholeMilliseconds, place: open.entries)
        journal.resume(id, part, rows: open.rows, at: now)
        recorder = RunRecorder(
            journal, bootID: recorder.bootID, scribe: taken.scribe, gaps: taken.gaps, at: now)
        var settings = taken.pipeline.settings
        settings.straps = recollection.pipeline.settings.straps
        let outage = Outage(duration: age, isSameBoot: isSameBoot, settings: settings)
        recollection.goOn(taken.pipeline, after: outage, at: now)
    }

    /// The activity is over: it ends as it stood.
    private func end(_ open: OpenActivity, _ taken: TakenUp) throws {
        var (pipeline, scribe) = (taken.pipeline, taken.scribe)
        guard case .ended(let summary) = try pipeline.perform(.stop, at: open.last) else { return }
        scribe.take(pipeline.takeOutputs(), seconds: pipeline.seconds, zones: nil)
        guard let recording = scribe.recording, let id = recording.id else { return }
        let now = Clock.now()
        for (index, row) in scribe.takeRows().enumerated() {
            recorder.journal.append(.row(activity: id, place: open.rows + index, row), at: now)
        }
        recorder.journal.end(recording, gaps: summary.gaps, at: now)
        Log.write(.notice, "activity \(id) was left open too long ago to go on with: it is closed as it stood")
    }
}
