import Domain
import Formats
import JSONCoding
import Linux
import Pipeline
import Storage
import Wire

extension Invocation {
    /// Imports files, each as an activity. An unreadable file does not stop the others. After several files, the last line
    /// counts them.
    func importFiles(_ paths: [String], _ options: ImportOptions) throws(Failure) {
        let state = StateDirectory(stateDirectory)
        var known = 0
        var failures: [Failure] = []
        for path in paths {
            do throws(Failure) {
                guard let same = try importFile(RecordingFile(path: path, salvages: true), options, into: state) else {
                    continue
                }
                known += 1
                failures.append(same)
            } catch {
                failures.append(error)
            }
        }
        if paths.count > 1 {
            for failure in failures { complain(failure.message) }
            let refused = failures.count - known
            let counts = [(paths.count - failures.count, "imported"), (known, "known"), (refused, "refused")]
            let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            guard failures.isEmpty else { throw Failure(status: failures.last?.status ?? .failed, message: words) }
            if !isJSON { try writeOut(words + "\n") }
        } else if let failure = failures.first {
            throw failure
        }
    }

    /// - Returns: nil if the file is imported; the failure that names the activity if it is known already.
    private func importFile(
        _ file: RecordingFile, _ options: ImportOptions, into state: StateDirectory
    ) throws(Failure) -> Failure? {
        do {
            // The sport limits the speed for the distance, and may be at the end of the file.
            var survey = FileSurvey()
            var recording = try file.read { survey.ingest($0) }.recording
            recording.sport = options.sport ?? recording.sport
            if !options.again, let same = try sameActivity(recording, survey, file, in: state) { return same }
            var figures = FileFigures(recording, survey)
            var gaps = 0
            func reread(_ write: (RecordingRow) throws -> Void) throws -> ImportedRecording {
                var imported = try file.read { row in
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
                var upload = try ActivityUploader(runtime)
                figures.settings = try upload.control.bodySettings()
                let imported = try reread { row throws in try upload.write(row) }
                let id = try upload.finish(imported.recording)
                let summary = isJSON ? try upload.summary(of: id) : nil
                try report(id, imported, file, options, summary, metric ?? upload.control.metricSetting())
            case .journal(let lock):
                try withExtendedLifetime(lock) {
                    let journal = try JournalImport(in: state.path, at: Clock.systemTime())
                    figures.settings = try state.journal().bodySettings()
                    let imported = try reread(journal.write)
                    let id = try journal.finish(imported.recording, gaps: gaps)
                    let reader = try state.journal()
                    let summary = isJSON ? try reader.summary(of: id).map(Self.text) : nil
                    try report(id, imported, file, options, summary, metric ?? reader.isMetric)
                }
            }
            if let words = figures.words(of: recording.sport) {
                complain("\(file.name): distance not counted: \(words)")
            }
            return nil
        } catch {
            throw Self.failure(error, state)
        }
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
        _ id: Int, _ imported: ImportedRecording, _ file: RecordingFile, _ options: ImportOptions, _ summary: String?,
        _ isMetric: Bool
    ) throws(Failure) {
        if let summary {
            try writeOut(summary + "\n")
        } else {
            let words = StatusText(metric: isMetric)
            let line = words.line(imported.recording) + words.otherDistance(imported.recording)
            try writeOut("\(file.name) is activity \(id): \(line).\n")
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
