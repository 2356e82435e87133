import Domain
import Linux
import SQLite

/// The file `index.sqlite` of the state directory: what is derived from the rows of the journal and takes long to compute.
///
/// It can be deleted at any time. Only the daemon writes it (``IndexWriter``); readers compute what it lacks.
package enum ActivityIndex {
    package static let name = "index.sqlite"

    /// `PRAGMA user_version`. Raised when the tables or the rules of the bests change: the index is built again then.
    static let version: Int64 = 4
    /// `PRAGMA application_id`: "paci".
    static let application: Int64 = 0x7061_6369

    static let tables = """
        -- An activity that is over and no demo, with the totals of its row in the journal. An entry with other totals is behind.
        CREATE TABLE activity (
            id INTEGER PRIMARY KEY,
            sport TEXT NOT NULL,
            indoor INTEGER NOT NULL,
            started_ms INTEGER,          -- UTC; NULL without a date
            total_ms INTEGER NOT NULL,   -- start to end, pauses included
            elapsed_ms INTEGER NOT NULL,
            moving_ms INTEGER NOT NULL,
            distance_m REAL NOT NULL,
            ascent_m REAL,
            uuid TEXT,
            cells BLOB NOT NULL          -- where it passed by: numbers of PassedCells, 5 bytes each
        ) STRICT;
        -- The best of each kind inside an activity.
        CREATE TABLE best (
            activity INTEGER NOT NULL,
            kind TEXT NOT NULL,
            value REAL NOT NULL,         -- milliseconds or watts, by the kind
            elapsed_ms INTEGER,          -- where it began, active time
            distance_m REAL,             -- where it began
            PRIMARY KEY (activity, kind)
        ) STRICT, WITHOUT ROWID;
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """

    struct Entry {
        var totals: ActivityTotals
        var bests: [BestEffort] = []
        var cells = PassedCells()
    }

    /// All entries by the number of the activity. Empty if the index is missing, damaged, locked or of another version.
    static func read(in directory: String) -> [Int: Entry] {
        read(in: directory, entries)
    }

    /// The entries with their cells, without their bests.
    static func cells(in directory: String) -> [Int: Entry] {
        read(in: directory) { database throws(SQLiteError) in
            let statement = try database.prepare(totals + ", cells FROM activity")
            var entries: [Int: Entry] = [:]
            while try statement.step() {
                let totals = ActivityTotals(columns: statement)
                entries[totals.id] = Entry(totals: totals, cells: PassedCells(bytes: statement.bytes(10) ?? []))
            }
            return entries
        }
    }

    private static func read(
        in directory: String, _ query: (SQLiteDatabase) throws(SQLiteError) -> [Int: Entry]
    ) -> [Int: Entry] {
        guard let place = try? Directory(directory), (try? place.checkFile(name)) == true,
            let database = try? SQLiteDatabase(place.path(of: name), .reading)
        else { return [:] }
        // The daemon writes for moments only.
        database.setBusyTimeout(.milliseconds(200))
        do throws(SQLiteError) {
            guard try isCurrent(database) else { return [:] }
            // Both tables in one state.
            try database.execute("BEGIN")
            return try query(database)
        } catch {
            return [:]
        }
    }

    static func isCurrent(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        let application = try database.integer("PRAGMA application_id")
        let version = try database.integer("PRAGMA user_version")
        return application == Self.application && version == Self.version
    }

    private static func entries(_ database: SQLiteDatabase) throws(SQLiteError) -> [Int: Entry] {
        var entries = try totals(database).mapValues { Entry(totals: $0) }
        let statement = try database.prepare("SELECT activity, kind, value, elapsed_ms, distance_m FROM best")
        while try statement.step() {
            guard let id = statement.integer(0), let kind = statement.text(1).flatMap(BestKind.init),
                let value = statement.real(2)
            else { continue }
            let effort = BestEffort(
                kind, value, elapsedMilliseconds: statement.integer(3), distanceMetres: statement.real(4))
            entries[Int(id)]?.bests.append(effort)
        }
        return entries
    }

    private static let totals =
        "SELECT id, sport, indoor, started_ms, total_ms, elapsed_ms, moving_ms, distance_m, ascent_m, uuid"

    /// The totals of the entries.
    static func totals(_ database: SQLiteDatabase) throws(SQLiteError) -> [Int: ActivityTotals] {
        let statement = try database.prepare(totals + " FROM activity")
        var totals: [Int: ActivityTotals] = [:]
        while try statement.step() {
            let entry = ActivityTotals(columns: statement)
            totals[entry.id] = entry
        }
        return totals
    }
}
