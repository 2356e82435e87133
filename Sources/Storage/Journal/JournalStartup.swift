package import Domain
import JournalCoding
import Linux
import Pipeline
package import SQLite

/// The contents of the journal at the start of the daemon, before anything is written.
package struct JournalStartup: Sendable {
    /// The new path of a damaged journal, its damage, and a text about the rescued data. A new journal was created.
    package var damaged: (path: String, reason: String, rescued: String)?
    /// The part of a damaged write-ahead log that SQLite ignores. Nil if none.
    package var ignored: String?
    /// The number of the next activity.
    package var nextActivity = 1
    /// The activity left open by a kill, a power cut or the end of the program.
    package var open: OpenActivity?
    /// The newest activity, if it ended because the battery was nearly empty. Its entry `ended` is omitted.
    package var endedForPower: OpenActivity?
    /// The newest lines of class EVENT, oldest first.
    package var events: [(sequence: Int, line: [UInt8])] = []
    /// The settings made over control.sock.
    package var settings: [JournalSetting] = []
    /// The course and the partner that were loaded.
    package var guide = LoadedGuide()

    /// Up to 100 more than are kept, and those of the run in progress.
    private static let eventLimit = 1300
    /// The time for the rescue from a damaged journal, after that for the check.
    private static let rescueTime = Duration.milliseconds(800)

    /// Checks the journal for about `timeout` at most, creates it if there is none, and migrates it. Waits
    /// for the disk.
    ///
    /// From a damaged journal the settings, the numbers and the open activity are copied to a new one
    /// (``StartupRecovery``). The journal's thread copies the rest.
    ///
    /// - Parameter time: the system time, right or wrong, for the name of a damaged journal.
    /// - Throws: ``JournalFailure``, or ``SystemError`` if a damaged journal cannot be renamed.
    package init(in directory: String, at time: UTC, timeout: Duration = .seconds(1)) throws {
        let deadline = Clock.now() + timeout + Self.rescueTime
        ignored = WriteAheadLog.loss(besideJournalAt: JournalFile.path(in: directory))
        if let reason = try JournalFile.damage(in: directory, timeout: timeout) {
            damaged = (try JournalFile.setAside(in: directory, at: time), reason, "")
        }
        let file = try JournalFile(in: directory)
        try JournalRecovery.adopt(file, in: directory)
        if let path = damaged?.path {
            let name = String(path.dropFirst(directory.utf8.count + 1))
            damaged?.rescued = StartupRecovery.copy(name, in: directory, into: file, by: deadline)
        }
        let reader = JournalReader(file.database)
        // The lock of the directory is ours: an import under way was killed.
        try file.database.transaction { () throws(SQLiteError) in try file.condemnImports("true") }
        nextActivity = try reader.nextActivity()
        open = try reader.openActivity()
        if open == nil { endedForPower = try reader.activityEndedForPower() }
        events = try reader.events(limit: Self.eventLimit)
        settings = try reader.settings()
        guide = try reader.loadedGuide()
    }

    /// Reads what is readable of a journal that cannot be written. It checks and changes nothing. Waits for the disk.
    ///
    /// - Throws: ``JournalFailure``, or ``SQLiteError`` if not even the numbers are readable.
    package init(reading directory: String) throws {
        let reader = try JournalReader(in: directory)
        nextActivity = try reader.nextActivity()
        open = try? reader.openActivity()
        if open == nil { endedForPower = try? reader.activityEndedForPower() }
        events = (try? reader.events(limit: Self.eventLimit)) ?? []
        settings = (try? reader.settings()) ?? []
        guide = (try? reader.loadedGuide()) ?? LoadedGuide()
    }
}

/// An activity that has not ended.
package struct OpenActivity: Equatable, Sendable {
    package var recording: RecordedActivity
    package var gaps: Int
    package var parts: [BootSegment]
    /// The numbers of entries and rows, counted by their places.
    package var entries: Int
    package var rows: Int
    /// The last known moment, on the clock of the last part, and in milliseconds since the start.
    package var last: Instant
    package var lastAt: Int64
    /// The moment of the last entry or row. ``last`` is later if a later reading of the clock exists.
    package var lastEntry: Instant
    /// The time of day at ``last``. Nil if no clock was known.
    package var lastTime: UTC?
    /// Whether rows were lost to a slow disk, so that a replay differs from the original.
    package var isIncomplete: Bool
}

extension JournalReader {
    /// Whether an activity was imported; false for an unknown one.
    package func isImported(_ activity: Int) throws(SQLiteError) -> Bool {
        try database.integer("SELECT imported FROM activity WHERE id = \(activity)") == 1
    }

    /// The number of the next activity: no activity of the journal has or had it or a higher one.
    func nextActivity() throws(SQLiteError) -> Int {
        let tables = ["importing": "activity", "condemned": "activity"]
            .merging(version < JournalSchema.versionWithRecovery ? [:] : ["recovery": "target"]) { $1 }
        var highest = try database.integer("SELECT seq FROM sqlite_sequence WHERE name = 'activity'") ?? 0
        for (table, column) in tables {
            highest = max(highest, try database.integer("SELECT max(\(column)) FROM \(table)") ?? 0)
        }
        return Int(highest) + 1
    }

    /// The newest activity that has not ended.
    package func openActivity() throws(SQLiteError) -> OpenActivity? {
        guard let id = try database.integer("SELECT max(id) FROM activity WHERE open AND NOT imported") else {
            return nil
        }
        return try unended(Int(id))
    }

    /// The newest activity as it was before its end. Nil unless it ended with ``AutoStopReason/power``.
    package func activityEndedForPower() throws(SQLiteError) -> OpenActivity? {
        let newest = try database.integer("SELECT max(id) FROM activity WHERE NOT imported")
        guard let id = newest.map({ Int($0) }), let summary = try summary(of: id), !summary.isOpen else { return nil }
        let keys = JournalSchema.keys(of: id)
        let statement = try database.prepare(
            "SELECT key, at_ns, kind, value FROM input WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1")
        try statement.bind(keys.lowerBound, keys.upperBound)
        guard try statement.step(), let key = statement.integer(0), let at = statement.integer(1),
            statement.text(2) == InputLogEntry.Kind.ended(.power).name,
            statement.text(3) == "\"\(AutoStopReason.power.token)\"",
            var activity = try unended(id)
        else { return nil }
        let end = Instant(nanoseconds: at)
        let later = (activity.last - end).wholeMilliseconds
        activity.entries = Int(key - keys.lowerBound)
        activity.last = end
        activity.lastEntry = end
        activity.lastAt -= later
        activity.lastTime = activity.lastTime.map { UTC(milliseconds: $0.milliseconds - later) }
        return activity
    }

    private func unended(_ id: Int) throws(SQLiteError) -> OpenActivity? {
        let parts = try parts(of: id)
        guard let recording = try recording(id), let part = parts.last else { return nil }
        let keys = JournalSchema.keys(of: id)
        let newest = try newestEntries(of: id)
        let ofPart = newest.filter { $0.place >= part.place }
        var last = ofPart.reduce(part.at) { max($0, $1.at) }
        let record = try database.prepare(
            "SELECT key, at_ms FROM record WHERE key BETWEEN ? AND ? ORDER BY key DESC LIMIT 1")
        try record.bind(keys.lowerBound, keys.upperBound)
        var rows = 0
        if try record.step(), let key = record.integer(0), let at = record.integer(1) {
            rows = Int(key - keys.lowerBound) + 1
            last = max(last, part.at + .milliseconds(at - part.beginsAt))
        }
        let lastEntry = last
        // The clock is recorded every minute, even without other entries.
        let clock = try database.prepare(
            "SELECT at_ns, utc_ms FROM clock WHERE boot_id = ? ORDER BY number DESC LIMIT 1")
        try clock.bind(part.bootID)
        var lastTime: UTC?
        if try clock.step(), let at = clock.integer(0), let time = clock.integer(1) {
            last = max(last, Instant(nanoseconds: at))
            lastTime = UTC(milliseconds: time + last.milliseconds - Instant(nanoseconds: at).milliseconds)
        }
        return OpenActivity(
            recording: recording, gaps: try summary(of: id)?.gaps ?? 0, parts: parts,
            entries: newest.reduce(0) { max($0, $1.place + 1) }, rows: rows, last: last,
            lastAt: part.beginsAt + (last - part.at).wholeMilliseconds, lastEntry: lastEntry, lastTime: lastTime,
            isIncomplete: try database.integer("SELECT count(*) FROM loss WHERE activity = \(id)") ?? 0 > 0)
    }
}
