import Domain
import JournalCoding
import SQLite

/// Copies courses and curves of a damaged journal. The hash shows whether the bytes are whole.
enum RecoveredCourses {
    /// Copies the rows of a page that the journal does not have.
    static func copy(
        _ page: Int, of table: String, from journal: DamagedJournal, into file: JournalFile
    ) throws(SQLiteError) {
        for cell in journal.database.cells(in: page)?.cells ?? [] {
            let columns = StoredColumns(values: cell.values[...])
            switch (table, cell.values.count) {
            case ("course", 12...13):
                guard let hash = columns.text(1).flatMap({ CourseHash($0) }), let bytes = columns.bytes(11),
                    CourseHash(of: bytes) == hash, let course = try? Course(decoding: bytes),
                    try file.database.integer("SELECT 1 FROM course WHERE hash = '\(hash)'") == nil
                else { continue }
                let added = UTC(milliseconds: columns.integer(4) ?? 0)
                var stored = StoredCourse(
                    summary: CourseSummary(
                        course, name: columns.text(2).flatMap { SanitizedText($0) }, added: added), bytes: bytes)
                stored.summary.uuid = columns.text(12).flatMap { UUID($0) } ?? FormerUUIDs.course(hash.description)
                let isFree = try file.database.integer("SELECT 1 FROM course WHERE id = \(cell.rowid)") == nil
                let id = isFree && (1...1_000_000).contains(cell.rowid) ? Int(cell.rowid) : nil
                let number = try file.statements.insert(stored, id: id, isListed: columns.integer(3) == 1)
                for mark in journal.rows(of: "course_trash").rows where mark.rowid == cell.rowid {
                    guard let time = StoredColumns(values: mark.values[...]).integer(1) else { continue }
                    try file.database.prepare("INSERT OR IGNORE INTO course_trash VALUES (?, ?)").run(number, time)
                }
            case ("partner", 3):
                guard let hash = columns.text(0).flatMap({ CourseHash($0) }), let bytes = columns.bytes(2),
                    CourseHash(of: bytes) == hash, (try? PartnerCurve(decoding: bytes)) != nil
                else { continue }
                try file.database.prepare("INSERT OR IGNORE INTO partner VALUES (?, ?, ?)")
                    .run(hash.description, columns.text(1).flatMap { SanitizedText($0) }?.text, bytes)
            default: continue
            }
        }
    }
}
