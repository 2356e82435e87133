import Domain
import Formats
import JournalCoding
import Pipeline
import SQLite

/// Copies one activity of a damaged journal in batches of rows. It becomes an activity only when it is finished.
struct ActivityRecovery {
    /// Where copying continues: an index in ``DamagedJournal/Table/keyed``, and a place in that table.
    struct Position: Equatable {
        var table = 0
        var place: UInt32 = 0
    }

    /// The number in the damaged journal.
    let source: Int
    let parts: [BootSegment]
    /// The activity from its row. Nil if the row is lost.
    let recording: RecordedActivity?
    let isImported: Bool
    let isOpen: Bool
    private let gaps: Int
    private let journal: DamagedJournal
    private let pageIndex: JournalPageIndex

    /// The rows read beyond a batch, which show whether its last rows are in order.
    private static let lookahead = 32
    private static let lapLimit = 10_000
    private static let sensorLimit = 16

    init(_ source: Int, of survey: JournalPageIndex, _ journal: DamagedJournal) {
        self.source = source
        self.pageIndex = survey
        self.journal = journal
        let row = survey.rows(of: source, in: .activity, journal).first.map { cell in
            StoredColumns(values: [.integer(Int64(source))] + cell.values.dropFirst())
        }
        recording = row.flatMap { $0.text(1) == nil ? nil : JournalReader.recording($0) }
        let parts = survey.rows(of: source, in: .part, journal)
            .map { JournalReader.part(StoredColumns(values: $0.values[1...])) }.filter(Self.isPossible)
        self.parts = parts.first?.number == 0 ? parts : Self.firstPart(of: source, survey, journal) + parts
        isImported = row.map { $0.integer(4) == 1 } ?? self.parts.isEmpty
        isOpen = row?.integer(5) == 1
        gaps = row?.integer(16).map { (0...1_000_000).contains($0) ? Int($0) : 0 } ?? 0
    }

    private static func isPossible(_ part: BootSegment) -> Bool {
        RecoveredRow.bootRange.contains(part.at.nanoseconds) && (0...RecoveredRow.longest).contains(part.beginsAt)
            && part.bootID.utf8.count <= 64 && (0...10_000).contains(part.number)
            && (0...Int(UInt32.max)).contains(part.place)
    }

    /// A part that starts with the first entry, if the row of the part is lost. Empty if there is no entry.
    private static func firstPart(
        of source: Int, _ survey: JournalPageIndex, _ journal: DamagedJournal
    ) -> [BootSegment] {
        let first = [DamagedJournal.Table.location, .heart, .input].compactMap { table in
            survey.rows(of: source, in: table, from: 0, atLeast: 1, journal).rows.first?.cell
        }.min { $0.rowid < $1.rowid }
        guard let at = first.flatMap({ StoredColumns(values: $0.values[...]).integer(1) }),
            RecoveredRow.bootRange.contains(at)
        else { return [] }
        return [BootSegment(bootID: "", at: Instant(nanoseconds: at))]
    }

    /// Copies about `limit` rows at most.
    ///
    /// - Returns: Where to continue. Nil if no row is left.
    func copy(
        from position: Position, atMost limit: Int, to target: Int, in file: JournalFile
    ) throws(SQLiteError) -> Position? {
        let table = DamagedJournal.Table.keyed[position.table]
        let (found, next) = pageIndex.rows(
            of: source, in: table, from: position.place, atLeast: limit + Self.lookahead, journal)
        let earliest = try lastMoment(of: target, in: table, file)
        let rows = found.compactMap { RecoveredRow($0.cell, of: table, place: $0.place, parts: parts) }
            .inOrder(from: earliest)
        var count = rows.count
        if next != nil || count > limit + Self.lookahead { count = min(limit, count - Self.lookahead) }
        // If damage leaves so few rows, there is nothing to look ahead at.
        if count <= 0 { count = rows.count }
        for row in rows.prefix(count) {
            let key = JournalSchema.key(target, Int(row.place))
            switch row.content {
            case .row(let row): try file.statements.write(row, key)
            case .entry(let entry): try file.statements.write(entry, key)
            }
        }
        if count < rows.count { return Position(table: position.table, place: rows[count].place) }
        if let next { return Position(table: position.table, place: next) }
        let following = position.table + 1
        return following < DamagedJournal.Table.keyed.count ? Position(table: following) : nil
    }

    /// The moment of the last copied row, in milliseconds since the start of the activity.
    private func lastMoment(
        of target: Int, in table: DamagedJournal.Table, _ file: JournalFile
    ) throws(SQLiteError) -> Int64 {
        let keys = JournalSchema.keys(of: target)
        let statement = try file.database.prepare(
            """
            SELECT key, \(table == .record ? "at_ms" : "at_ns") FROM \(table.name)
            WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1
            """)
        try statement.bind(keys.lowerBound, keys.upperBound)
        guard try statement.step(), let key = statement.integer(0), let at = statement.integer(1) else { return .min }
        if table == .record { return at }
        let place = Int(key - keys.lowerBound)
        guard let part = parts.last(where: { $0.place <= place }) ?? parts.first else { return .min }
        return part.beginsAt + (at - part.at.nanoseconds) / 1_000_000
    }

    // MARK: The whole activity

    /// A row of table `sensor`. Before version 7 it was that of the strap.
    private static func sensor(_ cell: DamagedDatabase.Cell) -> RecordingSensor {
        guard cell.values.count == 7 else {
            return JournalReader.sensor(StoredColumns(values: cell.values[2...]))
        }
        let values: [SQLiteStored] = [.null] + cell.values[1...3] + [.null] + cell.values[4...]
        return JournalReader.sensor(StoredColumns(values: values[...]))
    }

    /// The totals of the copied rows.
    private struct Measured {
        var last: Int64 = 0
        var elapsed: Int64 = 0
        var distance = 0.0
        var averageHeartRate: Double?
        var maximumHeartRate: Int?
        var averagePower: Double?
        var maximumPower: Int?
        /// The number of places without a row.
        var missing = 0
        var next = 0
        var isEnded = false

        init(_ target: Int, _ database: SQLiteDatabase) throws(SQLiteError) {
            let keys = JournalSchema.keys(of: target)
            let statement = try database.prepare(
                """
                SELECT max(key), count(*), max(at_ms), max(elapsed_ms), max(distance_m), avg(bpm), max(bpm),
                (SELECT kind FROM record WHERE key BETWEEN ?1 AND ?2 ORDER BY key DESC LIMIT 1), avg(power_w), max(power_w)
                FROM record WHERE key BETWEEN ?1 AND ?2
                """)
            try statement.bind(keys.lowerBound, keys.upperBound)
            guard try statement.step(), let key = statement.integer(0) else { return }
            next = Int(key - keys.lowerBound) + 1
            missing = next - Int(statement.integer(1) ?? 0)
            last = statement.integer(2) ?? 0
            elapsed = statement.integer(3) ?? 0
            distance = statement.real(4) ?? 0
            averageHeartRate = statement.real(5)
            maximumHeartRate = statement.integer(6).map { Int($0) }
            isEnded = statement.text(7) == "end"
            averagePower = statement.real(8)
            maximumPower = statement.integer(9).map { Int($0) }
        }
    }

    /// Inserts the activity of the copied rows.
    ///
    /// - Parameter staysOpen: whether a run continues it.
    /// - Returns: The losses.
    func finish(
        as target: Int, staysOpen: Bool = false, in file: JournalFile
    ) throws(SQLiteError) -> RecoveryNote {
        let measured = try Measured(target, file.database)
        var recording: RecordedActivity
        if let kept = self.recording {
            recording = kept
        } else {
            recording = try restored(target, measured, in: file.database)
        }
        recording.id = target
        recording.uuid = try uuid(of: recording, in: file.database)
        let isCut = self.recording == nil || isOpen && !staysOpen
        Self.repair(&recording, by: measured, isCut: isCut)
        recording.laps = laps(of: recording, isComplete: !isCut, staysOpen: staysOpen)
        recording.sensors = pageIndex.rows(of: source, in: .sensor, journal).prefix(Self.sensorLimit).map(Self.sensor)
        if isCut, !measured.isEnded, measured.next > 0 {
            try file.statements.write(.end(at: measured.last, .outage), JournalSchema.key(target, measured.next))
        }
        let tail = isImported ? 0 : Int(max(recording.total.elapsedMilliseconds - measured.elapsed - 1, 0) / 1000)
        let note = RecoveryNote(
            formerID: source == target ? nil : source, lostRows: measured.missing + (staysOpen ? 0 : tail))
        try file.statements.begin(recording, isImport: isImported, isOpen: staysOpen)
        for part in parts { try file.statements.write(part, of: target) }
        file.statements.invalidateCache()
        try file.statements.write(recording, gaps: gaps, isOpen: staysOpen)
        file.statements.invalidateCache()
        try file.database.prepare("UPDATE activity SET recovered = ? WHERE id = ?")
            .run(RecordingText.text(of: note), target)
        for mark in journal.rows(of: "trash").rows where mark.rowid == source {
            guard let time = StoredColumns(values: mark.values[...]).integer(1) else { continue }
            try file.database.prepare("INSERT OR IGNORE INTO trash VALUES (?, ?)").run(target, time)
        }
        for export in pageIndex.rows(of: source, in: .export, journal) {
            guard let format = StoredColumns(values: export.values[...]).text(1).flatMap(ExportFormat.init(token:))
            else {
                continue
            }
            try file.statements.write(.export(activity: target, format))
        }
        return note
    }

    /// Its uuid, or the one that the migration gives; a new one if the journal has it already.
    private func uuid(of recording: RecordedActivity, in database: SQLiteDatabase) throws(SQLiteError) -> UUID {
        let part = parts.first.flatMap { $0.number == 0 ? $0 : nil }
        let uuid = recording.uuid ?? FormerUUIDs.activity(recording, part)
        let known = try database.prepare("SELECT 1 FROM activity WHERE uuid = ?")
        try known.bind(uuid.description)
        return try known.step() ? .new(at: recording.isTimeUncertain ? nil : recording.started) : uuid
    }

    /// Restores an activity whose row is lost from its entries and rows.
    private func restored(
        _ target: Int, _ measured: Measured, in database: SQLiteDatabase
    ) throws(SQLiteError) -> RecordedActivity {
        var recording = RecordedActivity(sport: .other, started: UTC(milliseconds: 0))
        recording.isTimeUncertain = true
        if let part = parts.first, part.number == 0,
            let started = ClockMapping.time(of: part.at, by: pageIndex.clocks[part.bootID] ?? [])
        {
            recording.started = started.time
            recording.isTimeUncertain = false
            recording.isTimeGuessed = started.source == .rtc
        }
        let keys = JournalSchema.keys(of: target)
        let statement = try database.prepare(
            """
            SELECT key, at_ns, kind, value FROM input WHERE key BETWEEN ? AND ? AND kind IN ('beginning', 'command')
            ORDER BY key LIMIT 4
            """)
        try statement.bind(keys.lowerBound, keys.upperBound)
        while try statement.step() {
            switch (try? JournalReader.input(statement))?.kind {
            case .snapshot(let snapshot):
                recording.sport = snapshot.settings.sport
                recording.isDemo = snapshot.isDemo
            case .command(.start(let sport, let isIndoor, _)):
                recording.sport = sport ?? recording.sport
                recording.isIndoor = isIndoor
            default: break
            }
        }
        recording.total.movingMilliseconds = measured.elapsed
        recording.total.averageHeartRate = measured.averageHeartRate
        recording.total.maximumHeartRate = measured.maximumHeartRate
        recording.total.averagePower = measured.averagePower
        recording.total.maximumPower = measured.maximumPower
        return recording
    }

    /// Replaces impossible values by those measured from the rows.
    ///
    /// - Parameter isCut: whether the activity ends with its last row.
    private static func repair(_ recording: inout RecordedActivity, by measured: Measured, isCut: Bool) {
        if !RecoveredRow.timeRange.contains(recording.started.milliseconds) {
            recording.started = UTC(milliseconds: 0)
            recording.isTimeUncertain = true
        }
        if isCut || !(0...RecoveredRow.longest).contains(recording.totalMilliseconds) {
            recording.totalMilliseconds = measured.last
        }
        var total = recording.total
        if isCut || !(0...recording.totalMilliseconds + 1000).contains(total.elapsedMilliseconds) {
            total.elapsedMilliseconds = measured.elapsed
        }
        if !(0...total.elapsedMilliseconds).contains(total.movingMilliseconds) {
            total.movingMilliseconds = total.elapsedMilliseconds
        }
        if isCut || !(0...1e9).contains(total.distanceMetres) { total.distanceMetres = measured.distance }
        recording.total = corrected(total)
        if recording.zoneMilliseconds.contains(where: { !(0...RecoveredRow.longest).contains($0) }) {
            recording.zoneMilliseconds = []
            recording.zones = nil
        }
    }

    private static func corrected(_ figures: Totals) -> Totals {
        var figures = figures
        figures.maximumSpeed = figures.maximumSpeed.flatMap { (0...1e4).contains($0) ? $0 : nil }
        figures.averageHeartRate = figures.averageHeartRate.flatMap { (1...240).contains($0) ? $0 : nil }
        figures.maximumHeartRate = figures.maximumHeartRate.flatMap { (1...240).contains($0) ? $0 : nil }
        figures.averagePower = figures.averagePower.flatMap { abs($0) <= 65_535 ? $0 : nil }
        figures.maximumPower = figures.maximumPower.flatMap { abs($0) <= 65_535 ? $0 : nil }
        figures.normalizedPower = figures.normalizedPower.flatMap { (0...65_535).contains($0) ? $0 : nil }
        figures.workJoules = figures.workJoules.flatMap { abs($0) <= 1e12 ? $0 : nil }
        figures.averageCadence = figures.averageCadence.flatMap { (0...1000).contains($0) ? $0 : nil }
        figures.maximumCadence = figures.maximumCadence.flatMap { (0...1000).contains($0) ? $0 : nil }
        figures.energyKilocalories = figures.energyKilocalories.flatMap { (0...1e6).contains($0) ? $0 : nil }
        figures.trainingImpulse = figures.trainingImpulse.flatMap { (0...1e6).contains($0) ? $0 : nil }
        figures.gradeAdjustedPace = figures.gradeAdjustedPace.flatMap { (0...1e6).contains($0) ? $0 : nil }
        figures.ascent = figures.ascent.flatMap { (0...1e6).contains($0) ? $0 : nil }
        figures.descent = figures.descent.flatMap { (0...1e6).contains($0) ? $0 : nil }
        figures.ascentError = figures.ascentError.flatMap { (0...1e6).contains($0) ? $0 : nil }
        let longest = figures.elapsedMilliseconds
        figures.autoPausedMilliseconds = figures.autoPausedMilliseconds.flatMap {
            (0...longest).contains($0) ? $0 : nil
        }
        return figures
    }

    /// The plausible laps. An activity that has ended has at least one, and the last one reaches its end.
    private func laps(of recording: RecordedActivity, isComplete: Bool, staysOpen: Bool) -> [RecordingLap] {
        let length = 0...recording.totalMilliseconds + 1000
        var laps: [RecordingLap] = []
        for row in pageIndex.rows(of: source, in: .lap, journal).prefix(Self.lapLimit) {
            var lap = JournalReader.lap(StoredColumns(values: row.values[2...]))
            let figures = lap.figures
            guard length.contains(lap.beganAt), length.contains(lap.endedAt), lap.beganAt <= lap.endedAt,
                lap.beganAt >= laps.last?.endedAt ?? 0, length.contains(figures.elapsedMilliseconds),
                length.contains(figures.movingMilliseconds), (0...1e9).contains(figures.distanceMetres)
            else { continue }
            lap.figures = Self.corrected(figures)
            laps.append(lap)
        }
        if staysOpen || !laps.isEmpty && (isComplete || laps.last?.trigger == nil) { return laps }
        var rest = recording.total
        for lap in laps {
            rest.elapsedMilliseconds = max(rest.elapsedMilliseconds - lap.figures.elapsedMilliseconds, 0)
            rest.movingMilliseconds = max(rest.movingMilliseconds - lap.figures.movingMilliseconds, 0)
            rest.distanceMetres = max(rest.distanceMetres - lap.figures.distanceMetres, 0)
        }
        let began = laps.last?.endedAt ?? 0
        laps.append(
            RecordingLap(
                trigger: nil, beganAt: began, endedAt: max(recording.totalMilliseconds, began), figures: rest))
        return laps
    }
}
