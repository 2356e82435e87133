import Domain
import Formats
import JSONCoding
import Pipeline
import Storage
import Wire

extension Invocation {
    /// Prints an activity, or the one that a file would give, as the data of an upload.
    func rows(_ source: ReplaySource, sport: Sport?) throws(Failure) {
        var output = RowOutput()
        switch source {
        case .activity(let reference):
            let state = StateDirectory(stateDirectory)
            let journal = try state.journal()
            do {
                try output.write(journal.number(of: reference), of: journal, sport)
            } catch {
                throw state.failure(reading: error)
            }
        case .file(let path):
            do {
                try output.write(RecordingFile(path: path, salvages: true), sport)
            } catch {
                throw error as? Failure ?? .failed("cannot read \(path): \(error)")
            }
        }
    }
}

/// Writes the lines of an activity to standard output.
private struct RowOutput {
    private var lines = JSONWriter(capacity: 65_536)
    private var rows = 0
    /// The timer's state after the last row, and the moment of that.
    private var timerRuns = false
    private var at: Int64 = 0

    /// The number of bytes that triggers a write.
    private static let chunk = 32_768

    mutating func write(_ id: Int, of journal: JournalReader, _ sport: Sport?) throws {
        guard var recording = try journal.recording(id), let summary = try journal.summary(of: id) else {
            throw journal.noActivity(id)
        }
        if summary.isOpen { throw Failure.failed("activity \(id) is in progress: stop it first") }
        lines.activityUploadHeader()
        try journal.rows(of: id).each { row in try write(row) }
        guard rows > 0 else { throw Failure.failed("activity \(id) has no rows") }
        if let sport { recording.changeSport(to: sport) }
        try finish(recording)
    }

    /// Reads the file twice, as an import does.
    mutating func write(_ file: RecordingFile, _ sport: Sport?) throws {
        var survey = FileSurvey()
        var recording = try file.read { survey.ingest($0) }.recording
        recording.sport = sport ?? recording.sport
        var figures = FileFigures(recording, survey)
        lines.activityUploadHeader()
        var imported = try file.read { row in try write(figures.ingest(row)) }
        imported.recording.changeSport(to: recording.sport)
        figures.finish(&imported.recording)
        if let damage = imported.damage { complain("\(file.name): \(damage): it is read up to there") }
        try finish(imported.recording)
    }

    private mutating func write(_ row: RecordingRow) throws(Failure) {
        switch row {
        case .begin: timerRuns = true
        case .end: timerRuns = false
        case .sample, .beats, .lap, .segment, .autoPause, .autoResume: break
        }
        at = row.at
        lines.uploadLine(row)
        rows += 1
        if lines.bytes.count >= Self.chunk { try flush() }
    }

    private mutating func finish(_ recording: RecordedActivity) throws(Failure) {
        // A journal that was damaged may lack the last row.
        if timerRuns { try write(.end(at: at, .command)) }
        lines.uploadEnd(recording, rows: rows)
        try flush()
    }

    private mutating func flush() throws(Failure) {
        try writeOut(lines.bytes)
        lines.clear()
    }
}
