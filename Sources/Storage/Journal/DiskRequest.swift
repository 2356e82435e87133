package import Domain
package import Formats
package import JournalCoding
package import Linux
package import SQLite
package import Wire

/// A request to ``DiskWorker``, which reads the journal while it is being written.
package enum DiskRequest: Equatable, Sendable {
    /// Summaries, newest first, of the activities that are older than `before`.
    case list(limit: Int, before: Int?, in: RecordPlace = .lists)
    case activity(Int)
    /// The summary of an activity, wherever it is.
    case summary(Int)
    /// How much is in the trash.
    case trash
    /// The activities or the courses whose uuid begins so.
    case records(RecordKind, beginning: UUIDPrefix)
    case track(Track.Request)
    /// Brings the index of the activities up to date, by one step.
    case index(scans: Bool)
    /// The pending exports of activities that have ended, at most ``PendingExport/limit``.
    case orders(ofDemo: Bool = false)
    /// Exports a file to a directory, which is created if needed.
    case export(PendingExport, directory: String)
    /// Reads the configuration file at a path. It is here because it may block on a disk, too.
    case configuration(path: String)
    /// Checks whether a file of the state directory is a journal that can be recovered.
    case recoverable(file: String)
    /// Writes the sensor store.
    case write(SensorStore, in: SensorStoreFile)
    case writeDevice(Device, in: DeviceFile)
    /// Creates the file of an upload, appends to it, closes it.
    case openUpload(Int)
    case appendUpload(Int, [UInt8])
    case closeUpload(Int)
    /// Validates the next lines of an upload.
    case checkUpload(Int)
    /// Validates the next lines of an upload of a course.
    case checkCourse(Int)
    /// Summaries of courses, newest first, with a number below `before`.
    case courses(limit: Int, before: Int?, in: RecordPlace = .lists)
    /// The summary of a course, wherever it is.
    case courseSummary(Int)
    /// Reads and indexes a course.
    case course(Int)
    /// Makes a partner of an activity, on a course or on bare distance.
    case partner(activity: Int, on: CourseHash?)
    /// Reads the next rows of a valid upload.
    case readUpload(Int, limit: Int)
}

package enum DiskReply: Equatable, Sendable {
    case list([ActivitySummary])
    case activity(ActivitySummary, RecordedActivity)
    case summary(ActivitySummary)
    case trash(activities: Int, courses: Int)
    /// The activity is in the trash.
    case inTrash
    case track(Track)
    case records([RecordName])
    case orders([PendingExport])
    case indexed(IndexWriter.Step)
    case exported(path: String, ExportLoss)
    /// Nil if the file does not exist.
    case configuration([ConfigurationFile.Assignment]?)
    case written
    /// All lines of an upload are valid.
    case checkedUpload(RecordedActivity, gaps: Int)
    /// All lines of an upload of a course are valid.
    indirect case checkedCourse(StoredCourse)
    case courses([CourseSummary])
    indirect case courseSummary(CourseSummary)
    indirect case course(CourseSummary, LoadedCourse)
    case partner(LoadedPartner, bytes: [UInt8])
    /// The activity can be no partner.
    case noPartner(CourseFailure)
    /// Empty after the last row.
    case uploadedRows([RecordingRow])
    /// No activity and no course has this number.
    case nothing
}

/// An export that is still to be made.
package struct PendingExport: Hashable, Sendable {
    package var activity: Int
    package var format: ExportFormat

    /// The most exports in one reply.
    package static let limit = 64

    package init(activity: Int, format: ExportFormat) {
        self.activity = activity
        self.format = format
    }
}

extension JournalReader {
    /// The pending exports of activities that have ended, oldest activity first, without those of undated ones that
    /// may still get a date.
    ///
    /// - Parameters:
    ///   - bootID: the present boot: only its activities may.
    ///   - ofDemo: whether activities of the demo count too. They do only in a journal where nothing else was recorded.
    package func orders(bootID: String, ofDemo: Bool = false) throws(SQLiteError) -> [PendingExport] {
        let statement = try database.prepare(
            """
            SELECT export.activity, format FROM export JOIN activity ON activity.id = export.activity WHERE NOT open
            AND (time_uncertain <> 1 OR imported OR ?2 = ''
                OR ifnull((SELECT boot_id FROM part WHERE part.activity = activity.id AND number = 0), '') <> ?2)
            AND \(isActivity(in: .lists)) AND (NOT demo OR ?3 AND NOT EXISTS (SELECT 1 FROM activity WHERE NOT demo AND NOT imported))
            ORDER BY export.activity LIMIT ?1
            """)
        try statement.bind(PendingExport.limit, bootID, ofDemo)
        var orders: [PendingExport] = []
        while try statement.step() {
            // A later release may know more formats.
            guard let format = statement.text(1).flatMap(ExportFormat.init(token:)) else { continue }
            orders.append(PendingExport(activity: Int(statement.integer(0) ?? 0), format: format))
        }
        return orders
    }
}

extension ExportMetadata {
    /// The data about this device in an exported file.
    ///
    /// - Parameters:
    ///   - directory: the state directory, which has the name of the device.
    ///   - started: the start of the recording, which selects the local time offset.
    ///   - written: the present time. Nil if no clock is known.
    package static func ofThisDevice(in directory: String, started: UTC, written: UTC?) -> ExportMetadata {
        // A file that cannot be read costs the file its origin, and nothing else.
        let device = try? DeviceFile(in: directory).read()
        let number = Machine.number() ?? 0
        return ExportMetadata(
            serialNumber: device?.serialNumber ?? (number == 0 ? 1 : number), device: device?.uuid,
            localOffset: Machine.localOffset(at: started), written: written)
    }
}
