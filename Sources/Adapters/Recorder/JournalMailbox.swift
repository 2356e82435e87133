import Domain
package import Linux

/// What lies between the loop and the journal's thread.
package final class JournalMailbox: Sendable {
    let queue = Locked(JournalQueue())
    let news = Locked(JournalWriterStatus())
    /// Calls the writer before its time.
    let work: EventFD
    /// Calls the loop: the news are others.
    let changed: EventFD
    /// The writer has tried to make the directory ready.
    let prepared: EventFD
    /// The writer has ended.
    let ended: EventFD

    package init() throws(SystemError) {
        work = try EventFD()
        changed = try EventFD()
        prepared = try EventFD()
        ended = try EventFD()
    }
}

/// What the writer has to tell.
struct JournalWriterStatus: Equatable, Sendable {
    /// What is wrong, as a sentence for people; nil when nothing is.
    var trouble: String?
    /// The directory is ready.
    var isPrepared = true
    /// The journal is being closed: the directory is not tried any more.
    var isLastAttempt = false
    /// When all that had been appended until then was on the disk.
    var syncedAt: Instant?
    var freeMebibytes: Int?
    /// Changes that could never be written, and were let go of.
    var refusals = 0
    /// How many urgent changes are written, counted from the first.
    var written = 0
    /// The number of the next activity.
    var reserved: Int?
    /// What happened to damaged journals, as lines for the log that are not written yet.
    var reports: [String] = []
}
