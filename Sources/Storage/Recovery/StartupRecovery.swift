import Domain
import JSONCoding
import JournalCoding
import Linux
import SQLite

/// Copies what a start needs of a damaged journal: the settings, the used numbers, the newest events and
/// the open activity. ``JournalRecovery`` copies the rest later.
enum StartupRecovery {
    private static let eventLimit = 1000
    /// A number that exceeds the highest one in use by more than this is damage.
    private static let plausibleStep = 100_000

    /// The deadline has passed.
    private struct Late: Error {}

    /// - Parameters:
    ///   - name: the name of the damaged journal in the state directory.
    ///   - deadline: when to stop. ``JournalRecovery`` copies the rest.
    /// - Returns: The copied data, as text for a log line.
    static func copy(_ name: String, in directory: String, into file: JournalFile, by deadline: Instant) -> String {
        do {
            let journal = try DamagedJournal(directory + "/" + name)
            var copied: [String] = []
            try file.database.transaction { () throws(SQLiteError) in
                let settings = settings(of: journal)
                for setting in settings { try file.statements.write(.setting(setting)) }
                if !settings.isEmpty { copied.append("\(settings.count) settings") }
                try copyCourses(of: journal, into: file, by: deadline)
                let activities = activities(of: journal, by: deadline)
                try number(above: activities.last, journal, file)
                for change in clocks(of: journal, by: deadline) + events(of: journal, by: deadline) {
                    try file.statements.write(change)
                }
            }
            if let id = try openActivity(of: journal, named: name, into: file, by: deadline) {
                copied.append("open activity \(id)")
            }
            return copied.isEmpty ? "nothing" : copied.joined(separator: ", ")
        } catch is Late {
            return "all but the open activity, which is too long"
        } catch {
            return "nothing (\(error))"
        }
    }

    private static func settings(of journal: DamagedJournal) -> [JournalSetting] {
        journal.rows(of: "setting").rows.prefix(JournalSetting.limit).compactMap { cell in
            let columns = StoredColumns(values: cell.values[...])
            guard cell.values.count == 2, let name = columns.text(0), let value = columns.text(1),
                (try? JSON(parsing: value.utf8)) != nil
            else { return nil }
            return JournalSetting(name: name, value: value)
        }
    }

    /// Copies what is loaded, and the courses and curves: a resumed activity needs them.
    private static func copyCourses(
        of journal: DamagedJournal, into file: JournalFile, by deadline: Instant
    ) throws(SQLiteError) {
        for cell in journal.rows(of: "loaded").rows {
            let columns = StoredColumns(values: cell.values[...])
            guard cell.values.count == 3, let kind = columns.text(0), let value = columns.text(1) else { continue }
            switch kind {
            case "course":
                guard let hash = CourseHash(value) else { continue }
                try file.statements.write(.course(.load(hash)))
            case "partner":
                guard let partner = Partner(stored: value) else { continue }
                try file.statements.write(.course(.partner(partner, bytes: nil)))
            default: continue
            }
        }
        for name in ["course", "partner"] {
            for page in journal.pages(of: name, by: deadline, now: Clock.now).pages {
                try RecoveredCourses.copy(page, of: name, from: journal, into: file)
            }
        }
    }

    /// The numbers of the readable activities, ascending.
    private static func activities(of journal: DamagedJournal, by deadline: Instant) -> [Int] {
        cells(of: "activity", journal, by: deadline)
            .compactMap { DamagedJournal.identify($0, isIndex: false) }
            .filter { $0.table == .activity }.map(\.activity).sorted()
    }

    private static func cells(
        of table: String, _ journal: DamagedJournal, keys: ClosedRange<Int64> = .min ... .max, by deadline: Instant
    ) -> [DamagedDatabase.Cell] {
        journal.pages(of: table, keys: keys, by: deadline, now: Clock.now).pages
            .flatMap { journal.database.cells(in: $0)?.cells ?? [] }
    }

    /// Continues the numbering of activities, so that a number in an export never refers to another activity.
    private static func number(
        above activity: Int?, _ journal: DamagedJournal, _ file: JournalFile
    ) throws(SQLiteError) {
        let sequence = journal.rows(of: "sqlite_sequence").rows.compactMap { cell -> Int? in
            let columns = StoredColumns(values: cell.values[...])
            return columns.text(0) == "activity" ? columns.integer(1).map { Int($0) } : nil
        }
        let others = ["importing", "condemned"].flatMap { journal.numbers(in: $0).numbers }
        let known = activity ?? 0
        let highest = (sequence + others).filter { (known...known + plausibleStep).contains($0) }.max() ?? known
        guard highest > 0 else { return }
        try file.database.prepare("DELETE FROM sqlite_sequence WHERE name = 'activity'").run()
        try file.database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('activity', ?)").run(highest)
    }

    private static func clocks(of journal: DamagedJournal, by deadline: Instant) -> [JournalChange] {
        var survey = JournalPageIndex(journal)
        for page in journal.pages(of: "clock", by: deadline, now: Clock.now).pages { survey.add(page, of: journal) }
        return survey.clocks.flatMap { boot, mappings in
            mappings.sorted { $0.at < $1.at }.map { .clock(bootID: boot, at: $0.at, $0.time, $0.source) }
        }
    }

    private static func events(of journal: DamagedJournal, by deadline: Instant) -> [JournalChange] {
        cells(of: "event", journal, by: deadline).suffix(eventLimit).compactMap { cell in
            let columns = StoredColumns(values: cell.values[...])
            guard cell.values.count == 4, let at = columns.integer(2), let line = columns.text(3),
                !line.utf8.contains(UInt8(ascii: "\n")), let json = try? JSON(parsing: line.utf8),
                json["class"]?.string == "EVENT", json["seq"]?.integer == Int(cell.rowid),
                (1...1 << 53).contains(cell.rowid)
            else { return nil }
            return .event(
                sequence: Int(cell.rowid), activity: columns.integer(1).map { Int($0) },
                at: Instant(nanoseconds: at), line: Array(line.utf8))
        }
    }

    /// Copies the newest activity that has not ended.
    ///
    /// - Returns: Its number.
    private static func openActivity(
        of journal: DamagedJournal, named name: String, into file: JournalFile, by deadline: Instant
    ) throws -> Int? {
        var survey = JournalPageIndex(journal)
        for table in ["activity", "part", "lap", "sensor"] {
            for page in journal.pages(of: table, by: deadline, now: Clock.now).pages { survey.add(page, of: journal) }
        }
        survey.sort()
        let open = survey.activities.keys.sorted(by: >).lazy
            .map { ActivityRecovery($0, of: survey, journal) }.first { $0.isOpen && !$0.isImported }
        guard let id = open?.source, open?.parts.last?.bootID.isEmpty == false else { return nil }
        for table in DamagedJournal.Table.keyed {
            let pages = journal.pages(
                of: table.name, keys: JournalSchema.keys(of: id), by: deadline, now: Clock.now)
            for page in pages.pages { survey.add(page, of: journal) }
            if Clock.now() > deadline { throw Late() }
        }
        survey.sort()
        let activity = ActivityRecovery(id, of: survey, journal)
        let convert: (SQLiteError) -> any Error = { $0 }
        try file.database.transaction(orElse: convert) { () throws(any Error) in
            var position: ActivityRecovery.Position? = .init()
            while let next = position {
                position = try activity.copy(from: next, atMost: 2000, to: id, in: file)
                if Clock.now() > deadline { throw Late() }
            }
            let note = try activity.finish(as: id, staysOpen: true, in: file)
            try JournalRecovery.write(
                .init(state: .copied, target: id), of: id, from: name, in: file.database)
            if note.lostRows > 0 {
                try file.statements.write(
                    JournalQueue.Loss(
                        activity: id, rows: note.lostRows, first: activity.parts[0].at, last: activity.parts[0].at))
            }
        }
        return id
    }
}
