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
    private let report: (Input) -> Void
    private var isWorking = false
    /// When the journal's list is read next; nil if no reading is due.
    private var lookAt: Instant?
    private var rest: ArraySlice<PendingExport> = []
    /// Exports that are done, but perhaps still in the journal's list.
    private var made: Set<PendingExport> = []
    /// The last error of this round.
    private var trouble: String?
    /// The error that was last reported.
    private var fault: String?

    /// Called at the end of the round.
    private var done: (() -> Void)?

    /// The time between two attempts.
    static let retryDelay = Duration.seconds(60)

    /// - Parameter report: passes the fault to the pipeline.
    init(
        _ diskWorker: DiskWorker, _ journal: Journal, directory: String, report: @escaping (Input) -> Void
    ) {
        self.diskWorker = diskWorker
        self.journal = journal
        self.directory = directory
        self.report = report
        // An earlier run of the daemon may have left some, and so may the activity that was just closed.
        scanAfterCommit()
    }

    /// Starts a round once the journal's pending changes are on the disk. Called when an activity has ended.
    func scanAfterCommit() {
        let isAwaited = journal.whenWritten { [unowned self] in
            lookAt = Clock.now()
            tick(at: Clock.now())
        }
        if !isAwaited { lookAt = Clock.now() + Self.retryDelay }
    }

    /// Calls `body` once, at the end of the next round.
    func whenDone(_ body: @escaping () -> Void) {
        done = body
    }

    /// Starts a round if one is due.
    func tick(at now: Instant) {
        guard !isWorking, let lookAt, now >= lookAt else { return }
        let isAsked = diskWorker.submit(.orders) { [unowned self] answer in
            switch answer {
            case .success(.orders(let orders)):
                made.formIntersection(orders)
                rest = orders.filter { !made.contains($0) }[...]
            case .success: break
            case .failure(let trouble): self.trouble = "\(trouble)"
            }
            startNext()
        }
        isWorking = isAsked
        self.lookAt = isAsked ? nil : now + Self.retryDelay
    }

    private func startNext() {
        guard let order = rest.popFirst() else { return end() }
        let isAsked = diskWorker.submit(.export(order, directory: directory)) { [unowned self] answer in
            switch answer {
            case .success(let answer):
                made.insert(order)
                journal.append(.exported(activity: order.activity, order.format), at: Clock.now())
                if case .exported(let path, _) = answer { Log.write(.notice, about: .exports, "wrote \(path)") }
            case .failure(let trouble):
                self.trouble =
                    "cannot write the \(order.format.rawValue) file of activity \(order.activity): \(trouble)"
            }
            startNext()
        }
        if !isAsked {
            lookAt = Clock.now() + Self.retryDelay
            end()
        }
    }

    private func end() {
        isWorking = false
        rest = []
        if let trouble {
            lookAt = min(lookAt ?? Clock.now() + Self.retryDelay, Clock.now() + Self.retryDelay)
            if trouble != fault {
                Log.write(.error, about: .exports, trouble + ", retrying each minute")
                report(.raise(.exportFailed, message: trouble))
            }
        } else if fault != nil {
            report(.clear(.exportFailed))
        }
        fault = trouble
        trouble = nil
        let done = done
        self.done = nil
        done?()
    }
}
