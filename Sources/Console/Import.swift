import Adapters
import Domain
import Linux
import Outputs
import Pipeline
import Sensors

extension Invocation {
    /// Reads files into the journal, each as an activity of its own. One that cannot be read does not keep the others from it.
    func importFiles(_ paths: [String]) throws(Failure) {
        let state = StateDirectory(stateDirectory)
        var failures: [Failure] = []
        for path in paths {
            do throws(Failure) {
                try importFile(RecordingFile(path: path), into: state)
            } catch {
                failures.append(error)
            }
        }
        guard let last = failures.popLast() else { return }
        for failure in failures { complain(failure.message) }
        throw last
    }

    private func importFile(_ file: RecordingFile, into state: StateDirectory) throws(Failure) {
        do {
            // A file that is none leaves not even an empty journal.
            var journal: JournalImport?
            var gaps = 0
            var length = TrackLength()
            var imported = try file.read { row in
                if case .segment = row { gaps += 1 }
                length.take(row)
                let open = try journal ?? Self.open(state)
                journal = open
                try open.write(row)
            }
            if !length.isSaid { imported.recording.measure(length.metres) }
            let open = try journal ?? Self.open(state)
            let id = try open.finish(imported.recording, gaps: gaps)
            try say(id, imported, file, in: state)
        } catch {
            throw Self.failure(error, state)
        }
    }

    private static func open(_ state: StateDirectory) throws -> JournalImport {
        try makeDirectories(state.path)
        return try JournalImport(in: state.path, at: Clock.systemTime())
    }

    private static func failure(_ error: any Error, _ state: StateDirectory) -> Failure {
        error as? Failure ?? .failed("cannot write the journal in \(state.path): \(error)")
    }

    private func say(_ id: Int, _ imported: ImportedRecording, _ file: RecordingFile, in state: StateDirectory) throws {
        if isJSON {
            guard let summary = try state.journal().summary(of: id) else { return }
            var line = LineWriter()
            line.summary(summary)
            line.newline()
            try writeOut(line.bytes)
        } else {
            let isMetric = try metric ?? state.journal().isMetric
            let words = Words(metric: isMetric).line(imported.recording)
            try writeOut("\(file.name) is activity \(id): \(words).\n")
        }
        let words = imported.leftovers.words
        if !words.isEmpty { complain("\(file.name): not kept: \(words.joined(separator: ", "))") }
    }
}

extension Recording {
    /// The file does not say how far it was: the track does, but not for laps.
    fileprivate mutating func measure(_ metres: Double) {
        total.distanceMetres = metres
        if laps.count == 1 { laps[0].figures.distanceMetres = metres }
    }
}

extension Leftovers {
    /// What was not kept, each with its count; empty where all was.
    var words: [String] {
        entries.map { "\($0.count) × \($0.name.text)" } + (others > 0 ? ["\(others) other things"] : [])
    }
}
