import Domain
package import Linux

/// The data shared by the loop and the journal's thread.
package final class JournalMailbox: Sendable {
    package let queue = Locked(JournalQueue())
    package let status = Locked(JournalWriterStatus())
    let imports = Locked(JournalImportQueue())
    let numbers = Locked(ActivityNumbers(next: Renumbering.firstUnknownActivity))
    /// Wakes the writer early.
    let work: EventFD
    /// Wakes the loop: ``JournalWriterStatus`` has changed.
    let changed: EventFD
    /// Signals an attempt to prepare the directory.
    let prepared: EventFD
    /// Signals that the writer has ended.
    let ended: EventFD

    package init() throws(SystemError) {
        work = try EventFD()
        changed = try EventFD()
        prepared = try EventFD()
        ended = try EventFD()
    }

    /// Fails the waiting steps of imports.
    func rejectImports(_ reason: String) {
        let isChanged = imports.withLock { imports in
            if imports.steps.isEmpty { return false }
            let failure = JournalImportFailure(description: reason)
            imports.results += imports.steps.map { ($0.number, .failure(failure)) }
            imports.steps = []
            return true
        }
        if isChanged { changed.signal() }
    }
}

/// The status that the writer reports to the loop.
package struct JournalWriterStatus: Equatable, Sendable {
    /// The present error, as text for people. Nil if there is none.
    var message: String?
    /// Whether the directory is ready.
    package var isPrepared = true
    /// Whether the journal is closing, so that the directory is not tried again.
    var isLastAttempt = false
    /// When all changes appended until then were on the disk.
    var syncedAt: Instant?
    var freeMebibytes: Int?
    /// The number of changes that were rejected for good, and dropped.
    var rejections = 0
    /// The number of urgent changes written since the start.
    var written = 0
    /// Reports about damaged journals, as lines for the log, until they are logged.
    var reports: [String] = []
}
