package import Domain
import Glibc
package import Linux

/// The journal's file in the state directory, open for writing.
///
/// Pages of 1 KiB and a checkpoint each 300 pages write a third of what SQLite's own numbers do: a second of a run changes the last page of
/// three tables, and each of them is written whole.
@safe
package final class JournalFile {
    package let path: String
    package let database: SQLiteDatabase
    private let identity: Identity
    private var isSynced: Bool?
    var statements: JournalStatements

    /// How long a lock of another program is waited for.
    static let patience = Duration.seconds(2)

    /// Its owner writes, members of the directory's group read, nobody else does anything.
    package static let mode: UInt32 = 0o640
    /// Of the names of the files that belong to it.
    private static let endings = ["-wal", "-shm", ""]

    package static func path(in directory: String) -> String {
        directory + "/journal.sqlite"
    }

    /// Opens the journal, or makes it.
    package init(in directory: String) throws(JournalFailure) {
        path = Self.path(in: directory)
        try Self.checkVersion(in: directory)
        // SQLite would let everybody read it; its other files get the mode of this one. That it cannot be made SQLite says better.
        _ = try? FileDescriptor.make(path, O_RDWR, mode: Self.mode)
        for ending in Self.endings { narrow(path + ending, to: Self.mode) }
        do throws(SQLiteError) {
            database = try SQLiteDatabase(path, .writing)
            database.setPatience(Self.patience)
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

    /// A journal of a later release is not touched, not even opened for writing.
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
        PRAGMA wal_autocheckpoint = 300;
        PRAGMA journal_size_limit = 1048576;
        PRAGMA secure_delete = ON;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = 512;
        """

    /// Whether the next commits are on the disk when they return. NORMAL syncs at checkpoints: a power cut may cost commits, but
    /// leaves a whole journal.
    ///
    /// Not to be called inside a transaction, where it would do nothing.
    func setSynced(_ isSynced: Bool) throws(SQLiteError) {
        guard isSynced != self.isSynced else { return }
        try database.execute("PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")")
        self.isSynced = isSynced
    }

    /// Whether the file is still the one at its path: where a disk went away, or somebody removed the file, writing goes on without
    /// an error and without a trace.
    var isInPlace: Bool {
        Identity(path) == identity
    }

    /// A file by what it is, not by its name.
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
    /// Looks for damage, at most so long: what a large journal's last pages are like is not known then.
    ///
    /// - Returns: what is wrong; nil where nothing was found, and where there is no journal.
    package static func damage(
        in directory: String, patience: Duration = .seconds(1)
    ) throws(JournalFailure) -> String? {
        let path = path(in: directory)
        guard unsafe access(path, F_OK) == 0 else { return nil }
        try checkVersion(in: directory)
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(path, .writing)
            try database.keepFilesAtClose()
            var verdict: String?
            let isDone = try database.limited(to: patience) { () throws(SQLiteError) in
                verdict = try database.text("PRAGMA quick_check(1)")
            }
            return isDone && verdict != "ok" ? verdict ?? "no answer" : nil
        } catch {
            if error.kind == .damaged { return error.text }
            throw .database(error)
        }
    }

    /// Gives a damaged journal a dated name, with all that belongs to it.
    ///
    /// - Returns: its new path.
    package static func setAside(in directory: String, at time: UTC) throws(SystemError) -> String {
        let fields = time.fields
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let date = "\(fields.year)-\(digits(fields.month))-\(digits(fields.day))"
        let stem = "\(directory)/journal-\(date)-\(digits(fields.hour))\(digits(fields.minute))\(digits(fields.second))"
        var target = stem + ".damaged.sqlite"
        var count = 1
        // Boards without a clock give every time the same date: what was set aside before is never overwritten.
        while unsafe access(target, F_OK) == 0 {
            count += 1
            target = "\(stem)-\(count).damaged.sqlite"
        }
        let file = path(in: directory)
        // The journal itself last: until it is gone, a restart finds the same damage and goes on here.
        for ending in endings {
            narrow(file + ending, to: mode)
            do {
                try WholeFile(file + ending).rename(to: String(target.dropFirst(directory.utf8.count + 1)) + ending)
            } catch {
                if ending.isEmpty || error.code != ENOENT { throw error }
            }
        }
        return target
    }

    /// Room on the disk, in bytes; nil where the directory is gone.
    static func freeBytes(in directory: String) -> Int64? {
        var status = statvfs()
        guard unsafe statvfs(directory, &status) == 0 else { return nil }
        return Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
    }
}

/// A file that only takes room: it goes when there is none left, so that a run can be ended on a full disk.
struct JournalReserve {
    let path: String

    static let size: Int64 = 256 << 10
    /// Made only where there is so much room beside it, in bytes.
    static let margin: Int64 = 8 << 20

    init(in directory: String) {
        path = directory + "/journal.reserve"
    }

    /// Takes the room, where there is enough.
    func take(of free: Int64) {
        var status = stat()
        let isThere = unsafe stat(path, &status) == 0
        if isThere, status.st_size >= Self.size { return }
        guard free >= Self.size + Self.margin,
            let file = try? FileDescriptor.make(path, O_WRONLY, mode: JournalFile.mode)
        else { return }
        if posix_fallocate(file.number, 0, off_t(Self.size)) != 0 { release() }
    }

    func release() {
        unsafe unlink(path)
    }
}
