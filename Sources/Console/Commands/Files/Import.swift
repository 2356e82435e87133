import Domain
import Formats
import JSONCoding
import Linux
import Pipeline
import Storage
import Wire

extension Command {
    static let importing = [
        Command(
            "import", words: [.some("FILE...", "a file", .files)],
            options: [Options.sport, Options.again, Options.one, Options.verbose],
            "read FIT, GPX, TCX and KML files, also as .gz; --again replaces an activity that is there already; --one "
                + "makes the sessions of a file one activity",
            read: { arguments in
                (
                    arguments.words,
                    ImportOptions(
                        sport: arguments[Options.sport], again: arguments.has(Options.again),
                        one: arguments.has(Options.one), isVerbose: arguments.has(Options.verbose))
                )
            }, run: { try $0.importFiles($1.0, $1.1) })
    ]
}

extension Options {
    fileprivate static let again = CommandOption.flag("--again", "replace an activity that is there already")
    fileprivate static let one = CommandOption.flag("--one", "the sessions of a file are one activity")
}

extension Invocation {
    /// Imports files, each as an activity. An unreadable file does not stop the others. After several files, the last line
    /// counts them.
    func importFiles(_ paths: [String], _ options: ImportOptions) throws(Failure) {
        let state = StateDirectory(stateDirectory)
        var known = 0
        var failures: [Failure] = []
        for path in paths {
            do throws(Failure) {
                guard let same = try importFile(path, options, into: state) else { continue }
                known += 1
                failures.append(same)
            } catch {
                failures.append(error)
            }
        }
        if paths.count > 1 {
            for failure in failures { complain(of: failure) }
            let refused = failures.count - known
            let counts = [(paths.count - failures.count, "imported"), (known, "known"), (refused, "refused")]
            let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            guard failures.isEmpty else { throw Failure(status: failures.last?.status ?? .failed, message: words) }
            if !isJSON { try writeOut(words + "\n") }
        } else if let failure = failures.first {
            throw failure
        }
    }

    /// Imports each activity of a file. A file with several is refused at the first one that is known.
    ///
    /// - Returns: nil if all are imported; the failure that names the activity that is known already.
    private func importFile(
        _ path: String, _ options: ImportOptions, into state: StateDirectory
    ) throws(Failure) -> Failure? {
        do {
            let file = try RecordingFile(path: path, salvages: true, splits: !options.one)
            var number = 0
            var count = 1
            while number < count {
                let result = try importActivity(number, of: file, options, into: state)
                count = result.count
                if let known = result.known { return known }
                number += 1
            }
            return nil
        } catch {
            throw Self.failure(error, state)
        }
    }

    /// - Returns: the number of activities in the file; the failure that names the activity if it is known already.
    private func importActivity(
        _ number: Int, of file: RecordingFile, _ options: ImportOptions, into state: StateDirectory
    ) throws -> (count: Int, known: Failure?) {
        // The sport limits the speed for the distance, and may be at the end of the file.
        var survey = FileSurvey()
        let first = try file.read(activity: number) { survey.ingest($0) }
        let count = first.activities
        var recording = first.recording
        recording.sport = options.sport ?? recording.sport
        let known = try knownActivity(recording, survey, file, number, count, in: state)
        if let known, !options.again || known.again == .refused { return (count, known.failure) }
        let replaced = known.flatMap { $0.again == .replaces ? $0.id : nil }
        let words = count > 1 ? "\(file.name), activity \(number + 1) of \(count)," : file.name
        var figures = FileFigures(recording, survey)
        var gaps = 0
        func reread(_ write: (RecordingRow) throws -> Void) throws -> ImportedRecording {
            var imported = try file.read(activity: number) { row in
                if case .segment = row { gaps += 1 }
                try write(figures.ingest(row))
            }
            imported.recording.changeSport(to: recording.sport)
            figures.finish(&imported.recording)
            return imported
        }
        // Found after the first reading, so that an invalid file does not create an empty journal.
        switch try ImportTarget.find(
            state, isNamed: stateDirectory != nil, RuntimeDirectory(runtimeDirectory))
        {
        case .daemon(let runtime):
            var upload = try ActivityUploader(runtime, replacing: replaced)
            figures.settings = try upload.control.bodySettings()
            let imported = try reread { row throws in try upload.write(row) }
            let id = try upload.finish(imported.recording)
            let summary = isJSON ? try upload.summary(of: id) : nil
            try report(id, imported, words, file, options, summary, metric ?? upload.control.metricSetting())
        case .journal(let lock):
            try withExtendedLifetime(lock) {
                let journal = try JournalImport(in: state.path, at: Clock.systemTime())
                figures.settings = try state.journal().bodySettings()
                let imported = try reread(journal.write)
                let id = try journal.finish(imported.recording, gaps: gaps, replaces: replaced)
                let reader = try state.journal()
                let summary = isJSON ? try reader.summary(of: id).map(Self.text) : nil
                try report(id, imported, words, file, options, summary, metric ?? reader.isMetric)
            }
        }
        if let words = figures.words(of: recording.sport) {
            complain("\(file.name): distance not counted: \(words)")
        }
        return (count, nil)
    }

    private static func failure(_ error: any Error, _ state: StateDirectory) -> Failure {
        error as? Failure ?? .failed("cannot write the journal in \(state.path): \(error)")
    }

    private static func text(_ summary: ActivitySummary) -> String {
        var line = JSONWriter()
        line.summary(summary)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    /// - Parameter summary: as JSON; nil for a line of text.
    private func report(
        _ id: Int, _ imported: ImportedRecording, _ name: String, _ file: RecordingFile, _ options: ImportOptions,
        _ summary: String?, _ isMetric: Bool
    ) throws(Failure) {
        if let summary {
            try writeOut(summary + "\n")
        } else {
            let words = StatusText(metric: isMetric)
            let line = words.line(imported.recording) + words.otherDistance(imported.recording)
            try writeOut("\(name) is activity \(id): \(line).\n")
        }
        if let damage = imported.damage {
            complain("\(file.name): \(damage): imported up to there")
        }
        let words = options.isVerbose ? imported.skipped.counts : imported.skipped.missed
        if !words.isEmpty { complain("\(file.name): left out: \(words.joined(separator: ", "))") }
    }
}

extension FileFigures {
    /// A text about uncounted distance; nil if all was counted.
    fileprivate func words(of sport: Sport) -> String? {
        let (metres, tooFast, withoutTime) = notCounted
        let limit =
            "beyond the \(DecimalFormat.text(sport.maxSpeed, decimals: 1) ?? "--") m/s of the sport \(sport.rawValue)"
        let words = [
            metres > 0 ? "\(DecimalFormat.text(metres, decimals: 0) ?? "--") m \(limit)" : nil,
            tooFast > 0 ? "\(tooFast) × position \(limit)" : nil,
            withoutTime > 0 ? "\(withoutTime) × position not later than the one before" : nil,
        ].compactMap(\.self)
        return words.isEmpty ? nil : words.joined(separator: ", ")
    }
}
