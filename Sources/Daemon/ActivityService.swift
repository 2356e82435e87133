import Domain
import JSONCoding
import Linux
import Pipeline
import Servers
import Storage
import Wire

/// Executes requests about recorded activities, and owns the disk worker and the exports:
/// the disk worker reads, the journal's writer changes.
final class ActivityService {
    typealias Completion = (Result<ControlResult, RPCError>) -> Void

    private let inbox: Inbox
    private let run: RunController
    /// Reads the journal and writes files, on a thread that may wait for the disk.
    private let diskWorker: DiskWorker
    private let exports: ExportQueue
    private let index: IndexUpdater
    private let defaultDirectory: String

    private static let tooManyRequests = RPCError.busy("too many requests about activities wait for the disk")
    private static let noSuchActivity = RPCError.notFound("id", "there is no activity of this number")
    private static let notInTrash = RPCError.notFound("id", "the trash has no activity of this number")
    static let inTrash = RPCError.notFound("id", "the activity is in the trash: restore it first")

    /// - Parameters:
    ///   - directory: the state directory.
    ///   - configured: where exports are written; nil for a directory in the state directory.
    init(
        _ inbox: Inbox, _ run: RunController, in directory: String,
        exportDirectory configured: String?, isDemo: Bool, loop: EventLoop, at now: Instant
    ) throws(SystemError) {
        defaultDirectory = directory + "/exports"
        self.inbox = inbox
        self.run = run
        diskWorker = try DiskWorker(in: directory, loop: loop)
        exports = ExportQueue(
            diskWorker, run.journal, inbox, directory: configured ?? defaultDirectory, isDemo: isDemo, at: now)
        index = IndexUpdater(diskWorker, run, inbox, at: now)
    }

    // MARK: Disk

    /// Submits a request to the disk worker.
    ///
    /// - Returns: false if too many requests are waiting. `completion` is not called then.
    func submit(
        _ request: DiskRequest, _ completion: @escaping (Result<DiskReply, DiskWorker.Failure>, Instant) -> Void
    ) -> Bool {
        diskWorker.submit(request, via: inbox, completion)
    }

    /// Stops after the request in progress, waiting at most `limit`.
    ///
    /// - Returns: false if the thread is still running.
    func close(waiting limit: Duration) -> Bool {
        diskWorker.close(waiting: limit)
    }

    // MARK: Exports and the index

    /// Exports the files of ended activities and updates the index, once the journal's pending changes are on the disk.
    func exportAndIndexAfterCommit(at now: Instant) {
        exports.scanAfterCommit(at: now)
        updateIndex(at: now)
    }

    /// Updates the index, once the journal's pending changes are on the disk: its activities have changed.
    func updateIndex(at now: Instant) {
        index.updateAfterCommit(at: now)
    }

    /// Calls `body` once, when the pending exports are done.
    func whenExported(_ body: @escaping () -> Void) {
        exports.whenDone(body)
    }

    func configure(exportDirectory configured: String?) {
        exports.directory = configured ?? defaultDirectory
    }

    func tick(at now: Instant) {
        exports.tick(at: now)
        index.tick(at: now)
    }

    // MARK: Requests

    /// Starts the execution of a request. `completion` receives its result when the inbox is drained.
    func execute(_ request: ActivityRequest, _ completion: @escaping Completion, at now: Instant) throws(RPCError) {
        switch request {
        case .list(let limit, let before, let ofTrash):
            let list = DiskRequest.list(limit: limit, before: before, in: ofTrash ? .trash : .lists)
            try submit(list, completion) { service, reply, now in
                guard case .list(let summaries) = reply else { return nil }
                return .activities(summaries.map { service.upToDate($0, at: now) })
            }
        case .get(let id, let lap):
            try submit(.activity(id), completion) { service, reply, now in
                guard case .activity(let summary, let recording) = reply else { return nil }
                return .recording(service.upToDate(summary, at: now), recording, fromLap: lap)
            }
        case .track(let id, let from, let interval, let columns):
            let present = run.activity(at: now)
            if id == nil, let present, present.id < 1 { throw .busy("the journal cannot be read yet") }
            guard let id = id ?? present?.id else {
                throw .unavailable("no run is on: give the id of an activity")
            }
            let request = Track.Request(activity: id, from: from, interval: interval, columns: columns)
            try submit(.track(request), completion) { _, reply, _ in
                if case .track(let track) = reply { .track(track) } else { nil }
            }
        case .edit(let id, let sport, let name, let started):
            // STATE would still report the old sport, and the end of a run sets its start.
            if sport != nil || started != nil { try checkHasEnded(id, at: now) }
            let edit = JournalChange.edit(activity: id, sport, name, started: started)
            try change(id, .lists, by: edit, completion, at: now) { service throws(RPCError) in
                if started != nil { service.exportAndIndexAfterCommit(at: now) } else { service.updateIndex(at: now) }
                try service.submitSummary(of: id, completion)
            }
        case .trash(let id):
            try checkHasEnded(id, at: now)
            let time = run.state(at: now).setTime
            try change(id, .lists, by: .trash(.put(.activity, id, at: time)), completion, at: now) { service in
                service.updateIndex(at: now)
                completion(.success(.done))
            }
        case .restore(let id):
            try change(id, .trash, by: .trash(.restore(.activity, id)), completion, at: now) {
                service throws(RPCError) in
                // Its exports may have waited.
                service.exportAndIndexAfterCommit(at: now)
                try service.submitSummary(of: id, completion)
            }
        case .delete(let id):
            try checkHasEnded(id, at: now)
            try change(id, nil, by: .delete(activity: id), completion, at: now) { service in
                service.updateIndex(at: now)
                completion(.success(.done))
            }
        case .emptyTrash: try emptyTrash(completion, at: now)
        case .recover(let file): try recover(file, completion, at: now)
        }
    }

    /// Finds the number of a uuid, and passes the parameters with it to `body`.
    func lookUp(
        _ lookup: RecordLookup, _ completion: @escaping Completion,
        _ body: @escaping (JSON?, Instant) throws(RPCError) -> Void
    ) throws(RPCError) {
        let isSubmitted = submit(.records(lookup.kind, beginning: lookup.prefix)) { [unowned self] reply, now in
            complete(completion) { () throws(RPCError) in
                switch reply {
                case .success(let reply):
                    guard case .records(let records) = reply else {
                        throw .notFound(lookup.parameter, "there is no journal")
                    }
                    let number: Int
                    do throws(UUIDPrefix.Failure) {
                        number = try lookup.prefix.number(among: records, lookup.kind)
                    } catch {
                        throw .notFound(lookup.parameter, "\(error)")
                    }
                    try body(lookup.parameters(with: number), now)
                case .failure(let failure): throw .unreadable(failure)
                }
            }
        }
        if !isSubmitted { throw Self.tooManyRequests }
    }

    private func emptyTrash(_ completion: @escaping Completion, at now: Instant) throws(RPCError) {
        try checkJournalIsWritten(at: now)
        let isSubmitted = submit(.trash) { [unowned self] reply, now in
            complete(completion) { () throws(RPCError) in
                guard case .success(.trash(let activities, let courses)) = reply else {
                    if case .failure(let failure) = reply { throw .unreadable(failure) }
                    return completion(.success(.erased(activities: 0, courses: 0)))
                }
                let isQueued = run.journal.append(.trash(.empty), at: now, via: inbox) { _ in
                    completion(.success(.erased(activities: activities, courses: courses)))
                }
                if !isQueued { throw Self.tooManyRequests }
            }
        }
        if !isSubmitted { throw Self.tooManyRequests }
    }

    private func submitSummary(of id: Int, _ completion: @escaping Completion) throws(RPCError) {
        try submit(.activity(id), completion) { service, reply, now in
            guard case .activity(let summary, _) = reply else { return nil }
            return .summary(service.upToDate(summary, at: now))
        }
    }

    /// Queues the recovery of a damaged journal. The response is sent when the request is on the disk, not at the end.
    private func recover(_ file: String, _ completion: @escaping Completion, at now: Instant) throws(RPCError) {
        try checkJournalIsWritten(at: now)
        let isSubmitted = submit(.recoverable(file: file)) { [unowned self] reply, now in
            if case .failure(let failure) = reply {
                return completion(.failure(.notFound("file", "\(file): \(failure)")))
            }
            let isQueued = run.journal.append(.recover(file: file), at: now, via: inbox) { _ in
                completion(.success(.done))
            }
            if !isQueued { completion(.failure(Self.tooManyRequests)) }
        }
        if !isSubmitted { throw Self.tooManyRequests }
    }

    private func checkHasEnded(_ id: Int, at now: Instant) throws(RPCError) {
        if run.activity(at: now)?.id == id { throw .unavailable("activity \(id) is on: stop it first") }
    }

    private func checkJournalIsWritten(at now: Instant) throws(RPCError) {
        let status = run.recorderStatus(at: now)
        guard status.state == .writing else {
            throw .busy(status.message ?? (status.state == .off ? "nothing is recorded" : "the disk does not respond"))
        }
    }

    /// Replaces the totals of the activity in progress by current ones; the journal's are some seconds old.
    private func upToDate(_ summary: ActivitySummary, at now: Instant) -> ActivitySummary {
        guard let present = run.activity(at: now), present.id == summary.id else { return summary }
        var summary = summary
        let since = present.total.elapsedMilliseconds - summary.total.elapsedMilliseconds
        summary.totalMilliseconds += max(since, 0)
        summary.total = present.total
        summary.laps = present.lapNumber
        return summary
    }

    /// Submits a request to the disk worker. `result` converts its reply; nil if the activity does not exist.
    private func submit(
        _ request: DiskRequest, _ completion: @escaping Completion,
        _ result: @escaping (ActivityService, DiskReply, Instant) -> ControlResult?
    ) throws(RPCError) {
        let isSubmitted = submit(request) { [unowned self] reply, now in
            switch reply {
            case .success(.inTrash): completion(.failure(Self.inTrash))
            case .success(let reply):
                let result = result(self, reply, now)
                completion(result.map { .success($0) } ?? .failure(Self.noSuchActivity))
            case .failure(let failure): completion(.failure(.unreadable(failure)))
            }
        }
        if !isSubmitted { throw Self.tooManyRequests }
    }

    /// Changes an activity if it exists. Calls `done` when the change is on the disk.
    ///
    /// - Parameter place: where it must be; nil for anywhere.
    private func change(
        _ id: Int, _ place: RecordPlace?, by change: JournalChange, _ completion: @escaping Completion, at now: Instant,
        _ done: @escaping (ActivityService) throws(RPCError) -> Void
    ) throws(RPCError) {
        try checkJournalIsWritten(at: now)
        let isSubmitted = submit(.summary(id)) { [unowned self] reply, now in
            complete(completion) { () throws(RPCError) in
                switch reply {
                case .success(.summary(let summary)):
                    if place == .lists, summary.trashed != nil { throw Self.inTrash }
                    if place == .trash, summary.trashed == nil { throw Self.notInTrash }
                case .success: throw Self.noSuchActivity
                case .failure(let failure): throw .unreadable(failure)
                }
                // The activity may have been started or deleted since the request. Numbers are never reused.
                let isQueued = run.journal.append(change, at: now, via: inbox) { [unowned self] _ in
                    complete(completion) { () throws(RPCError) in try done(self) }
                }
                if !isQueued { throw Self.tooManyRequests }
            }
        }
        if !isSubmitted { throw Self.tooManyRequests }
    }

    /// Runs `body`; an error completes the request.
    private func complete(_ completion: Completion, _ body: () throws(RPCError) -> Void) {
        do throws(RPCError) {
            try body()
        } catch {
            completion(.failure(error))
        }
    }
}

extension RPCError {
    fileprivate static func unreadable(_ failure: DiskWorker.Failure) -> RPCError {
        .internalError("the journal cannot be read: \(failure)")
    }
}

extension State {
    /// The time by a clock that was set; nil without one.
    var setTime: UTC? { clock == .rtc ? nil : time }
}
