package import Domain
package import Formats
import JSONCoding
package import Pipeline
import Wire

/// One change to the journal.
package enum JournalChange: Equatable, Sendable {
    /// Starts an activity.
    indirect case begin(RecordedActivity, BootSegment)
    /// Resumes an activity in a new run of the daemon.
    indirect case resume(RecordedActivity, BootSegment)
    /// - Parameter place: the index in the activity, from 0.
    case entry(activity: Int, place: Int, InputLogEntry)
    case row(activity: Int, place: Int, RecordingRow)
    /// The present totals of the activity.
    indirect case update(RecordedActivity, gaps: Int)
    indirect case end(RecordedActivity, gaps: Int)
    /// A published line of class EVENT.
    case event(sequence: Int, activity: Int?, at: Instant, line: [UInt8])
    case clock(bootID: String, at: Instant, UTC, ClockSource)
    /// Nil values stay unchanged.
    indirect case edit(activity: Int, Sport?, SanitizedText?, started: UTC? = nil)
    case delete(activity: Int)
    /// Deletes the entries from a place on, with the parts that start there, and rows: they became a
    /// separate activity, or a replay does not reproduce them.
    case cut(activity: Int, entries: Int, rows: Int)
    /// Deletes the rows after a moment, in milliseconds since the start of the activity, and the samples
    /// after an active time. The activity ended there, which became known only later.
    case cutAfter(activity: Int, at: Int64, elapsed: Int64)
    /// Requests an export of an activity once it has ended.
    case export(activity: Int, ExportFormat)
    /// The export is done.
    case exported(activity: Int, ExportFormat)
    /// Stores a setting of the user.
    case setting(JournalSetting)
    /// Deletes a setting.
    case unset(name: String)
    /// Requests the recovery of a damaged journal in the state directory.
    case recover(file: String)
    /// Changes the courses or what is loaded of them.
    indirect case course(CourseChange)
    case trash(TrashChange)

    /// Whether the change is kept as long as possible, because the rest is worthless without it. Such changes are few.
    var isVital: Bool {
        switch self {
        case .begin, .resume, .end, .edit, .delete, .cut, .cutAfter, .export, .exported, .setting, .unset, .recover,
            .course, .trash:
            true
        case .entry(_, _, let entry):
            switch entry.kind {
            case .snapshot, .command, .outage, .shutdown, .ended: true
            case .input, .suspended: false
            }
        case .row(_, _, let row):
            switch row {
            case .begin, .end, .lap: true
            case .sample, .beats, .segment, .autoPause, .autoResume: false
            }
        case .update, .event, .clock: false
        }
    }

    /// Whether the change must be on the disk before anything else happens.
    var isUrgent: Bool {
        switch self {
        // The files of undated activities wait for a clock.
        case .begin, .resume, .end, .clock, .edit, .delete, .cut, .setting, .unset, .recover, .course, .trash: true
        case .entry(_, _, let entry):
            switch entry.kind {
            // An outage starts a part: without it the next start takes two outages for one. Nothing follows a shutdown.
            case .outage, .shutdown: true
            default: false
            }
        default: false
        }
    }

    var activity: Int? {
        switch self {
        case .begin(let recording, _), .resume(let recording, _), .update(let recording, _), .end(let recording, _):
            recording.id
        case .entry(let activity, _, _), .row(let activity, _, _),
            .edit(let activity, _, _, _), .delete(let activity), .cut(let activity, _, _),
            .cutAfter(let activity, _, _),
            .export(let activity, _), .exported(let activity, _):
            activity
        case .event(_, let activity, _, _): activity
        case .clock, .setting, .unset, .recover, .course, .trash: nil
        }
    }

    /// The approximate memory use in bytes.
    package var size: Int {
        let size = MemoryLayout<JournalChange>.stride
        return switch self {
        case .begin, .resume, .update, .end: size + 4096
        case .entry(_, _, let entry):
            switch entry.kind {
            case .snapshot: size + 16_384
            case .input(.heart(let measurement)): size + 32 + 2 * measurement.rrIntervals.count
            case .input(.measurement(_, .heartRate(let heart))): size + 32 + 2 * heart.rrIntervals.count
            case .input(.sensor): size + 512
            case .input(.setting): size + 2048
            case .input, .command, .suspended, .outage, .shutdown, .ended: size
            }
        case .row(_, _, .beats(_, let rr, _)): size + 32 + 2 * rr.count
        case .event(_, _, _, let line): size + 32 + line.count
        case .setting(let setting): size + 64 + setting.value.utf8.count
        case .course(.partner(_, let bytes)): size + 512 + (bytes?.count ?? 0)
        case .course: size + 512
        case .row, .clock, .unset, .recover, .edit, .delete, .cut, .cutAfter, .export, .exported, .trash: size
        }
    }
}

/// The part of an activity within one run of the daemon.
package struct BootSegment: Equatable, Sendable {
    /// Counted from 0.
    package var number: Int
    package var bootID: String
    package var at: Instant
    /// The same moment in milliseconds since the start of the activity.
    package var beginsAt: Int64
    /// The place of its first entry.
    package var place: Int

    package init(number: Int = 0, bootID: String, at: Instant, beginsAt: Int64 = 0, place: Int = 0) {
        self.number = number
        self.bootID = bootID
        self.at = at
        self.beginsAt = beginsAt
        self.place = place
    }
}

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
            if case .snapshot(var snapshot) = entry.kind {
                // The number of its activity follows `lastActivity`.
                snapshot.lastActivity = activities(snapshot.lastActivity + 1) - 1
                entry.kind = .snapshot(snapshot)
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
        case .edit(let activity, let sport, let name, let started):
            self = .edit(activity: activities(activity), sport, name, started: started)
        case .delete(let activity): self = .delete(activity: activities(activity))
        case .cut(let activity, let entries, let rows):
            self = .cut(activity: activities(activity), entries: entries, rows: rows)
        case .cutAfter(let activity, let at, let elapsed):
            self = .cutAfter(activity: activities(activity), at: at, elapsed: elapsed)
        case .export(let activity, let format): self = .export(activity: activities(activity), format)
        case .exported(let activity, let format): self = .exported(activity: activities(activity), format)
        case .trash(.put(.activity, let id, let time)): self = .trash(.put(.activity, activities(id), at: time))
        case .trash(.restore(.activity, let id)): self = .trash(.restore(.activity, activities(id)))
        case .clock, .setting, .unset, .recover, .course, .trash: break
        }
    }
}
