package import Domain
import Glibc
package import Linux
package import SQLite

/// The journal's file in the state directory, open for writing.
///
/// Pages of 1 KiB and a checkpoint every 300 pages write a third of what SQLite's defaults do: a second of
/// a run changes the last page of three tables, and each is written whole.
@safe
package final class JournalFile {
    package let path: String
    package let database: SQLiteDatabase
    private let identity: Identity
    private var isSynced: Bool?
    private var checkpointPages = JournalFile.checkpoint
    var statements: JournalStatements

    /// How long to wait for a lock of another process.
    static let busyTimeout = Duration.seconds(2)

    /// Read and write for the owner, read for the group.
    package static let mode: UInt32 = 0o640
    /// The names of all files of the journal, the database last.
    package static let names = ["-wal", "-shm", ""].map { name + $0 }
    package static let name = "journal.sqlite"

    package static func path(in directory: String) -> String {
        directory + "/" + name
    }

    /// Opens the journal, or creates it.
    ///
    /// - Parameter anyOwner: whether the directory may belong to any user. For root, who imports for another user.
    package init(in directory: String, anyOwner: Bool = false) throws(JournalFailure) {
        let place = try Self.directory(directory, anyOwner: anyOwner)
        path = Self.path(in: place.path)
        if Self.orphanedLog(in: place) != nil {
            do throws(DirectoryError) {
                _ = try Self.setAside(in: place, at: Clock.systemTime())
            } catch {
                throw .directory(error)
            }
        }
        try Self.checkVersion(in: place.path)
        // SQLite would create it readable for all; its other files get the same mode. If this fails, SQLite reports
        // the error. An existing file is not opened here: closing it would drop the locks of other connections.
        if (try? place.checkFile(Self.name)) == false { _ = try? place.make(Self.name, O_RDWR, mode: Self.mode) }
        for name in Self.names { place.narrow(name, to: Self.mode) }
        do throws(SQLiteError) {
            database = try SQLiteDatabase(path, .writing)
            database.setBusyTimeout(Self.busyTimeout)
        } catch {
            throw .database(error)
        }
        do throws(SQLiteError) {
            try database.keepFilesAtClose()
            try database.execute(Self.settings)
        } catch {
            throw .database(error)
        }
        try JournalSchema.migrate(database)
        do throws(SQLiteError) {
            statements = try JournalStatements(database)
        } catch {
            throw .database(error)
        }
        guard let identity = Identity(path) else { throw .replaced }
        self.identity = identity
    }

    /// The state directory, checked. Its journal must consist of regular files.
    private static func directory(_ path: String, anyOwner: Bool = false) throws(JournalFailure) -> Directory {
        do throws(DirectoryError) {
            let directory = try Directory(private: path, anyOwner: anyOwner)
            for name in names { try directory.checkFile(name) }
            return directory
        } catch {
            throw .directory(error)
        }
    }

    /// Rejects the journal of a later release. It is not even opened for writing.
    private static func checkVersion(in directory: String) throws(JournalFailure) {
        do throws(JournalFailure) {
            _ = try JournalReader(in: directory)
        } catch {
            if case .newer = error { throw error }
        }
    }

    private static let settings = """
        PRAGMA page_size = 1024;
        PRAGMA journal_mode = WAL;
        PRAGMA wal_autocheckpoint = \(checkpoint);
        PRAGMA journal_size_limit = 1048576;
        PRAGMA secure_delete = ON;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = 512;
        """

    /// The number of pages in the log that triggers a checkpoint: normally, and when the disk is nearly full.
    static let checkpoint = 300
    static let tightCheckpoint = 16

    func setCheckpoint(pages: Int) throws(SQLiteError) {
        guard pages != checkpointPages else { return }
        try database.execute("PRAGMA wal_autocheckpoint = \(pages)")
        checkpointPages = pages
    }

    /// Sets whether commits are on the disk when they return. NORMAL syncs at checkpoints: a power cut may
    /// lose commits, but does not damage the journal.
    ///
    /// Must not be called inside a transaction, where it has no effect.
    func setSynced(_ isSynced: Bool) throws(SQLiteError) {
        guard isSynced != self.isSynced else { return }
        try database.execute("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
        self.isSynced = isSynced
    }

    /// Syncs all commits. A checkpoint would not do: it syncs nothing while a reader is in its way, and reports success.
    func syncLog() throws(JournalFailure) {
        let log = path + "-wal"
        do throws(SystemError) {
            let file = try FileDescriptor.open(log, O_RDONLY | O_NOFOLLOW)
            let number = file.number
            _ = try check("fsync") { fsync(number) }
        } catch {
            throw .directory(DirectoryError(log, .system(error)))
        }
    }

    /// The size of the file's pages that hold nothing.
    func freePageBytes() throws(SQLiteError) -> Int64 {
        let pages = try database.integer("PRAGMA freelist_count") ?? 0
        return try pages * (database.integer("PRAGMA page_size") ?? 0)
    }

    /// Whether the path still refers to the open file. If the disk or the file was removed, writes succeed
    /// without a trace.
    var isInPlace: Bool {
        Identity(path) == identity
    }

    /// Identifies a file independently of its name.
    private struct Identity: Equatable {
        var device: dev_t
        var number: ino_t

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = status.st_dev
            number = status.st_ino
        }
    }
}

extension JournalFile {
    /// Checks the journal for damage, for at most `timeout`. The last pages of a large journal may remain unchecked.
    ///
    /// - Returns: The damage. Nil if none was found, or if there is no journal.
    package static func damage(
        in directory: String, timeout: Duration = .seconds(1)
    ) throws(JournalFailure) -> String? {
        let place = try Self.directory(directory)
        if let reason = orphanedLog(in: place) { return reason }
        guard (try? place.checkFile(name)) == true else { return nil }
        let path = path(in: place.path)
        try checkVersion(in: place.path)
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(path, .writing)
            try database.keepFilesAtClose()
            var finding: String?
            let isDone = try database.limited(to: timeout) { () throws(SQLiteError) in
                finding = try database.text("PRAGMA quick_check(1)")
            }
            // The first line only names the database.
            return isDone && finding != "ok"
                ? finding?.split(separator: "\n").last.map(String.init) ?? "quick_check failed" : nil
        } catch {
            if error.kind == .damaged { return error.text }
            throw .database(error)
        }
    }

    /// Reports a write-ahead log without a database, which SQLite would delete.
    private static func orphanedLog(in place: borrowing Directory) -> String? {
        let least = Int64(WriteAheadLog.headerSize + WriteAheadLog.frameHeaderSize)
        guard let kind = try? place.kind(of: name + "-wal"), kind == .regular,
            let log = try? place.size(of: name + "-wal"), log > least
        else { return nil }
        do throws(DirectoryError) {
            let size = try place.size(of: name)
            if let size, size > 0 { return nil }
            return "its file is \(size == nil ? "missing" : "empty"), but its write-ahead log has \(log) bytes"
        } catch {
            return nil
        }
    }

    /// Renames a damaged journal, with all its files, to a dated name. The next journal that is opened records it.
    ///
    /// - Returns: The new path.
    package static func setAside(in directory: String, at time: UTC) throws(DirectoryError) -> String {
        try setAside(in: Directory(private: directory), at: time)
    }

    private static func setAside(in place: borrowing Directory, at time: UTC) throws(DirectoryError) -> String {
        let fields = time.fields
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let date = "\(fields.year)-\(digits(fields.month))-\(digits(fields.day))"
        let stem = "journal-\(date)-\(digits(fields.hour))\(digits(fields.minute))\(digits(fields.second))"
        var target = stem + ".damaged.sqlite"
        var count = 1
        // On a board without a clock every date is the same. An earlier file is never overwritten.
        while try place.kind(of: target) != nil {
            count += 1
            target = "\(stem)-\(count).damaged.sqlite"
        }
        JournalRecovery.intend(target, in: place.path)
        // The database is renamed last: until then, a restart finds the same damage and continues here.
        for name in names {
            place.narrow(name, to: mode)
            do {
                try place.move(name, to: target + name.dropFirst(Self.name.count))
            } catch {
                if error.code != ENOENT { throw error }
                if name == Self.name { _ = try place.make(target, O_WRONLY, mode: mode) }
            }
        }
        return place.path(of: target)
    }

    /// The free space in bytes. Nil if the directory is gone.
    package static func freeBytes(in directory: String) -> Int64? {
        var status = statvfs()
        guard unsafe statvfs(directory, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}

/// A file that reserves disk space. It is deleted when the disk is full, so that a run can still be ended.
package struct JournalReserve {
    private let directory: String

    package static let name = "journal.reserve"
    static let size: Int64 = 256 << 10
    /// The free space, in bytes, that must remain beside the file.
    static let margin: Int64 = 8 << 20

    init(in directory: String) {
        self.directory = directory
    }

    /// Creates the file if there is enough space. Recording works without it if the directory is not
    /// private or the name is taken by another kind of file.
    func reserve(of free: Int64) {
        guard let place = try? Directory(private: directory), let size = try? place.size(of: Self.name) ?? 0,
            size < Self.size, free >= Self.size + Self.margin,
            let file = try? place.make(Self.name, O_WRONLY, mode: JournalFile.mode)
        else { return }
        if posix_fallocate(file.number, 0, off_t(Self.size)) != 0 { place.remove(Self.name) }
    }

    func release() {
        try? Directory(private: directory).remove(Self.name)
    }
}
