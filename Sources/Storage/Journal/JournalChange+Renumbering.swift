import Domain
import JSONCoding
import Pipeline
import Wire

extension JournalChange {
    /// Renumbers the activities and events in the change.
    mutating func renumber(_ numbers: Renumbering) {
        let activities = numbers.activities
        func moved(_ recording: RecordedActivity) -> RecordedActivity {
            var recording = recording
            recording.id = recording.id.map { activities($0) }
            return recording
        }
        switch self {
        case .begin(let recording, let part): self = .begin(moved(recording), part)
        case .resume(let recording, let part): self = .resume(moved(recording), part)
        case .entry(let activity, let place, var entry):
            if case .snapshot(var beginning) = entry.kind {
                // The number of its activity follows `lastActivity`.
                beginning.lastActivity = activities(beginning.lastActivity + 1) - 1
                entry.kind = .snapshot(beginning)
            }
            self = .entry(activity: activities(activity), place: place, entry)
        case .row(let activity, let place, let row): self = .row(activity: activities(activity), place: place, row)
        case .update(let recording, let gaps): self = .update(moved(recording), gaps: gaps)
        case .end(let recording, let gaps): self = .end(moved(recording), gaps: gaps)
        case .event(let sequence, let activity, let at, let line):
            let sequence = numbers.events(sequence)
            self = .event(
                sequence: sequence, activity: activity.map { activities($0) }, at: at,
                line: JSONWriter.eventLine(line, sequence: sequence))
        case .edit(let activity, let sport, let name): self = .edit(activity: activities(activity), sport, name)
        case .delete(let activity): self = .delete(activity: activities(activity))
        case .cut(let activity, let entries, let rows):
            self = .cut(activity: activities(activity), entries: entries, rows: rows)
        case .cutAfter(let activity, let at, let elapsed):
            self = .cutAfter(activity: activities(activity), at: at, elapsed: elapsed)
        case .export(let activity, let format): self = .export(activity: activities(activity), format)
        case .exported(let activity, let format): self = .exported(activity: activities(activity), format)
        case .clock, .setting, .unset, .recover: break
        }
    }
}
