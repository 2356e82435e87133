package import Domain
package import Outputs

/// One thing that is to be written into the journal.
package enum JournalChange: Equatable, Sendable {
    /// An activity begins, with the number that was reserved for it.
    indirect case begin(RecordedActivity, BootSegment)
    /// An activity goes on in a new run of the program.
    indirect case resume(RecordedActivity, BootSegment)
    /// - Parameter place: counted through the activity, from 0.
    case entry(activity: Int, place: Int, InputLogEntry)
    case row(activity: Int, place: Int, RecordingRow)
    /// What the activity has come to by now.
    indirect case update(RecordedActivity, gaps: Int)
    indirect case end(RecordedActivity, gaps: Int)
    /// A line of class EVENT as it was published.
    case event(sequence: Int, activity: Int?, at: Instant, line: [UInt8])
    case clock(bootID: String, at: Instant, UTC, ClockSource)
    indirect case edit(activity: Int, Sport?, SanitizedText?)
    case delete(activity: Int)
    /// Takes away the entries from a place on, with the parts that they begin, and the rows: what became an activity of its own, or what
    /// a replay does not give again.
    case cut(activity: Int, entries: Int, rows: Int)
    /// Takes away the rows after a moment, in milliseconds since the activity began, and the samples after so much active time: the
    /// activity ended there, which was known later only.
    case cutAfter(activity: Int, at: Int64, elapsed: Int64)
    /// A file is to be made of an activity when it has ended.
    case export(activity: Int, ExportFormat)
    /// The file is made.
    case exported(activity: Int, ExportFormat)
    /// Somebody has made a setting.
    case setting(JournalSetting)
    /// A setting is as nobody has made it.
    case unset(name: String)
    /// A damaged journal in the state directory is to be copied.
    case recover(file: String)

    /// What is kept as long as anything can be: without it the rest is worth nothing. There is little of it.
    var isVital: Bool {
        switch self {
        case .begin, .resume, .end, .edit, .delete, .cut, .cutAfter, .export, .exported, .setting, .unset, .recover:
            true
        case .entry(_, _, let entry):
            switch entry.kind {
            case .snapshot, .command, .outage, .shutdown, .ended: true
            case .input, .suspended: false
            }
        case .row(_, _, let row):
            switch row {
            case .begin, .end, .lap: true
            case .sample, .beats, .segment: false
            }
        case .update, .event, .clock: false
        }
    }

    /// Whether it is to be on the disk before anything else happens.
    var isUrgent: Bool {
        switch self {
        case .begin, .resume, .end, .edit, .delete, .cut, .setting, .unset, .recover: true
        case .entry(_, _, let entry):
            switch entry.kind {
            // A part of an activity begins with its outage: without it the next start takes two outages for one.
            // After a shutdown nothing follows.
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
            .edit(let activity, _, _), .delete(let activity), .cut(let activity, _, _), .cutAfter(let activity, _, _),
            .export(let activity, _), .exported(let activity, _):
            activity
        case .event(_, let activity, _, _): activity
        case .clock, .setting, .unset, .recover: nil
        }
    }

    /// About how much memory it takes, in bytes.
    var size: Int {
        let size = MemoryLayout<JournalChange>.stride
        return switch self {
        case .begin, .resume, .update, .end: size + 4096
        case .entry(_, _, let entry):
            switch entry.kind {
            case .snapshot: size + 16_384
            case .input(.heart(let measurement)): size + 32 + 2 * measurement.rrIntervals.count
            case .input(.setting): size + 2048
            case .input, .command, .suspended, .outage, .shutdown, .ended: size
            }
        case .row(_, _, .beats(_, let rr, _)): size + 32 + 2 * rr.count
        case .event(_, _, _, let line): size + 32 + line.count
        case .setting(let setting): size + 64 + setting.value.utf8.count
        case .row, .clock, .unset, .recover, .edit, .delete, .cut, .cutAfter, .export, .exported: size
        }
    }
}

/// A stretch of an activity within one run of the program.
package struct BootSegment: Equatable, Sendable {
    /// From 0.
    package var number: Int
    package var bootID: String
    package var at: Instant
    /// The same moment in milliseconds since the activity began.
    package var beginsAt: Int64
    /// Of its first entry.
    package var place: Int

    package init(number: Int = 0, bootID: String, at: Instant, beginsAt: Int64 = 0, place: Int = 0) {
        self.number = number
        self.bootID = bootID
        self.at = at
        self.beginsAt = beginsAt
        self.place = place
    }
}
