import Domain

/// The damaged journals that the journal's thread copies, one after another, when it has nothing else to do.
struct RecoveryQueue {
    private let directory: String
    private var current: JournalRecovery?
    /// The journal may name another file.
    private var mayHaveMore = true

    init(in directory: String) {
        self.directory = directory
    }

    /// The journal was opened, or a file was named.
    mutating func refresh() {
        mayHaveMore = true
    }

    /// The journal is closed: what is under way continues from what it says, once it is open again.
    mutating func restart() {
        current = nil
        mayHaveMore = true
    }

    /// Does a little of what there is to do.
    ///
    /// - Returns: whether more can be done at once.
    mutating func step(in file: JournalFile, _ report: ([String]) -> Void) throws(JournalFailure) -> Bool {
        if current == nil, mayHaveMore {
            do throws(SQLiteError) {
                current = try JournalRecovery.pending(in: file.database).map { JournalRecovery($0, in: directory) }
            } catch {
                throw .database(error)
            }
            mayHaveMore = current != nil
        }
        guard let recovery = current else { return false }
        let step = try recovery.step(in: file)
        let lines = recovery.drainReports()
        if !lines.isEmpty { report(lines) }
        if step == .done || step == .refused { current = nil }
        return step != .waits
    }
}
