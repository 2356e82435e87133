import Domain
import Linux
import Storage

/// Keeps the index up to date, by short steps on the disk worker's thread: at the start, and after each change of the
/// recorded activities. During an active run there is one step a second.
final class IndexUpdater {
    private let diskWorker: DiskWorker
    private let run: RunController
    private let inbox: Inbox
    private var isWorking = false
    /// When the next update begins; nil if none is due.
    private var beginAt: Instant?
    /// An update has more steps.
    private var isMore = false
    /// The error that was last reported.
    private var reported: String?

    /// The time between two attempts.
    static let retryDelay = Duration.seconds(60)
    /// With less free space the rest is for the journal.
    private static let leastFreeMebibytes = 16

    init(_ diskWorker: DiskWorker, _ run: RunController, _ inbox: Inbox, at now: Instant) {
        self.diskWorker = diskWorker
        self.run = run
        self.inbox = inbox
        beginAt = now
    }

    /// Begins an update once the journal's pending changes are on the disk.
    func updateAfterCommit(at now: Instant) {
        let isQueued = run.journal.whenWritten(via: inbox) { [unowned self] now in
            beginAt = now
            tick(at: now)
        }
        if !isQueued { beginAt = now + Self.retryDelay }
    }

    /// Performs a step if one is due, and if the state directory is written and has space.
    func tick(at now: Instant) {
        let isDue = beginAt.map { now >= $0 } ?? false
        guard !isWorking, isDue || isMore else { return }
        let status = run.recorderStatus(at: now)
        guard status.state == .writing, status.freeMebibytes ?? 0 >= Self.leastFreeMebibytes else { return }
        isWorking = diskWorker.submit(.index(scans: isDue), via: inbox) { [unowned self] reply, now in
            isWorking = false
            receive(reply, at: now)
        }
        if isWorking, isDue { beginAt = nil }
    }

    private func receive(_ reply: Result<DiskReply, DiskWorker.Failure>, at now: Instant) {
        switch reply {
        case .success(.indexed(let step)):
            isMore = step.isMore
            if let report = step.report { Log.write(.notice, report) }
            if !isMore { reported = nil }
            if isMore, run.runState != .active { tick(at: now) }
        case .success: isMore = false
        case .failure(let failure):
            isMore = false
            beginAt = beginAt ?? now + Self.retryDelay
            let text = "cannot write the index of the activities: \(failure)"
            if text != reported { Log.write(.warning, text + ", retrying each minute") }
            reported = text
        }
    }
}
