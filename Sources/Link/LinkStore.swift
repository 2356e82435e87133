import Domain
import Linux
import SQLite

/// The file of what was delivered: `link.sqlite` in the state directory. The rows themselves stay in the journal.
///
/// A lost file costs traffic and no row: all is sent again, and the collectors absorb it.
final class LinkStore {
    let database: SQLiteDatabase
    /// The board, whose activities are numbered.
    let device: UUID

    static let name = "link.sqlite"

    private static let tables = """
        CREATE TABLE IF NOT EXISTS activity (
            uuid TEXT PRIMARY KEY, id INTEGER NOT NULL, source TEXT NOT NULL, places INTEGER, deleted INTEGER NOT NULL,
            content INTEGER NOT NULL, revision INTEGER NOT NULL, floor INTEGER NOT NULL, journal TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS position (
            sink TEXT NOT NULL, activity TEXT NOT NULL, next INTEGER NOT NULL, revision INTEGER NOT NULL,
            PRIMARY KEY (sink, activity)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS sink (name TEXT PRIMARY KEY, epoch TEXT NOT NULL) STRICT, WITHOUT ROWID;
        -- The last event that the broker has acknowledged.
        CREATE TABLE IF NOT EXISTS event (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL) STRICT;
        -- The topics whose last message the broker keeps.
        CREATE TABLE IF NOT EXISTS retained (topic TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        -- Services of uploads; enabled: the last activity that is older than the service.
        CREATE TABLE IF NOT EXISTS service (
            name TEXT PRIMARY KEY, identity TEXT NOT NULL, enabled INTEGER, until_ms INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS upload (
            service TEXT NOT NULL, activity TEXT NOT NULL, id INTEGER NOT NULL, state TEXT NOT NULL,
            tries INTEGER NOT NULL, remote TEXT, reason TEXT, PRIMARY KEY (service, activity)
        ) STRICT, WITHOUT ROWID;
        -- Sources of planned work; day: of the last fetch; loaded: the setting workout as it was loaded.
        CREATE TABLE IF NOT EXISTS plan (
            name TEXT PRIMARY KEY, identity TEXT NOT NULL, day TEXT, loaded TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS planned (
            source TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, day TEXT, name TEXT NOT NULL,
            version TEXT NOT NULL, state TEXT NOT NULL, reason TEXT
        ) STRICT;
        PRAGMA user_version = 1;
        """

    /// - Parameter directory: exists.
    init(in directory: String, device: UUID) throws {
        self.device = device
        let place = try Directory(private: directory)
        database = try SQLiteDatabase(place.path + "/" + Self.name, .writing)
        database.setBusyTimeout(.seconds(2))
        // A revision must be on the disk before it is sent: after a power cut it must not be given to another head.
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        let version = try database.integer("PRAGMA user_version") ?? 0
        guard version <= 1 else { throw SQLiteError(rejecting: "a newer paced-link wrote it") }
        try database.execute(Self.tables)
    }

    func load(into delivery: inout RowDelivery) throws(SQLiteError) {
        let activities = try database.prepare(
            "SELECT uuid, id, source, places, deleted, content, revision, floor, journal FROM activity")
        while try activities.step() {
            guard let uuid = activities.text(0).flatMap({ UUID($0) }) else { continue }
            let activity = RowDelivery.Activity(
                id: Int(activities.integer(1) ?? 0), source: activities.text(2) ?? "",
                end: activities.integer(3).map { Int($0) }, isOpen: false, isDeleted: activities.integer(4) == 1,
                content: activities.integer(5) ?? 0, revision: Int(activities.integer(6) ?? 1),
                floor: Int(activities.integer(7) ?? 0), journal: activities.text(8) ?? "")
            delivery.load(activity, of: uuid)
        }
        let positions = try database.prepare("SELECT sink, activity, next, revision FROM position")
        while try positions.step() {
            guard let uuid = positions.text(1).flatMap({ UUID($0) }), let sink = positions.text(0) else { continue }
            delivery.load(
                RowDelivery.Position(
                    next: Int(positions.integer(2) ?? 0), revision: Int(positions.integer(3) ?? 0)),
                of: uuid, sink: sink)
        }
        let sinks = try database.prepare("SELECT name, epoch FROM sink")
        while try sinks.step() {
            guard let name = sinks.text(0), let epoch = sinks.text(1).flatMap({ UUID($0) }) else { continue }
            delivery.load(epoch: epoch, sink: name)
        }
    }

    /// Stores what has changed, in one transaction.
    func save(_ delivery: inout RowDelivery) throws(SQLiteError) {
        if delivery.changedActivities.isEmpty, delivery.changedPositions.isEmpty { return }
        let changed = delivery
        try database.transaction { () throws(SQLiteError) in
            for uuid in changed.changedActivities { try save(changed.activities[uuid], of: uuid) }
            for (sink, uuid) in changed.changedPositions { try save(changed.sinks[sink], uuid) }
        }
        delivery.changedActivities = []
        delivery.changedPositions = []
    }

    private func save(_ activity: RowDelivery.Activity?, of uuid: UUID) throws(SQLiteError) {
        guard let activity else {
            for statement in ["DELETE FROM activity WHERE uuid = ?", "DELETE FROM position WHERE activity = ?"] {
                try run(statement, uuid.description)
            }
            return
        }
        let statement = try database.prepare("INSERT OR REPLACE INTO activity VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        try statement.bind(
            uuid.description, activity.id, activity.source, activity.end, activity.isDeleted ? 1 : 0, activity.content,
            activity.revision, activity.floor, activity.journal)
        _ = try statement.step()
    }

    /// - Parameter uuid: an activity; nil for all positions of the sink, which has another epoch.
    private func save(_ sink: RowDelivery.Sink, _ uuid: UUID?) throws(SQLiteError) {
        guard let uuid else {
            try run("DELETE FROM position WHERE sink = ?", sink.name)
            if let epoch = sink.epoch {
                let statement = try database.prepare("INSERT OR REPLACE INTO sink VALUES (?, ?)")
                try statement.bind(sink.name, epoch.description)
                _ = try statement.step()
            }
            return
        }
        guard let position = sink.positions[uuid] else { return }
        let statement = try database.prepare("INSERT OR REPLACE INTO position VALUES (?, ?, ?, ?)")
        try statement.bind(sink.name, uuid.description, position.next, position.revision)
        _ = try statement.step()
    }

    func run(_ text: String, _ value: String) throws(SQLiteError) {
        let statement = try database.prepare(text)
        try statement.bind(value)
        _ = try statement.step()
    }

    func retained() throws(SQLiteError) -> Set<String> {
        let statement = try database.prepare("SELECT topic FROM retained")
        var topics: Set<String> = []
        while try statement.step() { if let topic = statement.text(0) { topics.insert(topic) } }
        return topics
    }

    func save(retained topics: Set<String>) throws(SQLiteError) {
        if try retained() == topics { return }
        try database.transaction { () throws(SQLiteError) in
            try database.execute("DELETE FROM retained")
            for topic in topics.sorted() { try run("INSERT INTO retained VALUES (?)", topic) }
        }
    }

    /// The number of the last event that the broker has acknowledged; nil for none.
    func event() throws(SQLiteError) -> Int? {
        try database.integer("SELECT seq FROM event").map { Int($0) }
    }

    func save(event: Int) throws(SQLiteError) {
        try database.execute("INSERT OR REPLACE INTO event VALUES (1, \(event))")
    }
}
