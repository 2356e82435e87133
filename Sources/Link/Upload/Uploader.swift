import Domain
import Glibc
import HTTP
import JSONCoding
import Linux
import Privacy
import Program
import SQLite
import Storage
import Wire

/// Uploads finished activities to the services of the configuration: one request at a time to each, and none waits for another.
///
/// ``UploadQueue`` says what is next, a row of ``UploadService/all`` how it is asked, and this sends it.
final class Uploader {
    /// Requests of one attempt: the longest way of a service has four.
    private static let requestLimit = 8
    private static let clockPause = Duration.seconds(2)
    private static let networkPause = Duration.seconds(60)
    /// The time between two looks at logins that end unused, after twice ten days at FitTrackee.
    private static let loginPause = Duration.seconds(6 * 3600)

    private(set) var queue: UploadQueue
    /// Where the journal is read.
    weak var follower: JournalFollower? {
        didSet { if let recorded = follower?.recorded() { queue.enable(recorded) } }
    }
    /// Whether the clock is unset: then no certificate can be checked.
    var isClockUnset = { false }
    let loop: EventLoop
    let log: (LogLevel, String) -> Void
    private let notify: (_ key: String, _ text: String) -> Void
    private let store: LinkStore
    private let journal: String
    private let directory: String
    private let pacectl: PacectlRunner
    private let hiddenKey: [UInt8]
    /// Interfaces on which nothing is sent.
    private let metered: Set<String>
    /// Whether a user wants all to be sent, over any network.
    private var isFlushing = false
    private var clients: [HTTPClient] = []
    /// By service, as in the queue.
    let secrets: [String?]
    var tokens: [OAuthTokens?]
    var logins: [Int: OAuth.Login] = [:]
    private var attempts: [Int: Attempt] = [:]
    private var timer: TimerSource?
    private var notified: Set<Int> = []
    private var storeFailure: String?
    private var loginsKeptAt: Instant?
    /// Services whose login is being renewed.
    private var renewing: Set<Int> = []

    /// An activity on its way.
    private struct Attempt {
        let order: UploadQueue.Order
        var job: UploadJob
        var requests = 0
        /// Whether the FIT file is there.
        var hasFile = false
        /// Whether the token was renewed: it is not renewed again, whatever its time says.
        var isRenewed = false
    }

    /// - Parameters:
    ///   - journal: the directory of the journal.
    ///   - directory: the state directory, for tokens and files on their way.
    init(
        _ settings: [UploadSettings], metered: Set<String>, pacectl: PacectlRunner, journal: String, directory: String,
        store: LinkStore,
        _ environment: ProgramEnvironment, loop: EventLoop, log: @escaping (LogLevel, String) -> Void,
        notify: @escaping (_ key: String, _ text: String) -> Void
    ) throws {
        self.loop = loop
        self.log = log
        self.notify = notify
        self.store = store
        self.metered = metered
        self.directory = directory
        self.pacectl = pacectl
        self.journal = journal
        queue = UploadQueue(settings)
        secrets = try settings.map { try environment.credential($0.credential) }
        tokens = settings.map { OAuthTokens(OAuthTokens.file(of: $0, in: directory)) }
        hiddenKey =
            settings.contains { $0.hiddenRadius > 0 } ? try HiddenCircles.key(journal: journal, own: directory) : []
        for settings in settings {
            clients.append(
                try HTTPClient(
                    loop: loop, userAgent: "paced-link/\(Release.version)", authorities: settings.authorities))
        }
        // What a kill has left.
        for name in (try? names(in: directory)) ?? [] where name.hasPrefix("upload-") && name.hasSuffix(".fit") {
            unlink("\(directory)/\(name)")
        }
        try store.load(into: &queue, at: Clock.now(), time: Clock.systemTime())
        timer = try loop.timer { [unowned self] in pump() }
        timer?.arm(at: Clock.now())
    }

    // MARK: What to do next

    /// Finds activities that have ended.
    func survey(_ recorded: JournalReader.Recorded) {
        queue.survey(recorded)
        pump()
    }

    func ask(_ activity: UUID, _ id: Int, to service: Int) {
        queue.ask(activity, id, to: service)
        notified.remove(service)
    }

    /// Goes on with a service that was paused.
    func resume(_ service: Int) {
        queue.resume(service)
        notified.remove(service)
        pump()
    }

    /// Sends all now, also over a metered network.
    func flush() {
        isFlushing = true
        for service in queue.services.indices { queue.resume(service) }
        notified = []
        pump()
    }

    /// Why nothing is sent to a service now, for a reason that is not the service's own; nil if it may be.
    func obstacle(of service: Int) -> String? {
        if let storeFailure { return "cannot store the state of uploads: \(storeFailure)" }
        if isMetered { return "the network is metered: pacectl link flush sends the activities all the same" }
        return needsClock(service) && isClockUnset() ? Self.clockObstacle : nil
    }

    static let clockObstacle = "clock-unset: a certificate cannot be checked without a clock"

    /// Whether the network in use is one on which activities wait.
    private var isMetered: Bool {
        !metered.isEmpty && !isFlushing && NetworkInterfaces.nameOfDefault.map { metered.contains($0) } ?? false
    }

    private func needsClock(_ service: Int) -> Bool {
        queue.services[service].settings.address.hasPrefix("https:")
    }

    /// Starts what is due.
    func pump() {
        save()
        let now = Clock.now()
        if queue.nextTime(after: now) == nil, attempts.isEmpty { isFlushing = false }
        guard storeFailure == nil, !isMetered else {
            timer?.arm(at: now + Self.networkPause)
            return
        }
        var isWaiting = false
        for order in queue.next(at: now) {
            if needsClock(order.service), isClockUnset() {
                isWaiting = true
            } else {
                start(order)
            }
        }
        if loginsKeptAt.map({ now - $0 >= Self.loginPause }) ?? true, !isClockUnset() { keepLogins(at: now) }
        let look = (loginsKeptAt ?? now) + Self.loginPause
        let next = min(queue.nextTime(after: now) ?? look, look)
        timer?.arm(at: isWaiting ? now + Self.clockPause : max(next, now + .milliseconds(100)))
    }

    /// Renews the logins that would end because nothing was uploaded for long.
    private func keepLogins(at now: Instant) {
        loginsKeptAt = now
        for index in queue.services.indices
        where queue.services[index].active == nil && !queue.services[index].isPaused {
            guard case .token(let oauth) = queue.services[index].settings.service?.access, oauth.endsUnused,
                let token = tokens[index], !token.isValid(at: Clock.systemTime(), for: .zero)
            else { continue }
            renew(oauth, index) { [unowned self] outcome in
                guard let outcome else { return }
                log(.warning, "cannot renew the login at \(queue.services[index].settings.name): \(outcome.reason)")
                if case .unauthorised(let reason) = outcome {
                    queue.pause(index, reason)
                    tell(index, reason)
                }
            }
        }
    }

    /// - Returns: whether all is on the disk.
    @discardableResult private func save() -> Bool {
        do throws(SQLiteError) {
            try store.save(&queue)
            storeFailure = nil
        } catch {
            if storeFailure == nil { log(.error, "cannot store the state of uploads: \(error)") }
            storeFailure = "\(error)"
        }
        return storeFailure == nil
    }

    // MARK: An attempt

    private func start(_ order: UploadQueue.Order) {
        queue.begin(order)
        let settings = queue.services[order.service].settings
        let found: ActivitySummary?
        do throws(SQLiteError) {
            guard let follower, follower.isReadable else { throw SQLiteError(rejecting: "it is not there") }
            found = try follower.activity(order.id)
        } catch {
            return finish(order, .failed("the journal cannot be read: \(error)"))
        }
        guard let summary = found, summary.uuid == order.activity else { return queue.drop(order) }
        guard let started = summary.started else {
            return finish(order, .refused("it has no date: 'pacectl edit \(order.id) --start TIME' sets it"))
        }
        var id = order.activity
        // A uuid tells the moment of the start, which is hidden.
        if settings.hiddenRadius > 0 {
            guard let hash = KeyedHash(key: hiddenKey).hash(of: Array("\(id)".utf8)) else {
                return finish(order, .failed("libgcrypt has no SHA-256"))
            }
            id = .derived(from: hash)
        }
        let job = UploadJob(
            settings: settings, id: id, name: summary.name, sport: summary.sport, started: started,
            file: "\(directory)/upload-\(settings.name).fit")
        attempts[order.service] = Attempt(order: order, job: job)
        perform(order.step, order.service)
    }

    private func perform(_ step: UploadService.Step, _ index: Int) {
        guard var attempt = attempts[index], let service = attempt.job.settings.service else { return }
        let job = attempt.job
        if case .none = service.access { return copy(job, attempt.order) }
        attempt.requests += 1
        attempts[index] = attempt
        guard attempt.requests <= Self.requestLimit else {
            return finish(attempt.order, .unclear("\(Fetcher.host(of: job.settings.address)) gives no end"))
        }
        if case .send = step, !attempt.hasFile { return export(job, index) { [unowned self] in perform(step, index) } }
        let authorisation: String
        switch service.access {
        case .none: return
        case .password(let user):
            guard let secret = secrets[index] else {
                return finish(attempt.order, .unauthorised("the credential \(job.settings.credential) is missing"))
            }
            let pair = Base64.encode(Array("\(user(job.settings)):\(secret)".utf8))
            authorisation = "Basic " + String(decoding: pair, as: UTF8.self)
        case .token(let oauth):
            guard let token = tokens[index], secrets[index] != nil else {
                let text =
                    secrets[index] == nil
                    ? "the credential \(job.settings.credential) is missing"
                    : "nobody has logged in: sudo pacectl upload login \(job.settings.name)"
                return finish(attempt.order, .unauthorised(text))
            }
            guard attempt.isRenewed || token.isValid(at: Clock.systemTime(), for: job.settings.timeout) else {
                return renew(oauth, index, then: step)
            }
            authorisation = "Bearer " + token.access
        }
        if case .send = step {
            queue.send(attempt.order)
            guard save() else { return finish(attempt.order, .unreachable("cannot store the state of the upload")) }
        }
        var request = service.request(step, job)
        request.headers.append("Authorization: " + authorisation)
        clients[index].send(request) { [unowned self] in receive($0, of: step, index) }
    }

    private func receive(_ result: Result<HTTPResponse, HTTPError>, of step: UploadService.Step, _ index: Int) {
        guard let attempt = attempts[index], let service = attempt.job.settings.service else { return }
        var outcome = service.outcome(result, of: step, attempt.job, at: Clock.systemTime())
        // Before the file is sent nothing is unclear.
        if step == .look || step == .prepare, case .unclear(let reason) = outcome { outcome = .unreachable(reason) }
        switch outcome {
        case .next(let step): perform(step, index)
        case .unauthorised:
            guard case .token(let oauth) = service.access, !attempt.isRenewed else {
                return finish(attempt.order, outcome)
            }
            renew(oauth, index, then: step)
        default: finish(attempt.order, outcome)
        }
    }

    private func export(_ job: UploadJob, _ index: Int, then body: @escaping () -> Void) {
        guard let order = attempts[index]?.order else { return }
        pacectl.run(words(order, job, to: job.file) + ["--force"]) { [unowned self] failure in
            if let failure { return finish(order, .failed(failure)) }
            attempts[index]?.hasFile = true
            body()
        }
    }

    /// Exports to a directory. A file of the same name is the activity: names have the uuid.
    private func copy(_ job: UploadJob, _ order: UploadQueue.Order) {
        let path = (job.settings.path ?? "") + "/" + job.fileName
        if access(path, F_OK) == 0 { return finish(order, .done(job.fileName)) }
        pacectl.run(words(order, job, to: path)) { [unowned self] failure in
            if let failure, access(path, F_OK) != 0 { return finish(order, .unreachable(failure)) }
            // Syncthing and rsync run as other users.
            chmod(path, 0o644)
            finish(order, .done(job.fileName))
        }
    }

    private func words(_ order: UploadQueue.Order, _ job: UploadJob, to path: String) -> [String] {
        let radius = job.settings.hiddenRadius
        return ["--state-dir", journal, "export", "\(order.id)", "--format", "fit", "-o", path]
            + (radius > 0 ? ["--hide", "\(radius)"] : [])
    }

    private func renew(_ oauth: OAuth, _ index: Int, then step: UploadService.Step) {
        attempts[index]?.isRenewed = true
        renew(oauth, index) { [unowned self] failure in
            guard let order = attempts[index]?.order else { return }
            if let failure { finish(order, failure) } else { perform(step, index) }
        }
    }

    /// Takes a new access token. The new pair is on the disk before it is used.
    private func renew(
        _ oauth: OAuth, _ index: Int, completed: @escaping (_ failure: UploadService.Outcome?) -> Void
    ) {
        guard let token = tokens[index], let secret = secrets[index], renewing.insert(index).inserted else {
            // A refresh token counts once.
            return completed(.unreachable("the login is being renewed"))
        }
        let settings = queue.services[index].settings
        let request = oauth.tokenRequest(settings, secret: secret, OAuth.grant(refresh: token.refresh))
        clients[index].send(request) { [unowned self] result in
            renewing.remove(index)
            completed(take(result, of: index, earlier: token.refresh))
        }
    }

    /// Stores the tokens of an answer.
    ///
    /// - Returns: why there are none; nil if they are stored.
    func take(
        _ result: Result<HTTPResponse, HTTPError>, of index: Int, earlier: String?
    ) -> UploadService.Outcome? {
        let settings = queue.services[index].settings
        let time = Clock.systemTime()
        if case .success(let response) = result, (200..<300).contains(response.status),
            let new = OAuthTokens(try? JSON(parsing: response.body), earlier: earlier, at: time)
        {
            do throws(DirectoryError) {
                try new.save(in: OAuthTokens.file(of: settings, in: directory))
            } catch {
                return .unreachable("cannot store the tokens: \(error)")
            }
            tokens[index] = new
            return nil
        }
        if case .success(let response) = result, [400, 401, 403].contains(response.status) {
            let host = Fetcher.host(of: settings.address)
            return .unauthorised("\(host) refuses the login: sudo pacectl upload login \(settings.name)")
        }
        let job = UploadJob(
            settings: settings, id: .derived(from: []), name: nil, sport: .other, started: time, file: "")
        return switch settings.service?.outcome(result, of: .poll(""), job, at: time) {
        case .later(let reason, let duration): .later(reason, duration)
        case .unclear(let reason), .unreachable(let reason), .refused(let reason): .unreachable(reason)
        default: .unreachable("\(Fetcher.host(of: settings.address)) sends something else")
        }
    }

    func send(_ request: OutgoingRequest, _ index: Int, completed: @escaping HTTPClient.Completion) {
        clients[index].send(request, completed: completed)
    }

    private func finish(_ order: UploadQueue.Order, _ outcome: UploadService.Outcome) {
        if let attempt = attempts.removeValue(forKey: order.service), attempt.hasFile { unlink(attempt.job.file) }
        queue.finish(
            order, outcome, at: Clock.now(), time: Clock.systemTime(), jitter: .random(in: 0...1))
        let name = queue.services[order.service].settings.name
        let text = "upload of activity \(order.id) to \(name): "
        switch outcome {
        case .done: log(.notice, text + "done")
        case .next, .processing: break
        case .refused: log(.warning, text + "refused: " + outcome.reason)
        case .unclear, .failed, .unreachable, .later: log(.info, text + outcome.reason)
        case .unauthorised: tell(order.service, outcome.reason)
        }
        // Not from within a callback of the client or of pacectl.
        timer?.arm(at: Clock.now())
    }

    /// Tells the user once that a service pauses.
    private func tell(_ index: Int, _ reason: String) {
        guard notified.insert(index).inserted else { return }
        let name = queue.services[index].settings.name
        log(.error, "uploads to \(name) pause: \(reason)")
        notify("upload-\(name)", "uploads to \(name) pause: pacectl link status")
    }
}
