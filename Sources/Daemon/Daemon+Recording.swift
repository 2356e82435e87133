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
        /// Nobody knows yet whether the activity that goes on is too old for that.
        var undecided: UndecidedTakeUp?
        /// An activity that was closed because the battery was nearly empty.
        var closed: ClosedForPower?
    }

    /// Looks into the journal. Waits for the disk: nothing is due yet.
    ///
    /// A journal that cannot be used is no reason not to start: the state says what is wrong, and recording begins when it is mended.
    static func lookIntoJournal(in directory: String) -> JournalPreparation? {
        var found: JournalPreparation?
        do {
            found = try JournalPreparation(in: directory, at: Clock.systemTime())
        } catch {
            Log.write(.error, "cannot read the journal in \(directory): \(error), trying on")
        }
        if let ignored = found?.ignored {
            Log.write(
                .warning, "the write-ahead log of the journal is damaged: SQLite ignores \(ignored), which are lost")
        }
        if let (path, reason, rescued) = found?.damaged {
            Log.write(
                .warning,
                "the journal is damaged (\(reason)) and kept as \(path); a new one is begun, "
                    + "copied at once: \(rescued); the rest is recovered in the background")
        }
        return found
    }

    /// Begins to write the journal, and takes up what was left open. Waits for the disk: nothing is due yet.
    ///
    /// - Parameters:
    ///   - found: what the journal says, if it can be read.
    ///   - time: the time of day at `now`, if it is known.
    static func begin(
        _ pipeline: Pipeline, after found: JournalPreparation?, isDemo: Bool, _ configuration: Configuration,
        directory: String, at now: Instant, time: UTC?
    ) throws(SystemError) -> Begun {
        let journal = try Journal(
            in: directory, nextActivity: found?.nextActivity ?? 1, syncSeconds: configuration.syncSeconds)
        var begun = Begun(
            recollection: Recollection(pipeline, at: now),
            recorder: RunRecorder(
                journal, bootID: Clock.bootID(), formats: configuration.exportAtStop,
                scribe: Scribe(isDemo: isDemo), at: now),
            events: found?.events ?? [])
        guard let open = found?.open, let id = open.recording.id else {
            if let ended = found?.endedForPower, ended.recording.isDemo == isDemo {
                begun.closed = try? ClosedForPower(
                    ended, directory: directory, bootID: Clock.bootID(), at: now, time: time,
                    limit: .seconds(configuration.resumeMinutes * 60))
            }
            return begun
        }
        // A demo goes on with a demo only.
        let limit = open.recording.isDemo == isDemo ? Duration.seconds(configuration.resumeMinutes * 60) : nil
        do {
            try begun.takeUp(open, limit: limit, directory: directory, at: now, time: time)
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
        _ open: OpenActivity, limit: Duration?, directory: String, at now: Instant, time: UTC?
    ) throws {
        let journal = recorder.journal
        let reader = try JournalReader(in: directory)
        let age: Duration
        let isSameBoot: Bool
        var rule = Outage.Rule.paused
        var isForNow = false
        switch limit.map({ TakeUpDecision(open, bootID: recorder.bootID, at: now, time: time, limit: $0) }) {
        case .goesOn(let after, let same, let chosen): (age, isSameBoot, rule) = (after, same, chosen)
        case .goesOnForNow:
            (age, isSameBoot) = (.seconds(1), false)
            isForNow = true
        case .isOver, nil:
            let taken = try TakenUp(open, from: reader, last: open.last)
            _ = taken.end(open, in: recorder, at: now)
            return Log.write(.notice, "the activity that was left open is too old to go on with: closed as it stood")
        }
        let taken = try TakenUp(open, from: reader, last: now - age)
        if taken.ended != nil {
            _ = taken.end(open, in: recorder, at: now)
            return Log.write(
                .notice, "the activity that was left open was forgotten: closed as of its last movement or beat")
        }
        guard let id = open.recording.id else { return }
        let part = JournalPart(
            number: open.parts.count, bootID: recorder.bootID, of: taken.scribe, at: now, place: open.entries)
        taken.completeRows(of: open, in: journal, at: now)
        journal.resume(id, part, rows: taken.rows, at: now)
        recorder = RunRecorder(
            journal, bootID: recorder.bootID, formats: recorder.formats, scribe: taken.scribe, gaps: taken.gaps,
            parts: open.parts.count + 1, at: now)
        var settings = taken.pipeline.settings
        settings.straps = recollection.pipeline.settings.straps
        if isForNow, let limit, open.lastTime != nil {
            undecided = UndecidedTakeUp(open, taken, limit: limit, at: now)
        }
        let outage = Outage(duration: age, isSameBoot: isSameBoot, settings: settings, rule: rule)
        recollection.goOn(taken.pipeline, after: outage, at: now)
    }
}

extension Daemon {
    /// Keeps the entries of an activity that may turn out to be two, and tells them apart once the time of day is known.
    func decideTakeUp(_ entries: [Entry], _ outputs: [Output], at now: Instant) {
        guard undecided != nil else { return }
        undecided?.keep(entries)
        let isKnown = outputs.contains {
            if case .event(let event) = $0, case .clock = event.kind { event.time != nil } else { false }
        }
        guard isKnown, let open = undecided, let time = pipeline.state(at: now).time else { return }
        undecided = nil
        guard let said = open.part(at: now, time: time, &recorder, &recollection) else { return }
        tell(said)
        Log.write(
            .notice, "the activity that was left open is too old to go on with: what came since is one of its own")
    }
}
