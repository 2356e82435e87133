package import Domain
import Linux
import SQLite

/// Writes the queued changes, on a thread that may wait for the disk.
///
/// It commits twice a second, which survives a kill. Every `syncSeconds` a commit is synced, which survives a
/// power cut. What the disk rejects is kept and retried every second, after reopening the file if that can help.
///
/// Source: docs/decisions/recording.md.
package final class JournalWriter {
    /// The time between two commits.
    static let commitInterval = Duration.milliseconds(500)
    /// The time between two attempts after an error.
    static let retryDelay = Duration.seconds(1)
    /// With less free space than this, in bytes, changes are written in pieces, each followed by a checkpoint:
    /// log and database need space for the same pages, and a log that fills the disk cannot be emptied.
    private static let lowSpace: Int64 = 8 << 20
    /// With less free space than this, in bytes, the trash is erased, the oldest activity first.
    private static let trashSpace: Int64 = 64 << 20
    /// The number of changes in a piece.
    private static let tightCount = 64
    /// How long the closing loop has to call ``Journal/startWriting()``.
    private static let startLimit = Duration.seconds(10)

    /// Prepares the state directory. Returns the reason if that failed, as a clause for people, or nil.
    package typealias Preparing = @Sendable () -> String?

    private let directory: String
    /// Nil once the directory is ready.
    private var prepare: Preparing?
    private let mailbox: JournalMailbox
    private let reserve: JournalReserve
    private let freeBytes: @Sendable (String) -> Int64?
    private var file: JournalFile?
    private var isTight = false
    /// Whether a transaction failed because the disk was full.
    private var wasFull = false
    /// When the file is retried after an error.
    private var retryAt: Instant?
    private var syncedAt: Instant?
    /// Whether a commit is not synced yet.
    private var isUnsynced = false
    private var measuredAt: Instant?
    /// Whether there may be condemned activities.
    private var isErasing = true
    /// Whether erased data may remain in the write-ahead log.
    private var leavesTraces = false
    /// The open activity, to be inserted again if its file is gone.
    private var current: (recording: RecordedActivity, parts: [BootSegment])?
    /// The written settings, to be written again if the file is gone.
    private var settings: [String: String] = [:]
    private var recovery: RecoveryQueue

    /// - Parameter freeBytes: the free space of a directory's disk.
    package init(
        in directory: String, mailbox: JournalMailbox, syncSeconds: Int? = nil, prepare: Preparing? = nil,
        freeBytes: @escaping @Sendable (String) -> Int64? = { JournalFile.freeBytes(in: $0) }
    ) {
        self.directory = directory
        self.freeBytes = freeBytes
        self.mailbox = mailbox
        self.prepare = prepare
        mailbox.queue.withLock { $0.syncSeconds = syncSeconds }
        reserve = JournalReserve(in: directory)
        recovery = RecoveryQueue(in: directory, numbers: mailbox.numbers)
    }

    /// Writes until the journal is closed.
    func run() {
        var isClosing = false
        while !isClosing {
            let begun = Clock.now()
            isClosing = mailbox.queue.withLock { $0.isClosing }
            runOnce(at: begun)
            if !isClosing {
                mailbox.work.wait(atMost: max(Self.commitInterval - (Clock.now() - begun), .milliseconds(10)))
            }
        }
        let end = Clock.now() + Self.startLimit
        while prepare == nil, mailbox.queue.withLock({ $0.isHeld }), Clock.now() < end {
            mailbox.work.wait(atMost: .milliseconds(100))
        }
        // The first attempt on a full disk may have made room for the rest.
        for _ in 0..<2 where !mailbox.queue.withLock({ $0.isEmpty }) { runOnce(at: Clock.now()) }
        file = nil
        mailbox.ended.signal()
    }

    /// Writes the queued changes and maintains the file.
    package func runOnce(at now: Instant) {
        let (isOpen, isClosing, syncSeconds) = mailbox.queue.withLock { ($0.isOpen, $0.isClosing, $0.syncSeconds) }
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
            performImportStep(in: file)
            retryAt = nil
            report { $0.message = nil }
        } catch {
            fail(error, at: now, isClosing: isClosing)
            mailbox.rejectImports("the journal is not written")
        }
    }

    /// Performs one step of an import. Its failure does not affect the run.
    private func performImportStep(in file: JournalFile) {
        guard let (number, step) = mailbox.imports.withLock({ $0.steps.first }) else { return }
        let begun = Clock.now()
        let result: Result<JournalImportOutcome, JournalImportFailure>
        do throws(SQLiteError) {
            let (number, isPresent) = try file.perform(step)
            if case .begin = step { mailbox.numbers.withLock { $0.wrote(number) } }
            result = .success(
                JournalImportOutcome(activity: number, isPresent: isPresent, duration: Clock.now() - begun))
        } catch {
            file.statements.invalidateCache()
            result = .failure(JournalImportFailure(description: "\(error)"))
        }
        if case .abandon = step { isErasing = true }
        let isMore = mailbox.imports.withLock { imports in
            imports.steps.removeFirst()
            imports.results.append((number, result))
            return !imports.steps.isEmpty
        }
        mailbox.changed.signal()
        if isMore || isErasing { mailbox.work.signal() }
    }

    /// Whether the directory is ready and writing is not held back.
    private func isPrepared(at now: Instant, isClosing: Bool) -> Bool {
        if let prepare {
            let failure = prepare()
            if failure == nil { self.prepare = nil }
            retryAt = failure == nil ? nil : now + Self.retryDelay
            report { status in
                status.message = failure.map { $0 + Self.keeping }
                status.isPrepared = failure == nil
                status.isLastAttempt = isClosing
            }
            mailbox.prepared.signal()
        }
        return prepare == nil && !mailbox.queue.withLock { $0.isHeld }
    }

    // MARK: Writing

    private func write(
        into file: JournalFile, isSynced: Bool, isClosing: Bool, at now: Instant
    ) throws(JournalFailure) {
        let (chunks, loss) = mailbox.queue.withLock { ($0.popChunks(), $0.loss) }
        guard !chunks.isEmpty || loss != nil else { return }
        let isSynced = isSynced || chunks.contains { $0.changes.contains(where: \.isUrgent) }
        var rest = (isTight ? chunks.flatMap { $0.pieces(of: Self.tightCount) } : chunks)[...]
        do throws(SQLiteError) {
            try file.setSynced(isSynced)
            if wasFull {
                // Pages in the log keep their space until they are in the database.
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
            mailbox.queue.withLock { $0.requeue(Array(rest)) }
            throw .database(error)
        }
        let written = mailbox.queue.withLock { queue in
            queue.wrote()
            if let loss { queue.reportedLoss(loss) }
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

    /// Writes one transaction.
    private func write(
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
                // A change that can never be written must not block the others.
                guard error.kind == .invalid else { throw error }
                report { $0.rejections += 1 }
            }
        }
    }

    private func remember(_ change: JournalChange) {
        switch change {
        case .begin(let recording, let part):
            current = (recording, [part])
            if let id = recording.id { mailbox.numbers.withLock { $0.wrote(id) } }
        case .resume(let recording, let part):
            let parts = current?.recording.id == recording.id ? current?.parts : nil
            current = (recording, (parts ?? []) + [part])
        case .end, .delete:
            if current?.recording.id == change.activity { current = nil }
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
            try file.database.transaction { () throws(SQLiteError) in
                for (name, value) in settings {
                    try file.statements.write(.setting(JournalSetting(name: name, value: value)))
                }
                if let current {
                    for part in current.parts { try file.statements.write(.resume(current.recording, part)) }
                }
            }
            for setting in try JournalReader(file.database).settings() { settings[setting.name] = setting.value }
            let next = try JournalReader(file.database).nextActivity()
            mailbox.numbers.withLock { $0.skip(to: next) }
            try JournalRecovery.adopt(file, in: directory)
        } catch {
            throw .database(error)
        }
        self.file = file
        recovery.restart()
        isErasing = true
        // A kill may have occurred between erasing and the checkpoint.
        leavesTraces = true
        return file
    }

    /// Syncs, erases and recovers, after all changes are written.
    private func maintain(
        _ file: JournalFile, isDue: Bool, isClosing: Bool, at now: Instant
    ) throws(JournalFailure) {
        if isUnsynced, isDue || isClosing {
            // There was no new commit to sync with.
            try file.syncLog()
            isUnsynced = false
        }
        do throws(SQLiteError) {
            if isDue, !isUnsynced, mailbox.queue.withLock({ $0.isEmpty }) { synced(at: now) }
            if !isClosing { try erase(in: file) }
        } catch {
            throw .database(error)
        }
        if !isClosing { try recover(in: file) }
    }

    /// Copies a step of a damaged journal, if the writer is idle.
    private func recover(in file: JournalFile) throws(JournalFailure) {
        let (isEmpty, isOpen) = mailbox.queue.withLock { ($0.isEmpty, $0.isOpen) }
        guard isEmpty, !isErasing else { return }
        let isMore = try recovery.step(in: file) { lines in
            report { $0.reports = Array(($0.reports + lines).suffix(64)) }
        }
        // During a run there is only one step per commit interval.
        if isMore, !isOpen { mailbox.work.signal() }
    }

    /// Erases a part of the deleted data, so that other changes do not wait long.
    private func erase(in file: JournalFile) throws(SQLiteError) {
        if file.statements.hasCondemned { isErasing = true }
        if isErasing {
            try file.database.transaction { () throws(SQLiteError) in
                isErasing = try file.statements.erase(atMost: 500)
            }
            if isErasing {
                leavesTraces = true
                return mailbox.work.signal()
            }
        }
        if leavesTraces { leavesTraces = try !emptyLog(of: file) }
    }

    private func measure(_ file: JournalFile, at now: Instant) throws(JournalFailure) {
        measuredAt = now
        guard let free = freeBytes(directory) else { return }
        reserve.reserve(of: free)
        isTight = free < Self.lowSpace
        do throws(SQLiteError) {
            try file.setCheckpoint(pages: isTight ? JournalFile.tightCheckpoint : JournalFile.checkpoint)
            if free < Self.trashSpace { try eraseOldestOfTrash(of: file, free: free) }
        } catch {
            throw .database(error)
        }
        mailbox.status.withLock { $0.freeMebibytes = Int(free >> 20) }
    }

    /// Makes room for what is recorded. Erased rows leave free pages in the file, which count as free space.
    private func eraseOldestOfTrash(of file: JournalFile, free: Int64) throws(SQLiteError) {
        guard !file.statements.hasCondemned, try free + file.freePageBytes() < Self.trashSpace else { return }
        var activity: Int?
        try file.database.transaction { () throws(SQLiteError) in
            activity = try file.statements.eraseOldestOfTrash()
        }
        guard let activity else { return }
        let line = "activity \(activity) is erased from the trash: less than 64 MiB of the disk are free"
        report { $0.reports = Array(($0.reports + [line]).suffix(64)) }
    }

    private func synced(at now: Instant) {
        syncedAt = now
        mailbox.status.withLock { $0.syncedAt = now }
    }
}

/// Writing on a full disk.
extension JournalWriter {
    /// Uses the reserve on a full disk to write the changes that end a run; at the daemon's end, all that fit.
    ///
    /// - Returns: The unwritten changes.
    private func end(
        _ chunks: ArraySlice<JournalQueue.Chunk>, in file: JournalFile, isClosing: Bool
    ) -> ArraySlice<JournalQueue.Chunk> {
        let isEnding = chunks.contains { chunk in
            chunk.changes.contains { if case .end = $0 { true } else { false } }
        }
        guard isEnding || isClosing else { return chunks }
        reserve.release()
        var chunks = chunks
        do throws(SQLiteError) {
            try file.setSynced(true)
            while isClosing, let first = chunks.first {
                do throws(SQLiteError) {
                    try write([first], nil, into: file)
                    chunks = chunks.dropFirst()
                } catch {
                    guard error.kind == .full else { throw error }
                    break
                }
            }
            let vital = chunks.map { JournalQueue.Chunk(changes: $0.changes.filter(\.isVital), since: $0.since) }
            try write(vital[...], nil, into: file)
        } catch {
            return chunks
        }
        return chunks.compactMap { chunk in
            let changes = chunk.changes.filter { !$0.isVital }
            let size = changes.reduce(0) { $0 + $1.size }
            return changes.isEmpty ? nil : JournalQueue.Chunk(changes: changes, size: size, since: chunk.since)
        }[...]
    }

    /// Moves the log into the database and truncates it. Does not wait for readers. False if one prevents it.
    private func emptyLog(of file: JournalFile) throws(SQLiteError) -> Bool {
        file.database.setBusyTimeout(.zero)
        defer { file.database.setBusyTimeout(JournalFile.busyTimeout) }
        return try file.database.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }
}

/// Error handling, and reports to the loop.
extension JournalWriter {
    private func fail(_ failure: JournalFailure, at now: Instant, isClosing: Bool) {
        retryAt = now + Self.retryDelay
        switch failure {
        case .database(let error):
            switch error.kind {
            case .full: report { $0.message = "the disk is full" + Self.keeping }
            case .readOnly:
                file = nil
                report { $0.message = "the file system is read-only" + Self.keeping }
            case .busy: report { $0.message = "another program keeps the journal locked" + Self.keeping }
            case .damaged:
                file = nil
                replaceDamaged(at: now)
            case .disk:
                file = nil
                report { $0.message = "the disk reports an error (\(error.text))" + Self.keeping }
            case .invalid:
                file = nil
                report { $0.message = "the journal cannot be written (\(error.text))" + Self.keeping }
            }
        case .directory(let error):
            file = nil
            report { $0.message = "\(error)" + Self.keeping }
        case .newer: report { $0.message = "\(JournalFile.path(in: directory)): \(failure)" }
        case .replaced, .missing:
            file = nil
            // Reopened at once, unless the directory is gone, too.
            retryAt = now
            report { $0.message = "the journal was moved away or removed" + Self.keeping }
        }
    }

    private static let keeping = ", keeping up to 10 min in memory"

    private func replaceDamaged(at now: Instant) {
        do {
            let place = try JournalFile.setAside(in: directory, at: Clock.systemTime())
            report { $0.message = "the journal was damaged and is renamed to \(place)" }
        } catch {
            report { $0.message = "the journal is damaged and cannot be renamed (\(error))" }
        }
    }

    private func report(_ change: (inout JournalWriterStatus) -> Void) {
        let isOther = mailbox.status.withLock { status in
            let before = status
            change(&status)
            return status != before
        }
        if isOther { mailbox.changed.signal() }
    }
}
