import SQLite

/// The columns of a journal row, counted from 0, read with or without SQLite. Nil for NULL and for another type.
protocol JournalColumns {
    func integer(_ column: Int32) -> Int64?
    func real(_ column: Int32) -> Double?
    func text(_ column: Int32) -> String?
    func bytes(_ column: Int32) -> [UInt8]?
}

extension SQLiteStatement: JournalColumns {}

/// Columns stored by SQLite, as a slice of a row's values.
struct StoredColumns: JournalColumns {
    var values: ArraySlice<SQLiteStored>

    private func value(_ column: Int32) -> SQLiteStored {
        let index = values.startIndex + Int(column)
        return index < values.endIndex ? values[index] : .null
    }

    func integer(_ column: Int32) -> Int64? {
        if case .integer(let value) = value(column) { value } else { nil }
    }

    /// SQLite stores whole numbers as integers in REAL columns, too.
    func real(_ column: Int32) -> Double? {
        switch value(column) {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .null, .text, .bytes: nil
        }
    }

    func text(_ column: Int32) -> String? {
        if case .text(let value) = value(column) { value } else { nil }
    }

    func bytes(_ column: Int32) -> [UInt8]? {
        if case .bytes(let value) = value(column) { value } else { nil }
    }
}
