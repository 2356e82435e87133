import Domain
import Glibc
import JournalCoding
import Linux
import SQLite

/// Brings the index up to date with the journal, in steps that are short enough to wait for. Used on the thread of
/// ``DiskWorker``.
package struct IndexWriter {
    package struct Step: Equatable, Sendable {
        /// There is more to do.
        package var isMore: Bool
        /// A line for the log: why the index is built again.
        package var report: String?

        package init(isMore: Bool, report: String?) {
            self.isMore = isMore
            self.report = report
        }
    }

    private let directory: String
    /// Nil between two updates.
    private var database: SQLiteDatabase?
    private var isScanDue = true
    /// The activities whose entries are missing or behind, the oldest first.
    private var waiting: ArraySlice<ActivityTotals> = []
    /// The activity whose rows are being read.
    private var search: RowSearch?
    /// What is not written yet.
    private var finished: [ActivityIndex.Entry] = []
    private var report: String?
    /// Whether this update has removed the index once. Damage that comes back is an error of the disk.
    private var isRebuilt = false

    /// The time after which a step reads no more rows.
    private static let stepTime = Duration.milliseconds(50)
    private static let rowLimit = 1024
    /// The most entries of one transaction.
    private static let entryLimit = 32

    /// - Parameter directory: the state directory. Its lock must be held.
    package init(in directory: String) {
        self.directory = directory
    }

    /// Performs a step.
    ///
    /// - Parameter scans: compare all entries with the journal again, which has changed.
    package mutating func step(scans: Bool) throws -> Step {
        isScanDue = isScanDue || scans
        do {
            let isMore = try advance()
            if !isMore {
                database = nil
                isRebuilt = false
            }
            defer { report = nil }
            return Step(isMore: isMore, report: report)
        } catch {
            restart()
            isRebuilt = false
            throw error
        }
    }

    /// Forgets what the update has done so far.
    private mutating func restart() {
        database = nil
        isScanDue = true
        waiting = []
        search = nil
        finished = []
    }

    /// - Returns: True if there is more to do.
    private mutating func advance() throws -> Bool {
        guard let journal = try journal() else { return false }
        if isScanDue {
            let activities = try journal.totals().filter(\.counts)
            let database = try opened()
            do throws(SQLiteError) { try scan(activities, database) } catch {
                try rebuild(after: error)
                return true
            }
        }
        try read(journal)
        let isDone = search == nil && waiting.isEmpty
        if isDone || finished.count >= Self.entryLimit {
            let database = try opened()
            do throws(SQLiteError) { try write(database) } catch {
                try rebuild(after: error)
                return true
            }
        }
        return !isDone
    }

    /// Nil if there is none.
    private func journal() throws(JournalFailure) -> JournalReader? {
        do throws(JournalFailure) {
            return try JournalReader(in: directory)
        } catch {
            if error == .missing { return nil }
            throw error
        }
    }

    /// Finds the entries that are missing or behind, and deletes those of activities that the journal does not have.
    private mutating func scan(
        _ activities: [ActivityTotals], _ database: SQLiteDatabase
    ) throws(SQLiteError) {
        let known = try ActivityIndex.totals(database)
        let present = Set(activities.map(\.id))
        let gone = known.keys.filter { !present.contains($0) }
        if !gone.isEmpty {
            try database.transaction { () throws(SQLiteError) in
                for id in gone { try Self.delete(id, database) }
            }
        }
        waiting = activities.filter { known[$0.id] != $0 }.reversed()[...]
        search = nil
        finished = []
        isScanDue = false
    }

    /// Reads rows of the journal until the time of a step is over.
    private mutating func read(_ journal: JournalReader) throws {
        let end = Clock.now() + Self.stepTime
        while Clock.now() < end, finished.count < Self.entryLimit {
            if search == nil {
                guard let next = waiting.popFirst() else { return }
                search = try RowSearch(next, of: journal)
            }
            guard try search?.advance(in: journal, atMost: Self.rowLimit) == false else { continue }
            if let totals = search?.totals, let bests = search?.finish(), let cells = search?.cells {
                finished.append(ActivityIndex.Entry(totals: totals, bests: bests, cells: cells))
            }
            search = nil
        }
    }

    private mutating func write(_ database: SQLiteDatabase) throws(SQLiteError) {
        guard !finished.isEmpty else { return }
        let activity = try database.prepare("INSERT INTO activity VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        let best = try database.prepare("INSERT INTO best VALUES (?, ?, ?, ?, ?)")
        try database.transaction { () throws(SQLiteError) in
            for entry in finished {
                let totals = entry.totals
                try Self.delete(totals.id, database)
                try activity.run(
                    totals.id, totals.sport.token, totals.isIndoor, totals.started?.milliseconds,
                    totals.totalMilliseconds, totals.elapsedMilliseconds, totals.movingMilliseconds,
                    totals.distanceMetres, totals.ascentMetres, totals.uuid?.description, entry.cells.bytes)
                for effort in entry.bests {
                    try best.run(
                        totals.id, effort.kind.rawValue, effort.value, effort.elapsedMilliseconds,
                        effort.distanceMetres)
                }
            }
        }
        finished = []
    }

    private static func delete(_ id: Int, _ database: SQLiteDatabase) throws(SQLiteError) {
        try database.execute("DELETE FROM activity WHERE id = \(id); DELETE FROM best WHERE activity = \(id)")
    }

    // MARK: The file

    /// Removes a damaged index. The next step creates an index and compares all entries with the journal.
    ///
    /// - Throws: any other error, and damage that comes back.
    private mutating func rebuild(after error: SQLiteError) throws {
        guard error.kind == .damaged, !isRebuilt else { throw error }
        restart()
        remove(because: "is damaged (\(error))", in: try Directory(private: directory))
    }

    /// Opens the index; it stays open until the update ends. Creates an index if there is none, and replaces an index that
    /// is damaged or has another version.
    private mutating func opened() throws -> SQLiteDatabase {
        if let database { return database }
        let place = try Directory(private: directory)
        let path = place.path(of: ActivityIndex.name)
        if try place.checkFile(ActivityIndex.name) {
            var reason: String?
            do throws(SQLiteError) {
                let database = try Self.open(path)
                let finding = try database.text("PRAGMA quick_check(1)") ?? ""
                if finding != "ok" {
                    reason = "is damaged (\(finding))"
                } else if try !ActivityIndex.isCurrent(database) {
                    reason = "has another version"
                } else {
                    self.database = database
                    return database
                }
            } catch {
                guard error.kind == .damaged else { throw error }
                reason = "is damaged (\(error))"
            }
            if let reason { remove(because: reason, in: place) }
        }
        // SQLite would create it readable for all.
        _ = try place.make(ActivityIndex.name, O_RDWR, mode: JournalFile.mode)
        let database = try Self.open(path)
        try database.transaction { () throws(SQLiteError) in try database.execute(ActivityIndex.tables) }
        self.database = database
        return database
    }

    /// A rollback journal, unlike a write-ahead log, leaves one file, which readers without write permission can open.
    private static func open(_ path: String) throws(SQLiteError) -> SQLiteDatabase {
        let database = try SQLiteDatabase(path, .writing)
        database.setBusyTimeout(JournalFile.busyTimeout)
        try database.execute("PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")
        return database
    }

    private mutating func remove(because reason: String, in place: borrowing Directory) {
        for ending in ["", "-journal"] { place.remove(ActivityIndex.name + ending) }
        isRebuilt = true
        report = "\(ActivityIndex.name) \(reason): it is built again"
    }
}
