import Domain
import Linux
package import SQLite
import Wire

/// The table `recovery`: the damaged journals and the progress of their recovery.
extension JournalRecovery {
    private static let intentName = "journal.recover"

    /// The file with the name of a damaged journal, from before its renaming until the new journal lists it.
    private static func intent(in directory: String) -> AtomicFile {
        AtomicFile(in: directory, name: intentName, mode: JournalFile.mode)
    }

    /// Records that a journal is about to be renamed. Otherwise a kill before the new journal is created
    /// would hide it. Errors are ignored: a full disk must not prevent the renaming.
    static func intend(_ name: String, in directory: String) {
        try? intent(in: directory).replace(with: Array(name.utf8))
    }

    /// Lists the last renamed journal for recovery.
    static func adopt(_ file: JournalFile, in directory: String) throws(SQLiteError) {
        let intent = intent(in: directory)
        guard let bytes = try? intent.read(limit: 256), let name = String(validating: bytes, as: UTF8.self) else {
            return
        }
        if ActivityRequest.isJournalName(name) {
            try file.database.transaction { () throws(SQLiteError) in try enter(name, in: file.database) }
        }
        if let place = try? Directory(private: directory) { place.remove(intentName) }
    }

    /// Starts the recovery of a file, or restarts it after its end. Copied activities that still exist are skipped.
    static func enter(_ name: String, in database: SQLiteDatabase) throws(SQLiteError) {
        try database.prepare(
            """
            DELETE FROM recovery WHERE file = ? AND state <> 'copying'
            AND NOT (state = 'copied' AND target IN (SELECT id FROM activity))
            """
        ).run(name)
        try write(Progress(state: .copying), of: 0, from: name, in: database)
    }

    /// Starts the recovery of a file, in a journal without another writer.
    package static func enter(_ name: String, in file: JournalFile) throws(SQLiteError) {
        try file.database.transaction { () throws(SQLiteError) in try enter(name, in: file.database) }
    }

    /// The next file to recover.
    static func pending(in database: SQLiteDatabase) throws(SQLiteError) -> String? {
        try database.text(
            "SELECT file FROM recovery WHERE activity = 0 AND state = 'copying' ORDER BY file DESC LIMIT 1")
    }

    static func write(
        _ progress: Progress, of activity: Int, from name: String, in database: SQLiteDatabase
    ) throws(SQLiteError) {
        try database.prepare("INSERT OR REPLACE INTO recovery VALUES (?, ?, ?, ?, ?, ?)").run(
            name, activity, progress.state.rawValue, progress.target, progress.position.table,
            Int(progress.position.place))
    }

    static func progress(of name: String, in database: SQLiteDatabase) throws(SQLiteError) -> [Int: Progress] {
        let statement = try database.prepare(
            "SELECT activity, state, target, step, place FROM recovery WHERE file = ?")
        try statement.bind(name)
        var progress: [Int: Progress] = [:]
        while try statement.step() {
            guard let activity = statement.integer(0), let state = statement.text(1).flatMap(State.init) else {
                continue
            }
            progress[Int(activity)] = Progress(
                state: state, target: statement.integer(2).map { Int($0) },
                position: .init(
                    table: Int(statement.integer(3) ?? 0), place: UInt32(clamping: statement.integer(4) ?? 0)))
        }
        return progress
    }
}

extension JournalReader {
    /// The incompletely copied journals as lines for people: those in progress, and what is unreadable.
    package func recoveryLines() throws(SQLiteError) -> [String] {
        guard version >= JournalSchema.versionWithRecovery else { return [] }
        let statement = try database.prepare(
            """
            SELECT file, activity, state FROM recovery WHERE state IN ('copying', 'unreadable')
            ORDER BY file, activity
            """)
        var lines: [String] = []
        while try statement.step(), lines.count < 100 {
            guard let name = SanitizedText(statement.text(0) ?? "")?.text, let activity = statement.integer(1) else {
                continue
            }
            switch (activity, statement.text(2)) {
            case (0, "copying"): lines.append("\(name) is being recovered.")
            case (0, _): lines.append("\(name) cannot be recovered.")
            case (_, "unreadable"): lines.append("Activity \(activity) of \(name) cannot be read.")
            default: break
            }
        }
        return lines
    }
}
