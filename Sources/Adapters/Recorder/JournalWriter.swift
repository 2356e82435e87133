package import Domain
import Linux

/// Writes what is appended, on a thread that may wait for the disk as long as that takes.
///
/// A commit twice a second survives a kill; every `syncSeconds` one of them is synced and survives a power cut. What a disk refuses is kept
/// and tried again each second, with the file opened anew where that can help.
package final class JournalWriter {
    /// Between two commits.
    static let commitInterval = Duration.milliseconds(500)
    /// Between two attempts while the disk refuses.
    static let retryDelay = Duration.seconds(1)
    /// With less room than this, in bytes, what waits is written piece by piece, each followed by a checkpoint: the log and the file need room
    /// for the same pages, and a log that takes the last of it cannot be emptied any more.
    static let tightRoom: Int64 = 8 << 20
    /// A piece has so many changes.
    private static let tightCount = 64
    /// The closing loop has so long to call ``Journal/startWriting()``.
    private static let startLimit = Duration.seconds(10)

    /// Makes the state directory ready; why it is not ready, as a clause for people, or nil.
    package typealias Preparing = @Sendable () -> String?

    let directory: String
    /// Nil once the directory is ready.
    private var prepare: Preparing?
    let desk: JournalMailbox
    let reserve: JournalReserve
    var file: JournalFile?
    private var isTight = false
    /// A transaction has found no room.
    private var wasFull = false
    /// The activity number that is promised is used up.
    private var needsNumber = false
    /// When the file is tried next after an error.
    var retryAt: Instant?
    private var syncedAt: Instant?
    /// Something is committed and not synced.
    private var isUnsynced = false
    private var measuredAt: Instant?
    /// Activities may be condemned.
    private var isErasing = true
    /// Something was erased, and stands in the write-ahead log still.
    private var leavesTraces = false
    /// The activity that is open, to be begun again where the file it was in is gone.
    private var current: (recording: RecordedActivity, parts: [BootSegment])?
    /// The settings that are written, to be written again there.
    private var settings: [String: String] = [:]
    private var recovery: RecoveryQueue

    package init(in directory: String, desk: JournalMailbox, syncSeconds: Int? = nil, prepare: Preparing? = nil) {
        self.directory = directory
        self.desk = desk
        self.prepare = prepare
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
            runOnce(at: begun)
            if !isClosing {
                desk.work.wait(atMost: max(Self.commitInterval - (Clock.now() - begun), .milliseconds(10)))
            }
        }
        let end = Clock.now() + Self.startLimit
        while prepare == nil, desk.queue.withLock({ $0.isHeld }), Clock.now() < end {
            desk.work.wait(atMost: .milliseconds(100))
        }
        // The first attempt on a full disk may have made room for the rest.
        for _ in 0..<2 where !desk.queue.withLock({ $0.isEmpty }) { runOnce(at: Clock.now()) }
        file = nil
        desk.ended.signal()
    }

    /// Writes what waits, and looks after the file.
    package func runOnce(at now: Instant) {
        let (isOpen, isClosing, syncSeconds) = desk.queue.withLock { ($0.isOpen, $0.isClosing, $0.syncSeconds) }
        if let retryAt, now < retryAt, !isClosing { return }
        guard isPrepared(at: now, isClosing: isClosing) else { return }
        do throws(JournalFailure) {
            let file = try opened(at: now)
            if let measuredAt, now - measuredAt < .seconds(1) {
            } else {
                if !file.isInPlace { throw .replaced }
                try measure(file, at: now)
            }
            let interval = Duration.seconds(syncSeconds ?? (isOpen ? 1 : 10))
            // Commits do not fall on the millisecond.
            let isDue = syncedAt.map { now - $0 >= interval - Self.commitInterval / 2 } ?? true
            try write(into: file, isSynced: isDue || isClosing, isClosing: isClosing, at: now)
            try maintain(file, isDue: isDue, isClosing: isClosing, at: now)
            retryAt = nil
            report { $0.trouble = nil }
        } catch {
            fail(error, at: now, isClosing: isClosing)
        }
    }

    /// Whether there is something to write into, and it may be written.
    private func isPrepared(at now: Instant, isClosing: Bool) -> Bool {
        if let prepare {
            let trouble = prepare()
            if trouble == nil { self.prepare = nil }
            retryAt = trouble == nil ? nil : now + Self.retryDelay
            report { news in
                news.trouble = trouble.map { $0 + Self.keeping }
                news.isPrepared = trouble == nil
                news.isLastAttempt = isClosing
            }
            desk.prepared.signal()
        }
        return prepare == nil && !desk.queue.withLock { $0.isHeld }
    }

    // MARK: Writing

    private func write(
        into file: JournalFile, isSynced: Bool, isClosing: Bool, at now: Instant
    ) throws(JournalFailure) {
        let (chunks, loss) = desk.queue.withLock { ($0.popChunks(), $0.loss) }
        guard !chunks.isEmpty || loss != nil else { return }
        let isSynced = isSynced || chunks.contains { $0.changes.contains(where: \.isUrgent) }
        var rest = (isTight ? chunks.flatMap { $0.pieces(of: Self.tightCount) } : chunks)[...]
        do throws(SQLiteError) {
            try file.setSynced(isSynced)
            if wasFull {
                // What is in the log already keeps its room until it is in the file.
                _ = try? emptyLog(of: file)
            }
            while isTight, rest.count > 1 {
                try write(rest.prefix(1), nil, into: file)
                rest = rest.dropFirst()
            }
            try write(rest, loss, into: file)
            wasFull = false
        } catch {
            if error.kind == .full {
                wasFull = true
                rest = end(rest, in: file, isClosing: isClosing)
            }
            desk.queue.withLock { $0.giveBack(Array(rest)) }
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
        report { $0.written = written }
        isUnsynced = !isSynced
        if isSynced { synced(at: now) }
    }

    /// One transaction.
    func write(
        _ chunks: ArraySlice<JournalQueue.Chunk>, _ loss: JournalQueue.Loss?, into file: JournalFile
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            try file.database.transaction { () throws(SQLiteError) in
                for chunk in chunks { try write(chunk.changes, into: file) }
                if let loss { try file.statements.write(loss) }
            }
        } catch {
            file.statements.invalidateCache()
            throw error
        }
        for chunk in chunks { for change in chunk.changes { remember(change) } }
    }

    private func write(_ changes: [JournalChange], into file: JournalFile) throws(SQLiteError) {
        for change in changes {
            do throws(SQLiteError) {
                try file.statements.write(change)
            } catch {
                // One that can never be written must not keep the others from it.
                guard error.kind == .refused else { throw error }
                report { $0.refusals += 1 }
            }
        }
    }

    private func remember(_ change: JournalChange) {
        switch change {
        case .begin(let recording, let part):
            current = (recording, [part])
            needsNumber = true
        case .resume(let recording, let part):
            let parts = current?.recording.id == recording.id ? current?.parts : nil
            current = (recording, (parts ?? []) + [part])
        case .end, .delete:
            if current?.recording.id == change.activity { current = nil }
            if case .delete = change { isErasing = true }
        case .cut, .edit: leavesTraces = true
        case .recover: recovery.refresh()
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
                    for part in current.parts { try file.statements.write(.resume(current.recording, part)) }
                }
            }
            for setting in try JournalReader(file.database).settings() { settings[setting.name] = setting.value }
            report { $0.reserved = reserved }
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
    private func maintain(
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
            if needsNumber {
                try file.database.transaction { () throws(SQLiteError) in reserved = try file.statements.reserve() }
                needsNumber = false
            }
            if let reserved { report { $0.reserved = reserved } }
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
            report { $0.reports = Array(($0.reports + lines).suffix(64)) }
        }
        // A run keeps the disk to itself but for a step each time.
        if isMore, !isOpen { desk.work.signal() }
    }

    /// Takes a little away of what was deleted, so that nothing waits long behind it.
    private func erase(in file: JournalFile) throws(SQLiteError) {
        if isErasing {
            try file.database.transaction { () throws(SQLiteError) in
                isErasing = try file.statements.erase(atMost: 500)
            }
            if isErasing {
                leavesTraces = true
                return desk.work.signal()
            }
        }
        if leavesTraces { leavesTraces = try !emptyLog(of: file) }
    }

    private func measure(_ file: JournalFile, at now: Instant) throws(JournalFailure) {
        measuredAt = now
        guard let free = JournalFile.freeBytes(in: directory) else { return }
        reserve.reserve(of: free)
        isTight = free < Self.tightRoom
        do throws(SQLiteError) {
            try file.setCheckpoint(pages: isTight ? JournalFile.tightCheckpoint : JournalFile.checkpoint)
        } catch {
            throw .database(error)
        }
        desk.news.withLock { $0.freeMebibytes = Int(free >> 20) }
    }

    private func synced(at now: Instant) {
        syncedAt = now
        desk.news.withLock { $0.syncedAt = now }
    }
}
