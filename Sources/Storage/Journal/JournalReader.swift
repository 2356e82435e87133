package import Domain
import Glibc
import JournalCoding
import Linux
package import SQLite

/// Reads the journal, whether or not the daemon is running. It changes nothing.
///
/// Each call sees what the daemon has committed by then.
package final class JournalReader {
    let database: SQLiteDatabase
    let version: Int64
    /// The state directory; empty for a journal that this process writes.
    package let directory: String

    /// - Throws: ``JournalFailure``; `missing` if there is no journal.
    package convenience init(in directory: String) throws(JournalFailure) {
        let path: String
        var present: [String] = []
        do throws(DirectoryError) {
            let place = try Directory(directory)
            path = JournalFile.path(in: place.path)
            for name in JournalFile.names where try place.checkFile(name) { present.append(name) }
        } catch {
            throw error.code == nil ? .directory(error) : .missing
        }
        guard present.contains(JournalFile.name) else { throw .missing }
        // The daemon keeps the other files in place, so that a reader without write permission finds them.
        let hasLog = present.contains(JournalFile.name + "-wal")
        let isComplete = present.count > 1
        var (database, version): (SQLiteDatabase, Int64)
        do throws(SQLiteError) {
            do throws(SQLiteError) {
                (database, version) = try Self.open(path, isComplete ? .reading : .immutable)
            } catch {
                // A file is missing and cannot be created: no process is writing.
                guard isComplete, error.isMissingFile else { throw error }
                (database, version) = try Self.open(path, hasLog ? .unshared : .immutable)
            }
        } catch {
            throw .database(error)
        }
        if version > JournalSchema.version { throw .newer(Int(version)) }
        // The creator was killed before it made the first table.
        if version == 0 { throw .missing }
        self.init(database, version: version, in: directory)
    }

    init(_ database: SQLiteDatabase, version: Int64 = JournalSchema.version, in directory: String = "") {
        self.database = database
        self.version = version
        self.directory = directory
    }

    private static func open(
        _ path: String, _ access: SQLiteDatabase.Access
    ) throws(SQLiteError) -> (SQLiteDatabase, version: Int64) {
        let database = try SQLiteDatabase(path, access)
        database.setBusyTimeout(.seconds(2))
        // Pages of 1 KiB. Rows are read in order and once: 2 MiB, SQLite's default, are no faster.
        try database.execute("PRAGMA cache_size = 64")
        return (database, try database.integer("PRAGMA user_version") ?? 0)
    }

    /// Summaries, newest first: by the start, and by the number where starts are equal. An undated activity follows
    /// the recorded one that is numbered before it.
    ///
    /// - Parameters:
    ///   - before: only the activities that are older than this one in this order. One that does not exist has the place
    ///     of an undated one.
    ///   - place: those of the lists, or those in the trash.
    package func list(
        limit: Int, before: Int? = nil, in place: RecordPlace = .lists
    ) throws(SQLiteError) -> [ActivitySummary] {
        let statement = try listed(summaries, limit: limit, before: before, in: place)
        var list: [ActivitySummary] = []
        while try statement.step() { list.append(Self.summary(statement)) }
        return list
    }

    /// A query of the activities in the order of ``list(limit:before:)``.
    ///
    /// - Parameter query: selects from the table `activity`, without conditions.
    func listed(
        _ query: String, limit: Int, before: Int?, in place: RecordPlace = .lists
    ) throws(SQLiteError) -> SQLiteStatement {
        let statement = try database.prepare(
            query + """
                 WHERE (\(Self.listedStart), id) < (?, ?) AND \(isActivity(in: place))
                ORDER BY \(Self.listedStart) DESC, id DESC LIMIT ?
                """)
        var start: Int64? = .max
        if let before {
            start = try database.integer("SELECT \(Self.listedStart) FROM activity WHERE id = \(before)")
            if start == nil { start = try database.integer("SELECT \(Self.datedStart(before: "\(before)"))") }
        }
        try statement.bind(start, before ?? Int.max, limit)
        return statement
    }

    /// The activities or the courses of the lists and the trash whose uuid begins so, at most one more than a failure names.
    package func records(_ kind: RecordKind, beginning prefix: UUIDPrefix) throws(SQLiteError) -> [RecordName] {
        guard version >= JournalSchema.versionWithUUIDs else { return [] }
        let source =
            switch kind {
            case .activity: "activity WHERE"
            case .course: "course WHERE (listed OR \(isCourse(in: .trash))) AND"
            }
        let statement = try database.prepare(
            "SELECT id, uuid FROM \(source) substr(uuid, 1, ?1) = ?2 ORDER BY id LIMIT \(UUIDPrefix.namedLimit + 1)")
        try statement.bind(prefix.description.utf8.count, prefix.description)
        var records: [RecordName] = []
        while try statement.step() {
            guard let uuid = statement.text(1).flatMap({ UUID($0) }) else { continue }
            records.append(RecordName(id: Int(statement.integer(0) ?? 0), uuid: uuid))
        }
        return records
    }

    /// The number of the activity with a uuid.
    package func activity(_ uuid: UUID) throws(SQLiteError) -> Int? {
        guard let prefix = UUIDPrefix("\(uuid)") else { return nil }
        return try records(.activity, beginning: prefix).first?.id
    }

    /// The summary of an activity of the lists; nil if they have none of that number.
    package func summary(of id: Int, in place: RecordPlace = .lists) throws(SQLiteError) -> ActivitySummary? {
        let statement = try database.prepare(summaries + " WHERE id = ? AND \(isActivity(in: place))")
        try statement.bind(id)
        return try statement.step() ? Self.summary(statement) : nil
    }

    /// A whole activity of the lists. Nil if they have none of that number.
    package func recording(_ id: Int) throws(SQLiteError) -> RecordedActivity? {
        let statement = try database.prepare(activities + " WHERE id = ? AND \(isActivity(in: .lists))")
        try statement.bind(id)
        guard try statement.step() else { return nil }
        var recording = Self.recording(statement)
        statement.reset()
        recording.isIndoor = try isIndoor(id)
        recording.laps = try laps(of: id)
        recording.sensors = try sensors(of: id)
        return recording
    }

    /// The rows of an activity that are written by now, without positions if it is an indoor one.
    package func rows(of id: Int) throws(SQLiteError) -> JournalRows {
        let keys = JournalSchema.keys(of: id)
        let last = try database.integer(
            "SELECT max(key) FROM record WHERE key BETWEEN \(keys.lowerBound) AND \(keys.upperBound)")
        return JournalRows(
            database, first: keys.lowerBound, last: last, isIndoor: try isIndoor(id), version: version)
    }

    /// Whether an activity is indoors. Earlier releases marked only backdated ones; their start commands state it.
    func isIndoor(_ id: Int) throws(SQLiteError) -> Bool {
        let keys = JournalSchema.keys(of: id)
        return try database.integer(
            """
            SELECT 1 FROM activity WHERE id = \(id) AND (indoor OR
                (SELECT instr(value, '"indoor":true') FROM input
                WHERE key BETWEEN \(keys.lowerBound) AND \(keys.upperBound) AND kind = 'command' ORDER BY key LIMIT 1))
            """) == 1
    }

    /// The newest events, and those that the run in progress needs, oldest first, as published, with the present names.
    package func events(limit: Int) throws(SQLiteError) -> [(sequence: Int, line: [UInt8])] {
        // On a disk that accepts no writes the lines still have the names of an earlier version.
        let line = version < JournalSchema.versionWithEventNames ? JournalSchema.eventLine : "line"
        let statement = try database.prepare("SELECT seq, \(line) FROM event ORDER BY seq DESC LIMIT ?")
        try statement.bind(limit)
        var events: [(sequence: Int, line: [UInt8])] = []
        while try statement.step() {
            events.append((Int(statement.integer(0) ?? 0), Array((statement.text(1) ?? "").utf8)))
        }
        return events.reversed()
    }

    /// The start of an activity for its place in the list.
    private static let listedStart =
        "iif(time_uncertain <> 1, started_ms, \(datedStart(before: "activity.id")))"

    /// The start of the dated recorded activity that is numbered before an id; the least integer if there is none.
    private static func datedStart(before id: String) -> String {
        """
        ifnull((SELECT other.started_ms FROM activity AS other WHERE other.id < \(id) AND NOT other.imported
        AND other.time_uncertain <> 1 ORDER BY other.id DESC LIMIT 1), -1 << 63)
        """
    }

    // MARK: Decoding

    /// The uuid of an activity or a course.
    var uuid: String { version >= JournalSchema.versionWithUUIDs ? "uuid" : "NULL" }

    private var hasSensors: Bool { version >= JournalSchema.versionWithSensors }

    /// The columns of the climb, the automatic pauses, the energy and the load of an activity or a lap.
    private var climb: String {
        let climb =
            version >= JournalSchema.versionWithAscent
            ? "ascent_m, descent_m, ascent_error_m, ascent_source, auto_paused_ms" : "NULL, NULL, NULL, NULL, NULL"
        return climb
            + (version >= JournalSchema.versionWithEnergy
                ? ", energy_kcal, trimp, grade_adjusted_pace" : ", NULL, NULL, NULL")
    }

    /// The columns of power and cadence of an activity or a lap.
    private var effort: String {
        hasSensors
            ? "power_average_w, power_maximum_w, power_normalized_w, work_j, cadence_average, cadence_maximum, "
                + "power_zone_ms"
            : "NULL, NULL, NULL, NULL, NULL, NULL, NULL"
    }

    /// The columns in the order of the table.
    private var activities: String {
        """
        SELECT id, sport, indoor, demo, imported, open, name, started_ms, time_uncertain, total_ms,
        elapsed_ms, moving_ms, distance_m, maximum_speed_mps, heart_average_bpm, heart_maximum_bpm, gaps,
        zones, zone_ms, claim, NULL, \(effort), \(hasSensors ? "power_best_w" : "NULL"), \(climb), \(uuid),
        \(version >= JournalSchema.versionWithFields ? "fields, marks" : "NULL, NULL")
        FROM activity
        """
    }

    private var summaries: String {
        """
        SELECT id, sport, indoor, demo, imported, open, name, started_ms, time_uncertain, total_ms,
        elapsed_ms, moving_ms, distance_m, maximum_speed_mps, heart_average_bpm, heart_maximum_bpm, gaps,
        (SELECT count(*) FROM lap WHERE lap.activity = activity.id),
        \(version >= JournalSchema.versionWithRecovery ? "recovered" : "NULL"), \(effort), \(climb), \(uuid),
        \(hasTrash ? "(SELECT at_ms FROM trash WHERE trash.activity = activity.id)" : "NULL")
        FROM activity
        """
    }

    private static func summary(_ statement: SQLiteStatement) -> ActivitySummary {
        let isOpen = statement.integer(5) == 1
        let total = statement.integer(9) ?? 0
        let started = statement.integer(8) == 1 ? nil : statement.integer(7).map { UTC(milliseconds: $0) }
        var summary = ActivitySummary(
            id: Int(statement.integer(0) ?? 0), sport: sport(statement), isOpen: isOpen, started: started,
            ended: isOpen ? nil : started.map { UTC(milliseconds: $0.milliseconds + total) },
            total: figures(statement, from: 10, effort: 19, climb: 26), totalMilliseconds: total,
            laps: Int(statement.integer(17) ?? 0), gaps: Int(statement.integer(16) ?? 0),
            isDemo: statement.integer(3) == 1)
        summary.isTimeGuessed = statement.integer(8) == 2
        summary.name = statement.text(6).flatMap { SanitizedText($0) }
        summary.uuid = statement.text(34).flatMap { UUID($0) }
        summary.recovered = statement.text(18).flatMap(RecordingText.note)
        summary.trashed = statement.integer(35).map(TrashMark.init(stored:))
        return summary
    }

    static func recording(_ columns: some JournalColumns) -> RecordedActivity {
        var recording = RecordedActivity(
            sport: Self.sport(columns), started: UTC(milliseconds: columns.integer(7) ?? 0))
        recording.id = columns.integer(0).map { Int($0) }
        recording.uuid = columns.text(37).flatMap { UUID($0) }
        recording.isIndoor = columns.integer(2) == 1
        recording.isDemo = columns.integer(3) == 1
        recording.name = columns.text(6).flatMap { SanitizedText($0) }
        recording.isTimeUncertain = columns.integer(8) == 1
        recording.isTimeGuessed = columns.integer(8) == 2
        recording.totalMilliseconds = columns.integer(9) ?? 0
        recording.total = Self.figures(columns, from: 10, effort: 21, climb: 29)
        recording.total.bestPowers = columns.text(28).map(RecordingText.powers) ?? BestPowers()
        recording.zones = columns.text(17).flatMap(RecordingText.list).flatMap { try? Zones($0.map { Int($0) }) }
        recording.zoneMilliseconds = columns.text(18).flatMap(RecordingText.list) ?? []
        recording.sourceTotals = columns.text(19).flatMap(RecordingText.totals)
        recording.fields = columns.text(38).map(RecordingText.fields) ?? []
        recording.marks = columns.text(39).map(RecordingText.marks) ?? []
        return recording
    }

    private static func sport(_ statement: some JournalColumns) -> Sport {
        statement.text(1).flatMap(Sport.init(token:)) ?? .other
    }

    /// - Parameters:
    ///   - effort: the first column of power and cadence.
    ///   - climb: the first column of ascent and descent, and of what follows them.
    private static func figures(
        _ statement: some JournalColumns, from column: Int32, effort: Int32, climb: Int32
    ) -> Totals {
        var figures = Totals()
        figures.elapsedMilliseconds = statement.integer(column) ?? 0
        figures.movingMilliseconds = statement.integer(column + 1) ?? 0
        figures.distanceMetres = statement.real(column + 2) ?? 0
        figures.maximumSpeed = statement.real(column + 3)
        figures.averageHeartRate = statement.real(column + 4)
        figures.maximumHeartRate = statement.integer(column + 5).map { Int($0) }
        figures.averagePower = statement.real(effort)
        figures.maximumPower = statement.integer(effort + 1).map { Int($0) }
        figures.normalizedPower = statement.real(effort + 2)
        figures.workJoules = statement.real(effort + 3)
        figures.averageCadence = statement.real(effort + 4)
        figures.maximumCadence = statement.real(effort + 5)
        let zones = statement.text(effort + 6).flatMap(RecordingText.list)
        figures.powerZones = zones.map { ZoneTimes(milliseconds: $0) } ?? ZoneTimes()
        figures.ascent = statement.real(climb)
        figures.descent = statement.real(climb + 1)
        figures.ascentError = statement.real(climb + 2)
        figures.ascentSource = statement.text(climb + 3).flatMap(AscentSource.init(token:))
        figures.autoPausedMilliseconds = statement.integer(climb + 4)
        figures.energyKilocalories = statement.real(climb + 5)
        figures.trainingImpulse = statement.real(climb + 6)
        figures.gradeAdjustedPace = statement.real(climb + 7)
        return figures
    }

    private func laps(of id: Int) throws(SQLiteError) -> [RecordingLap] {
        let statement = try database.prepare(
            """
            SELECT trigger, began_ms, ended_ms, elapsed_ms, moving_ms, distance_m, maximum_speed_mps, heart_average_bpm,
            heart_maximum_bpm, \(effort), \(climb) FROM lap WHERE activity = ? ORDER BY number
            """)
        try statement.bind(id)
        var laps: [RecordingLap] = []
        while try statement.step() { laps.append(Self.lap(statement)) }
        return laps
    }

    static func lap(_ columns: some JournalColumns) -> RecordingLap {
        RecordingLap(
            trigger: columns.text(0).flatMap(Event.Trigger.init(token:)), beganAt: columns.integer(1) ?? 0,
            endedAt: columns.integer(2) ?? 0, figures: figures(columns, from: 3, effort: 9, climb: 16))
    }

    private func sensors(of id: Int) throws(SQLiteError) -> [RecordingSensor] {
        let statement = try database.prepare(
            """
            SELECT \(hasSensors ? "kinds" : "NULL"), address, name, manufacturer, \(hasSensors ? "model" : "NULL"),
            serial_number, firmware, battery_percent FROM sensor WHERE activity = ? \(hasSensors ? "ORDER BY number" : "")
            """)
        try statement.bind(id)
        var sensors: [RecordingSensor] = []
        while try statement.step() { sensors.append(Self.sensor(statement)) }
        return sensors
    }

    /// Before version 7 the only sensor was the strap, without kinds.
    static func sensor(_ columns: some JournalColumns) -> RecordingSensor {
        var sensor = RecordingSensor(columns.text(0).map(RecordingText.kinds) ?? [.heartRate])
        sensor.address = columns.text(1).flatMap { BluetoothAddress($0) }
        sensor.name = columns.text(2).flatMap { SanitizedText($0) }
        sensor.manufacturer = columns.text(3).flatMap { SanitizedText($0) }
        sensor.model = columns.text(4).flatMap { SanitizedText($0) }
        sensor.serialNumber = columns.text(5).flatMap { SanitizedText($0) }
        sensor.firmware = columns.text(6).flatMap { SanitizedText($0) }
        sensor.batteryPercent = columns.integer(7).map { Int($0) }
        return sensor
    }
}

/// The data of an activity that a list shows beside its totals.
package struct ActivityNote: Equatable, Sendable {
    package var isImported: Bool
    package var name: SanitizedText?
}

extension JournalReader {
    /// The notes of the activities from a number on, keyed by number.
    package func notes(from id: Int) throws(SQLiteError) -> [Int: ActivityNote] {
        let statement = try database.prepare("SELECT id, imported, name FROM activity WHERE id >= ?")
        try statement.bind(id)
        var notes: [Int: ActivityNote] = [:]
        while try statement.step() {
            notes[Int(statement.integer(0) ?? 0)] = ActivityNote(
                isImported: statement.integer(1) == 1, name: statement.text(2).flatMap { SanitizedText($0) })
        }
        return notes
    }
}

/// A stored setting.
package struct JournalSetting: Equatable, Sendable {
    package var name: String
    /// JSON.
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The most settings read from a journal that may be damaged. There are fewer keys.
    static let limit = 64
}

extension JournalReader {
    /// The stored settings, sorted by name. Empty for a journal without the table.
    package func settings() throws(SQLiteError) -> [JournalSetting] {
        if version < JournalSchema.versionWithSettings { return [] }
        let statement = try database.prepare(
            "SELECT name, value FROM setting ORDER BY name LIMIT \(JournalSetting.limit)")
        var settings: [JournalSetting] = []
        while try statement.step() {
            guard let name = statement.text(0), let value = statement.text(1) else { continue }
            settings.append(JournalSetting(name: name, value: value))
        }
        return settings
    }
}
