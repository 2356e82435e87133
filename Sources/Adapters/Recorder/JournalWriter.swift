package import Domain
import Linux

/// Writes what is appended, on a thread that may wait for the disk as long as that takes.
///
/// A commit twice a second survives a kill; every `syncSeconds` one of them is synced and survives a power cut. What a disk refuses is kept
/// and tried again each second, with the file opened anew where that can help.
package final class JournalWriter {
    /// Between two commits.
    static let pace = Duration.milliseconds(500)
    /// Between two attempts while the disk refuses.
    static let rest = Duration.seconds(1)

    private let directory: String
    private let desk: JournalDesk
    private let reserve: JournalReserve
    private var file: JournalFile?
    /// When the file is tried next after an error.
    private var retryAt: Instant?
    private var syncedAt: Instant?
    /// Something is committed and not synced.
    private var isUnsynced = false
    private var measuredAt: Instant?
    /// Activities may be condemned.
    private var isErasing = true
    /// Something was erased, and stands in the write-ahead log still.
    private var leavesTraces = false
    /// The activity that is open, to be begun again where the file it was in is gone.
    private var current: (recording: Recording, parts: [JournalPart])?
    /// The number that was reserved and is in use.
    private var begun: Int?
    /// The settings that are written, to be written again there.
    private var settings: [String: String] = [:]
    private var recovery: RecoveryQueue

    package init(in directory: String, desk: JournalDesk, syncSeconds: Int? = nil) {
        self.directory = directory
        self.desk = desk
        desk.queue.withLock { $0.syncSeconds = syncSeconds }
        reserve = JournalReserve(in: directory)
        recovery = RecoveryQueue(in: directory)
    }

    /// Writes until the journal is closed.
    func run() {
        var isClosing = false
        while !isClosing {
            let begun = Clock.now()
            isClosing = desk.queue.withLock { $0.isClosing }
            turn(at: begun)
            if !isClosing { desk.work.wait(atMost: max(Self.pace - (Clock.now() - begun), .milliseconds(10))) }
        }
        // The first attempt on a full disk may have made room for the rest.
        if !desk.queue.withLock({ $0.isEmpty }) { turn(at: Clock.now()) }
        file = nil
        desk.ended.call()
    }

    /// Writes what waits, and looks after the file.
    package func turn(at now: Instant) {
        let (isOpen, isClosing, syncSeconds) = desk.queue.withLock { ($0.isOpen, $0.isClosing, $0.syncSeconds) }
        if let retryAt, now < retryAt, !isClosing { return }
        do throws(JournalFailure) {
            let file = try opened(at: now)
            if let measuredAt, now - measuredAt < .seconds(1) {
            } else {
                if !file.isInPlace { throw .replaced }
                measure(at: now)
            }
            let interval = Duration.seconds(syncSeconds ?? (isOpen ? 1 : 10))
            // Commits do not fall on the millisecond.
            let isDue = syncedAt.map { now - $0 >= interval - Self.pace / 2 } ?? true
            try write(into: file, isSynced: isDue || isClosing, at: now)
            try settle(file, isDue: isDue, isClosing: isClosing, at: now)
            retryAt = nil
            tell { $0.trouble = nil }
        } catch {
            fail(error, at: now, isClosing: isClosing)
        }
    }

    // MARK: Writing

    private func write(into file: JournalFile, isSynced: Bool, at now: Instant) throws(JournalFailure) {
        let (chunks, loss) = desk.queue.withLock { ($0.take(), $0.loss) }
        guard !chunks.isEmpty || loss != nil else { return }
        let isSynced = isSynced || chunks.contains { $0.changes.contains(where: \.isUrgent) }
        do throws(SQLiteError) {
            try file.setSynced(isSynced)
            try file.database.transaction { () throws(SQLiteError) in
                for chunk in chunks { try write(chunk.changes, into: file) }
                if let loss { try file.statements.write(loss) }
            }
        } catch {
            file.statements.forget()
            var chunks = chunks
            if error.kind == .full { chunks = end(chunks, in: file) }
            desk.queue.withLock { $0.giveBack(chunks) }
            throw .database(error)
        }
        let written = desk.queue.withLock { queue in
            queue.wrote()
            if let loss { queue.toldLoss(loss) }
            if var storage = chunks.last?.changes {
                storage.removeAll(keepingCapacity: true)
                queue.recycle(storage)
            }
            return queue.urgent.written
        }
        tell { $0.written = written }
        for chunk in chunks { for change in chunk.changes { remember(change) } }
        isUnsynced = !isSynced
        if isSynced { synced(at: now) }
    }

    private func write(_ changes: [JournalChange], into file: JournalFile) throws(SQLiteError) {
        for change in changes {
            do throws(SQLiteError) {
                try file.statements.write(change)
            } catch {
                // One that can never be written must not keep the others from it.
                guard error.kind == .refused else { throw error }
                tell { $0.refusals += 1 }
            }
        }
    }

    /// On a full disk the room of the reserve is for what ends a run, and for that alone.
    ///
    /// - Returns: what is not written.
    private func end(_ chunks: [JournalQueue.Chunk], in file: JournalFile) -> [JournalQueue.Chunk] {
        let isEnding = chunks.contains { chunk in
            chunk.changes.contains { if case .end = $0 { true } else { false } }
        }
        guard isEnding else { return chunks }
        reserve.release()
        do throws(SQLiteError) {
            try file.setSynced(true)
            try file.database.transaction { () throws(SQLiteError) in
                for chunk in chunks { try write(chunk.changes.filter(\.isVital), into: file) }
            }
        } catch {
            file.statements.forget()
            return chunks
        }
        return chunks.compactMap { chunk in
            let changes = chunk.changes.filter { !$0.isVital }
            let size = changes.reduce(0) { $0 + $1.size }
            return changes.isEmpty ? nil : JournalQueue.Chunk(changes: changes, size: size, since: chunk.since)
        }
    }

    private func remember(_ change: JournalChange) {
        switch change {
        case .begin(let recording, let part):
            current = (recording, [part])
            begun = recording.id
        case .resume(let activity, let part):
            if current?.recording.id == activity { current?.parts.append(part) }
        case .end, .delete:
            if current?.recording.id == change.activity { current = nil }
            if case .delete = change { isErasing = true }
        case .cut, .edit: leavesTraces = true
        case .recover: recovery.look()
        case .setting(let setting): settings[setting.name] = setting.value
        case .unset(let name): settings[name] = nil
        default: break
        }
    }

    // MARK: The file

    private func opened(at now: Instant) throws(JournalFailure) -> JournalFile {
        if let file { return file }
        let file = try JournalFile(in: directory)
        do throws(SQLiteError) {
            try file.setSynced(true)
            var reserved = 0
            try file.database.transaction { () throws(SQLiteError) in
                reserved = try file.statements.reserve()
                for (name, value) in settings {
                    try file.statements.write(.setting(JournalSetting(name: name, value: value)))
                }
                if let current {
                    try file.statements.write(.begin(current.recording, current.parts[0]))
                    for part in current.parts.dropFirst() {
                        try file.statements.write(.resume(activity: current.recording.id ?? 0, part))
                    }
                }
            }
            for setting in try JournalReader(file.database).settings() { settings[setting.name] = setting.value }
            tell { $0.reserved = reserved }
            try JournalRecovery.adopt(file, in: directory)
        } catch {
            throw .database(error)
        }
        self.file = file
        recovery.restart()
        isErasing = true
        // A kill may have fallen between erasing and the checkpoint.
        leavesTraces = true
        return file
    }

    /// What is left to do when everything is written.
    private func settle(
        _ file: JournalFile, isDue: Bool, isClosing: Bool, at now: Instant
    ) throws(JournalFailure) {
        do throws(SQLiteError) {
            if isUnsynced, isDue || isClosing {
                // Nothing new came that could be synced with it: a checkpoint syncs all there is.
                try file.database.execute("PRAGMA wal_checkpoint(PASSIVE)")
                isUnsynced = false
            }
            if isDue, !isUnsynced, desk.queue.withLock({ $0.isEmpty }) { synced(at: now) }
            if !isClosing { try erase(in: file) }
            var reserved: Int?
            if desk.news.withLock({ $0.reserved }) == begun {
                try file.database.transaction { () throws(SQLiteError) in reserved = try file.statements.reserve() }
            }
            if let reserved { tell { $0.reserved = reserved } }
        } catch {
            throw .database(error)
        }
        if !isClosing { try recover(in: file) }
    }

    /// Copies a little of a damaged journal, when nothing else is to be done.
    private func recover(in file: JournalFile) throws(JournalFailure) {
        let (isEmpty, isOpen) = desk.queue.withLock { ($0.isEmpty, $0.isOpen) }
        guard isEmpty, !isErasing else { return }
        let isMore = try recovery.step(in: file) { lines in
            tell { $0.reports = Array(($0.reports + lines).suffix(64)) }
        }
        // A run keeps the disk to itself but for a step each time.
        if isMore, !isOpen { desk.work.call() }
    }

    /// Takes a little away of what was deleted, so that nothing waits long behind it.
    private func erase(in file: JournalFile) throws(SQLiteError) {
        if isErasing {
            try file.database.transaction { () throws(SQLiteError) in
                isErasing = try file.statements.erase(atMost: 500)
            }
            if isErasing {
                leavesTraces = true
                return desk.work.call()
            }
        }
        guard leavesTraces else { return }
        // Not while somebody reads, who would keep the writer waiting.
        file.database.setPatience(.zero)
        defer { file.database.setPatience(JournalFile.patience) }
        leavesTraces = try file.database.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0
    }

    private func measure(at now: Instant) {
        measuredAt = now
        guard let free = JournalFile.freeBytes(in: directory) else { return }
        reserve.take(of: free)
        desk.news.withLock { $0.freeMebibytes = Int(free >> 20) }
    }

    private func synced(at now: Instant) {
        syncedAt = now
        desk.news.withLock { $0.syncedAt = now }
    }

    // MARK: Trouble

    private func fail(_ failure: JournalFailure, at now: Instant, isClosing: Bool) {
        retryAt = now + Self.rest
        switch failure {
        case .database(let error):
            switch error.kind {
            case .full: tell { $0.trouble = "the disk is full" + Self.keeping }
            case .readOnly:
                file = nil
                tell { $0.trouble = "the disk takes no writes, it is read-only" + Self.keeping }
            case .busy: tell { $0.trouble = "another program keeps the journal locked" + Self.keeping }
            case .damaged:
                file = nil
                replaceDamaged(at: now)
            case .disk:
                file = nil
                tell { $0.trouble = "the disk fails (\(error.text))" + Self.keeping }
            case .refused:
                file = nil
                tell { $0.trouble = "the journal cannot be written (\(error.text))" + Self.keeping }
            }
        case .directory(let error):
            file = nil
            tell { $0.trouble = "\(error)" + Self.keeping }
        case .newer: tell { $0.trouble = "\(JournalFile.path(in: directory)): \(failure)" }
        case .replaced, .missing:
            file = nil
            // Opened anew at once, unless the directory is gone too.
            retryAt = now
            tell { $0.trouble = "the journal was moved away or removed" + Self.keeping }
        }
    }

    private static let keeping = ", keeping up to 10 min in memory"

    private func replaceDamaged(at now: Instant) {
        do {
            let place = try JournalFile.setAside(in: directory, at: Clock.systemTime())
            tell { $0.trouble = "the journal is damaged, now \(place)" }
        } catch {
            tell { $0.trouble = "the journal is damaged and cannot be set aside (\(error))" }
        }
    }

    private func tell(_ change: (inout JournalNews) -> Void) {
        let isOther = desk.news.withLock { news in
            let before = news
            change(&news)
            return news != before
        }
        if isOther { desk.changed.call() }
    }
}
