import Domain
import Linux
import Pipeline
import Servers
import Storage
import Wire

/// Requests about recorded activities: the disk worker reads, the journal's writer changes.
extension Daemon {
    /// - Returns: the token of the deferred response.
    func execute(
        _ request: ActivityRequest, at now: Instant
    ) throws(RPCError) -> PendingResponse.Token {
        let token = nextToken
        nextToken += 1
        switch request {
        case .list(let limit, let before):
            try submit(.list(limit: limit, before: before), for: token) { daemon, answer in
                guard case .list(let summaries) = answer else { return nil }
                return .activities(summaries.map { daemon.upToDate($0) })
            }
        case .get(let id, let lap):
            try submit(.activity(id), for: token) { daemon, answer in
                guard case .activity(let summary, let recording) = answer else { return nil }
                return .recording(daemon.upToDate(summary), recording, fromLap: lap)
            }
        case .track(let id, let from, let interval, let columns):
            if id == nil, let present, present.id < 1 { throw .busy("the journal cannot be read yet") }
            guard let id = id ?? present?.id else { throw .unavailable("no run is on: give the id of an activity") }
            let request = Track.Request(activity: id, from: from, interval: interval, columns: columns)
            try submit(.track(request), for: token) { _, answer in
                if case .track(let track) = answer { .track(track) } else { nil }
            }
        case .edit(let id, let sport, let name):
            // STATE would still report the old sport.
            if sport != nil { try checkIsNotOn(id) }
            try change(id, by: .edit(activity: id, sport, name), for: token, at: now) { daemon throws(RPCError) in
                try daemon.submit(.activity(id), for: token) { daemon, answer in
                    if case .activity(let summary, _) = answer { .summary(daemon.upToDate(summary)) } else { nil }
                }
            }
        case .delete(let id):
            try checkIsNotOn(id)
            try change(id, by: .delete(activity: id), for: token, at: now) { daemon in
                daemon.control?.complete(token, .success(.done))
            }
        case .recover(let file): try recover(file, for: token, at: now)
        }
        return token
    }

    /// Queues the recovery of a damaged journal. The response is sent when the request is on the disk, not at the end.
    private func recover(_ file: String, for token: PendingResponse.Token, at now: Instant) throws(RPCError) {
        let status = recorder.journal.status(at: now)
        guard status.state == .writing else { throw .busy(status.message ?? "the disk does not respond") }
        let isAsked = diskWorker?.submit(.recoverable(file: file)) { [unowned self] answer in
            if case .failure(let trouble) = answer {
                return complete(token) { () throws(RPCError) in throw .notFound("file", "\(file): \(trouble)") }
            }
            let isTaken = recorder.journal.append(.recover(file: file), at: Clock.now()) { [unowned self] in
                control?.complete(token, .success(.done))
            }
            if !isTaken { control?.complete(token, .failure(.busy("too many changes wait for the disk"))) }
        }
        if isAsked != true { throw .busy("too many requests about activities wait for the disk") }
    }

    /// The activity in progress.
    private var present: Activity? {
        engine.state(at: Clock.now()).activity
    }

    private func checkIsNotOn(_ id: Int) throws(RPCError) {
        if present?.id == id { throw .unavailable("activity \(id) is on: stop it first") }
    }

    /// Replaces the totals of the activity in progress by current ones; the journal's are some seconds old.
    private func upToDate(_ summary: ActivitySummary) -> ActivitySummary {
        guard let present, present.id == summary.id else { return summary }
        var summary = summary
        let since = present.total.elapsedMilliseconds - summary.total.elapsedMilliseconds
        summary.totalMilliseconds += max(since, 0)
        summary.total = present.total
        summary.laps = present.lapNumber
        return summary
    }

    /// Submits a request to the disk worker. `result` converts its reply; nil if the activity does not exist.
    private func submit(
        _ question: DiskRequest, for token: PendingResponse.Token,
        _ result: @escaping (Daemon, DiskReply) -> ControlResult?
    ) throws(RPCError) {
        let isAsked = diskWorker?.submit(question) { [unowned self] answer in
            switch answer {
            case .success(let answer):
                let result = result(self, answer)
                control?.complete(token, result.map { .success($0) } ?? .failure(Self.noSuchActivity))
            case .failure(let trouble): control?.complete(token, .failure(.unreadable(trouble)))
            }
        }
        if isAsked != true { throw .busy("too many requests about activities wait for the disk") }
    }

    /// Changes an activity if it exists. Calls `done` when the change is on the disk.
    private func change(
        _ id: Int, by change: JournalChange, for token: PendingResponse.Token, at now: Instant,
        _ done: @escaping (Daemon) throws(RPCError) -> Void
    ) throws(RPCError) {
        let status = recorder.journal.status(at: now)
        guard status.state == .writing else { throw .busy(status.message ?? "the disk does not respond") }
        let isAsked = diskWorker?.submit(.activity(id)) { [unowned self] answer in
            do throws(RPCError) {
                switch answer {
                case .success(.activity): break
                case .success: throw Self.noSuchActivity
                case .failure(let trouble): throw .unreadable(trouble)
                }
                // The activity may have been started or deleted since the request. Numbers are never reused.
                let isTaken = recorder.journal.append(change, at: Clock.now()) { [unowned self] in
                    complete(token) { () throws(RPCError) in try done(self) }
                }
                if !isTaken { throw .busy("too many changes wait for the disk") }
            } catch {
                control?.complete(token, .failure(error))
            }
        }
        if isAsked != true { throw .busy("too many requests about activities wait for the disk") }
    }

    /// Runs `body`; an error completes the token.
    private func complete(_ token: PendingResponse.Token, _ body: () throws(RPCError) -> Void) {
        do throws(RPCError) {
            try body()
        } catch {
            control?.complete(token, .failure(error))
        }
    }

    private static let noSuchActivity = RPCError.notFound("id", "there is no activity of this number")
}

extension RPCError {
    fileprivate static func unreadable(_ trouble: DiskWorker.Failure) -> RPCError {
        .internalError("the journal cannot be read: \(trouble)")
    }
}

extension ControlServer.Reply {
    static func result(_ result: ControlResult) -> Self {
        .now(.success(result))
    }
}
