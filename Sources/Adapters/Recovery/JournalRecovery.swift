import Domain
import Glibc
import Linux

/// Copies what can be read of a damaged journal into the journal, the newest activity first, a little at each step.
///
///     damaged file ──▶ JournalPageIndex (which page has which rows) ──▶ ActivityRecovery, one after another ──▶ journal
///
/// A step changes the journal in one transaction, which also notes in the table `recovery` how far it got: a kill repeats nothing and
/// loses nothing. Before its last step an activity is in no list.
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
        /// The disk is too full; a later step tries again.
        case waits
        /// Nothing can be recovered.
        case refused
        case done
    }

    /// What became of an activity; for a file as a whole ``State/copying`` or ``State/copied``.
    enum State: String {
        // These words are stored: see ``JournalToken``.
        case copying = "copying"
        case copied = "copied"
        /// The journal had it.
        case present = "present"
        case unreadable = "unreadable"
    }

    /// A row of the table `recovery`.
    struct Progress: Equatable {
        var state: State
        var target: Int?
        var position = ActivityRecovery.Position()
    }

    /// Nothing is copied where less is free, in bytes.
    package static let margin: Int64 = 64 << 20
    private static let pagesInStep = 256
    private static let rowsInStep = 500
    private static let reportLimit = 64

    /// A name in the state directory, or a path.
    package let name: String
    private let directory: String
    private let freeBytes: (String) -> Int64?
    private var journal: DamagedJournal?
    private var survey: JournalPageIndex?
    /// The pages that are to be surveyed, the next one last.
    private var pages: [Int] = []
    /// Those that were, where the pages below them are to be surveyed too; nil where all are known.
    private var seen: Set<Int>?
    /// The activities that are to be copied, the next one last.
    private var waiting: [Int] = []
    private var current: (activity: ActivityRecovery, progress: Progress)?
    private var isWaiting = false
    private var reports: [String] = []

    package init(
        _ name: String, in directory: String,
        freeBytes: @escaping (String) -> Int64? = { JournalFile.freeBytes(in: $0) }
    ) {
        self.name = name
        self.directory = directory
        self.freeBytes = freeBytes
    }

    /// What happened since the last call, as lines for the log.
    package func drainReports() -> [String] {
        defer { reports = [] }
        return reports
    }

    private func report(_ line: String) {
        if reports.count < Self.reportLimit { reports.append("\(name): \(line)") }
    }

    /// Goes a little further.
    package func step(in file: JournalFile) throws(JournalFailure) -> Step {
        do throws(SQLiteError) {
            try file.setSynced(false)
            if survey == nil { return try begin(file) }
            if !pages.isEmpty { return try readPages(file) }
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
            self.survey = survey
            if let free = journal.database.freePages() {
                pages = (1...max(journal.database.pageCount, 1)).reversed().filter { !free.contains($0) }
            } else {
                // Nobody knows which pages are free: only those are read that the trees name.
                pages = journal.surveyRoots
                seen = []
            }
            if journal.database.droppedFrames > 0 {
                report("its write-ahead log is damaged: SQLite ignores \(journal.database.droppedFrames) frames of it")
            }
            return .more
        } catch {
            report("cannot be recovered: \(error)")
            try Self.write(Progress(state: .unreadable), of: 0, from: name, in: file.database)
            return .refused
        }
    }

    /// Opens a damaged journal; not the journal itself by another of its names, whose locks would end when it is closed.
    static func open(_ name: String, in directory: String) throws(Rejection) -> DamagedJournal {
        let path = name.hasPrefix("/") ? name : directory + "/" + name
        var (own, other) = (stat(), stat())
        if unsafe stat(JournalFile.path(in: directory), &own) == 0, unsafe stat(path, &other) == 0,
            own.st_dev == other.st_dev, own.st_ino == other.st_ino
        {
            throw Rejection("it is the journal itself")
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
            survey?.add(page, of: journal)
        }
        guard pages.isEmpty else { return .more }
        survey?.sort()
        let known = try Self.progress(of: name, in: file.database)
        waiting = (survey?.activities.keys.sorted() ?? []).filter { known[$0] == nil || known[$0]?.state == .copying }
        // What was begun before a kill goes first.
        if let begun = waiting.firstIndex(where: { known[$0]?.state == .copying }) {
            let id = waiting.remove(at: begun)
            if let survey, let progress = known[id] {
                current = (ActivityRecovery(id, of: survey, journal), progress)
            }
        }
        return .more
    }

    // MARK: Copying

    /// Decides what becomes of an activity.
    private func choose(_ id: Int, _ file: JournalFile) throws(SQLiteError) {
        guard let journal, let survey else { return }
        let activity = ActivityRecovery(id, of: survey, journal)
        let tables = survey.activities[id] ?? [:]
        // What is deleted while its rows are still there has no row of its own either.
        // A wrong number of one row makes no activity.
        let isBegun = tables[.record]?.first?.place == 0 || tables[.record] != nil && tables[.part] != nil
        let isKnown = activity.recording != nil || survey.knowsExcluded && isBegun
        var progress = Progress(state: .unreadable)
        if isKnown, let same = try Self.same(as: activity, in: file.database) {
            progress = Progress(state: .present, target: same)
            report("activity \(id) is not copied: it is activity \(same) of the journal")
        } else if isKnown {
            progress = Progress(state: .copying, target: try Self.number(for: id, in: file.database))
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
            // The last slice is a step of its own: what it takes to count an activity's rows is not added to it.
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
                + (target == activity.source ? "" : " as activity \(target): \(activity.source) is taken")
                + (note.lostRows == 0 ? "" : "; \(note.lostRows) rows of it cannot be read"))
        return .more
    }

    private func end(_ file: JournalFile) throws(SQLiteError) -> Step {
        try file.database.transaction { () throws(SQLiteError) in
            try Self.write(Progress(state: .copied), of: 0, from: name, in: file.database)
        }
        let states = try Self.progress(of: name, in: file.database).filter { $0.key > 0 }.values.map(\.state)
        report(
            "recovery is complete: \(states.count { $0 == .copied }) activities are copied, "
                + "\(states.count { $0 == .present }) were in the journal, "
                + "\(states.count { $0 == .unreadable }) cannot be read; the file can be removed")
        return .done
    }

    // MARK: Numbers and identity

    /// The number that an activity gets: its own, unless that is taken.
    private static func number(for id: Int, in database: SQLiteDatabase) throws(SQLiteError) -> Int {
        let taken = try database.integer(
            """
            SELECT EXISTS (SELECT 1 FROM activity WHERE id = \(id)) OR EXISTS (SELECT 1 FROM reserved WHERE activity = \(id))
            OR EXISTS (SELECT 1 FROM importing WHERE activity = \(id))
            OR EXISTS (SELECT 1 FROM condemned WHERE activity = \(id))
            OR EXISTS (SELECT 1 FROM recovery WHERE target = \(id) AND state = 'copying')
            """)
        if taken == 0 { return id }
        return Int(try database.integer(JournalSchema.nextActivity) ?? 1)
    }

    /// The activity of the journal that is the same one.
    ///
    /// That is one whose first part began on the same boot at the same nanosecond, and which has its first row. Where one of them has no
    /// such part (a file's has none), it is one that began at the same millisecond and came to the same time and, to the bit, the same
    /// distance. A name or a sport may have been edited.
    private static func same(as activity: ActivityRecovery, in database: SQLiteDatabase) throws(SQLiteError) -> Int? {
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
