import Domain
import Linux

/// Writing on a full disk.
extension JournalWriter {
    /// Uses the reserve on a full disk to write the changes that end a run; at the daemon's end, all that fit.
    ///
    /// - Returns: The unwritten changes.
    func end(
        _ chunks: ArraySlice<JournalQueue.Chunk>, in file: JournalFile, isClosing: Bool
    ) -> ArraySlice<JournalQueue.Chunk> {
        let isEnding = chunks.contains { chunk in
            chunk.changes.contains { if case .end = $0 { true } else { false } }
        }
        guard isEnding || isClosing else { return chunks }
        reserve.release()
        var chunks = chunks
        do throws(SQLiteError) {
            try file.setSynced(true)
            while isClosing, let first = chunks.first {
                do throws(SQLiteError) {
                    try write([first], nil, into: file)
                    chunks = chunks.dropFirst()
                } catch {
                    guard error.kind == .full else { throw error }
                    break
                }
            }
            let vital = chunks.map { JournalQueue.Chunk(changes: $0.changes.filter(\.isVital), since: $0.since) }
            try write(vital[...], nil, into: file)
        } catch {
            return chunks
        }
        return chunks.compactMap { chunk in
            let changes = chunk.changes.filter { !$0.isVital }
            let size = changes.reduce(0) { $0 + $1.size }
            return changes.isEmpty ? nil : JournalQueue.Chunk(changes: changes, size: size, since: chunk.since)
        }[...]
    }

    /// Moves the log into the database and truncates it. Does not wait for readers. False if one prevents it.
    func emptyLog(of file: JournalFile) throws(SQLiteError) -> Bool {
        file.database.setPatience(.zero)
        defer { file.database.setPatience(JournalFile.busyTimeout) }
        return try file.database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }
}
