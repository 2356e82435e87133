/// The columns of a row of the journal, counted from 0: of a statement, or of a row that was read without SQLite. One that is NULL, or of
/// another type, is nil.
protocol JournalColumns {
    func integer(_ column: Int32) -> Int64?
    func real(_ column: Int32) -> Double?
    func text(_ column: Int32) -> String?
    func bytes(_ column: Int32) -> [UInt8]?
}

extension SQLiteStatement: JournalColumns {}

/// Values as SQLite stores them, from one of them on.
struct StoredColumns: JournalColumns {
    var values: ArraySlice<SQLiteStored>

    private func value(_ column: Int32) -> SQLiteStored {
        let index = values.startIndex + Int(column)
        return index < values.endIndex ? values[index] : .null
    }

    func integer(_ column: Int32) -> Int64? {
        if case .integer(let value) = value(column) { value } else { nil }
    }

    /// A whole number is stored as an integer in a column of type REAL too.
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
