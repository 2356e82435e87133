import Domain
import Linux
import SQLite

/// The damaged journals that the journal's thread copies, one after another, when it is idle.
struct RecoveryQueue {
    private let directory: String
    private let numbers: Locked<ActivityNumbers>
    private var current: JournalRecovery?
    /// Whether the journal may list another file.
    private var mayHaveMore = true

    init(in directory: String, numbers: Locked<ActivityNumbers>) {
        self.directory = directory
        self.numbers = numbers
    }

    /// Checks the journal for another file, after one was added.
    mutating func refresh() {
        mayHaveMore = true
    }

    /// Discards the recovery in progress, after the journal was reopened. It continues from its stored progress.
    mutating func restart() {
        current = nil
        mayHaveMore = true
    }

    /// Performs one step.
    ///
    /// - Returns: Whether another step can follow at once.
    mutating func step(in file: JournalFile, _ report: ([String]) -> Void) throws(JournalFailure) -> Bool {
        if current == nil, mayHaveMore {
            do throws(SQLiteError) {
                current = try JournalRecovery.pending(in: file.database)
                    .map { JournalRecovery($0, in: directory, numbers: numbers) }
            } catch {
                throw .database(error)
            }
            mayHaveMore = current != nil
        }
        guard let recovery = current else { return false }
        let step = try recovery.step(in: file)
        let lines = recovery.drainReports()
        if !lines.isEmpty { report(lines) }
        if step == .done || step == .rejected { current = nil }
        return step != .waits
    }
}
