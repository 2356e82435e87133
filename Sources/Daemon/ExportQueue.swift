import Adapters
import Domain
import Linux
import Outputs

/// Makes the files of activities that have ended. Which ones are still to be made stands in the journal, so that none is forgotten when
/// the program or the power goes, and each is tried again until it is there.
final class ExportQueue {
    private let clerk: DiskWorker
    private let journal: Journal
    /// Where the files are put.
    var directory: String
    private let report: (Input) -> Void
    private var isWorking = false
    /// When the journal is looked through next.
    private var lookAt: Instant?
    private var rest: ArraySlice<PendingExport> = []
    /// Made, and perhaps not struck off the journal's list yet.
    private var made: Set<PendingExport> = []
    /// What went wrong in this round.
    private var trouble: String?
    /// What was said last.
    private var fault: String?

    /// What is to be done once there is nothing to do.
    private var done: (() -> Void)?

    /// Between two attempts.
    static let retryDelay = Duration.seconds(60)

    /// - Parameter report: takes the fault to the pipeline.
    init(
        _ clerk: DiskWorker, _ journal: Journal, directory: String, report: @escaping (Input) -> Void
    ) {
        self.clerk = clerk
        self.journal = journal
        self.directory = directory
        self.report = report
        // An earlier start may have left some; so may the activity that was just closed as it stood.
        scanAfterCommit()
    }

    /// Has the files made that the journal lists, once it lists them: an activity has ended.
    func scanAfterCommit() {
        let isAwaited = journal.whenWritten { [unowned self] in
            lookAt = Clock.now()
            tick(at: Clock.now())
        }
        if !isAwaited { lookAt = Clock.now() + Self.retryDelay }
    }

    /// Calls `body`, once, when the next round is over, in which what the journal lists is made as far as it can be.
    func whenDone(_ body: @escaping () -> Void) {
        done = body
    }

    /// Looks whether anything is to be made, where that is due.
    func tick(at now: Instant) {
        guard !isWorking, let lookAt, now >= lookAt else { return }
        let isAsked = clerk.submit(.orders) { [unowned self] answer in
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
        let isAsked = clerk.submit(.export(order, directory: directory)) { [unowned self] answer in
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
