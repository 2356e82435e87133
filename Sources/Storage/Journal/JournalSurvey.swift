package import Domain
import Glibc
package import SQLite

/// What a reader that follows the journal of another process sees of its activities.
extension JournalReader {
    /// An activity of the journal, in the lists or in the trash.
    package struct SurveyedActivity: Sendable {
        package let summary: ActivitySummary
        package let uuid: UUID
        package let isTrashed: Bool
        /// The place after its last row, from 0.
        package let next: Int
    }

    /// A number that differs after each commit of another connection.
    package func dataVersion() throws(SQLiteError) -> Int64 {
        try database.integer("PRAGMA data_version") ?? 0
    }

    /// The newest activity, and how many are in the trash: what differs if one was added or moved.
    package func activityCounts() throws(SQLiteError) -> [Int64] {
        var counts = [
            try database.integer("SELECT max(id) FROM activity") ?? 0,
            try database.integer("SELECT count(*) FROM activity") ?? 0,
        ]
        if hasTrash { counts.append(try database.integer("SELECT count(*) FROM trash") ?? 0) }
        return counts
    }

    /// What was recorded here.
    package struct Recorded: Equatable, Sendable {
        /// The activities of the lists that have ended and have a date: no imports, and none of the demo.
        package var activities: [RecordedActivityName] = []
        /// The highest number of an activity, in the lists or the trash, and the highest of one that has ended.
        package var last = 0
        package var lastEnded = 0

        package init(_ activities: [RecordedActivityName] = [], last: Int = 0, lastEnded: Int = 0) {
            self.activities = activities
            self.last = last
            self.lastEnded = lastEnded
        }
    }

    package struct RecordedActivityName: Equatable, Sendable {
        package let uuid: UUID
        package let id: Int

        package init(uuid: UUID, id: Int) {
            self.uuid = uuid
            self.id = id
        }
    }

    package func recorded() throws(SQLiteError) -> Recorded {
        guard version >= JournalSchema.versionWithUUIDs else { return Recorded() }
        var recorded = Recorded(
            last: Int(try database.integer("SELECT max(id) FROM activity") ?? 0),
            lastEnded: Int(try database.integer("SELECT max(id) FROM activity WHERE NOT open") ?? 0))
        let statement = try database.prepare(
            """
            SELECT uuid, id FROM activity
            WHERE NOT imported AND NOT demo AND NOT open AND NOT time_uncertain AND \(isActivity(in: .lists))
            """)
        while try statement.step() {
            guard let uuid = statement.text(0).flatMap({ UUID($0) }) else { continue }
            recorded.activities.append(RecordedActivityName(uuid: uuid, id: Int(statement.integer(1) ?? 0)))
        }
        return recorded
    }

    /// The first and the last recorded position of an activity.
    package func ends(of id: Int) throws(SQLiteError) -> [Coordinate] {
        let keys = JournalSchema.keys(of: id)
        var ends: [Coordinate] = []
        for order in ["ASC", "DESC"] {
            let statement = try database.prepare(
                """
                SELECT latitude, longitude FROM record WHERE key BETWEEN ? AND ? AND latitude IS NOT NULL
                ORDER BY key \(order) LIMIT 1
                """)
            try statement.bind(keys.lowerBound, keys.upperBound)
            guard try statement.step(), let latitude = statement.real(0), let longitude = statement.real(1) else {
                break
            }
            ends.append(Coordinate(latitude: latitude, longitude: longitude))
        }
        return ends
    }

    /// The activities after a number, in their order, at most `limit`. Each is read on its own, so that no transaction is long.
    package func survey(after id: Int, limit: Int) throws(SQLiteError) -> (activities: [SurveyedActivity], last: Int?) {
        guard version >= JournalSchema.versionWithUUIDs else { return ([], nil) }
        let statement = try database.prepare("SELECT id FROM activity WHERE id > ? ORDER BY id LIMIT ?")
        try statement.bind(id, limit)
        var ids: [Int] = []
        while try statement.step() { ids.append(Int(statement.integer(0) ?? 0)) }
        statement.reset()
        var activities: [SurveyedActivity] = []
        for id in ids {
            var found = try summary(of: id)
            let isTrashed = found == nil
            if isTrashed { found = try summary(of: id, in: .trash) }
            guard let found, let uuid = found.uuid else { continue }
            activities.append(
                SurveyedActivity(summary: found, uuid: uuid, isTrashed: isTrashed, next: try rows(of: id).count))
        }
        return (activities, ids.count < limit ? nil : ids.last)
    }
}
