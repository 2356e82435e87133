import Domain
import Glibc
import SQLite

/// A damaged journal as tables of paced. The schema in the file is compared with the known one, and never executed.
final class DamagedJournal {
    let database: DamagedDatabase
    /// The root page of each table.
    private let roots: [String: Int]

    /// The most pages of a table that is read whole.
    private static let smallLimit = 1024

    /// The tables whose rows belong to an activity and are copied.
    enum Table: Int, CaseIterable {
        case record, location, heart, input, activity, part, lap, sensor, export

        /// The tables whose rows have a place, in the order of copying.
        static let keyed = [Table.record, .location, .heart, .input]

        var name: String { "\(self)" }
    }

    /// - Throws: ``JournalRecovery/Rejection`` with the reason, as text for a log line.
    init(_ path: String) throws(JournalRecovery.Rejection) {
        guard let database = DamagedDatabase(path) else { throw .init("the file does not exist or cannot be read") }
        self.database = database
        let version = database.header(60).map { Int64($0) } ?? JournalSchema.version
        let isOurs = database.header(68).map { Int64($0) } == JournalSchema.application
        // A number above 1000 is no later release, but damage.
        if isOurs, version > JournalSchema.version, version <= 1000 { throw .newer(version) }
        let known = (1...JournalSchema.version).contains(version) ? version : JournalSchema.version
        let template: [(name: String, root: Int, text: String)]
        do {
            template = try Self.template(of: known, pageSize: database.pageSize)
        } catch {
            throw .init("\(error)")
        }
        var roots: [String: Int] = [:]
        for table in template { roots[table.name] = table.root }
        var found = 0
        var matches = 0
        for number in database.pages(under: 1, atMost: Self.smallLimit).pages {
            for cell in database.cells(in: number)?.cells ?? [] {
                let columns = StoredColumns(values: cell.values[...])
                guard cell.values.count == 5, let name = columns.text(1), let root = columns.integer(3) else {
                    continue
                }
                found += 1
                guard template.contains(where: { $0.name == name && $0.text == columns.text(4) }),
                    root >= 2, root <= database.pageCount
                else { continue }
                matches += 1
                roots[name] = Int(root)
            }
        }
        if database.hasMagic, found > 0, matches * 2 < found || !isOurs && matches < 3 {
            throw .init("the file is not a journal of paced")
        }
        self.roots = roots
    }

    /// The tables of a version as SQLite lists them. Created by the same steps, they have the same root pages.
    private static func template(of version: Int64, pageSize: Int) throws -> [(name: String, root: Int, text: String)] {
        let database = try SQLiteDatabase(":memory:", .writing)
        try database.execute("PRAGMA page_size = \(pageSize)")
        try JournalSchema.migrate(database, steps: Array(JournalSchema.steps.prefix(Int(version))))
        let statement = try database.prepare(
            "SELECT name, rootpage, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
        var tables: [(name: String, root: Int, text: String)] = []
        while try statement.step() {
            guard let name = statement.text(0), let root = statement.integer(1), let text = statement.text(2) else {
                continue
            }
            tables.append((name, Int(root), text))
        }
        return tables
    }

    // MARK: Tables

    /// The pages of a table that hold rows.
    func pages(
        of table: String, keys: ClosedRange<Int64> = .min ... .max, atMost limit: Int = .max,
        by deadline: Instant? = nil, now: () -> Instant = { Instant(nanoseconds: 0) }
    ) -> (pages: [Int], isWhole: Bool) {
        guard let root = roots[table] else { return ([], false) }
        return database.pages(under: root, keys: keys, atMost: limit, by: deadline, now: now)
    }

    /// The root pages of the tables that ``JournalPageIndex`` reads.
    var indexedRoots: [Int] {
        (Table.allCases.map(\.name) + ["clock"]).compactMap { roots[$0] }
    }

    /// The rows of a small table.
    ///
    /// - Returns: The rows, and whether all of them were readable.
    func rows(of table: String) -> (rows: [DamagedDatabase.Cell], isWhole: Bool) {
        var (pages, isWhole) = pages(of: table, atMost: Self.smallLimit)
        if pages.isEmpty { isWhole = false }
        var rows: [DamagedDatabase.Cell] = []
        for number in pages {
            guard let page = database.page(number), let cells = database.cells(in: number)?.cells else {
                isWhole = false
                continue
            }
            if cells.count != page.half(number == 1 ? 103 : 3) { isWhole = false }
            rows += cells
        }
        return (rows, isWhole)
    }

    /// The numbers in a table with one integer column, such as `condemned`.
    func numbers(in table: String) -> (numbers: Set<Int>, isWhole: Bool) {
        let (rows, isWhole) = rows(of: table)
        return (Set(rows.map { Int(clamping: $0.rowid) }), isWhole)
    }

    /// Recognizes the table, the activity and the place of a row.
    static func identify(
        _ cell: DamagedDatabase.Cell, isIndex: Bool
    ) -> (table: Table, activity: Int, place: UInt32)? {
        let columns = StoredColumns(values: cell.values[...])
        let place = UInt32(truncatingIfNeeded: cell.rowid)
        switch (cell.values.count, isIndex) {
        case (16, false), (17, false), (22, false), (23, false): return keyed(.record, cell, place)
        case (14, false), (15, false): return keyed(.location, cell, place)
        case (6, false): return keyed(.heart, cell, place)
        case (4, false): return keyed(.input, cell, place)
        case (20, false), (21, false), (29, false), (34, false), (37, false), (38, false), (40, false):
            return numbered(.activity, cell.rowid, 0)
        case (7, false): return numbered(.sensor, cell.rowid, 0)
        case (10, true): return numbered(.sensor, columns.integer(0), columns.integer(1))
        case (6, true): return numbered(.part, columns.integer(0), columns.integer(1))
        case (11, true), (18, true), (23, true), (26, true):
            return numbered(.lap, columns.integer(0), columns.integer(1))
        case (2, true):
            // The first two letters of the format serve as the place: they differ between all formats.
            guard let format = columns.text(1) else { return nil }
            return numbered(.export, columns.integer(0), Int64(Array(format.utf8.prefix(2)).half(0)))
        default: return nil
        }
    }

    private static func keyed(
        _ table: Table, _ cell: DamagedDatabase.Cell, _ place: UInt32
    ) -> (table: Table, activity: Int, place: UInt32)? {
        guard let (table, activity, _) = numbered(table, cell.rowid >> 32, 0) else { return nil }
        return (table, activity, place)
    }

    private static func numbered(
        _ table: Table, _ activity: Int64?, _ place: Int64?
    ) -> (table: Table, activity: Int, place: UInt32)? {
        guard let activity, (1...Int64(Int32.max)).contains(activity), let place = place.flatMap(UInt32.init(exactly:))
        else { return nil }
        return (table, Int(activity), place)
    }
}
