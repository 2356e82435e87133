import CSQLite
import Domain
import Glibc
import Linux

/// A connection to a database file. One thread uses it, but for ``interrupter``.
///
/// Source: the C interface of SQLite, www.sqlite.org/c3ref.
@safe
package final class SQLiteDatabase {
    /// What a connection is for.
    package enum Access: Sendable {
        /// Makes the file where there is none.
        case writing
        case reading
        /// Reading a file that nobody writes, where its `-wal` and `-shm` cannot be made.
        case immutable
        /// Reading a file that nobody writes, with its `-wal`, where there is no `-shm` and none can be made: the index of the log is kept in
        /// memory.
        ///
        /// Source: sqlite.org/wal.html, "Use of WAL Without Shared-Memory". The exclusive mode needs a lock that a read-only file cannot
        /// have, so that no lock is asked for (`unix-none`).
        case unshared
    }

    let handle: OpaquePointer
    private static let always = SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW

    /// Opens the file; SQLite reads it when the first statement does.
    ///
    /// - Parameter path: without symbolic links (``Directory/path``): SQLite follows none.
    package init(_ path: String, _ access: Access) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags =
            access == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        let name = access == .immutable ? "file:" + Self.escaped(path) + "?immutable=1" : path
        let system = access == .unshared ? "unix-none" : nil
        let code = unsafe sqlite3_open_v2(name, &handle, flags | Self.always, system)
        guard code == SQLITE_OK, let opened = unsafe handle else {
            let error = unsafe SQLiteError(code, of: handle)
            unsafe sqlite3_close_v2(handle)
            throw error
        }
        unsafe self.handle = unsafe opened
        if access == .unshared { try execute("PRAGMA locking_mode = EXCLUSIVE") }
    }

    deinit {
        unsafe sqlite3_close_v2(handle)
    }

    /// Carries out statements that give no rows, or whose rows do not matter.
    package func execute(_ statements: String) throws(SQLiteError) {
        try check(unsafe sqlite3_exec(handle, statements, nil, nil, nil))
    }

    package func prepare(_ statement: String) throws(SQLiteError) -> SQLiteStatement {
        try SQLiteStatement(statement, in: self)
    }

    /// The first column of the first row, as a number; nil where there is none.
    package func integer(_ statement: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(statement)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row, as text; nil where there is none.
    package func text(_ statement: String) throws(SQLiteError) -> String? {
        let statement = try prepare(statement)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Does all that `body` does, or nothing of it.
    package func transaction<Failure: Error>(
        orElse convert: (SQLiteError) -> Failure, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        do throws(SQLiteError) { try execute("BEGIN IMMEDIATE") } catch { throw convert(error) }
        do throws(Failure) {
            try body()
        } catch {
            rollBack()
            throw error
        }
        do throws(SQLiteError) {
            try execute("COMMIT")
        } catch {
            rollBack()
            throw convert(error)
        }
    }

    /// Does all that `body` does, or nothing of it.
    package func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try transaction(orElse: { $0 }, body)
    }

    /// Some errors have rolled back by themselves.
    private func rollBack() {
        if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
    }

    /// How many rows the last statement changed.
    package var changes: Int {
        unsafe Int(sqlite3_changes(handle))
    }

    /// How long a statement waits for a lock that another connection has, before it fails as busy.
    package func setPatience(_ patience: Duration) {
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: patience.wholeMilliseconds))
    }

    /// Leaves the `-wal` and `-shm` files where they are when the last connection ends.
    package func keepFilesAtClose() throws(SQLiteError) {
        var on: Int32 = 1
        try check(unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on))
    }

    /// Has the statement that runs end as soon as it can: may be called from any thread, as long as the connection lives.
    var interrupter: @Sendable () -> Void {
        let number = unsafe UInt(bitPattern: handle)
        return { unsafe sqlite3_interrupt(OpaquePointer(bitPattern: number)) }
    }

    func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw unsafe SQLiteError(code, of: handle) }
    }

    /// A path as a URI has it.
    private static func escaped(_ path: String) -> String {
        let hexadecimal = Array("0123456789ABCDEF")
        return path.utf8.reduce(into: "") { text, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%\(hexadecimal[Int(byte >> 4)])\(hexadecimal[Int(byte & 15)])"
            }
        }
    }
}

extension SQLiteDatabase {
    /// Runs statements at most about so long.
    ///
    /// - Returns: false when they were interrupted.
    package func limited(
        to patience: Duration, _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> Bool {
        final class End: Sendable {
            let wakeUp: EventFD
            init() throws(SystemError) { wakeUp = try EventFD() }
        }
        let interrupt = interrupter
        let end = try? End()
        let thread = end.flatMap { end in
            try? WorkerThread("paced-patience") {
                if !end.wakeUp.wait(atMost: patience) { interrupt() }
            }
        }
        defer {
            end?.wakeUp.signal()
            thread?.join()
        }
        do throws(SQLiteError) {
            try body()
            return true
        } catch {
            if error.isInterruption { return false }
            throw error
        }
    }
}
