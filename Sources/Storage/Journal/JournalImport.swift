package import Domain
import Glibc
import Linux
package import SQLite

/// Writes an imported recording to a journal without a daemon, row by row. It becomes an activity only with
/// ``finish(_:gaps:)``. The caller holds the lock of the state directory; the daemon imports uploads itself.
package final class JournalImport {
    /// The most rows of one transaction.
    private static let batchLimit = 256
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
        do throws(SQLiteError) {
            activity = try JournalReader(file.database).nextActivity()
            _ = try file.perform(.begin(activity: activity, at: time))
        } catch {
            throw .database(error)
        }
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
    /// - Parameter replaced: the imported activity whose number and name it takes; nil for a new one.
    /// - Returns: The number of the activity.
    package func finish(
        _ recording: RecordedActivity, gaps: Int, replaces replaced: Int? = nil
    ) throws(SQLiteError) -> Int {
        try flush()
        var recording = recording
        recording.id = activity
        let number = try file.perform(.finish(recording, gaps: gaps, replaces: replaced)).number
        isOver = true
        return number
    }

    /// Deletes everything that was written.
    package func abandon() {
        isOver = true
        do throws(SQLiteError) {
            _ = try file.perform(.abandon(activity: activity))
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
        _ = try file.perform(.rows(activity: activity, place: place, batch, at: Clock.systemTime()))
        place += batch.count
        batch.removeAll(keepingCapacity: true)
    }
}
