import Domain
import Formats
import Linux
import Storage

/// Exports the files of ended activities. The journal lists the pending exports, so none
/// is lost when the process or the power ends. Each is retried until its file is written.
final class ExportQueue {
    private let diskWorker: DiskWorker
    private let journal: Journal
    /// Where the files are written.
    var directory: String
    private let inbox: Inbox
    private let isDemo: Bool
    private var isWorking = false
    /// When the journal's list is read next; nil if no reading is due.
    private var lookAt: Instant?
    private var rest: ArraySlice<PendingExport> = []
    /// Exports that are done, but perhaps still in the journal's list.
    private var made: Set<PendingExport> = []
    /// The last error of this round.
    private var failure: String?
    /// The error that was last reported.
    private var reported: String?

    /// Called at the end of the round.
    private var done: (() -> Void)?

    /// The time between two attempts.
    static let retryDelay = Duration.seconds(60)

    /// - Parameters:
    ///   - inbox: receives the fault.
    ///   - isDemo: whether the daemon is a demo. Another one exports no activity of a demo.
    init(
        _ diskWorker: DiskWorker, _ journal: Journal, _ inbox: Inbox, directory: String, isDemo: Bool, at now: Instant
    ) {
        self.diskWorker = diskWorker
        self.journal = journal
        self.directory = directory
        self.inbox = inbox
        self.isDemo = isDemo
        // An earlier run of the daemon may have left some, and so may the activity that was just closed.
        scanAfterCommit(at: now)
    }

    /// Starts a round once the journal's pending changes are on the disk. Called when an activity has ended.
    func scanAfterCommit(at now: Instant) {
        let isQueued = journal.whenWritten(via: inbox) { [unowned self] now in
            lookAt = now
            tick(at: now)
        }
        if !isQueued { lookAt = now + Self.retryDelay }
    }

    /// Calls `body` once, at the end of the next round.
    func whenDone(_ body: @escaping () -> Void) {
        done = body
    }

    /// Starts a round if one is due.
    func tick(at now: Instant) {
        guard !isWorking, let lookAt, now >= lookAt else { return }
        isWorking = diskWorker.submit(.orders(ofDemo: isDemo), via: inbox) { [unowned self] reply, now in
            switch reply {
            case .success(.orders(let orders)):
                made.formIntersection(orders)
                rest = orders.filter { !made.contains($0) }[...]
            case .success: break
            case .failure(let failure): self.failure = "\(failure)"
            }
            startNext(at: now)
        }
        self.lookAt = isWorking ? nil : now + Self.retryDelay
    }

    private func startNext(at now: Instant) {
        guard let order = rest.popFirst() else { return end(at: now) }
        let isSubmitted = diskWorker.submit(.export(order, directory: directory), via: inbox) {
            [unowned self] reply, now in
            switch reply {
            case .success(let reply):
                made.insert(order)
                journal.append(.exported(activity: order.activity, order.format), at: now)
                if case .exported(let path, _) = reply { Log.write(.notice, about: .exports, "wrote \(path)") }
            case .failure(let failure):
                self.failure =
                    "cannot write the \(order.format.rawValue) file of activity \(order.activity): \(failure)"
            }
            startNext(at: now)
        }
        if !isSubmitted {
            lookAt = now + Self.retryDelay
            end(at: now)
        }
    }

    private func end(at now: Instant) {
        isWorking = false
        rest = []
        if let failure {
            lookAt = min(lookAt ?? now + Self.retryDelay, now + Self.retryDelay)
            if failure != reported {
                Log.write(.error, about: .exports, failure + ", retrying each minute")
                inbox.append(.input(.raise(.exportFailed, message: failure)))
            }
        } else if reported != nil {
            inbox.append(.input(.clear(.exportFailed)))
        }
        reported = failure
        failure = nil
        let done = done
        self.done = nil
        done?()
    }
}
