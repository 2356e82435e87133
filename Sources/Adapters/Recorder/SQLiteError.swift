import CSQLite
import Glibc

/// What SQLite says of a call that failed.
package struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The extended result code.
    package var code: Int32
    /// SQLite's own words, and the system's where a system call failed.
    package var text: String
    /// The error number of the system call that failed; 0 where none did.
    package var systemCode: Int32

    /// What can be done about it.
    package enum Kind: Equatable, Sendable {
        /// There is no room: wait for some.
        case full
        /// The disk takes no writes: wait until it does.
        case readOnly
        /// Another program writes just now: try again.
        case busy
        /// The file is no database, or not a whole one.
        case damaged
        /// The file cannot be reached, or the disk fails: open it again.
        case disk
        /// The statement or its values are wrong: trying again is no use.
        case refused
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
        default: .refused
        }
    }

    /// The statement ran too long and was ended.
    var isInterruption: Bool {
        code & 0xFF == SQLITE_INTERRUPT
    }

    /// A file is missing and cannot be made, or cannot be opened.
    var isMissingFile: Bool {
        code & 0xFF == SQLITE_CANTOPEN
    }

    package var description: String {
        text
    }

    init(code: Int32, text: String, systemCode: Int32) {
        self.code = code
        self.text = text
        self.systemCode = systemCode
    }

    /// What a connection says of its last call.
    init(_ code: Int32, of handle: OpaquePointer?) {
        var text = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? "out of memory"
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_READONLY].contains(code & 0xFF)
        let systemCode = isOfSystem ? unsafe sqlite3_system_errno(handle) : 0
        if systemCode != 0, let words = unsafe strerror(systemCode) { text += unsafe ": " + String(cString: words) }
        self.init(code: code, text: text, systemCode: systemCode)
    }
}
