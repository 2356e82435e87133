package import Domain
import JournalCoding
import Linux
import Pipeline
package import SQLite

/// An activity and its totals, as its row in the journal has them.
///
/// The index keeps a copy with the bests: they are up to date if both are equal.
package struct ActivityTotals: Equatable, Sendable {
    package var id: Int
    package var uuid: UUID?
    package var sport = Sport.other
    package var isIndoor = false
    /// Nil without a date.
    package var started: UTC?
    /// From start to end, pauses included.
    package var totalMilliseconds: Int64 = 0
    package var elapsedMilliseconds: Int64 = 0
    package var movingMilliseconds: Int64 = 0
    package var distanceMetres = 0.0
    /// Nil if no altitude was known.
    package var ascentMetres: Double?
    /// Whether it is over. Others have no bests and no badges, and no entry in the index.
    package var counts = true

    package init(id: Int) {
        self.id = id
    }

    /// The totals that are bests: the distance and the ascent.
    package var bests: [BestEffort] {
        [
            distanceMetres > 0 ? BestEffort(.distance, distanceMetres) : nil,
            ascentMetres.flatMap { $0 > 0 ? BestEffort(.ascent, $0) : nil },
        ].compactMap(\.self)
    }
}

extension JournalReader {
    /// The totals of all activities that are no demo in the order of ``list(limit:before:)``, newest first.
    ///
    /// - Parameter before: only the activities that are older than this one.
    package func totals(before: Int? = nil) throws(SQLiteError) -> [ActivityTotals] {
        let ascent = version >= JournalSchema.versionWithAscent ? "ascent_m" : "NULL"
        let statement = try listed(
            """
            SELECT id, sport, indoor, iif(time_uncertain <> 1, started_ms, NULL), total_ms, elapsed_ms, moving_ms,
            distance_m, \(ascent), \(uuid), NOT open, demo FROM activity
            """, limit: .max, before: before)
        var list: [ActivityTotals] = []
        while try statement.step() {
            if statement.integer(11) == 1 { continue }
            var totals = ActivityTotals(columns: statement)
            totals.counts = statement.integer(10) == 1
            list.append(totals)
        }
        return list
    }

    /// The best efforts inside activities, in their order: from the index where it is up to date, else from the rows.
    /// Nothing is written.
    ///
    /// - Parameter directory: the state directory, which may have an index.
    package func bests(of activities: [ActivityTotals], in directory: String) throws -> [[BestEffort]] {
        let entries = ActivityIndex.read(in: directory)
        return try activities.map { totals in
            if let entry = entries[totals.id], entry.totals == totals { return entry.bests }
            var search = try RowSearch(totals, of: self)
            while try search.advance(in: self, atMost: .max) {}
            return search.finish()
        }
    }
}

extension ActivityTotals {
    /// - Parameter columns: begin with the columns of the index's table `activity`.
    init(columns: some JournalColumns) {
        self.init(id: Int(columns.integer(0) ?? 0))
        sport = columns.text(1).flatMap(Sport.init(token:)) ?? .other
        isIndoor = columns.integer(2) == 1
        started = columns.integer(3).map { UTC(milliseconds: $0) }
        totalMilliseconds = columns.integer(4) ?? 0
        elapsedMilliseconds = columns.integer(5) ?? 0
        movingMilliseconds = columns.integer(6) ?? 0
        distanceMetres = columns.real(7) ?? 0
        ascentMetres = columns.real(8)
        uuid = columns.text(9).flatMap { UUID($0) }
    }
}

/// The search for the bests and the cells in an activity's rows, which can be done in steps.
struct RowSearch {
    let totals: ActivityTotals
    private var bests: RecordingBests
    private(set) var cells = PassedCells()
    /// The place of the next row.
    private var place = 0

    init(_ totals: ActivityTotals, of journal: JournalReader) throws(SQLiteError) {
        self.totals = totals
        var recording = RecordedActivity(
            sport: totals.sport, started: totals.started ?? UTC(milliseconds: 0))
        recording.isIndoor = try journal.isIndoor(totals.id)
        bests = RecordingBests(recording)
    }

    /// Reads the next rows, at most `limit`.
    ///
    /// - Returns: False after the last one.
    mutating func advance(in journal: JournalReader, atMost limit: Int) throws -> Bool {
        let next = try journal.rows(of: totals.id).eachButBeats(from: place, atMost: limit) { row in
            bests.ingest(row)
            if case .sample(let sample) = row, let position = sample.coordinate { cells.insert(position) }
        }
        place = next ?? place
        return next != nil
    }

    mutating func finish() -> [BestEffort] {
        bests.finish()
    }
}
