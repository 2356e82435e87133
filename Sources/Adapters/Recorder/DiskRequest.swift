package import Domain
package import Outputs

/// What can be asked of the journal while it is written (``DiskWorker``).
package enum DiskRequest: Equatable, Sendable {
    /// Summaries, the newest first; of activities with lower numbers than `before`.
    case list(limit: Int, before: Int?)
    case activity(Int)
    case track(Track.Request)
    /// The files that are to be made of activities that have ended; at most ``PendingExport/limit``.
    case orders
    /// Makes a file in a directory, which is made too where it is missing.
    case export(PendingExport, directory: String)
    /// What the configuration file at a path says; no question about the journal, but one that a disk answers.
    case configuration(path: String)
    /// Whether a file of the state directory is a journal that can be recovered.
    case recoverable(file: String)
    /// Writes the list of straps.
    case keep(StrapStore, in: StrapStoreFile)
}

package enum DiskReply: Equatable, Sendable {
    case list([ActivitySummary])
    case activity(ActivitySummary, RecordedActivity)
    case track(Track)
    case orders([PendingExport])
    case exported(path: String, ExportLoss)
    /// Nil where there is no such file.
    case configuration([ConfigurationFile.Assignment]?)
    case kept
    /// There is no activity of this number.
    case nothing
}

/// A file that is to be made of an activity.
package struct PendingExport: Hashable, Sendable {
    package var activity: Int
    package var format: ExportFormat

    /// The most that are told at once.
    package static let limit = 64

    package init(activity: Int, format: ExportFormat) {
        self.activity = activity
        self.format = format
    }
}

extension JournalReader {
    /// Files that are to be made of activities that have ended, the oldest activities first.
    package func orders() throws(SQLiteError) -> [PendingExport] {
        let statement = try database.prepare(
            """
            SELECT export.activity, format FROM export JOIN activity ON activity.id = export.activity WHERE NOT open
            ORDER BY export.activity LIMIT ?
            """)
        try statement.bind(PendingExport.limit)
        var orders: [PendingExport] = []
        while try statement.step() {
            // A later release may know more.
            guard let format = statement.text(1).flatMap(ExportFormat.init(token:)) else { continue }
            orders.append(PendingExport(activity: Int(statement.integer(0) ?? 0), format: format))
        }
        return orders
    }
}
