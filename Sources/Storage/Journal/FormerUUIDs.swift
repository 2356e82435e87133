import Domain
import SQLite

/// The uuids of activities and courses of earlier releases, which gave none.
///
/// They follow from what every copy of a journal has: two migrations, and the recovery of a damaged copy, agree. What they are
/// computed from is part of the journal's format and never changes.
enum FormerUUIDs {
    /// - Parameter part: the first part of a recorded activity; nil for an imported one.
    static func activity(_ recording: RecordedActivity, _ part: BootSegment?) -> UUID {
        if let part, !part.bootID.isEmpty { return recorded(part.bootID, part.at.nanoseconds) }
        return imported(
            recording.started.milliseconds, recording.totalMilliseconds, recording.total.elapsedMilliseconds,
            recording.total.distanceMetres)
    }

    private static func recorded(_ bootID: String, _ at: Int64) -> UUID {
        uuid(["part", bootID, "\(at)"])
    }

    private static func imported(_ started: Int64, _ total: Int64, _ elapsed: Int64, _ distance: Double) -> UUID {
        uuid(["file", "\(started)", "\(total)", "\(elapsed)", "\(distance.bitPattern)"])
    }

    static func course(_ hash: String) -> UUID {
        uuid(["course", hash])
    }

    private static func uuid(_ parts: [String]) -> UUID {
        .derived(from: parts.joined(separator: "\n").utf8)
    }

    /// Gives uuids to all activities and courses. Of imported activities that are equal, the later ones get one that also
    /// has their place among them.
    ///
    /// A step of ``JournalSchema``: it reads the tables as they were then.
    @Sendable
    static func assign(in database: SQLiteDatabase) throws(SQLiteError) {
        let activities = try database.prepare(
            """
            SELECT id, started_ms, total_ms, elapsed_ms, distance_m, boot_id, at_ns FROM activity
            LEFT JOIN part ON part.activity = id AND number = 0 AND boot_id <> '' ORDER BY id
            """)
        var uuids: [(id: Int64, UUID)] = []
        var equal: [UUID: Int] = [:]
        while try activities.step() {
            let uuid =
                if let bootID = activities.text(5) {
                    recorded(bootID, activities.integer(6) ?? 0)
                } else {
                    imported(
                        activities.integer(1) ?? 0, activities.integer(2) ?? 0, activities.integer(3) ?? 0,
                        activities.real(4) ?? 0)
                }
            let place = equal[uuid, default: 0]
            equal[uuid] = place + 1
            uuids.append((activities.integer(0) ?? 0, place == 0 ? uuid : Self.uuid(["\(uuid)", "\(place)"])))
        }
        let activity = try database.prepare("UPDATE activity SET uuid = ? WHERE id = ?")
        for (id, uuid) in uuids { try activity.run(uuid.description, Int(id)) }
        let courses = try database.prepare("SELECT id, hash FROM course")
        var hashes: [(id: Int64, hash: String)] = []
        while try courses.step() { hashes.append((courses.integer(0) ?? 0, courses.text(1) ?? "")) }
        let named = try database.prepare("UPDATE course SET uuid = ? WHERE id = ?")
        for (id, hash) in hashes { try named.run(course(hash).description, Int(id)) }
    }
}
