package import Domain
import Glibc
import Linux

/// Writes an imported recording to the journal, row by row, whether or not the daemon is running. It
/// becomes an activity only with ``finish(_:gaps:)``.
///
/// Transactions are short, so that neither process waits long for the other.
package final class JournalImport {
    /// The most rows of one transaction.
    private static let batchLimit = 256
    /// An import without progress for this long, in milliseconds, was killed.
    private static let staleAfterMilliseconds: Int64 = 600_000

    private let file: JournalFile
    /// The number of the future activity.
    package let activity: Int
    private var batch: [RecordingRow] = []
    private var place = 0
    private var isOver = false

    /// Creates the journal if there is none.
    ///
    /// - Parameter time: the system time. It distinguishes this import from those killed long ago.
    package init(in directory: String, at time: UTC) throws(JournalFailure) {
        // Root imports into the directory of the daemon's user.
        file = try JournalFile(in: directory, anyOwner: geteuid() == 0)
        var activity = 0
        do throws(SQLiteError) {
            let database = file.database
            try file.setSynced(false)
            try database.transaction { () throws(SQLiteError) in
                try database.execute(
                    """
                    INSERT OR IGNORE INTO condemned
                        SELECT activity FROM importing WHERE abs(utc_ms - \(time.milliseconds)) > \(Self.staleAfterMilliseconds);
                    DELETE FROM importing WHERE activity IN (SELECT activity FROM condemned);
                    """)
                activity = Int(try database.integer(JournalSchema.nextActivity) ?? 1)
                try database.execute("INSERT INTO importing VALUES (\(activity), \(time.milliseconds))")
            }
        } catch {
            throw .database(error)
        }
        self.activity = activity
        batch.reserveCapacity(Self.batchLimit)
    }

    deinit {
        if !isOver { abandon() }
    }

    /// Appends a row.
    package func write(_ row: RecordingRow) throws(SQLiteError) {
        batch.append(row)
        if batch.count == Self.batchLimit { try flush() }
    }

    /// Makes the recording an activity. It is on the disk when this returns.
    ///
    /// - Returns: The number of the activity.
    package func finish(_ recording: RecordedActivity, gaps: Int) throws(SQLiteError) -> Int {
        try flush()
        var recording = recording
        recording.id = activity
        try file.setSynced(true)
        try file.database.transaction { () throws(SQLiteError) in
            try file.statements.begin(recording, isImport: true, isOpen: false)
            try file.statements.write(recording, gaps: gaps, isOpen: false)
            try file.database.execute("DELETE FROM importing WHERE activity = \(activity)")
        }
        isOver = true
        return activity
    }

    /// Deletes everything that was written.
    package func abandon() {
        isOver = true
        do throws(SQLiteError) {
            try file.database.transaction { () throws(SQLiteError) in
                try file.database.execute(
                    """
                    INSERT OR IGNORE INTO condemned VALUES (\(activity));
                    DELETE FROM importing WHERE activity = \(activity);
                    """)
            }
            var isMore = true
            while isMore {
                try file.database.transaction { () throws(SQLiteError) in
                    isMore = try file.statements.erase(atMost: Self.batchLimit)
                }
            }
        } catch {
            // The remaining rows are condemned, or will be. The daemon and the next import erase them.
        }
    }

    private func flush() throws(SQLiteError) {
        guard !batch.isEmpty else { return }
        try file.database.transaction { () throws(SQLiteError) in
            for (index, row) in batch.enumerated() {
                try file.statements.write(row, JournalSchema.key(activity, place + index))
            }
        }
        place += batch.count
        batch.removeAll(keepingCapacity: true)
    }
}
