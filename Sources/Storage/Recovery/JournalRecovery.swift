import Domain
import Glibc
package import Linux
import SQLite

/// Copies the readable part of a damaged journal to the journal, newest activity first, in small steps.
///
///     damaged file ──▶ JournalPageIndex (the pages of each activity) ──▶ ActivityRecovery, one by one ──▶ journal
///
/// A step is one transaction, which also stores the progress in the table `recovery`, so a kill repeats and
/// loses nothing. An activity appears in lists only after its last step.
package final class JournalRecovery {
    /// Why a file cannot be recovered.
    package struct Rejection: Error, Equatable, Sendable, CustomStringConvertible {
        package var description: String

        init(_ description: String) {
            self.description = description
        }

        static func newer(_ version: Int64) -> Rejection {
            Rejection("\(JournalFailure.newer(Int(version)))")
        }
    }

    package enum Step: Equatable, Sendable {
        case more
        /// The disk is too full. A later step tries again.
        case waits
        /// The file cannot be recovered.
        case rejected
        case done
    }

    /// The result for an activity. For the whole file ``State/copying``, ``State/copied`` or ``State/unreadable``.
    enum State: String {
        // These words are stored: see ``JournalToken``.
        case copying = "copying"
        case copied = "copied"
        /// The journal already has the activity.
        case present = "present"
        case unreadable = "unreadable"
    }

    /// A row of the table `recovery`.
    struct Progress: Equatable {
        var state: State
        var target: Int?
        var position = ActivityRecovery.Position()
    }

    /// Copying waits while fewer bytes than this are free.
    package static let margin: Int64 = 64 << 20
    private static let pagesInStep = 256
    private static let rowsInStep = 500
    private static let reportLimit = 64

    /// A name in the state directory, or a path.
    package let name: String
    private let directory: String
    private let numbers: Locked<ActivityNumbers>?
    private let freeBytes: (String) -> Int64?
    private var journal: DamagedJournal?
    private var pageIndex: JournalPageIndex?
    /// The pages to index, the next one last.
    private var pages: [Int] = []
    /// The pages of courses and curves to copy, the next one last.
    private var coursePages: [(table: String, page: Int)] = []
    /// The pages already indexed, if pages are found through the trees. Nil if all pages are listed from the start.
    private var seen: Set<Int>?
    /// The activities to copy, the next one last.
    private var waiting: [Int] = []
    private var current: (activity: ActivityRecovery, progress: Progress)?
    private var isWaiting = false
    private var reports: [String] = []

    /// - Parameter numbers: those of the daemon that writes the journal; nil without one.
    package init(
        _ name: String, in directory: String, numbers: Locked<ActivityNumbers>? = nil,
        freeBytes: @escaping (String) -> Int64? = { JournalFile.freeBytes(in: $0) }
    ) {
        self.name = name
        self.directory = directory
        self.numbers = numbers
        self.freeBytes = freeBytes
    }

    /// Removes and returns the reports since the last call, as lines for the log.
    package func drainReports() -> [String] {
        defer { reports = [] }
        return reports
    }

    private func report(_ line: String) {
        if reports.count < Self.reportLimit { reports.append("\(name): \(line)") }
    }

    /// Performs one step.
    package func step(in file: JournalFile) throws(JournalFailure) -> Step {
        do throws(SQLiteError) {
            try file.setSynced(false)
            if pageIndex == nil { return try begin(file) }
            if !pages.isEmpty { return try readPages(file) }
            if let journal, let (table, page) = coursePages.popLast() {
                try file.database.transaction { () throws(SQLiteError) in
                    try RecoveredCourses.copy(page, of: table, from: journal, into: file)
                }
                return .more
            }
            guard let free = freeBytes(directory), free >= Self.margin else {
                if !isWaiting { report("recovery waits until \(Self.margin >> 20) MiB are free") }
                isWaiting = true
                return .waits
            }
            isWaiting = false
            if current != nil { return try copy(file) }
            guard let next = waiting.popLast() else { return try end(file) }
            try choose(next, file)
            return .more
        } catch {
            throw .database(error)
        }
    }

    // MARK: Reading

    private func begin(_ file: JournalFile) throws(SQLiteError) -> Step {
        do throws(Rejection) {
            let journal = try Self.open(name, in: directory)
            self.journal = journal
            let survey = JournalPageIndex(journal)
            self.pageIndex = survey
            coursePages = ["partner", "course"].flatMap { table in
                journal.pages(of: table).pages.map { (table, $0) }
            }
            if let free = journal.database.freePages() {
                pages = (1...max(journal.database.pageCount, 1)).reversed().filter { !free.contains($0) }
            } else {
                // The free list is damaged: only pages that the trees name are read.
                pages = journal.indexedRoots
                seen = []
            }
            if journal.database.droppedFrames > 0 {
                report("its write-ahead log is damaged: SQLite ignores \(journal.database.droppedFrames) frames of it")
            }
            return .more
        } catch {
            report("cannot be recovered: \(error)")
            try Self.write(Progress(state: .unreadable), of: 0, from: name, in: file.database)
            return .rejected
        }
    }

    /// Opens a damaged journal. Rejects the live journal under another name, because closing it would drop its locks.
    static func open(_ name: String, in directory: String) throws(Rejection) -> DamagedJournal {
        let path = name.hasPrefix("/") ? name : directory + "/" + name
        var (own, other) = (stat(), stat())
        if unsafe stat(JournalFile.path(in: directory), &own) == 0, unsafe stat(path, &other) == 0,
            own.st_dev == other.st_dev, own.st_ino == other.st_ino
        {
            throw Rejection("the file is the journal itself")
        }
        return try DamagedJournal(path)
    }

    private func readPages(_ file: JournalFile) throws(SQLiteError) -> Step {
        guard let journal else { return .done }
        for _ in 0..<Self.pagesInStep {
            guard let page = pages.popLast() else { break }
            if seen != nil {
                guard seen?.insert(page).inserted == true else { continue }
                pages += journal.database.children(of: page)
            }
            pageIndex?.add(page, of: journal)
        }
        guard pages.isEmpty else { return .more }
        pageIndex?.sort()
        let known = try Self.progress(of: name, in: file.database)
        waiting = (pageIndex?.activities.keys.sorted() ?? []).filter {
            known[$0] == nil || known[$0]?.state == .copying
        }
        // An activity that was begun before a kill comes first.
        if let begun = waiting.firstIndex(where: { known[$0]?.state == .copying }) {
            let id = waiting.remove(at: begun)
            if let pageIndex, let progress = known[id] {
                current = (ActivityRecovery(id, of: pageIndex, journal), progress)
            }
        }
        return .more
    }

    // MARK: Copying

    /// Decides whether to copy an activity.
    private func choose(_ id: Int, _ file: JournalFile) throws(SQLiteError) {
        guard let journal, let pageIndex else { return }
        let activity = ActivityRecovery(id, of: pageIndex, journal)
        let tables = pageIndex.activities[id] ?? [:]
        // A deleted activity whose rows still exist has no row in the table `activity` either. A single row
        // with a damaged number is no activity.
        let isBegun = tables[.record]?.first?.place == 0 || tables[.record] != nil && tables[.part] != nil
        let isKnown = activity.recording != nil || pageIndex.knowsExcluded && isBegun
        var progress = Progress(state: .unreadable)
        if isKnown, let same = try Self.same(as: activity, in: file.database) {
            progress = Progress(state: .present, target: same)
            report("activity \(id) is not copied: the journal has it as activity \(same)")
        } else if isKnown {
            progress = Progress(state: .copying, target: try number(for: id, in: file.database))
            current = (activity, progress)
        } else {
            report("activity \(id) cannot be read")
        }
        try file.database.transaction { () throws(SQLiteError) in
            try Self.write(progress, of: id, from: name, in: file.database)
        }
    }

    private func copy(_ file: JournalFile) throws(SQLiteError) -> Step {
        guard let activity = current?.activity, var progress = current?.progress, let target = progress.target else {
            return .more
        }
        var note: RecoveryNote?
        try file.database.transaction { () throws(SQLiteError) in
            // Finishing is a separate step, because counting the rows of an activity takes as long as a batch.
            if progress.position.table < DamagedJournal.Table.keyed.count {
                progress.position =
                    try activity.copy(
                        from: progress.position, atMost: Self.rowsInStep, to: target, in: file)
                    ?? .init(table: DamagedJournal.Table.keyed.count)
            } else {
                note = try activity.finish(as: target, in: file)
                progress.state = .copied
            }
            try Self.write(progress, of: activity.source, from: name, in: file.database)
        }
        guard let note else {
            current = (activity, progress)
            return .more
        }
        current = nil
        report(
            "activity \(activity.source) is recovered"
                + (target == activity.source ? "" : " as activity \(target): number \(activity.source) is in use")
                + (note.lostRows == 0 ? "" : "; \(note.lostRows) rows of it cannot be read"))
        return .more
    }

    private func end(_ file: JournalFile) throws(SQLiteError) -> Step {
        try file.database.transaction { () throws(SQLiteError) in
            try Self.write(Progress(state: .copied), of: 0, from: name, in: file.database)
            // Those of activities that cannot be read.
            try file.statements.eraseCourses("true")
            try file.statements.erasePartners("true")
        }
        let states = try Self.progress(of: name, in: file.database).filter { $0.key > 0 }.values.map(\.state)
        report(
            "recovery is complete: \(states.count { $0 == .copied }) activities are copied, "
                + "\(states.count { $0 == .present }) were there already, "
                + "\(states.count { $0 == .unreadable }) cannot be read; the file can be removed")
        return .done
    }

    // MARK: Numbers and identity

    /// The number for a recovered activity: its own, unless that is taken.
    private func number(for id: Int, in database: SQLiteDatabase) throws(SQLiteError) -> Int {
        let taken = try database.integer(
            """
            SELECT EXISTS (SELECT 1 FROM activity WHERE id = \(id))
            OR EXISTS (SELECT 1 FROM importing WHERE activity = \(id))
            OR EXISTS (SELECT 1 FROM condemned WHERE activity = \(id))
            OR EXISTS (SELECT 1 FROM recovery WHERE target = \(id) AND state = 'copying')
            """)
        let next = try JournalReader(database).nextActivity()
        let numbers = numbers ?? Locked(ActivityNumbers(next: next))
        return numbers.withLock { taken == 0 && $0.take(id) ? id : $0.take() }
    }

    /// The same activity in the journal, if it has it.
    ///
    /// Two activities are the same if they have the same uuid and the journal has the first row, which it lacks if the file was
    /// damaged in a run that goes on; or if their first parts started on one boot at one nanosecond, and the
    /// journal has the first row. If one of them has no such part (an import has none), they are the same
    /// if they started at the same millisecond and have the same durations and, bit for bit, the same
    /// distance. Name and sport may have been edited.
    private static func same(as activity: ActivityRecovery, in database: SQLiteDatabase) throws(SQLiteError) -> Int? {
        if let uuid = activity.recording?.uuid {
            let statement = try database.prepare(
                "SELECT id FROM activity WHERE uuid = ? AND EXISTS (SELECT 1 FROM record WHERE key = activity.id << 32)"
            )
            try statement.bind(uuid.description)
            if try statement.step() { return statement.integer(0).map { Int($0) } }
        }
        let part = activity.parts.first.flatMap { $0.number == 0 && !$0.bootID.isEmpty ? $0 : nil }
        if let part {
            let statement = try database.prepare(
                """
                SELECT activity FROM part WHERE number = 0 AND boot_id = ? AND at_ns = ?
                AND activity IN (SELECT id FROM activity) AND EXISTS (SELECT 1 FROM record WHERE key = activity << 32)
                """)
            try statement.bind(part.bootID, part.at.nanoseconds)
            if try statement.step() { return statement.integer(0).map { Int($0) } }
        }
        guard let recording = activity.recording, !recording.isTimeUncertain, !activity.isOpen else { return nil }
        let statement = try database.prepare(
            """
            SELECT id FROM activity WHERE started_ms = ? AND total_ms = ? AND elapsed_ms = ? AND distance_m = ?
            AND imported = ? AND NOT open
            AND NOT (? AND EXISTS (SELECT 1 FROM part WHERE activity = id AND number = 0 AND boot_id <> ''))
            """)
        try statement.bind(
            recording.started.milliseconds, recording.totalMilliseconds, recording.total.elapsedMilliseconds,
            recording.total.distanceMetres, activity.isImported, part != nil)
        return try statement.step() ? statement.integer(0).map { Int($0) } : nil
    }
}
