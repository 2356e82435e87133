import Domain
import JSONCoding
import JournalCoding
import Pipeline
import SQLite

/// The statements that write changes, prepared once per connection. All may run twice, because a commit
/// that failed may be on the disk nevertheless.
struct JournalStatements {
    let database: SQLiteDatabase
    private let location: SQLiteStatement
    private let heart: SQLiteStatement
    private let input: SQLiteStatement
    private let record: SQLiteStatement
    private let event: SQLiteStatement
    private let clock: SQLiteStatement
    private let figures: SQLiteStatement
    private let lap: SQLiteStatement
    private let sensor: SQLiteStatement
    private var text = JSONWriter(capacity: 256)
    /// Whether there may be condemned activities (``erase(atMost:)``).
    private(set) var hasCondemned = true
    /// The laps of the open activity that are already written.
    private var laps: (activity: Int, laps: [RecordingLap]) = (0, [])

    init(_ database: SQLiteDatabase) throws(SQLiteError) {
        self.database = database
        location = try database.prepare(
            "INSERT OR REPLACE INTO location VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        heart = try database.prepare("INSERT OR REPLACE INTO heart VALUES (?, ?, ?, ?, ?, ?)")
        input = try database.prepare("INSERT OR REPLACE INTO input VALUES (?, ?, ?, ?)")
        record = try database.prepare(
            """
            INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        event = try database.prepare("INSERT OR REPLACE INTO event VALUES (?, ?, ?, ?)")
        clock = try database.prepare("INSERT INTO clock VALUES (NULL, ?, ?, ?, ?)")
        figures = try database.prepare(
            """
            UPDATE activity SET open = ?2,
            started_ms = iif(\(Self.isBetterDated), started_ms, ?3),
            time_uncertain = iif(\(Self.isBetterDated), time_uncertain, ?4),
            total_ms = ?5, elapsed_ms = ?6, moving_ms = ?7, distance_m = ?8, maximum_speed_mps = ?9,
            heart_average_bpm = ?10, heart_maximum_bpm = ?11, gaps = ?12, zones = ?13, zone_ms = ?14,
            power_average_w = ?15, power_maximum_w = ?16, power_normalized_w = ?17, work_j = ?18, cadence_average = ?19,
            cadence_maximum = ?20, power_zone_ms = ?21, power_best_w = ?22, ascent_m = ?23, descent_m = ?24,
            ascent_error_m = ?25, ascent_source = ?26, auto_paused_ms = ?27, energy_kcal = ?28, trimp = ?29,
            grade_adjusted_pace = ?30, fields = ?31, marks = ?32 WHERE id = ?1
            """)
        lap = try database.prepare(
            "INSERT OR REPLACE INTO lap VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        sensor = try database.prepare("INSERT OR REPLACE INTO sensor VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    }

    /// Whether the stored start is by a better clock than that of ?3, which has ``RecordedActivity/timeUncertainty`` ?4.
    private static let isBetterDated = "(?4 <> 0 AND time_uncertain <> ?4 AND time_uncertain <> 1)"

    /// The minimum number of EVENT lines and clock readings that are kept.
    private static let retainedRows = 1000

    /// Deletes the events up to number ?2, except those that ``EventRing`` retains of run ?1: its start,
    /// the last start after an outage, the last pause or resume, and the last 100 laps.
    private static let forgetEvents = """
        WITH mark (seq, kind) AS (
            SELECT seq, CASE
                WHEN instr(line, '"event":"start"') THEN iif(instr(line, '"resumed":true'), 'resumed', 'start')
                WHEN instr(line, '"event":"pause"') OR instr(line, '"event":"resume"') THEN 'pause'
                WHEN instr(line, '"event":"lap"') THEN 'lap' END
            FROM event WHERE activity = ?1)
        DELETE FROM event WHERE seq <= ?2
            AND seq NOT IN (SELECT max(seq) FROM mark WHERE kind IN ('start', 'resumed', 'pause') GROUP BY kind)
            AND seq NOT IN (SELECT seq FROM mark WHERE kind = 'lap' ORDER BY seq DESC LIMIT 100)
        """

    mutating func write(_ change: JournalChange) throws(SQLiteError) {
        switch change {
        case .begin(let recording, let part):
            try begin(recording, isImport: false, isOpen: true)
            guard let id = recording.id else { return }
            try write(part, of: id)
        case .resume(let recording, let part):
            guard let id = recording.id else { return }
            // The file may have been replaced since the activity was read.
            let isThere = try database.integer("SELECT 1 FROM activity WHERE id = \(id)") != nil
            if !isThere { try begin(recording, isImport: false, isOpen: true) }
            try database.prepare("UPDATE activity SET open = 1 WHERE id = ?").run(id)
            try write(part, of: id)
        case .entry(let activity, let place, let entry):
            try write(entry, JournalSchema.key(activity, place))
        case .row(let activity, let place, let row): try write(row, JournalSchema.key(activity, place))
        case .update(let recording, let gaps): try write(recording, gaps: gaps, isOpen: true)
        case .end(let recording, let gaps): try write(recording, gaps: gaps, isOpen: false)
        case .event(let sequence, let activity, let at, let line):
            try event.run(sequence, activity, at.nanoseconds, String(decoding: line, as: UTF8.self))
            // Done rarely, because it changes pages that nothing else does.
            if sequence % 100 == 0 {
                try database.prepare(Self.forgetEvents).run(activity, sequence - Self.retainedRows)
            }
        case .clock(let bootID, let at, let time, let source):
            try clock.run(bootID, at.nanoseconds, time.milliseconds, source.token)
            try stamp(bootID, at.milliseconds, time.milliseconds, isGuess: source == .rtc)
            if source != .rtc { try eraseOldTrash(at: time) }
            try database.execute("DELETE FROM clock WHERE number <= last_insert_rowid() - \(Self.retainedRows)")
        case .edit(let activity, let sport, let name, let started):
            if let sport { try scaleCadences(of: activity, for: sport) }
            try database.prepare(
                """
                UPDATE activity SET sport = ifnull(?2, sport), name = ifnull(?3, name),
                started_ms = ifnull(?4, started_ms), time_uncertain = iif(?4 IS NULL, time_uncertain, 0) WHERE id = ?1
                """
            ).run(activity, sport?.token, name?.text, started?.milliseconds)
        case .delete(let activity): try condemn(activity)
        case .cut(let activity, let entries, let rows): try cut(activity, entries: entries, rows: rows)
        case .cutAfter(let activity, let at, let elapsed):
            let keys = JournalSchema.keys(of: activity)
            try database.prepare(
                "DELETE FROM record WHERE key BETWEEN ? AND ? AND (at_ms > ? OR elapsed_ms > ?)"
            ).run(keys.lowerBound, keys.upperBound, at, elapsed)
        case .export(let activity, let format):
            try database.prepare("INSERT OR IGNORE INTO export VALUES (?, ?)").run(activity, format.token)
        case .exported(let activity, let format):
            try database.prepare("DELETE FROM export WHERE activity = ? AND format = ?").run(activity, format.token)
        case .setting(let setting):
            try database.prepare("INSERT OR REPLACE INTO setting VALUES (?, ?)").run(setting.name, setting.value)
        case .recover(let name): try JournalRecovery.enter(name, in: database)
        case .course(let change): try write(change)
        case .trash(let change): try write(change)
        case .unset(let name): try database.prepare("DELETE FROM setting WHERE name = ?").run(name)
        }
    }

    /// Inserts an activity. If it exists and is open, only its start is updated.
    func begin(_ recording: RecordedActivity, isImport: Bool, isOpen: Bool) throws(SQLiteError) {
        try database.prepare(
            """
            INSERT INTO activity (id, sport, indoor, demo, imported, open, name, started_ms, time_uncertain, total_ms,
            elapsed_ms, moving_ms, distance_m, gaps, claim, uuid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, ?, ?)
            ON CONFLICT (id) DO UPDATE SET started_ms = excluded.started_ms, time_uncertain = excluded.time_uncertain
            WHERE open AND NOT imported
            """
        ).run(
            recording.id, recording.sport.token, recording.isIndoor, recording.isDemo, isImport, isOpen,
            recording.name?.text, recording.started.milliseconds, recording.timeUncertainty,
            recording.sourceTotals.map { String(decoding: RecordingText.text(of: $0), as: UTF8.self) },
            recording.uuid?.description)
    }

    func write(_ part: BootSegment, of activity: Int) throws(SQLiteError) {
        try database.prepare("INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)").run(
            activity, part.number, part.bootID, part.at.nanoseconds, part.beginsAt, part.place)
    }

    /// Updates the totals of an activity.
    mutating func write(_ recording: RecordedActivity, gaps: Int, isOpen: Bool) throws(SQLiteError) {
        guard let id = recording.id else { return }
        let total = recording.total
        try figures.run(
            id, isOpen, recording.started.milliseconds, recording.timeUncertainty, recording.totalMilliseconds,
            total.elapsedMilliseconds, total.movingMilliseconds, total.distanceMetres, total.maximumSpeed,
            total.averageHeartRate, total.maximumHeartRate, gaps,
            recording.zones.map { RecordingText.list($0.bottoms.map(Int64.init)) },
            recording.zones.map { _ in RecordingText.list(recording.zoneMilliseconds) },
            total.averagePower, total.maximumPower, total.normalizedPower, total.workJoules, total.averageCadence,
            total.maximumCadence, Self.text(of: total.powerZones), RecordingText.text(of: total.bestPowers),
            total.ascent, total.descent, total.ascentError, total.ascentSource?.token, total.autoPausedMilliseconds,
            total.energyKilocalories, total.trainingImpulse, total.gradeAdjustedPace,
            RecordingText.text(of: recording.fields), RecordingText.text(of: recording.marks))
        let written = laps.activity == id ? laps.laps : []
        for (index, lap) in recording.laps.enumerated() where index >= written.count || written[index] != lap {
            let figures = lap.figures
            try self.lap.run(
                id, index + 1, lap.trigger?.token, lap.beganAt, lap.endedAt, figures.elapsedMilliseconds,
                figures.movingMilliseconds, figures.distanceMetres, figures.maximumSpeed, figures.averageHeartRate,
                figures.maximumHeartRate, figures.averagePower, figures.maximumPower, figures.normalizedPower,
                figures.workJoules, figures.averageCadence, figures.maximumCadence, Self.text(of: figures.powerZones),
                figures.ascent, figures.descent, figures.ascentError, figures.ascentSource?.token,
                figures.autoPausedMilliseconds, figures.energyKilocalories, figures.trainingImpulse,
                figures.gradeAdjustedPace)
        }
        if recording.laps.count < written.count || written.isEmpty {
            try database.execute("DELETE FROM lap WHERE activity = \(id) AND number > \(recording.laps.count)")
        }
        laps = (id, recording.laps)
        for (index, sensor) in recording.sensors.enumerated() {
            try self.sensor.run(
                id, index + 1, RecordingText.text(of: sensor.kinds), sensor.address?.description, sensor.name?.text,
                sensor.manufacturer?.text, sensor.model?.text, sensor.serialNumber?.text, sensor.firmware?.text,
                sensor.batteryPercent)
        }
    }

    private static func text(of zones: ZoneTimes) -> String? {
        let times = zones.milliseconds
        return times.isEmpty ? nil : RecordingText.list(times)
    }

    /// Converts the cadences of the totals of an activity to another sport.
    private func scaleCadences(of activity: Int, for sport: Sport) throws(SQLiteError) {
        let token = try database.text("SELECT sport FROM activity WHERE id = \(activity)")
        guard let former = token.flatMap(Sport.init(token:)) else { return }
        let factor = sport.stepsPerCadence / former.stepsPerCadence
        guard factor != 1 else { return }
        for (table, id) in [("activity", "id"), ("lap", "activity")] {
            try database.execute(
                """
                UPDATE \(table) SET cadence_average = cadence_average * \(factor),
                cadence_maximum = cadence_maximum * \(factor) WHERE \(id) = \(activity)
                """)
        }
    }

    /// Forgets which laps are written, after a failed transaction.
    mutating func invalidateCache() {
        laps = (0, [])
    }

    mutating func write(_ entry: InputLogEntry, _ key: Int64) throws(SQLiteError) {
        let at = entry.at.nanoseconds
        switch entry.kind {
        case .input(.fix(let fix)):
            try location.run(
                key, at, fix.arrivedAt.nanoseconds, fix.time?.milliseconds, fix.device?.text, Int(fix.mode),
                fix.latitude, fix.longitude, fix.altitude, fix.accuracy, fix.speed, fix.track, fix.satellites,
                entry.rejection?.token, fix.verticalAccuracy)
        case .input(.heart(let heart)):
            try self.heart.run(
                key, at, Int(heart.beatsPerMinute), heart.contact, heart.energyKilojoules.map(Int.init),
                Self.bytes(of: heart.rrIntervals))
        case .input(.recorder), .input(.power): break
        case let kind:
            text.clear()
            text.entry(kind)
            try input.run(key, at, kind.name, String(decoding: text.bytes, as: UTF8.self))
            try note(entry, of: key >> 32)
        }
    }

    func write(_ row: RecordingRow, _ key: Int64) throws(SQLiteError) {
        func mark(
            _ at: Int64, _ kind: String, _ cause: String? = nil, rr: [UInt8]? = nil, gap: Bool? = nil,
            elapsed: Int64? = nil
        ) throws(SQLiteError) {
            let none: Int? = nil
            try record.run(
                key, at, kind, cause, rr, gap, elapsed, none, none, none, none, none, none, none, none, none, none,
                none, none, none, none, none, none)
        }
        switch row {
        case .begin(let at, let trigger): try mark(at, "begin", trigger.token)
        case .end(let at, let trigger): try mark(at, "end", trigger.token)
        case .lap(let at, let trigger): try mark(at, "lap", trigger.token)
        case .segment(let at): try mark(at, "segment")
        case .autoPause(let at, let elapsed): try mark(at, "auto-pause", elapsed: elapsed)
        case .autoResume(let at, let elapsed): try mark(at, "auto-resume", elapsed: elapsed)
        case .beats(let at, let rr, let gap): try mark(at, "beats", rr: Self.bytes(of: rr), gap: gap)
        case .sample(let sample):
            let none: String? = nil
            let noBytes: [UInt8]? = nil
            let noGap: Bool? = nil
            try record.run(
                key, sample.at, none, none, noBytes, noGap, sample.elapsedMilliseconds, sample.distanceMetres,
                sample.coordinate?.latitude, sample.coordinate?.longitude, sample.altitude, sample.speed,
                sample.heartRate, sample.cadence, sample.power, sample.temperature, sample.leftBalance,
                sample.ascent, sample.descent, sample.grade, sample.verticalSpeed, sample.ascentSource?.token,
                RecordingText.text(of: sample.fields))
        }
    }

    private static func bytes(of intervals: [UInt16]) -> [UInt8] {
        intervals.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }
}

// MARK: Deleting

extension JournalStatements {
    /// Removes an activity from all lists at once. Its rows are erased step by step (``erase(atMost:)``).
    mutating func condemn(_ activity: Int) throws(SQLiteError) {
        hasCondemned = true
        try database.execute(
            """
            INSERT OR IGNORE INTO condemned VALUES (\(activity));
            DELETE FROM activity WHERE id = \(activity);
            DELETE FROM trash WHERE activity = \(activity);
            """)
    }

    /// The uuid of an imported recording: its own, that of the activity that it replaces, or a new one.
    ///
    /// - Throws: ``SQLiteError/uuidIsKnown(_:)`` if another activity has its uuid, or the one that it replaces is in progress.
    func uuid(of recording: RecordedActivity, replacing replaced: Int?) throws(SQLiteError) -> UUID {
        if let uuid = recording.uuid {
            let known = try database.prepare(
                "SELECT id, open, id IN (SELECT activity FROM trash) FROM activity WHERE uuid = ?")
            try known.bind(uuid.description)
            defer { known.reset() }
            guard try known.step(), let id = known.integer(0).map({ Int($0) }) else { return uuid }
            if known.integer(2) == 1 { throw SQLiteError.uuidIsInTrash(id) }
            guard id == replaced, known.integer(1) == 0 else { throw SQLiteError.uuidIsKnown(id) }
            return uuid
        }
        let former = try replaced.flatMap { id throws(SQLiteError) in
            try database.text("SELECT uuid FROM activity WHERE id = \(id)")
        }
        return former.flatMap { UUID($0) } ?? .new(at: recording.isTimeUncertain ? nil : recording.started)
    }

    /// Gives an imported activity the number and the name of another one, which is erased.
    ///
    /// - Returns: False if the other is in progress, or neither imported nor the same by its uuid; nothing has changed then.
    func replace(_ former: Int, with activity: Int) throws(SQLiteError) -> Bool {
        let isReplaceable = """
            SELECT 1 FROM activity WHERE id = \(former) AND NOT open
            AND (imported OR uuid = (SELECT uuid FROM activity WHERE id = \(activity)))
            """
        guard former != activity, try database.integer(isReplaceable) != nil else { return false }
        try eraseCourses(of: Int64(former))
        let (old, new) = (JournalSchema.keys(of: former), JournalSchema.keys(of: activity))
        try database.execute(
            """
            UPDATE activity SET name = ifnull((SELECT name FROM activity WHERE id = \(former)), name) WHERE id = \(activity);
            DELETE FROM activity WHERE id = \(former);
            UPDATE activity SET id = \(former) WHERE id = \(activity);
            """)
        for table in JournalSchema.keyed {
            try database.execute(
                """
                DELETE FROM \(table) WHERE key BETWEEN \(old.lowerBound) AND \(old.upperBound);
                UPDATE \(table) SET key = key - \(new.lowerBound - old.lowerBound)
                WHERE key BETWEEN \(new.lowerBound) AND \(new.upperBound);
                """)
        }
        for table in JournalSchema.numbered {
            try database.execute(
                """
                DELETE FROM \(table) WHERE activity = \(former);
                UPDATE \(table) SET activity = \(former) WHERE activity = \(activity);
                """)
        }
        return true
    }

    /// Sets the start time of activities whose boot had no known clock at the time, or only a real-time clock.
    private func stamp(_ bootID: String, _ at: Int64, _ time: Int64, isGuess: Bool) throws(SQLiteError) {
        try database.prepare(
            """
            UPDATE activity SET time_uncertain = iif(?4, 2, 0), started_ms = ?3 - ?2
                + (SELECT at_ns / 1000000 FROM part WHERE activity = id AND number = 0)
            WHERE time_uncertain IN (1, iif(?4, 1, 2)) AND NOT imported
                AND (SELECT boot_id FROM part WHERE activity = id AND number = 0) = ?1
            """
        ).run(bootID, at, time, isGuess)
    }

    private func cut(_ activity: Int, entries: Int, rows: Int) throws(SQLiteError) {
        let last = JournalSchema.keys(of: activity).upperBound
        for table in JournalSchema.keyed {
            let first = JournalSchema.key(activity, table == "record" ? rows : entries)
            try database.execute("DELETE FROM \(table) WHERE key BETWEEN \(first) AND \(last)")
        }
        try database.execute("DELETE FROM part WHERE activity = \(activity) AND place >= \(max(entries, 1))")
    }

    /// Erases some rows of condemned activities; SQLite overwrites them with zeros.
    ///
    /// - Returns: False if no activity is condemned.
    mutating func erase(atMost count: Int) throws(SQLiteError) -> Bool {
        guard let activity = try database.integer("SELECT min(activity) FROM condemned") else {
            hasCondemned = false
            return false
        }
        let keys = JournalSchema.keys(of: Int(activity))
        for table in JournalSchema.keyed {
            try database.execute(
                """
                DELETE FROM \(table) WHERE key IN (SELECT key FROM \(table)
                WHERE key BETWEEN \(keys.lowerBound) AND \(keys.upperBound) LIMIT \(count))
                """)
            if database.changes > 0 { return true }
        }
        for table in JournalSchema.numbered {
            try database.execute("DELETE FROM \(table) WHERE activity = \(activity)")
        }
        try eraseCourses(of: activity)
        try database.execute("DELETE FROM condemned WHERE activity = \(activity)")
        return true
    }

    func write(_ loss: JournalQueue.Loss) throws(SQLiteError) {
        try database.prepare("INSERT INTO loss VALUES (NULL, ?, ?, ?, ?)").run(
            loss.activity, loss.first.nanoseconds, loss.last.nanoseconds, loss.rows)
    }
}

extension RecordedActivity {
    /// The column `time_uncertain`: 0, 1 for an undated activity, 2 for a start by a real-time clock.
    fileprivate var timeUncertainty: Int {
        isTimeUncertain ? 1 : isTimeGuessed ? 2 : 0
    }
}
