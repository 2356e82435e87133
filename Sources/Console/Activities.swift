import Domain
import JSONCoding
import Storage
import Wire

extension Invocation {
    /// Lists activities, newest first, as a table or as summaries in the wire format.
    func activities(limit: Int, before: Int?) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            let list = try journal.list(limit: limit + 1, before: before)
            let shown = list.prefix(limit)
            if isJSON {
                var lines = JSONWriter()
                for summary in shown {
                    lines.summary(summary)
                    lines.newline()
                }
                return String(decoding: lines.bytes, as: UTF8.self)
            }
            let recovery = before == nil ? try journal.recoveryLines() : []
            guard let last = shown.last else {
                if !recovery.isEmpty { return recovery.map { $0 + "\n" }.joined() }
                return before == nil
                    ? "No activity yet: 'pacectl start' starts one, 'pacectl import FILE' imports one.\n"
                    : "No activity before \(before ?? 0).\n"
            }
            let notes = try journal.notes(from: last.id)
            var table = TextTable(StatusText.activityColumns)
            let words = StatusText(metric: metric ?? journal.isMetric)
            for summary in shown {
                table.append(words.cells(summary, marks: Self.marks(summary, notes[summary.id])))
            }
            let more = list.count > limit ? ["Older ones: 'pacectl activities --before \(last.id)'."] : []
            return (table.lines + more + recovery).map { $0 + "\n" }.joined()
        } catch {
            throw state.failure(reading: error)
        }
    }

    private static func marks(_ summary: ActivitySummary, _ note: ActivityNote?) -> [String] {
        [
            summary.isOpen ? "open" : nil, note?.isImported == true ? "imported" : nil, summary.isDemo ? "demo" : nil,
            summary.recovered.map(StatusText.recovered), note?.name.map { TerminalText.cut($0.text, to: 32) },
        ].compactMap(\.self)
    }

    /// Prints one activity.
    func show(_ id: Int) throws(Failure) -> String {
        let state = StateDirectory(stateDirectory)
        let journal = try state.journal()
        do {
            guard let recording = try journal.recording(id), let summary = try journal.summary(of: id) else {
                throw Failure.noActivity(id)
            }
            if isJSON {
                var line = JSONWriter()
                line.activity(summary, recording, limit: .max)
                line.newline()
                return String(decoding: line.bytes, as: UTF8.self)
            }
            return StatusText(metric: metric ?? journal.isMetric)
                .report(recording, isOpen: summary.isOpen, gaps: summary.gaps, recovered: summary.recovered)
        } catch {
            throw state.failure(reading: error)
        }
    }
}

extension Failure {
    static func noActivity(_ id: Int) -> Failure {
        .failed("activity \(id) does not exist; 'pacectl activities' lists all activities")
    }
}
