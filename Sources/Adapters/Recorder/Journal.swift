package import Domain
package import Linux

/// The journal as the loop sees it: it takes what is to be written and never waits.
///
///     loop ──▶ append ──▶ JournalQueue ──▶ JournalWriter (a thread of its own) ──▶ journal.sqlite
///                                               │
///     loop ◀── status, changed ◀── news ────────┘
package final class Journal {
    private let desk: JournalMailbox
    /// Nil where the writer is turned by hand.
    private let thread: WorkerThread?
    /// The number for the next activity, until the writer knows better.
    private var nextActivity: Int
    /// The activity that is being recorded, and how many entries and rows it has.
    package private(set) var open: (activity: Int, entries: Int, rows: Int)?
    /// What is to be done once so many urgent changes are written.
    private var awaiting: [(count: Int, body: () -> Void)] = []

    /// So much is awaited at most.
    private static let awaitingLimit = 64
    /// Nothing is taken for so long: the disk is slow.
    package static let stallTimeout = Duration.seconds(2)

    /// Prepares the state directory and then writes into it, on a thread of its own. Nothing is written before ``startWriting()``.
    ///
    /// - Parameters:
    ///   - syncSeconds: the option; 1 while an activity is open and 10 otherwise where it is nil.
    ///   - prepare: makes the directory ready, on that thread; why it is not ready, or nil. Called until it is, each second.
    package init(
        in directory: String, syncSeconds: Int? = nil, prepare: @escaping JournalWriter.Preparing
    ) throws(SystemError) {
        nextActivity = Renumbering.firstUnknownActivity
        let desk = try JournalMailbox()
        self.desk = desk
        desk.queue.withLock { $0.isHeld = true }
        // Before the thread is there.
        desk.news.withLock { $0.isPrepared = false }
        thread = try WorkerThread("paced-journal") {
            let writer = JournalWriter(in: directory, desk: desk, syncSeconds: syncSeconds, prepare: prepare)
            writer.run()
        }
    }

    /// With a writer that is turned by hand, for tests and measurements.
    ///
    /// - Parameter nextActivity: ``JournalStartup/nextActivity``.
    package init(desk: JournalMailbox, nextActivity: Int) {
        self.desk = desk
        self.nextActivity = nextActivity
        thread = nil
    }

    /// Waits for the first attempt to make the directory ready, at most so long.
    package func waitForPreparation(atMost limit: Duration) {
        _ = desk.prepared.wait(atMost: limit)
    }

    /// Moves the numbers of what waits, of the open activity and of those to come.
    package func renumber(_ numbers: Renumbering) {
        nextActivity = numbers.activities(nextActivity)
        open = open.map { (numbers.activities($0.activity), $0.entries, $0.rows) }
        desk.queue.withLock { $0.renumber(numbers) }
    }

    /// Has what waits written from now on. The directory is ready, and the numbers continue those of the journal in it.
    package func startWriting() {
        desk.queue.withLock { $0.isHeld = false }
        desk.work.signal()
    }

    /// What was `syncSeconds`, from now on.
    package func setSyncSeconds(_ seconds: Int?) {
        desk.queue.withLock { $0.syncSeconds = seconds }
    }

    // MARK: What is written

    /// The number for an activity that begins now. It is used up with ``begin(_:_:at:)``.
    package var activityNumber: Int {
        max(nextActivity, desk.news.withLock { $0.reserved } ?? nextActivity)
    }

    /// An activity begins, with ``activityNumber``.
    package func begin(_ recording: RecordedActivity, _ part: BootSegment, at now: Instant) {
        guard let id = recording.id else { return }
        nextActivity = id + 1
        open = (id, part.place, 0)
        append(.begin(recording, part), at: now)
    }

    /// An activity that was left open goes on.
    ///
    /// - Parameter rows: how many rows it has already.
    package func resume(_ recording: RecordedActivity, _ part: BootSegment, rows: Int, at now: Instant) {
        guard let id = recording.id else { return }
        open = (id, part.place, rows)
        append(.resume(recording, part), at: now)
    }

    /// An activity that was ended goes on as if it had not been.
    ///
    /// - Parameters:
    ///   - part: begins with the entry that comes next.
    ///   - rows: how many of its rows it keeps.
    package func reopen(_ recording: RecordedActivity, _ part: BootSegment, rows: Int, at now: Instant) {
        guard let id = recording.id else { return }
        append(.cut(activity: id, entries: part.place, rows: rows), at: now)
        resume(recording, part, rows: rows, at: now)
    }

    /// The next entry of the open activity.
    package func write(_ entry: InputLogEntry, at now: Instant) {
        guard let activity = open?.activity, let place = open?.entries else { return }
        open?.entries += 1
        append(.entry(activity: activity, place: place, entry), at: now)
    }

    /// The next row of the open activity.
    package func write(_ row: RecordingRow, at now: Instant) {
        guard let activity = open?.activity, let place = open?.rows else { return }
        open?.rows += 1
        append(.row(activity: activity, place: place, row), at: now)
    }

    /// What the open activity has come to: at a lap, a pause, and about each 10 s.
    package func update(_ recording: RecordedActivity, gaps: Int, at now: Instant) {
        append(.update(recording, gaps: gaps), at: now)
    }

    /// Ends the open activity, or one that an earlier run of the program has left open.
    package func end(_ recording: RecordedActivity, gaps: Int, at now: Instant) {
        if open?.activity == recording.id { open = nil }
        append(.end(recording, gaps: gaps), at: now)
    }

    /// Takes an activity away for good: nothing of it is left in the file. Also the open one, when it is discarded.
    package func delete(_ activity: Int, at now: Instant) {
        if open?.activity == activity { open = nil }
        append(.delete(activity: activity), at: now)
    }

    /// An event, a moment of the clock, an edit, a cut: what needs no counting.
    package func append(_ change: JournalChange, at now: Instant) {
        let isOpen = open != nil
        desk.queue.withLock { queue in
            queue.append(change, at: now)
            queue.isOpen = isOpen
        }
        if change.isUrgent { desk.work.signal() }
    }

    /// Appends an urgent change, and calls `body` in the loop when it is on the disk (``whenWritten(_:)``).
    ///
    /// - Returns: false where too much is awaited already; nothing is changed then.
    package func append(_ change: JournalChange, at now: Instant, then body: @escaping () -> Void) -> Bool {
        guard awaiting.count < Self.awaitingLimit else { return false }
        append(change, at: now)
        return whenWritten(body)
    }

    // MARK: How it goes

    /// Calls `body` in the loop when ``status(at:)`` may have other words, as long as the returned source lives. Being slow is told
    /// by nobody: it is seen by asking.
    package func watch(in loop: EventLoop, _ body: @escaping () -> Void) throws(SystemError) -> DescriptorSource {
        try loop.watch(desk.changed.descriptor, for: .reading) { [unowned self] _ in
            desk.changed.drain()
            body()
            runCompletions()
        }
    }

    /// Calls `body`, once, in the loop that ``watch(in:_:)`` has, when every urgent change that was appended until now is on the disk.
    ///
    /// - Returns: false where too much is awaited already; `body` is not called then.
    package func whenWritten(_ body: @escaping () -> Void) -> Bool {
        guard awaiting.count < Self.awaitingLimit else { return false }
        awaiting.append((desk.queue.withLock { $0.urgent.appended }, body))
        // It may all be written, and told, already.
        desk.changed.signal()
        return true
    }

    private func runCompletions() {
        let written = desk.news.withLock { $0.written }
        while let next = awaiting.first, next.count <= written {
            awaiting.removeFirst()
            next.body()
        }
    }

    /// How the recording stands.
    package func status(at now: Instant) -> RecorderStatus {
        let since = desk.queue.withLock { $0.since }
        let behind = since.map { max(now - $0, .zero) } ?? .zero
        let news = desk.news.withLock { $0 }
        var status = RecorderStatus(
            state: .writing, behindMilliseconds: behind.wholeMilliseconds,
            syncedMillisecondsAgo: news.syncedAt.map { max((now - $0).wholeMilliseconds, 0) },
            freeMebibytes: news.freeMebibytes)
        if let trouble = news.trouble {
            status.state = .failed
            status.message = trouble
        } else if !news.isPrepared {
            status.state = .stalled
            status.message = "the disk has not answered yet, keeping up to 10 min in memory"
        } else if behind > Self.stallTimeout {
            status.state = .stalled
            status.message = "the disk takes nothing, keeping up to 10 min in memory"
        }
        return status
    }

    /// What happened to damaged journals since the last call, as lines for the log.
    package func drainReports() -> [String] {
        desk.news.withLock { news in
            defer { news.reports = [] }
            return news.reports
        }
    }

    /// How many changes could never be written, whatever the disk did: each is a mistake of the program.
    package var refusals: Int {
        desk.news.withLock { $0.refusals }
    }

    /// Writes what is left, syncs and closes; at most so long, because a disk may never answer. A directory that is not ready, and a disk
    /// that was full, are tried once more.
    ///
    /// - Parameter prepared: called where the directory is ready only now; it is to call ``startWriting()``.
    /// - Returns: false when something may be missing.
    package func close(waiting limit: Duration = .seconds(5), prepared: () -> Void = {}) -> Bool {
        let end = Clock.now() + limit
        desk.queue.withLock { $0.isClosing = true }
        desk.work.signal()
        if desk.queue.withLock({ $0.isHeld }) {
            while desk.news.withLock({ !$0.isPrepared && !$0.isLastAttempt }) {
                guard desk.prepared.wait(atMost: max(end - Clock.now(), .zero)) else { return false }
            }
            if desk.news.withLock({ $0.isPrepared }) { prepared() }
        }
        guard desk.ended.wait(atMost: max(end - Clock.now(), .zero)) else { return false }
        thread?.join()
        return desk.queue.withLock { $0.since == nil }
    }
}
