import CSQLite

/// A prepared statement. Parameters are counted from 1, columns from 0, as in SQLite's own interface.
@safe
package final class SQLiteStatement {
    private let database: SQLiteDatabase
    private let handle: OpaquePointer

    init(_ text: String, in database: SQLiteDatabase) throws(SQLiteError) {
        var handle: OpaquePointer?
        try database.check(
            unsafe sqlite3_prepare_v3(database.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil))
        guard let prepared = unsafe handle else {
            throw SQLiteError(code: SQLITE_MISUSE, text: "no statement", systemCode: 0)
        }
        self.database = database
        unsafe self.handle = unsafe prepared
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }

    /// Binds the parameters in order; nil is NULL.
    package func bind<each Value: SQLiteValue>(_ value: repeat each Value) throws(SQLiteError) {
        reset()
        var index: Int32 = 1
        for value in repeat each value {
            try bind(value.stored, at: index)
            index += 1
        }
    }

    /// Binds the parameters and runs the statement to its end.
    package func run<each Value: SQLiteValue>(_ value: repeat each Value) throws(SQLiteError) {
        try bind(repeat each value)
        defer { reset() }
        while try step() {}
    }

    /// Advances to the next row. False after the last one.
    package func step() throws(SQLiteError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = unsafe SQLiteError(code, of: database.handle)
            reset()
            throw error
        }
    }

    /// Resets the statement, so that it holds no lock.
    package func reset() {
        unsafe sqlite3_reset(handle)
    }

    // MARK: Columns of the current row, nil if NULL

    package func integer(_ column: Int32) -> Int64? {
        isNull(column) ? nil : unsafe sqlite3_column_int64(handle, column)
    }

    package func real(_ column: Int32) -> Double? {
        isNull(column) ? nil : unsafe sqlite3_column_double(handle, column)
    }

    package func text(_ column: Int32) -> String? {
        guard let text = unsafe sqlite3_column_text(handle, column) else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column)))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    package func bytes(_ column: Int32) -> [UInt8]? {
        if isNull(column) { return nil }
        guard let blob = unsafe sqlite3_column_blob(handle, column) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(handle, column))))
    }

    package func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    // MARK: -

    private func bind(_ value: SQLiteStored, at index: Int32) throws(SQLiteError) {
        // SQLITE_TRANSIENT: SQLite copies the value before the call returns.
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: try database.check(unsafe sqlite3_bind_null(handle, index))
        case .integer(let value): try database.check(unsafe sqlite3_bind_int64(handle, index, value))
        case .real(let value): try database.check(unsafe sqlite3_bind_double(handle, index, value))
        case .text(let value):
            try database.check(unsafe sqlite3_bind_text(handle, index, value, Int32(value.utf8.count), copied))
        case .bytes(let value):
            // An empty blob needs an address, otherwise SQLite binds NULL.
            let code = unsafe value.withUnsafeBytes { bytes in
                unsafe bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0)
                    : sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), copied)
            }
            try database.check(code)
        }
    }
}

/// A value as SQLite stores it.
package enum SQLiteStored: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
}

/// A type that can be bound to a parameter.
package protocol SQLiteValue {
    var stored: SQLiteStored { get }
}

extension Int: SQLiteValue {
    package var stored: SQLiteStored { .integer(Int64(self)) }
}

extension Int64: SQLiteValue {
    package var stored: SQLiteStored { .integer(self) }
}

extension Bool: SQLiteValue {
    package var stored: SQLiteStored { .integer(self ? 1 : 0) }
}

extension Double: SQLiteValue {
    package var stored: SQLiteStored { .real(self) }
}

extension String: SQLiteValue {
    package var stored: SQLiteStored { .text(self) }
}

extension [UInt8]: SQLiteValue {
    package var stored: SQLiteStored { .bytes(self) }
}

extension Optional: SQLiteValue where Wrapped: SQLiteValue {
    package var stored: SQLiteStored { self?.stored ?? .null }
}
