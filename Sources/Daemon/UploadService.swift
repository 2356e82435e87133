import Domain
import Linux
import Servers
import Storage
import Wire

/// Receives the uploads of control.sock, and makes activities of them.
///
///     upload.append ──▶ disk worker: unnamed file in the state directory
///     upload.commit ──▶ disk worker: check all lines ──▶ rows ──▶ journal's writer, one short transaction at a time
///                                                         ▲                     │
///                                                         └─────────────────────┘
///
/// An upload belongs to its connection, and has at most one request in progress, so that a client's data takes the
/// memory of one line and of one transaction.
final class UploadService {
    typealias Completion = ActivityService.Completion

    /// A client that sends nothing for this long loses its upload.
    static let silenceLimit = Duration.seconds(30)
    /// The most rows of a transaction, and the time that half as many rows follow.
    private static let rowLimit = 256
    private static let slow = Duration.milliseconds(40)

    private let inbox: Inbox
    private let run: RunController
    private let activities: ActivityService
    /// By the numbers of the connections.
    private var uploads: [Int: Upload] = [:]
    private var nextNumber = 0

    private final class Upload {
        /// Of the disk worker's file.
        let number: Int
        let kind: UploadRequest.Kind
        /// The activity whose place the new one takes.
        let replaced: Int?
        var size = 0
        /// When the last response was sent; nil while a request is in progress.
        var idleSince: Instant?
        var isCommitting = false
        /// The client has gone.
        var isAbandoned = false

        init(_ number: Int, _ kind: UploadRequest.Kind, replaced: Int?) {
            self.number = number
            self.kind = kind
            self.replaced = replaced
        }
    }

    /// The rows of a commit that is in progress.
    private final class Commit {
        let recording: RecordedActivity
        let gaps: Int
        let replaced: Int?
        let completion: Completion
        var activity = 0
        var place = 0
        var limit = UploadService.rowLimit

        init(_ recording: RecordedActivity, gaps: Int, replaced: Int?, _ completion: @escaping Completion) {
            self.recording = recording
            self.gaps = gaps
            self.replaced = replaced
            self.completion = completion
        }
    }

    init(_ inbox: Inbox, _ run: RunController, _ activities: ActivityService) {
        self.inbox = inbox
        self.run = run
        self.activities = activities
    }

    /// Starts the execution of a request of a connection.
    func execute(
        _ request: UploadRequest, of connection: Int, _ completion: @escaping Completion, at now: Instant
    ) throws(RPCError) {
        switch request {
        case .begin(let kind, let replaced):
            if replaced != nil { try checkIdle() }
            if uploads[connection] != nil { throw .unavailable("an upload is in progress on this connection") }
            guard uploads.count < UploadRequest.countLimit else {
                throw .busy("\(UploadRequest.countLimit) uploads are in progress: try again later")
            }
            try checkDisk(at: now)
            let upload = Upload(nextNumber, kind, replaced: replaced)
            nextNumber += 1
            try submit(.openUpload(upload.number), of: upload, connection, completion) { _, _ in .uploaded(bytes: 0) }
            uploads[connection] = upload
        case .append(let bytes):
            let upload = try idleUpload(of: connection)
            guard upload.size + bytes.count <= UploadRequest.sizeLimit else {
                drop(connection)
                throw .invalidValue("data", "an upload is at most \(UploadRequest.sizeLimit >> 20) MiB; it is dropped")
            }
            do throws(RPCError) { try checkDisk(at: now) } catch {
                drop(connection)
                throw error
            }
            try submit(.appendUpload(upload.number, bytes), of: upload, connection, completion) { upload, _ in
                upload.size += bytes.count
                return .uploaded(bytes: upload.size)
            }
        case .commit:
            let upload = try idleUpload(of: connection)
            try checkDisk(at: now)
            if upload.replaced != nil { try checkIdle() }
            upload.isCommitting = true
            switch upload.kind {
            case .activity: check(upload, connection, completion)
            case .course: checkCourse(upload, connection, completion)
            }
        }
    }

    /// The client of a connection has gone. A commit that it requested is executed.
    func connectionClosed(_ connection: Int) {
        guard let upload = uploads[connection], !upload.isCommitting else { return }
        drop(connection)
    }

    /// Drops the uploads of silent clients.
    func tick(at now: Instant) {
        for (connection, upload) in uploads {
            guard let since = upload.idleSince, now - since >= Self.silenceLimit else { continue }
            Log.write(.notice, "upload dropped: its client sent nothing for \(Self.silenceLimit.components.seconds) s")
            drop(connection)
        }
    }

    // MARK: Receiving

    private func idleUpload(of connection: Int) throws(RPCError) -> Upload {
        guard let upload = uploads[connection] else {
            throw .unavailable("no upload is in progress on this connection: call upload.begin")
        }
        if upload.idleSince == nil { throw .busy("the request before is in progress: wait for its response") }
        return upload
    }

    private func checkDisk(at now: Instant) throws(RPCError) {
        let status = run.recorderStatus(at: now)
        guard status.state == .writing else {
            throw .busy(status.message ?? "nothing is recorded, and the journal is not written")
        }
        guard status.freeMebibytes ?? 0 >= UploadRequest.leastFreeMebibytes else {
            throw .busy("less than \(UploadRequest.leastFreeMebibytes) MiB are free on the disk of the journal")
        }
    }

    /// A run in progress would wait for the transaction that replaces an activity.
    private func checkIdle() throws(RPCError) {
        guard run.runState == .idle else {
            throw .unavailable("a run is in progress: an activity can be replaced when it has ended")
        }
    }

    /// Ends an upload. The disk worker closes its file, after the request in progress.
    private func drop(_ connection: Int) {
        guard let upload = uploads.removeValue(forKey: connection) else { return }
        upload.isAbandoned = true
        _ = activities.submit(.closeUpload(upload.number)) { _, _ in }
    }

    /// Submits a request whose response is the result of `body`. A failure drops the upload.
    private func submit(
        _ request: DiskRequest, of upload: Upload, _ connection: Int, _ completion: @escaping Completion,
        _ body: @escaping (Upload, DiskReply) -> ControlResult
    ) throws(RPCError) {
        upload.idleSince = nil
        let isSubmitted = activities.submit(request) { [unowned self] reply, now in
            upload.idleSince = now
            switch reply {
            case .success(let reply): completion(.success(body(upload, reply)))
            case .failure(let failure):
                if !upload.isAbandoned { drop(connection) }
                completion(.failure(.busy("the upload cannot be kept on the disk: \(failure); it is dropped")))
            }
        }
        if !isSubmitted {
            upload.idleSince = Clock.now()
            throw .busy("too many requests wait for the disk")
        }
    }

    // MARK: Committing

    /// Checks the next lines, and starts to write when all are valid.
    private func check(_ upload: Upload, _ connection: Int, _ completion: @escaping Completion) {
        step(.checkUpload(upload.number), connection, completion) { [unowned self] reply in
            guard case .checkedUpload(let recording, let gaps) = reply else {
                return check(upload, connection, completion)
            }
            let commit = Commit(recording, gaps: gaps, replaced: upload.replaced, completion)
            let activity = run.journal.takeNumber()
            perform(.begin(activity: activity, at: Clock.systemTime()), commit, connection) { [unowned self] _ in
                commit.activity = activity
                writeRows(commit, of: upload, connection)
            }
        }
    }

    /// Checks the next lines of a course, and stores it when all are valid.
    private func checkCourse(_ upload: Upload, _ connection: Int, _ completion: @escaping Completion) {
        step(.checkCourse(upload.number), connection, completion) { [unowned self] reply in
            guard case .checkedCourse(let course) = reply else { return checkCourse(upload, connection, completion) }
            run.journal.perform(.course(course), via: inbox) { [unowned self] result in
                drop(connection)
                switch result {
                case .success(let outcome):
                    Log.write(.notice, "course \(outcome.activity) \(outcome.isPresent ? "was present" : "stored")")
                    completion(.success(.storedCourse(outcome.activity, isPresent: outcome.isPresent)))
                case .failure(let failure):
                    completion(.failure(.busy("the journal rejects the course: \(failure); nothing is stored")))
                }
            }
        }
    }

    private func writeRows(_ commit: Commit, of upload: Upload, _ connection: Int) {
        let failed: Completion = { [unowned self] result in
            abandon(commit)
            commit.completion(result)
        }
        step(.readUpload(upload.number, limit: commit.limit), connection, failed) { [unowned self] reply in
            guard case .uploadedRows(let rows) = reply, !rows.isEmpty else { return finish(commit, connection) }
            let step = JournalImportStep.rows(
                activity: commit.activity, place: commit.place, rows, at: Clock.systemTime())
            perform(step, commit, connection) { [unowned self] outcome in
                commit.place += rows.count
                let isSlow = outcome.duration > Self.slow
                commit.limit = isSlow ? max(commit.limit / 2, 8) : min(commit.limit + 8, Self.rowLimit)
                writeRows(commit, of: upload, connection)
            }
        }
    }

    private func finish(_ commit: Commit, _ connection: Int) {
        var recording = commit.recording
        recording.id = commit.activity
        // A run may have begun since the request.
        let replaced = run.runState == .idle ? commit.replaced : nil
        perform(.finish(recording, gaps: commit.gaps, replaces: replaced), commit, connection) {
            [unowned self] outcome in
            drop(connection)
            Log.write(.notice, "activity \(outcome.activity) imported")
            activities.updateIndex(at: Clock.now())
            commit.completion(.success(.imported(outcome.activity)))
        }
    }

    /// A request of a commit to the disk worker. A failure ends the upload.
    private func step(
        _ request: DiskRequest, _ connection: Int, _ completion: @escaping Completion,
        _ body: @escaping (DiskReply) -> Void
    ) {
        uploads[connection]?.idleSince = nil
        let isSubmitted = activities.submit(request) { [unowned self] reply, _ in
            switch reply {
            case .success(let reply): body(reply)
            case .failure(let failure):
                drop(connection)
                completion(.failure(.invalidValue("data", "\(failure)")))
            }
        }
        if isSubmitted { return }
        drop(connection)
        // The response follows the return of this call.
        inbox.append(
            .completion { _ in
                completion(.failure(.busy("too many requests wait for the disk; the upload is dropped")))
            })
    }

    /// A step of a commit in the journal. A failure deletes what was written, and ends the upload.
    private func perform(
        _ step: JournalImportStep, _ commit: Commit, _ connection: Int,
        _ body: @escaping (JournalImportOutcome) -> Void
    ) {
        run.journal.perform(step, via: inbox) { [unowned self] result in
            switch result {
            case .success(let outcome): body(outcome)
            case .failure(let failure):
                if case .begin(let activity, _) = step { run.journal.giveBack(activity) }
                abandon(commit)
                drop(connection)
                commit.completion(.failure(.busy("the journal rejects the activity: \(failure); nothing is imported")))
            }
        }
    }

    private func abandon(_ commit: Commit) {
        guard commit.activity > 0 else { return }
        run.journal.perform(.abandon(activity: commit.activity), via: inbox) { _ in }
    }
}
