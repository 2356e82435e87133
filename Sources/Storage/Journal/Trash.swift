package import Domain
import JSONCoding
import SQLite

/// Where an activity or a course is.
package enum RecordPlace: Equatable, Sendable {
    /// In all lists.
    case lists
    /// In no list, total, best, badge or export.
    case trash
}

/// A change to the trash.
package enum TrashChange: Equatable, Sendable {
    /// Puts a record there. The time is nil without a clock.
    case put(RecordKind, Int, at: UTC?)
    case restore(RecordKind, Int)
    /// Erases all that is there.
    case empty
}

extension TrashMark {
    /// - Parameter milliseconds: the column `at_ms`.
    init(stored milliseconds: Int64) {
        self.init(at: milliseconds == 0 ? nil : UTC(milliseconds: milliseconds))
    }
}

extension JournalReader {
    var hasTrash: Bool { version >= JournalSchema.versionWithTrash }

    /// The condition of a query that an activity is at a place.
    func isActivity(in place: RecordPlace) -> String {
        switch place {
        case .lists: hasTrash ? "activity.id NOT IN (SELECT activity FROM trash)" : "1"
        case .trash: hasTrash ? "activity.id IN (SELECT activity FROM trash)" : "0"
        }
    }

    /// The condition of a query that a course is at a place.
    func isCourse(in place: RecordPlace) -> String {
        switch place {
        case .lists: "course.listed"
        case .trash: hasTrash ? "course.id IN (SELECT course FROM course_trash)" : "0"
        }
    }
}

extension JournalStatements {
    /// A record stays in the trash for this long, in milliseconds.
    private static let keptMilliseconds: Int64 = 30 * 86_400_000

    mutating func write(_ change: TrashChange) throws(SQLiteError) {
        switch change {
        case .put(.activity, let id, let time):
            try database.execute(
                """
                INSERT OR IGNORE INTO trash SELECT id, \(time?.milliseconds ?? 0) FROM activity WHERE id = \(id) AND NOT open
                """)
        case .put(.course, let id, let time):
            try database.execute(
                """
                INSERT OR IGNORE INTO course_trash SELECT id, \(time?.milliseconds ?? 0) FROM course WHERE id = \(id) AND listed;
                UPDATE course SET listed = 0 WHERE id = \(id);
                """)
        case .restore(.activity, let id): try database.execute("DELETE FROM trash WHERE activity = \(id)")
        case .restore(.course, let id):
            try database.execute(
                """
                UPDATE course SET listed = 1 WHERE id = \(id) AND id IN (SELECT course FROM course_trash);
                DELETE FROM course_trash WHERE course = \(id);
                """)
        case .empty: try eraseTrash("true")
        }
    }

    /// Erases what has been in the trash for 30 days. The time of what was put there without a clock begins now.
    ///
    /// - Parameter time: by a clock that was set.
    mutating func eraseOldTrash(at time: UTC) throws(SQLiteError) {
        for table in ["trash", "course_trash"] {
            // Only where there is one: an update without a row makes no page dirty, and this runs each minute.
            try database.execute("UPDATE \(table) SET at_ms = \(time.milliseconds) WHERE at_ms = 0")
        }
        try eraseTrash("at_ms <= \(time.milliseconds - Self.keptMilliseconds)")
    }

    /// Erases the activity that has been in the trash for longest: the disk is nearly full.
    ///
    /// - Returns: its number; nil if there is none.
    mutating func eraseOldestOfTrash() throws(SQLiteError) -> Int? {
        let oldest = try database.integer("SELECT activity FROM trash ORDER BY at_ms, activity LIMIT 1")
        guard let activity = oldest.map({ Int($0) }) else { return nil }
        try condemn(activity)
        return activity
    }

    private mutating func eraseTrash(_ condition: String) throws(SQLiteError) {
        for activity in try numbers("SELECT activity FROM trash WHERE \(condition)") { try condemn(activity) }
        let courses = try numbers("SELECT course FROM course_trash WHERE \(condition)")
        for course in courses {
            try database.execute("DELETE FROM course_trash WHERE course = \(course)")
            try eraseCourses("id = \(course)")
        }
    }

    private func numbers(_ query: String) throws(SQLiteError) -> [Int] {
        let statement = try database.prepare(query)
        var numbers: [Int] = []
        while try statement.step() { if let number = statement.integer(0) { numbers.append(Int(number)) } }
        return numbers
    }
}
