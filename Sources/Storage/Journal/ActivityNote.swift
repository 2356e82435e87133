package import Domain

/// The data of an activity that a list shows beside its totals.
package struct ActivityNote: Equatable, Sendable {
    package var isImported: Bool
    package var name: SanitizedText?
}

extension JournalReader {
    /// The notes of the activities from a number on, keyed by number.
    package func notes(from id: Int) throws(SQLiteError) -> [Int: ActivityNote] {
        let statement = try database.prepare("SELECT id, imported, name FROM activity WHERE id >= ?")
        try statement.bind(id)
        var notes: [Int: ActivityNote] = [:]
        while try statement.step() {
            notes[Int(statement.integer(0) ?? 0)] = ActivityNote(
                isImported: statement.integer(1) == 1, name: statement.text(2).flatMap { SanitizedText($0) })
        }
        return notes
    }
}
