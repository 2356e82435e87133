package import Linux
package import SQLite

/// The tables of the journal, and their migrations.
///
/// A row that belongs to an activity has the key activity number × 2³² + place, where the place counts from
/// 0 in the activity. So the rows of one activity are adjacent, a new row goes to the end, and no index is
/// needed (``key(_:_:)``).
package enum JournalSchema {
    /// `PRAGMA user_version` of a journal with these tables.
    package static let version: Int64 = Int64(steps.count)

    /// `PRAGMA application_id`: "pace".
    static let application: Int64 = 0x7061_6365

    static func key(_ activity: Int, _ place: Int) -> Int64 {
        Int64(activity) << 32 | Int64(place)
    }

    /// The keys of all rows of an activity.
    static func keys(of activity: Int) -> ClosedRange<Int64> {
        key(activity, 0)...key(activity, Int(UInt32.max))
    }

    /// Each step migrates a journal by one version. Released steps are never changed.
    package static let steps: [JournalStep] = [
        """
        -- An activity as a whole, as lists show it. While it is open its figures may be some seconds old.
        CREATE TABLE activity (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            sport TEXT NOT NULL,
            indoor INTEGER NOT NULL,
            demo INTEGER NOT NULL,
            imported INTEGER NOT NULL,   -- from a file: it has records, and no entries
            open INTEGER NOT NULL,       -- not ended yet, or left open by a kill or a power cut
            name TEXT,
            started_ms INTEGER NOT NULL, -- UTC
            time_uncertain INTEGER NOT NULL,
            total_ms INTEGER NOT NULL,   -- start to end, pauses included
            elapsed_ms INTEGER NOT NULL,
            moving_ms INTEGER NOT NULL,
            distance_m REAL NOT NULL,
            maximum_speed_mps REAL,
            heart_average_bpm REAL,
            heart_maximum_bpm INTEGER,
            gaps INTEGER NOT NULL,
            zones TEXT,                  -- five integers, JSON
            zone_ms TEXT,                -- active time in zones 0 to 5, JSON
            claim TEXT                   -- what the imported file says of itself, JSON
        ) STRICT;
        -- A stretch of an activity within one run of the program. Its entries have moments of its boot's clock.
        CREATE TABLE part (
            activity INTEGER NOT NULL,
            number INTEGER NOT NULL,     -- from 0
            boot_id TEXT NOT NULL,
            at_ns INTEGER NOT NULL,      -- CLOCK_BOOTTIME where it begins
            begins_ms INTEGER NOT NULL,  -- the same in milliseconds since the activity began
            place INTEGER NOT NULL,      -- of its first entry
            PRIMARY KEY (activity, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE lap (
            activity INTEGER NOT NULL,
            number INTEGER NOT NULL,     -- from 1
            trigger TEXT,
            began_ms INTEGER NOT NULL,   -- since the activity began
            ended_ms INTEGER NOT NULL,
            elapsed_ms INTEGER NOT NULL,
            moving_ms INTEGER NOT NULL,
            distance_m REAL NOT NULL,
            maximum_speed_mps REAL,
            heart_average_bpm REAL,
            heart_maximum_bpm INTEGER,
            PRIMARY KEY (activity, number)
        ) STRICT, WITHOUT ROWID;
        -- The strap that an activity's beats came from.
        CREATE TABLE sensor (
            activity INTEGER PRIMARY KEY,
            address TEXT, name TEXT, manufacturer TEXT, serial_number TEXT, firmware TEXT, battery_percent INTEGER
        ) STRICT;
        -- Entries: what reached the pipeline, as it came, in the order of their places over these three tables.
        CREATE TABLE location (
            key INTEGER PRIMARY KEY,
            at_ns INTEGER NOT NULL,      -- CLOCK_BOOTTIME of the part
            arrived_ns INTEGER NOT NULL, -- the first report of the fix
            gnss_ms INTEGER,             -- UTC, as the receiver says it
            device TEXT,
            mode INTEGER NOT NULL,
            latitude REAL, longitude REAL, altitude_m REAL, accuracy_m REAL, speed_mps REAL, track_deg REAL,
            satellites INTEGER,
            refusal TEXT                 -- why it was not used
        ) STRICT;
        CREATE TABLE heart (
            key INTEGER PRIMARY KEY,
            at_ns INTEGER NOT NULL,
            bpm INTEGER NOT NULL,
            contact INTEGER,
            energy_kj INTEGER,
            rr_1024 BLOB NOT NULL        -- 16 bits each, little-endian, oldest first
        ) STRICT;
        CREATE TABLE input (
            key INTEGER PRIMARY KEY,
            at_ns INTEGER NOT NULL,
            kind TEXT NOT NULL,
            value TEXT NOT NULL          -- JSON
        ) STRICT;
        -- Records: what became of the entries, second by second, and the marks between them, in order.
        CREATE TABLE record (
            key INTEGER PRIMARY KEY,
            at_ms INTEGER NOT NULL,      -- since the activity began
            kind TEXT,                   -- begin, end, beats, lap, segment; NULL is a sample
            cause TEXT,                  -- of a begin, an end, a lap
            rr_1024 BLOB,                -- of beats
            gap INTEGER,                 -- beats are missing before these
            elapsed_ms INTEGER, distance_m REAL, latitude REAL, longitude REAL, altitude_m REAL, speed_mps REAL,
            bpm INTEGER, cadence INTEGER, power_w INTEGER, temperature_c INTEGER
        ) STRICT;
        -- The last lines of class EVENT.
        CREATE TABLE event (
            seq INTEGER PRIMARY KEY,
            activity INTEGER,
            at_ns INTEGER NOT NULL,
            line TEXT NOT NULL
        ) STRICT;
        -- What CLOCK_BOOTTIME was at a time of day.
        CREATE TABLE clock (
            number INTEGER PRIMARY KEY,
            boot_id TEXT NOT NULL,
            at_ns INTEGER NOT NULL,
            utc_ms INTEGER NOT NULL,
            source TEXT NOT NULL
        ) STRICT;
        -- Rows that the disk took too long for.
        CREATE TABLE loss (
            number INTEGER PRIMARY KEY,
            activity INTEGER,
            at_ns INTEGER NOT NULL,      -- CLOCK_BOOTTIME of the first
            until_ns INTEGER NOT NULL,
            rows INTEGER NOT NULL
        ) STRICT;
        -- Activities that were deleted, whose rows are still being taken away.
        CREATE TABLE condemned (activity INTEGER PRIMARY KEY) STRICT;
        -- Imports under way: records without an activity. One that does not go on was killed.
        CREATE TABLE importing (
            activity INTEGER PRIMARY KEY,
            utc_ms INTEGER NOT NULL      -- when it last went on
        ) STRICT;
        -- The number of the next activity, kept for the daemon; imports take others.
        CREATE TABLE reserved (activity INTEGER PRIMARY KEY) STRICT;
        """,
        """
        -- Files that are to be made of activities, as soon as they have ended; one that is made has no row any more.
        CREATE TABLE export (
            activity INTEGER NOT NULL,
            format TEXT NOT NULL,
            PRIMARY KEY (activity, format)
        ) STRICT, WITHOUT ROWID;
        """,
        """
        -- What somebody has set over control.sock; for the rest the configuration holds.
        CREATE TABLE setting (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL          -- JSON
        ) STRICT, WITHOUT ROWID;
        """,
        """
        -- An activity that was copied from a damaged journal: its number there, and how many rows are lost, JSON.
        ALTER TABLE activity ADD COLUMN recovered TEXT;
        -- Damaged journals, and what became of their activities.
        CREATE TABLE recovery (
            file TEXT NOT NULL,          -- a name in the state directory, or a path
            activity INTEGER NOT NULL,   -- its number there; 0 is the file as a whole
            state TEXT NOT NULL,         -- copying, copied, present, unreadable
            target INTEGER,              -- its number here
            step INTEGER NOT NULL,       -- the table that is copied
            place INTEGER NOT NULL,      -- of the next row
            PRIMARY KEY (file, activity)
        ) STRICT, WITHOUT ROWID;
        """,
        // Gives the stored lines of class EVENT the present names of the wire.
        JournalStep("UPDATE event SET line = \(eventLine)"),
        // An activity gets its number when it begins.
        "DROP TABLE reserved",
        """
        -- The sensors that an activity's values came from, in the order of their first values.
        ALTER TABLE sensor RENAME TO strap;
        CREATE TABLE sensor (
            activity INTEGER NOT NULL,
            number INTEGER NOT NULL,     -- from 1
            kinds TEXT NOT NULL,         -- words, JSON
            address TEXT, name TEXT, manufacturer TEXT, model TEXT, serial_number TEXT, firmware TEXT,
            battery_percent INTEGER,
            PRIMARY KEY (activity, number)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO sensor SELECT activity, 1, '["heart-rate"]', address, name, manufacturer, NULL, serial_number, firmware,
            battery_percent FROM strap;
        DROP TABLE strap;
        ALTER TABLE record ADD COLUMN left_balance INTEGER; -- percent of the power
        ALTER TABLE activity ADD COLUMN power_average_w REAL;
        ALTER TABLE activity ADD COLUMN power_maximum_w INTEGER;
        ALTER TABLE activity ADD COLUMN power_normalized_w REAL;
        ALTER TABLE activity ADD COLUMN work_j REAL;
        ALTER TABLE activity ADD COLUMN cadence_average REAL; -- revolutions or steps a minute
        ALTER TABLE activity ADD COLUMN cadence_maximum REAL;
        ALTER TABLE activity ADD COLUMN power_zone_ms TEXT;   -- active time in zones 0 to 7, JSON
        ALTER TABLE activity ADD COLUMN power_best_w TEXT;    -- the highest averages over fixed durations, JSON
        ALTER TABLE lap ADD COLUMN power_average_w REAL;
        ALTER TABLE lap ADD COLUMN power_maximum_w INTEGER;
        ALTER TABLE lap ADD COLUMN power_normalized_w REAL;
        ALTER TABLE lap ADD COLUMN work_j REAL;
        ALTER TABLE lap ADD COLUMN cadence_average REAL;
        ALTER TABLE lap ADD COLUMN cadence_maximum REAL;
        ALTER TABLE lap ADD COLUMN power_zone_ms TEXT;
        """,
        """
        -- Ascent and descent, and the time of automatic pauses. Records have the kinds auto-pause and auto-resume, too, whose
        -- elapsed_ms is where the pause began and ended.
        ALTER TABLE location ADD COLUMN vertical_accuracy_m REAL;
        ALTER TABLE record ADD COLUMN ascent_m REAL;          -- since the activity began
        ALTER TABLE record ADD COLUMN descent_m REAL;
        ALTER TABLE record ADD COLUMN grade_percent REAL;
        ALTER TABLE record ADD COLUMN vertical_mps REAL;
        ALTER TABLE record ADD COLUMN ascent_source TEXT;     -- barometer, receiver
        ALTER TABLE activity ADD COLUMN ascent_m REAL;
        ALTER TABLE activity ADD COLUMN descent_m REAL;
        ALTER TABLE activity ADD COLUMN ascent_error_m REAL;
        ALTER TABLE activity ADD COLUMN ascent_source TEXT;
        ALTER TABLE activity ADD COLUMN auto_paused_ms INTEGER;
        ALTER TABLE lap ADD COLUMN ascent_m REAL;
        ALTER TABLE lap ADD COLUMN descent_m REAL;
        ALTER TABLE lap ADD COLUMN ascent_error_m REAL;
        ALTER TABLE lap ADD COLUMN ascent_source TEXT;
        ALTER TABLE lap ADD COLUMN auto_paused_ms INTEGER;
        """,
        """
        -- The energy of the body, the training impulse and the grade-adjusted pace.
        ALTER TABLE activity ADD COLUMN energy_kcal REAL;
        ALTER TABLE activity ADD COLUMN trimp REAL;
        ALTER TABLE activity ADD COLUMN grade_adjusted_pace REAL; -- seconds a metre
        ALTER TABLE lap ADD COLUMN energy_kcal REAL;
        ALTER TABLE lap ADD COLUMN trimp REAL;
        ALTER TABLE lap ADD COLUMN grade_adjusted_pace REAL;
        """,
        """
        -- Courses, each once. One that is not listed is kept for the activities that name it.
        CREATE TABLE course (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            hash TEXT NOT NULL UNIQUE,   -- of the data, 32 hexadecimal digits
            name TEXT,
            listed INTEGER NOT NULL,
            added_ms INTEGER NOT NULL,   -- UTC
            sport TEXT,
            vertices INTEGER NOT NULL,
            points INTEGER NOT NULL,
            length_m REAL NOT NULL,
            ascent_m REAL,
            climbs INTEGER NOT NULL,
            data BLOB NOT NULL
        ) STRICT;
        -- The curves of partners that were activities.
        CREATE TABLE partner (
            hash TEXT NOT NULL UNIQUE,
            name TEXT,
            data BLOB NOT NULL
        ) STRICT;
        -- The courses and curves that the entries of an activity name.
        CREATE TABLE activity_course (
            activity INTEGER NOT NULL,
            kind TEXT NOT NULL,          -- course, partner
            hash TEXT NOT NULL,
            PRIMARY KEY (activity, kind, hash)
        ) STRICT, WITHOUT ROWID;
        -- The course and the partner that are loaded.
        CREATE TABLE loaded (
            kind TEXT PRIMARY KEY,       -- course, partner
            value TEXT NOT NULL,         -- the hash of the course; the partner, JSON
            hash TEXT
        ) STRICT, WITHOUT ROWID;
        """,
        "-- Entries and snapshots of activities may have the kind weather, which earlier releases cannot replay.",
        // Events may have the fault device-copied, which earlier releases do not know.
        JournalStep(
            """
            -- The names of activities and courses on every board: a uuid as text, in no two rows. NULL while they are replaced.
            ALTER TABLE activity ADD COLUMN uuid TEXT;
            ALTER TABLE course ADD COLUMN uuid TEXT;
            """, FormerUUIDs.assign),
        """
        -- The trash: activities and courses that are in no list, and when they were put there; 0 is without a clock.
        CREATE TABLE trash (
            activity INTEGER PRIMARY KEY,
            at_ms INTEGER NOT NULL       -- UTC
        ) STRICT;
        CREATE TABLE course_trash (
            course INTEGER PRIMARY KEY,
            at_ms INTEGER NOT NULL
        ) STRICT;
        """,
        "-- Entries and snapshots may have sensors of other programs (ext:), which earlier releases cannot replay.",
        """
        -- Places that the user marked, and own fields: what they are, and their values in each record, JSON.
        ALTER TABLE activity ADD COLUMN fields TEXT;
        ALTER TABLE activity ADD COLUMN marks TEXT;
        ALTER TABLE record ADD COLUMN fields TEXT;
        """,
    ]

    /// Converts a line of table `event` from before version 5 to the names of version 5. Frozen, as the steps are.
    ///
    /// Quotes inside texts are escaped, so that no pattern matches inside a name or a message.
    static let eventLine = [
        (#","of":"#, #","link_of":"#),
        (#""reason":"elsewhere""#, #""reason":"in-use""#),
        (#""reason":"choose""#, #""reason":"ambiguous""#),
        (#""reason":"resting""#, #""reason":"off-body""#),
        (#","back_ms":"#, #","ago_ms":"#),
        (#","seconds":"#, #","gap_s":"#),
        (#","metres":"#, #","distance_m":"#),
        (#","heart_average_bpm":"#, #","average_bpm":"#),
        (#","heart_maximum_bpm":"#, #","max_bpm":"#),
        (#","raised":"#, #","active":"#),
        (#""fault":"battery empty""#, #""fault":"battery-empty""#),
        (#""fault":"battery low""#, #""fault":"battery-low""#),
        (#""fault":"elsewhere""#, #""fault":"in-use""#),
        (#""fault":"event flood""#, #""fault":"event-flood""#),
        (#""fault":"export failed""#, #""fault":"export-failed""#),
        (#""fault":"flood""#, #""fault":"strap-flood""#),
        (#""fault":"gpsd flood""#, #""fault":"gpsd-flood""#),
        (#""fault":"position refused""#, #""fault":"position-rejected""#),
    ].reduce("line") { "replace(\($0), '\($1.0)', '\($1.1)')" }

    /// The first version with the table `setting`.
    static let versionWithSettings: Int64 = 3
    /// The first version with the table `recovery`.
    static let versionWithRecovery: Int64 = 4
    /// The first version whose lines of class EVENT have the present names.
    static let versionWithEventNames: Int64 = 5
    /// The first version with several sensors of an activity, and totals of power and cadence.
    static let versionWithSensors: Int64 = 7
    /// The first version with ascent and descent.
    static let versionWithAscent: Int64 = 8
    /// The first version with energy, training impulse and grade-adjusted pace.
    static let versionWithEnergy: Int64 = 9
    /// The first version with courses.
    static let versionWithCourses: Int64 = 10
    /// The first version with uuids.
    static let versionWithUUIDs: Int64 = 12
    /// The first version with a trash.
    static let versionWithTrash: Int64 = 13
    /// The first version with marks and own fields.
    static let versionWithFields: Int64 = 15

    /// The tables whose rows have a key.
    static let keyed = ["location", "heart", "input", "record"]
    /// The other tables with rows of an activity.
    static let numbered = ["part", "lap", "sensor", "loss", "event", "export"]

    /// Runs the missing migrations.
    ///
    /// - Throws: ``JournalFailure/newer(_:)`` for a journal of a later release, which is not changed.
    package static func migrate(_ database: SQLiteDatabase, steps: [JournalStep] = steps) throws(JournalFailure) {
        let present = try read(database)
        if present > Int64(steps.count) { throw .newer(Int(present)) }
        for (index, step) in steps.enumerated() where Int64(index) >= present {
            try database.transaction(orElse: JournalFailure.database) { () throws(JournalFailure) in
                do throws(SQLiteError) {
                    // Another process may have run this step meanwhile.
                    if try database.integer("PRAGMA user_version") != Int64(index) { return }
                    try database.execute(step.sql)
                    try step.code?(database)
                    try database.execute("PRAGMA application_id = \(application)")
                    try database.execute("PRAGMA user_version = \(index + 1)")
                } catch {
                    throw .database(error)
                }
            }
        }
    }

    private static func read(_ database: SQLiteDatabase) throws(JournalFailure) -> Int64 {
        do throws(SQLiteError) {
            return try database.integer("PRAGMA user_version") ?? 0
        } catch {
            throw .database(error)
        }
    }
}

/// A step from one version of the journal to the next: SQL, and code after it where SQL cannot compute the values.
package struct JournalStep: Sendable, ExpressibleByStringLiteral {
    let sql: String
    let code: (@Sendable (SQLiteDatabase) throws(SQLiteError) -> Void)?

    package init(_ sql: String, _ code: (@Sendable (SQLiteDatabase) throws(SQLiteError) -> Void)? = nil) {
        self.sql = sql
        self.code = code
    }

    package init(stringLiteral sql: String) {
        self.init(sql)
    }
}

/// Why the journal cannot be used.
package enum JournalFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case database(SQLiteError)
    /// The directory or a file in it was rejected.
    case directory(DirectoryError)
    /// The tables have this version, of a later release.
    case newer(Int)
    /// There is no journal.
    case missing
    /// The path no longer refers to the open file.
    case replaced

    package var description: String {
        switch self {
        case .database(let error): error.description
        case .directory(let error): error.description
        case .newer(let version):
            "a later release of paced wrote it (schema \(version), this release supports \(JournalSchema.version)); "
                + "install that release, or move the file away"
        case .missing: "the journal does not exist"
        case .replaced: "the file was moved away or removed"
        }
    }
}
