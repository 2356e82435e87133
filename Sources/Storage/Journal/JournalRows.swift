package import Domain
import Formats
import JournalCoding
import SQLite

/// The rows of one recording, read lazily from the journal.
package struct JournalRows: RecordingRows {
    private let database: SQLiteDatabase
    private let first: Int64
    /// The last key. Later rows are excluded, so that two readings give the same rows.
    private let last: Int64?
    /// Whether positions are left out: those that earlier releases recorded of indoor runs.
    private let isIndoor: Bool
    /// The version of the journal's tables.
    private let version: Int64

    init(_ database: SQLiteDatabase, first: Int64, last: Int64?, isIndoor: Bool, version: Int64) {
        self.database = database
        self.first = first
        self.last = last
        self.isIndoor = isIndoor
        self.version = version
    }

    /// The number of rows if none was lost.
    package var count: Int {
        last.map { Int($0 - first) + 1 } ?? 0
    }

    package func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws {
        guard let last else { return }
        let statement = try database.prepare(
            "SELECT \(columns) FROM record WHERE key BETWEEN ? AND ? ORDER BY key")
        try statement.bind(try key(of: moments.lowerBound, to: last), last)
        defer { statement.reset() }
        while try statement.step() {
            guard var row = Self.row(statement) else { continue }
            if isIndoor { row.removePosition() }
            let at = statement.integer(0) ?? 0
            if at > moments.upperBound { return }
            if at >= moments.lowerBound { try body(row) }
        }
    }

    /// Passes the rows but beats from a place on to `body`, at most `limit`.
    ///
    /// - Returns: The place of the next row; nil after the last one.
    func eachButBeats(
        from place: Int, atMost limit: Int, _ body: (RecordingRow) throws -> Void
    ) throws -> Int? {
        guard let last else { return nil }
        let statement = try database.prepare(
            """
            SELECT \(columns), key FROM record WHERE key BETWEEN ? AND ? AND kind IS NOT 'beats' ORDER BY key LIMIT ?
            """)
        try statement.bind(first + Int64(place), last, limit)
        defer { statement.reset() }
        var count = 0
        var next = place
        while try statement.step() {
            count += 1
            next = statement.integer(22).map { Int($0 - first) + 1 } ?? next
            guard var row = Self.row(statement) else { continue }
            if isIndoor { row.removePosition() }
            try body(row)
        }
        return count < limit ? nil : next
    }

    /// Passes the rows from a place on to `body`, with their places, until it returns false.
    package func each(from place: Int, _ body: (Int, RecordingRow) throws -> Bool) throws {
        guard let last else { return }
        let statement = try database.prepare(
            "SELECT \(columns), key FROM record WHERE key BETWEEN ? AND ? ORDER BY key")
        try statement.bind(first + Int64(place), last)
        defer { statement.reset() }
        while try statement.step() {
            guard var row = Self.row(statement), let key = statement.integer(22) else { continue }
            if isIndoor { row.removePosition() }
            if try !body(Int(key - first), row) { return }
        }
    }

    /// The columns of a row.
    private var columns: String {
        let balance = version >= JournalSchema.versionWithSensors ? "left_balance" : "NULL"
        let climb =
            version >= JournalSchema.versionWithAscent
            ? "ascent_m, descent_m, grade_percent, vertical_mps, ascent_source" : "NULL, NULL, NULL, NULL, NULL"
        return """
            at_ms, kind, cause, rr_1024, gap, elapsed_ms, distance_m, latitude, longitude, altitude_m, speed_mps,
            bpm, cadence, power_w, temperature_c, \(balance), \(climb),
            \(version >= JournalSchema.versionWithFields ? "fields" : "NULL")
            """
    }

    /// A key below which all rows precede a moment. Rows are sorted by both, so a binary search needs no index.
    private func key(of moment: Int64, to last: Int64) throws(SQLiteError) -> Int64 {
        var (low, high) = (first, last)
        let probe = try database.prepare("SELECT key, at_ms FROM record WHERE key >= ? ORDER BY key LIMIT 1")
        while moment > 0, low < high {
            let middle = low + (high - low) / 2
            try probe.bind(middle)
            guard try probe.step(), let key = probe.integer(0), key <= last, let at = probe.integer(1) else {
                high = middle
                continue
            }
            if at < moment { low = key + 1 } else { high = middle }
        }
        probe.reset()
        return low
    }

    /// Nil for a row of a later release.
    static func row(_ statement: some JournalColumns) -> RecordingRow? {
        let at = statement.integer(0) ?? 0
        let cause = statement.text(2)
        switch statement.text(1) {
        case nil: return .sample(sample(statement, at: at))
        case "begin": return cause.flatMap(RecordingRow.TimerTrigger.init(token:)).map { .begin(at: at, $0) }
        case "end": return cause.flatMap(RecordingRow.TimerTrigger.init(token:)).map { .end(at: at, $0) }
        case "lap": return cause.flatMap(Event.Trigger.init(token:)).map { .lap(at: at, $0) }
        case "segment": return .segment(at: at)
        case "auto-pause": return statement.integer(5).map { .autoPause(at: at, elapsedMilliseconds: $0) }
        case "auto-resume": return statement.integer(5).map { .autoResume(at: at, elapsedMilliseconds: $0) }
        case "beats":
            return .beats(
                at: at, rr: intervals(statement.bytes(3) ?? []), gap: statement.integer(4) == 1)
        default: return nil
        }
    }

    private static func sample(_ statement: some JournalColumns, at: Int64) -> RecordingSample {
        var sample = RecordingSample(at: at, elapsedMilliseconds: statement.integer(5) ?? 0)
        sample.distanceMetres = statement.real(6)
        if let latitude = statement.real(7), let longitude = statement.real(8) {
            sample.coordinate = Coordinate(latitude: latitude, longitude: longitude)
        }
        sample.altitude = statement.real(9)
        sample.speed = statement.real(10)
        sample.heartRate = statement.integer(11).map { Int($0) }
        sample.cadence = statement.integer(12).map { Int($0) }
        sample.power = statement.integer(13).map { Int($0) }
        sample.temperature = statement.integer(14).map { Int($0) }
        sample.leftBalance = statement.integer(15).map { Int($0) }
        sample.ascent = statement.real(16)
        sample.descent = statement.real(17)
        sample.grade = statement.real(18)
        sample.verticalSpeed = statement.real(19)
        sample.ascentSource = statement.text(20).flatMap(AscentSource.init(token:))
        sample.fields = statement.text(21).map(RecordingText.values) ?? []
        return sample
    }

    /// Intervals of 16 bits, little-endian.
    static func intervals(_ bytes: [UInt8]) -> [UInt16] {
        stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
    }
}
