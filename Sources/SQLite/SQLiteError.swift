import CSQLite
import Glibc

/// An error of SQLite.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The extended result code.
    package var code: Int32
    /// SQLite's message, with that of the system if a system call failed.
    package var text: String
    /// The error number of the failed system call; 0 if none failed.
    package var systemCode: Int32

    /// The kinds of errors by the reaction that they need.
    package enum Kind: Equatable, Sendable {
        /// The disk is full: wait for space.
        case full
        /// The disk is read-only: wait until it is writable.
        case readOnly
        /// Another process holds a lock: retry.
        case busy
        /// The file is not a database, or is damaged.
        case damaged
        /// The file is unreachable, or the disk fails: reopen it.
        case disk
        /// The statement or its values are invalid: do not retry.
        case invalid
    }

    package var kind: Kind {
        switch systemCode {
        case ENOSPC, EDQUOT: return .full
        case EROFS: return .readOnly
        default: break
        }
        return switch code & 0xFF {
        case SQLITE_FULL: .full
        case SQLITE_READONLY: .readOnly
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_NOMEM, SQLITE_INTERRUPT: .disk
        default: .invalid
        }
    }

    /// Whether the statement was interrupted because it ran too long.
    package var isInterruption: Bool {
        code & 0xFF == SQLITE_INTERRUPT
    }

    /// Whether the file is no database, or a damaged one.
    package var isDamage: Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF)
    }

    /// Whether a file is missing and cannot be created, or cannot be opened.
    package var isMissingFile: Bool {
        code & 0xFF == SQLITE_CANTOPEN
    }

    package var description: String {
        text
    }

    /// A state of the database that the program rejects.
    package init(rejecting text: String) {
        self.init(code: SQLITE_ERROR, text: text, systemCode: 0)
    }

    package init(code: Int32, text: String, systemCode: Int32) {
        self.code = code
        self.text = text
        self.systemCode = systemCode
    }

    /// The error of the last call on a connection.
    init(_ code: Int32, of handle: OpaquePointer?) {
        var text = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "out of memory"
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_READONLY].contains(code & 0xFF)
        let systemCode = isOfSystem ? unsafe sqlite3_system_errno(handle) : 0
        if systemCode != 0, let words = unsafe strerror(systemCode) { text += unsafe ": " + String(cString: words) }
        self.init(code: code, text: text, systemCode: systemCode)
    }
}
