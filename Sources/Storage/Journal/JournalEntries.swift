package import Domain
import JSONCoding
import JournalCoding
package import Pipeline
package import SQLite

extension JournalReader {
    /// Passes the entries of an activity to `body` in order, with times on the clock of the last part.
    ///
    /// An imported activity has none.
    ///
    /// - Parameter last: the place of the last wanted entry.
    package func entries(
        of id: Int, through last: Int = Int(UInt32.max), _ body: (InputLogEntry) throws -> Void
    ) throws {
        let parts = try parts(of: id)
        let shifts = Self.shifts(of: parts)
        var (location, heart, input) = (
            try Cursor(location, id, last, in: database) { Self.location($0) },
            try Cursor(Self.heart, id, last, in: database) { Self.heart($0) },
            try Cursor(Self.input, id, last, in: database) { try Self.input($0) }
        )
        var part = 0
        var resolver = CourseResolver(self)
        while true {
            let place = min(location.place, heart.place, input.place)
            if place == Int.max { return }
            while part + 1 < parts.count, place >= parts[part + 1].place { part += 1 }
            let shift = part < shifts.count ? shifts[part] : .zero
            var entry =
                place == location.place
                ? try location.next() : place == heart.place ? try heart.next() : try input.next()
            try resolver.resolve(&entry)
            try body(entry.shifted(by: shift))
        }
    }

    /// The parts of an activity, oldest first. A part without an entry, left by a kill during the resume, is omitted.
    package func parts(of id: Int) throws(SQLiteError) -> [BootSegment] {
        let entries = try newestEntries(of: id).reduce(0) { max($0, $1.place + 1) }
        let statement = try database.prepare(
            "SELECT number, boot_id, at_ns, begins_ms, place FROM part WHERE activity = ? ORDER BY number")
        try statement.bind(id)
        var parts: [BootSegment] = []
        while try statement.step() {
            let part = Self.part(statement)
            if part.number == 0 || part.place < entries { parts.append(part) }
        }
        return parts
    }

    /// The weather at the start of an activity, from the entries of its first 15 min. Nil if it is unknown, and indoors.
    ///
    /// An entry that cannot be read is skipped.
    package func startWeather(of recording: RecordedActivity) throws(SQLiteError) -> StartWeather? {
        guard let id = recording.id, !recording.isIndoor else { return nil }
        var search = StartWeatherSearch(start: recording.isTimeUncertain ? nil : recording.started)
        let parts = try parts(of: id)
        let shifts = Self.shifts(of: parts)
        let keys = JournalSchema.keys(of: id)
        let statement = try database.prepare(
            "SELECT key, at_ns, \(Self.input) WHERE key BETWEEN ? AND ? ORDER BY key")
        try statement.bind(keys.lowerBound, keys.upperBound)
        while !search.hasEnded, try statement.step() {
            let place = Int((statement.integer(0) ?? 0) - keys.lowerBound)
            let shift = parts.lastIndex { $0.place <= place }.map { shifts[$0] } ?? .zero
            search.advance(to: Self.at(statement) + shift)
            guard let kind = statement.text(2), Self.kindsOfWeather.contains(kind),
                let entry = try? Self.input(statement)
            else { continue }
            search.receive(entry.shifted(by: shift))
        }
        return search.weather
    }

    private static let kindsOfWeather = ["beginning", "command", "weather"]

    /// The newest entry of each of the three tables.
    func newestEntries(of id: Int) throws(SQLiteError) -> [(place: Int, at: Instant)] {
        let keys = JournalSchema.keys(of: id)
        var newest: [(place: Int, at: Instant)] = []
        for table in ["location", "heart", "input"] {
            let statement = try database.prepare(
                "SELECT key, at_ns FROM \(table) WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1")
            try statement.bind(keys.lowerBound, keys.upperBound)
            guard try statement.step(), let key = statement.integer(0), let at = statement.integer(1) else { continue }
            newest.append((Int(key - keys.lowerBound), Instant(nanoseconds: at)))
        }
        return newest
    }

    static func part(_ columns: some JournalColumns) -> BootSegment {
        BootSegment(
            number: Int(columns.integer(0) ?? 0), bootID: columns.text(1) ?? "",
            at: Instant(nanoseconds: columns.integer(2) ?? 0), beginsAt: columns.integer(3) ?? 0,
            place: Int(columns.integer(4) ?? 0))
    }

    /// The clock shift of each part, such that time continues from part to part and the last part is not shifted.
    static func shifts(of parts: [BootSegment]) -> [Duration] {
        guard let last = parts.last else { return [] }
        return parts.map { part in
            (last.at - part.at) - .milliseconds(last.beginsAt - part.beginsAt)
        }
    }

    // MARK: Cursor

    /// Iterates over the entries of one table, with one entry read ahead.
    private struct Cursor {
        private let statement: SQLiteStatement
        private let read: (SQLiteStatement) throws -> InputLogEntry
        private let first: Int64
        /// The place of the current entry; the largest integer after the last.
        private(set) var place = 0

        init(
            _ columns: String, _ id: Int, _ last: Int, in database: SQLiteDatabase,
            _ read: @escaping (SQLiteStatement) throws -> InputLogEntry
        ) throws(SQLiteError) {
            statement = try database.prepare("SELECT key, at_ns, \(columns) WHERE key BETWEEN ? AND ? ORDER BY key")
            self.read = read
            first = JournalSchema.key(id, 0)
            try statement.bind(first, JournalSchema.key(id, last))
            try advance()
        }

        mutating func next() throws -> InputLogEntry {
            let entry = try read(statement)
            try advance()
            return entry
        }

        private mutating func advance() throws(SQLiteError) {
            place = try statement.step() ? Int((statement.integer(0) ?? 0) - first) : Int.max
        }
    }

    private static func at(_ statement: some JournalColumns) -> Instant {
        Instant(nanoseconds: statement.integer(1) ?? 0)
    }

    private var location: String {
        """
        arrived_ns, gnss_ms, device, mode, latitude, longitude, altitude_m, accuracy_m, speed_mps, track_deg, satellites,
        refusal, \(version >= JournalSchema.versionWithAscent ? "vertical_accuracy_m" : "NULL") FROM location
        """
    }

    static func location(_ statement: some JournalColumns) -> InputLogEntry {
        var fix = Fix(
            arrivedAt: Instant(nanoseconds: statement.integer(2) ?? 0),
            time: statement.integer(3).map { UTC(milliseconds: $0) },
            device: statement.text(4).flatMap { SanitizedText($0) }, mode: UInt8(clamping: statement.integer(5) ?? 0),
            latitude: statement.real(6), longitude: statement.real(7), altitude: statement.real(8),
            accuracy: statement.real(9), speed: statement.real(10), track: statement.real(11),
            satellites: statement.integer(12).map { Int($0) })
        fix.verticalAccuracy = statement.real(14)
        return InputLogEntry(
            at: at(statement), .input(.fix(fix)), refusal: statement.text(13).flatMap(FixRejection.init(token:)))
    }

    private static let heart = "bpm, contact, energy_kj, rr_1024 FROM heart"

    static func heart(_ statement: some JournalColumns) -> InputLogEntry {
        let measurement = HeartRateMeasurement(
            beatsPerMinute: UInt16(clamping: statement.integer(2) ?? 0), contact: statement.integer(3).map { $0 == 1 },
            energyKilojoules: statement.integer(4).map { UInt16(clamping: $0) },
            rrIntervals: JournalRows.intervals(statement.bytes(5) ?? []))
        return InputLogEntry(at: at(statement), .input(.heart(measurement)))
    }

    private static let input = "kind, value FROM input"

    static func input(_ statement: some JournalColumns) throws -> InputLogEntry {
        let json = try JSON(parsing: (statement.text(3) ?? "").utf8)
        return InputLogEntry(at: at(statement), try InputLogEntry.Kind(name: statement.text(2) ?? "", json: json))
    }
}
