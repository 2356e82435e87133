import CSQLite
import Domain
import Glibc
import Linux

/// A connection to a database file. Only one thread may use it, except for ``interrupter``.
///
/// Source: the C interface of SQLite, www.sqlite.org/c3ref.
@safe
package final class SQLiteDatabase {
    /// The access mode of a connection.
    package enum Access: Sendable {
        /// Creates the file if there is none.
        case writing
        case reading
        /// Reads a file without writers if its `-wal` and `-shm` cannot be created.
        case immutable
        /// Reads a file without writers and its `-wal`, if no `-shm` exists or can be created. The index of
        /// the log is in memory.
        ///
        /// Source: sqlite.org/wal.html, "Use of WAL Without Shared-Memory". The exclusive mode needs a
        /// lock, which a read-only file cannot have, so locking is disabled (`unix-none`).
        case unshared
    }

    let handle: OpaquePointer
    private static let always = SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW

    /// Opens the file. SQLite reads it with the first statement.
    ///
    /// - Parameter path: a path without symbolic links (``Directory/path``), because SQLite is opened with NOFOLLOW.
    package init(_ path: String, _ access: Access) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags =
            access == .writing ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        let name = access == .immutable ? "file:" + path.percentEncoded(keeping: "/.-_") + "?immutable=1" : path
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

    /// Runs statements without results, or whose results do not matter.
    package func execute(_ statements: String) throws(SQLiteError) {
        try check(unsafe sqlite3_exec(handle, statements, nil, nil, nil))
    }

    package func prepare(_ statement: String) throws(SQLiteError) -> SQLiteStatement {
        try SQLiteStatement(statement, in: self)
    }

    /// The first column of the first row as an integer. Nil if there is none.
    package func integer(_ statement: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(statement)
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row as text. Nil if there is none.
    package func text(_ statement: String) throws(SQLiteError) -> String? {
        let statement = try prepare(statement)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs `body` in a transaction, which is rolled back if it throws.
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

    /// Runs `body` in a transaction, which is rolled back if it throws.
    package func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try transaction(orElse: { $0 }, body)
    }

    /// Some errors have already rolled back the transaction.
    private func rollBack() {
        if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
    }

    /// The number of rows that the last statement changed.
    package var changes: Int {
        unsafe Int(sqlite3_changes(handle))
    }

    /// Sets how long a statement waits for a lock of another connection before it fails as busy.
    package func setBusyTimeout(_ timeout: Duration) {
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: timeout.wholeMilliseconds))
    }

    /// Protects the process from a hostile file: SQL cannot write to its own structures, and its schema
    /// can call harmless functions only.
    package func distrustSchema() throws(SQLiteError) {
        try check(unsafe csqlite_set_defensive(handle))
        try execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    }

    /// Interrupts each later statement after about so many steps of SQLite's machine, some 10 ns each; nil for no limit. A view
    /// of a stranger may compute without end.
    package func limitSteps(_ count: Int?) {
        unsafe sqlite3_progress_handler(handle, Int32(count ?? 0), { _ in 1 }, nil)
    }

    /// Keeps the `-wal` and `-shm` files when the last connection closes.
    package func keepFilesAtClose() throws(SQLiteError) {
        var on: Int32 = 1
        try check(unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on))
    }

    /// Interrupts the running statement. May be called from any thread while the connection lives.
    package var interrupter: @Sendable () -> Void {
        let number = unsafe UInt(bitPattern: handle)
        return { unsafe sqlite3_interrupt(OpaquePointer(bitPattern: number)) }
    }

    func check(_ code: Int32) throws(SQLiteError) {
        if code != SQLITE_OK { throw unsafe SQLiteError(code, of: handle) }
    }
}

extension SQLiteDatabase {
    /// Runs statements for about `timeout` at most.
    ///
    /// - Returns: False if they were interrupted.
    package func limited(
        to timeout: Duration, _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> Bool {
        final class End: Sendable {
            let wakeUp: EventFD
            init() throws(SystemError) { wakeUp = try EventFD() }
        }
        let interrupt = interrupter
        let end = try? End()
        let thread = end.flatMap { end in
            try? WorkerThread("paced-timeout") {
                if !end.wakeUp.wait(atMost: timeout) { interrupt() }
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
