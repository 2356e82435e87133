package import Domain
package import Linux
package import Pipeline
import SQLite

/// The loop's side of the journal: it queues changes and never waits.
///
///     loop ──▶ append ──▶ JournalQueue ──▶ JournalWriter (a separate thread) ──▶ journal.sqlite
///                                               │
///     loop ◀── status, changed ◀── news ────────┘
package final class Journal {
    private let mailbox: JournalMailbox
    /// Nil if tests or benchmarks call the writer directly.
    private let thread: WorkerThread?
    /// The activity that is being recorded, with the numbers of its entries and rows.
    package private(set) var open: (activity: Int, entries: Int, rows: Int)?
    /// The callbacks that wait until the given number of urgent changes is written.
    private var awaiting: [(count: Int, body: () -> Void)] = []

    /// The callbacks of the steps of imports, by the steps' numbers.
    private var importing: [Int: (Result<JournalImportOutcome, JournalImportFailure>) -> Void] = [:]
    private var nextStep = 0

    /// The most waiting callbacks.
    private static let awaitingLimit = 64
    /// The recorder is stalled if a change has waited this long.
    package static let stallTimeout = Duration.seconds(2)

    /// Prepares the state directory and writes to it on a separate thread. It writes nothing before ``startWriting()``.
    ///
    /// - Parameters:
    ///   - syncSeconds: the seconds between syncs. Nil for 1 while an activity is open, and 10 otherwise.
    ///   - prepare: prepares the directory, on that thread. Returns the reason if that failed, or nil.
    ///     Called every second until it succeeds.
    package init(
        in directory: String, syncSeconds: Int? = nil, prepare: @escaping JournalWriter.Preparing
    ) throws(SystemError) {
        let mailbox = try JournalMailbox()
        self.mailbox = mailbox
        mailbox.queue.withLock { $0.isHeld = true }
        // Must precede the start of the thread.
        mailbox.status.withLock { $0.isPrepared = false }
        thread = try WorkerThread("paced-journal") {
            let writer = JournalWriter(in: directory, mailbox: mailbox, syncSeconds: syncSeconds, prepare: prepare)
            writer.run()
        }
    }

    /// Creates a journal whose writer is called directly, for tests and benchmarks.
    ///
    /// - Parameter nextActivity: ``JournalStartup/nextActivity``.
    package init(mailbox: JournalMailbox, nextActivity: Int) {
        self.mailbox = mailbox
        mailbox.numbers.withLock { $0 = ActivityNumbers(next: nextActivity) }
        thread = nil
    }

    /// Waits for the first attempt to prepare the directory, at most `limit`.
    package func waitForPreparation(atMost limit: Duration) {
        _ = mailbox.prepared.wait(atMost: limit)
    }

    /// Renumbers the queued changes, the open activity and the next one.
    package func renumber(_ numbers: Renumbering) {
        mailbox.numbers.withLock { $0.renumber(numbers.activities) }
        open = open.map { (numbers.activities($0.activity), $0.entries, $0.rows) }
        mailbox.queue.withLock { $0.renumber(numbers) }
    }

    /// Starts writing. The directory must be ready, and the numbers must continue those of its journal.
    package func startWriting() {
        mailbox.queue.withLock { $0.isHeld = false }
        mailbox.work.signal()
    }

    /// Replaces `syncSeconds`.
    package func setSyncSeconds(_ seconds: Int?) {
        mailbox.queue.withLock { $0.syncSeconds = seconds }
    }

    // MARK: Changes

    /// The number of the next activity.
    package var nextActivity: Int {
        mailbox.numbers.withLock { $0.next }
    }

    /// Returns the number for an activity that begins now.
    package func takeNumber() -> Int {
        mailbox.numbers.withLock { $0.take() }
    }

    /// Takes back the number of ``takeNumber()``, whose activity has not begun.
    package func giveBack(_ number: Int) {
        mailbox.numbers.withLock { $0.giveBack(number) }
    }

    /// Starts an activity with the number of ``takeNumber()``.
    ///
    /// - Parameter entries: its first entries. One transaction writes them and the activity: after a power cut
    ///   the activity has its first snapshot, or is not there.
    package func begin(
        _ recording: RecordedActivity, _ part: BootSegment, _ entries: [InputLogEntry] = [], at now: Instant
    ) {
        guard let id = recording.id else { return }
        open = (id, part.place + entries.count, 0)
        mailbox.queue.withLock { queue in
            queue.append(.begin(recording, part), at: now)
            for (index, entry) in entries.enumerated() {
                queue.append(.entry(activity: id, place: part.place + index, entry), at: now)
            }
            queue.isOpen = true
        }
        mailbox.work.signal()
    }

    /// Resumes an activity that was left open.
    ///
    /// - Parameter rows: the number of its rows.
    package func resume(_ recording: RecordedActivity, _ part: BootSegment, rows: Int, at now: Instant) {
        guard let id = recording.id else { return }
        open = (id, part.place, rows)
        append(.resume(recording, part), at: now)
    }

    /// Resumes an activity that was ended, as if it had not been.
    ///
    /// - Parameters:
    ///   - part: starts with the next entry.
    ///   - rows: the number of rows to keep.
    package func reopen(_ recording: RecordedActivity, _ part: BootSegment, rows: Int, at now: Instant) {
        guard let id = recording.id else { return }
        append(.cut(activity: id, entries: part.place, rows: rows), at: now)
        resume(recording, part, rows: rows, at: now)
    }

    /// Appends an entry to the open activity.
    package func write(_ entry: InputLogEntry, at now: Instant) {
        guard let activity = open?.activity, let place = open?.entries else { return }
        open?.entries += 1
        append(.entry(activity: activity, place: place, entry), at: now)
    }

    /// Appends a row to the open activity.
    package func write(_ row: RecordingRow, at now: Instant) {
        guard let activity = open?.activity, let place = open?.rows else { return }
        open?.rows += 1
        append(.row(activity: activity, place: place, row), at: now)
    }

    /// Updates the totals of the open activity: at a lap, at a pause, and about every 10 s.
    package func update(_ recording: RecordedActivity, gaps: Int, at now: Instant) {
        append(.update(recording, gaps: gaps), at: now)
    }

    /// Ends the open activity, or one that an earlier run of the daemon left open.
    package func end(_ recording: RecordedActivity, gaps: Int, at now: Instant) {
        if open?.activity == recording.id { open = nil }
        append(.end(recording, gaps: gaps), at: now)
    }

    /// Deletes an activity and erases its data from the file. Also the open one, when it is discarded.
    package func delete(_ activity: Int, at now: Instant) {
        if open?.activity == activity { open = nil }
        append(.delete(activity: activity), at: now)
    }

    /// Appends a change that needs no counting: an event, a reading of the clock, an edit or a cut.
    package func append(_ change: JournalChange, at now: Instant) {
        let isOpen = open != nil
        mailbox.queue.withLock { queue in
            queue.append(change, at: now)
            queue.isOpen = isOpen
        }
        if change.isUrgent { mailbox.work.signal() }
    }

    /// Appends an urgent change, and calls `body` in the loop once it is on the disk (``whenWritten(_:)``).
    ///
    /// - Returns: False if too many callbacks are waiting. Nothing is appended then.
    package func append(_ change: JournalChange, at now: Instant, then body: @escaping () -> Void) -> Bool {
        guard awaiting.count < Self.awaitingLimit else { return false }
        append(change, at: now)
        return whenWritten(body)
    }

    /// Performs a step of an import after the run's own changes, and calls `body` in the loop of ``watch(in:_:)``.
    package func perform(
        _ step: JournalImportStep, then body: @escaping (Result<JournalImportOutcome, JournalImportFailure>) -> Void
    ) {
        let number = nextStep
        nextStep += 1
        importing[number] = body
        mailbox.imports.withLock { $0.steps.append((number, step)) }
        mailbox.work.signal()
    }

    // MARK: Status

    /// Calls `body` in the loop when ``status(at:)`` may have changed, while the returned source lives. A
    /// stall is not reported; only a call of ``status(at:)`` shows it.
    package func watch(in loop: EventLoop, _ body: @escaping () -> Void) throws(SystemError) -> DescriptorSource {
        try loop.watch(mailbox.changed.descriptor, for: .reading) { [unowned self] _ in
            mailbox.changed.drain()
            body()
            runCompletions()
        }
    }

    /// Calls `body` once, in the loop of ``watch(in:_:)``, when all urgent changes appended until now are on the disk.
    ///
    /// - Returns: False if too many callbacks are waiting. `body` is not called then.
    package func whenWritten(_ body: @escaping () -> Void) -> Bool {
        guard awaiting.count < Self.awaitingLimit else { return false }
        awaiting.append((mailbox.queue.withLock { $0.urgent.appended }, body))
        // All of them may be written and reported already.
        mailbox.changed.signal()
        return true
    }

    private func runCompletions() {
        let results = mailbox.imports.withLock { imports in
            defer { imports.results = [] }
            return imports.results
        }
        for (number, result) in results { importing.removeValue(forKey: number)?(result) }
        let written = mailbox.status.withLock { $0.written }
        while let next = awaiting.first, next.count <= written {
            awaiting.removeFirst()
            next.body()
        }
    }

    /// The status of the recorder.
    package func status(at now: Instant) -> RecorderStatus {
        let since = mailbox.queue.withLock { $0.since }
        let behind = since.map { max(now - $0, .zero) } ?? .zero
        let news = mailbox.status.withLock { $0 }
        var status = RecorderStatus(
            state: .writing, behindMilliseconds: behind.wholeMilliseconds,
            syncedMillisecondsAgo: news.syncedAt.map { max((now - $0).wholeMilliseconds, 0) },
            freeMebibytes: news.freeMebibytes)
        if let message = news.message {
            status.state = .failed
            status.message = message
        } else if !news.isPrepared {
            status.state = .stalled
            status.message = "the journal is not open yet, keeping up to 10 min in memory"
        } else if behind > Self.stallTimeout {
            status.state = .stalled
            status.message = "the disk completes no writes, keeping up to 10 min in memory"
        }
        return status
    }

    /// Removes and returns the reports about damaged journals, as lines for the log.
    package func drainReports() -> [String] {
        mailbox.status.withLock { news in
            defer { news.reports = [] }
            return news.reports
        }
    }

    /// The number of changes that SQLite rejected for good. Each is a bug.
    package var refusals: Int {
        mailbox.status.withLock { $0.rejections }
    }

    /// Writes the remaining changes, syncs and closes, waiting at most `limit`, because a disk may never
    /// reply. A directory that is not ready and a full disk are tried once more.
    ///
    /// - Parameter prepared: called if the directory became ready only now. It must call ``startWriting()``.
    /// - Returns: False if data may be missing.
    package func close(waiting limit: Duration = .seconds(5), prepared: () -> Void = {}) -> Bool {
        let end = Clock.now() + limit
        mailbox.queue.withLock { $0.isClosing = true }
        mailbox.work.signal()
        if mailbox.queue.withLock({ $0.isHeld }) {
            while mailbox.status.withLock({ !$0.isPrepared && !$0.isLastAttempt }) {
                guard mailbox.prepared.wait(atMost: max(end - Clock.now(), .zero)) else { return false }
            }
            if mailbox.status.withLock({ $0.isPrepared }) { prepared() }
        }
        guard mailbox.ended.wait(atMost: max(end - Clock.now(), .zero)) else { return false }
        thread?.join()
        return mailbox.queue.withLock { $0.since == nil }
    }
}
