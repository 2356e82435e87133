import Domain
import JournalCoding

/// Lists the pages of a damaged journal that hold the rows of each activity.
struct JournalPageIndex {
    /// A page, and its first place of an activity.
    struct Page {
        var place: UInt32
        var number: UInt32
    }

    private(set) var activities: [Int: [DamagedJournal.Table: [Page]]] = [:]
    /// The readings of the clock for each boot.
    private(set) var clocks: [String: [ClockMapping]] = [:]
    private var clockCount = 0
    /// The activities that must not be recovered: deleted ones, and imports that did not finish.
    let excluded: Set<Int>
    /// Whether ``excluded`` is complete, so that an activity without a row in the table `activity` was not deleted.
    let knowsExcluded: Bool

    private static let clockLimit = 4096
    private static let activityLimit = 20_000
    /// The most rows of an activity in a table that is read whole.
    private static let smallLimit = 10_001

    init(_ journal: DamagedJournal) {
        let condemned = journal.numbers(in: "condemned")
        let importing = journal.numbers(in: "importing")
        excluded = condemned.numbers.union(importing.numbers)
        knowsExcluded = condemned.isWhole && importing.isWhole
    }

    /// Indexes the rows of a page.
    mutating func add(_ number: Int, of journal: DamagedJournal) {
        guard let (cells, isIndex) = journal.database.cells(in: number) else { return }
        var first: [Int: [DamagedJournal.Table: UInt32]] = [:]
        for cell in cells {
            if let (table, activity, place) = DamagedJournal.identify(cell, isIndex: isIndex) {
                if excluded.contains(activity) { continue }
                let known = first[activity]?[table] ?? .max
                first[activity, default: [:]][table] = min(known, place)
            } else if cell.values.count == 5, !isIndex {
                addClock(cell)
            }
        }
        for (activity, tables) in first where activities.count < Self.activityLimit || activities[activity] != nil {
            for (table, place) in tables {
                activities[activity, default: [:]][table, default: []].append(
                    Page(place: place, number: UInt32(number)))
            }
        }
    }

    private mutating func addClock(_ cell: DamagedDatabase.Cell) {
        let columns = StoredColumns(values: cell.values[...])
        guard clockCount < Self.clockLimit, let boot = columns.text(1), let at = columns.integer(2),
            let time = columns.integer(3), RecoveredRow.bootRange.contains(at), RecoveredRow.timeRange.contains(time),
            let source = columns.text(4).flatMap(ClockSource.init(token:))
        else { return }
        clockCount += 1
        clocks[boot, default: []].append(
            ClockMapping(at: Instant(nanoseconds: at), time: UTC(milliseconds: time), source: source))
    }

    /// Sorts the pages by place, after all were added.
    mutating func sort() {
        for activity in activities.keys {
            for table in activities[activity]!.keys {
                activities[activity]![table]!.sort { ($0.place, $0.number) < ($1.place, $1.number) }
            }
        }
        for boot in clocks.keys { clocks[boot]!.sort { $0.at < $1.at } }
    }

    /// All rows of an activity in a table that has few of them, in order.
    func rows(of activity: Int, in table: DamagedJournal.Table, _ journal: DamagedJournal) -> [DamagedDatabase.Cell] {
        rows(of: activity, in: table, from: 0, atLeast: Self.smallLimit, journal).rows.map(\.cell)
    }

    /// At least `count` rows from a place on, in order, or all that are left. Of rows with one place the first counts.
    ///
    /// - Returns: The rows, and the place to continue at. Nil if these are the last ones.
    func rows(
        of activity: Int, in table: DamagedJournal.Table, from place: UInt32, atLeast count: Int,
        _ journal: DamagedJournal
    ) -> (rows: [(place: UInt32, cell: DamagedDatabase.Cell)], next: UInt32?) {
        let pages = activities[activity]?[table] ?? []
        // The last page that starts at or before the place.
        var index = max(pages.partition { $0.place <= place } - 1, 0)
        // A stale copy of a page may start at the same place.
        while index > 0, pages[index - 1].place == pages[index].place { index -= 1 }
        var rows: [(place: UInt32, cell: DamagedDatabase.Cell)] = []
        while index < pages.count, rows.count < count {
            let number = Int(pages[index].number)
            index += 1
            guard let (cells, isIndex) = journal.database.cells(in: number) else { continue }
            for cell in cells {
                guard let found = DamagedJournal.identify(cell, isIndex: isIndex), found.table == table,
                    found.activity == activity, found.place >= place
                else { continue }
                rows.append((found.place, cell))
            }
        }
        let next = index < pages.count ? pages[index].place : nil
        var seen: Set<UInt32> = []
        rows = rows.filter { seen.insert($0.place).inserted }.sorted { $0.place < $1.place }
        // Rows of the next page may belong between these.
        if let next { rows.removeAll { $0.place >= next } }
        return (rows, next)
    }
}
