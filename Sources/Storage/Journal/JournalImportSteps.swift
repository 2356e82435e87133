package import Domain
import SQLite

/// A step of an import that the daemon's writer performs, in a separate transaction after the run's changes.
package enum JournalImportStep: Equatable, Sendable {
    case begin(activity: Int, at: UTC)
    /// Writes rows. `place` is the number of rows before them.
    case rows(activity: Int, place: Int, [RecordingRow], at: UTC)
    /// Makes the rows an activity. It is on the disk when the step is done.
    ///
    /// - Parameter replaces: the imported activity whose number and name it takes. If it is gone, the activity is a new one.
    case finish(RecordedActivity, gaps: Int, replaces: Int? = nil)
    /// Deletes all rows.
    case abandon(activity: Int)
    /// Stores a course. It is on the disk when the step is done.
    indirect case course(StoredCourse)
}

/// Why a step was not performed, as text for people.
package struct JournalImportFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
}

/// The result of a step: the number of the activity or the course, and how long the transaction took.
package struct JournalImportOutcome: Equatable, Sendable {
    package var activity: Int
    /// The course was in the list already.
    package var isPresent = false
    package var duration: Duration
}

/// The steps that wait for the writer, and the results that wait for the loop.
struct JournalImportQueue: Sendable {
    var steps: [(number: Int, step: JournalImportStep)] = []
    var results: [(number: Int, result: Result<JournalImportOutcome, JournalImportFailure>)] = []
}

extension JournalFile {
    /// An import of another process without progress for this long, in milliseconds, was killed.
    private static let staleAfterMilliseconds: Int64 = 600_000

    /// Performs a step in one transaction.
    ///
    /// - Returns: the number of the activity or the course, and whether the course was in the list.
    @discardableResult
    func perform(_ step: JournalImportStep) throws(SQLiteError) -> (number: Int, isPresent: Bool) {
        var number = 0
        var isPresent = false
        // Only the last step has to be on the disk: without it there is no activity.
        switch step {
        case .finish, .course: try setSynced(true)
        case .begin, .rows, .abandon: try setSynced(false)
        }
        try database.transaction { () throws(SQLiteError) in
            switch step {
            case .begin(let activity, let time):
                number = activity
                try beginImport(activity, at: time)
            case .rows(let activity, let place, let rows, let time):
                number = activity
                try continueImport(activity, at: time)
                for (index, row) in rows.enumerated() {
                    try statements.write(row, JournalSchema.key(activity, place + index))
                }
            case .finish(var recording, let gaps, let replaced):
                number = recording.id ?? 0
                recording.uuid = try statements.uuid(of: recording, replacing: replaced)
                try database.execute("DELETE FROM importing WHERE activity = \(number)")
                guard database.changes == 1 else { throw SQLiteError.importIsGone }
                try statements.begin(recording, isImport: true, isOpen: false)
                try statements.write(recording, gaps: gaps, isOpen: false)
                if let replaced, try statements.replace(replaced, with: number) { number = replaced }
            case .abandon(let activity):
                number = activity
                try condemnImports("activity = \(activity)")
            case .course(let course): (number, isPresent) = try statements.write(course)
            }
        }
        return (number, isPresent)
    }

    private func beginImport(_ activity: Int, at time: UTC) throws(SQLiteError) {
        try condemnImports("abs(utc_ms - \(time.milliseconds)) > \(Self.staleAfterMilliseconds)")
        try database.execute("INSERT INTO importing VALUES (\(activity), \(time.milliseconds))")
    }

    /// Marks progress. An import whose mark is gone has been condemned.
    private func continueImport(_ activity: Int, at time: UTC) throws(SQLiteError) {
        try database.execute("UPDATE importing SET utc_ms = \(time.milliseconds) WHERE activity = \(activity)")
        guard database.changes == 1 else { throw SQLiteError.importIsGone }
    }

    /// Condemns the rows of imports under way.
    func condemnImports(_ condition: String) throws(SQLiteError) {
        try database.execute(
            """
            INSERT OR IGNORE INTO condemned SELECT activity FROM importing WHERE \(condition);
            DELETE FROM importing WHERE \(condition);
            """)
    }
}
