import Client
import Domain
import Glibc
import HTTP
import JSONCoding
import Linux
import Program
import SQLite
import Wire

/// Something planned, and what has become of it.
struct PlannedWork: Equatable {
    enum State: String {
        /// A workout that can be loaded.
        case stored
        /// The setting `workout` has it.
        case loaded
        /// A course that is in the list of courses.
        case imported
        case failed
    }

    let kind: PlannedItem.Kind
    let id: String
    let day: String?
    let name: String
    let version: String
    var state: State
    var reason: String?
}

/// Fetches planned workouts and courses once in a morning, and on demand. paced takes them from `pacectl`, as from a user.
final class Planner {
    private static let delays = Duration.seconds(600)...Duration.seconds(7200)
    private static let lookPause = Duration.seconds(10)
    /// A workout has at most 100 steps of some 60 bytes. What is larger has no place in an answer.
    static let workoutLimit = 45_000
    /// The directory of a course on its way to paced, by its own name, which a course without a name gets.
    private static let courseDirectory = "course"
    /// The most courses of a fetch; the others come with the next one.
    private static let courseLimit = 64
    /// Days from today on.
    private static let days = 7

    struct Source {
        let settings: PlanSettings
        let secret: String?
        let client: HTTPClient
        var plan: LinkStore.Plan
        var isFetching = false
        /// Why the last fetch failed; nil after a success.
        var failure: String?
        var isPaused = false
        var retryAt: Instant?
        /// Until when also a user who asks gets what is there, because the service asks for a pause.
        var restsUntil: Instant?
        var failures = 0
        var lastSuccess: Instant?
    }

    private(set) var sources: [Source]
    /// Whether no certificate can be checked.
    var isClockUnset = { false }

    private let store: LinkStore
    private let directory: String
    private let pacectl: PacectlRunner
    private let control: String
    private let metered: Set<String>
    private let loop: EventLoop
    private let log: (LogLevel, String) -> Void
    private let notify: (_ key: String, _ text: String) -> Void
    private var lookedAt: Instant?
    private var isRunning = false
    private var questions: [Int: LineExchange] = [:]
    private var nextQuestion = 0

    /// - Parameters:
    ///   - directory: the state directory, for files of workouts.
    ///   - paced: the directory of control.sock.
    init(
        _ settings: [PlanSettings], metered: Set<String>, pacectl: PacectlRunner, paced: String, directory: String,
        store: LinkStore, _ environment: ProgramEnvironment, loop: EventLoop,
        log: @escaping (LogLevel, String) -> Void, notify: @escaping (_ key: String, _ text: String) -> Void
    ) throws {
        self.store = store
        self.directory = directory
        self.pacectl = pacectl
        self.metered = metered
        self.loop = loop
        self.log = log
        self.notify = notify
        control = paced + "/control.sock"
        let plans = try store.plans(settings)
        sources = []
        for (index, settings) in settings.enumerated() {
            let client = try HTTPClient(
                loop: loop, userAgent: "paced-link/\(Release.version)", authorities: settings.authorities)
            sources.append(
                Source(
                    settings: settings, secret: try environment.credential(settings.credential), client: client,
                    plan: plans[index]))
        }
        removeFiles()
    }

    /// Removes files of sections that are gone, and what a kill has left.
    private func removeFiles() {
        var kept: Set<String> = []
        for index in sources.indices {
            for work in sources[index].plan.items where work.kind == .workout { kept.insert(fileName(of: work, index)) }
        }
        for name in (try? names(in: directory)) ?? []
        where name.hasPrefix("plan-") && name.hasSuffix(".fit") && !kept.contains(name) {
            unlink("\(directory)/\(name)")
        }
        let courses = "\(directory)/\(Self.courseDirectory)"
        for name in (try? names(in: courses)) ?? [] { unlink("\(courses)/\(name)") }
    }

    // MARK: When

    /// Why nothing is fetched; nil if it is.
    var obstacle: String? { ControlRight.obstacle(at: control) }

    /// Begins what is due. Called each second while paced runs.
    func look(isRunning: Bool, at now: Instant) {
        self.isRunning = isRunning
        if let lookedAt, now - lookedAt < Self.lookPause { return }
        lookedAt = now
        if isRunning || isClockUnset() || obstacle != nil || isMetered { return }
        let local = Self.localTime()
        for index in sources.indices {
            let source = sources[index]
            guard !source.isPaused, (source.retryAt ?? now) <= now, source.plan.day != Self.day(local, after: 0),
                local.fields.hour >= source.settings.hour
            else { continue }
            fetch(index, isMorning: true)
        }
    }

    private var isMetered: Bool {
        !metered.isEmpty && NetworkInterfaces.nameOfDefault.map { metered.contains($0) } ?? false
    }

    /// Fetches all at once.
    func fetch() throws(RPCError) {
        if let obstacle { throw .unavailable("\(obstacle)") }
        let now = Clock.now()
        for index in sources.indices where sources[index].restsUntil.map({ $0 <= now }) ?? true {
            sources[index].isPaused = false
            if sources[index].settings.address.hasPrefix("https:"), isClockUnset() {
                sources[index].failure = Uploader.clockObstacle
            } else {
                fetch(index, isMorning: false)
            }
        }
    }

    var isFetching: Bool { sources.contains { $0.isFetching } }

    private static func localTime() -> UTC {
        let time = Clock.systemTime()
        return UTC(milliseconds: time.milliseconds + Int64(Machine.localOffset(at: time)) * 1000)
    }

    private static func day(_ local: UTC, after days: Int) -> String {
        UploadJob.day(UTC(milliseconds: local.milliseconds + Int64(days) * 86_400_000))
    }

    // MARK: A fetch

    private func fetch(_ index: Int, isMorning: Bool) {
        let source = sources[index]
        guard !source.isFetching, let kind = source.settings.source else { return }
        guard source.secret != nil else {
            return fail(index, .init(text: "the credential \(source.settings.credential) is missing", isRefusal: true))
        }
        sources[index].isFetching = true
        let local = Self.localTime()
        let request = kind.request(
            source.settings, days: (Self.day(local, after: 0), Self.day(local, after: Self.days - 1)))
        send(request, index) { [unowned self] result in
            if case .success(let response) = result, let items = kind.items(response, source.settings) {
                take(items, index, today: Self.day(local, after: 0), isMorning: isMorning)
            } else {
                fail(index, FetchFault(result, host: Fetcher.host(of: source.settings.address)))
            }
        }
    }

    private func send(_ request: OutgoingRequest, _ index: Int, completed: @escaping HTTPClient.Completion) {
        let source = sources[index]
        var request = request
        // A server of another name gets no secret.
        if Fetcher.host(of: request.url) == Fetcher.host(of: source.settings.address),
            let user = source.settings.source?.user(source.settings)
        {
            let pair = Base64.encode(Array("\(user):\(source.secret ?? "")".utf8))
            request.headers.append("Authorization: Basic " + String(decoding: pair, as: UTF8.self))
        }
        source.client.send(request, completed: completed)
    }

    private func take(_ items: [PlannedItem], _ index: Int, today: String, isMorning: Bool) {
        let before = sources[index].plan
        var new = before
        new.items = []
        var courses: [PlannedItem] = []
        var failed = 0
        for item in items {
            let known = before.items.first { $0.kind == item.kind && $0.id == item.id && $0.version == item.version }
            var work = PlannedWork(
                kind: item.kind, id: item.id, day: item.day, name: item.name, version: item.version,
                state: known?.state == .loaded ? .loaded : .stored)
            switch item.content {
            case .bytes(let bytes):
                do throws(DirectoryError) {
                    try file(of: work, index).replace(with: bytes)
                } catch {
                    (work.state, work.reason) = (.failed, "\(error)")
                }
                new.items.append(work)
            case .broken(let reason):
                (work.state, work.reason) = (.failed, reason)
                new.items.append(work)
            case .address:
                if known?.state == .imported {
                    work.state = .imported
                    new.items.append(work)
                } else {
                    // What has failed once comes behind what is new.
                    courses.insert(item, at: known == nil ? courses.endIndex - failed : courses.endIndex)
                    failed += known == nil ? 0 : 1
                }
            }
        }
        // A workout that is planned no more.
        for work in before.items where work.kind == .workout && !new.items.contains(where: { $0.id == work.id }) {
            try? file(of: work, index).remove()
        }
        sources[index].plan = new
        save(index)
        importNext(courses.prefix(Self.courseLimit), index) { [unowned self] in
            finish(index, today: today, isMorning: isMorning)
        }
    }

    private func importNext(_ courses: ArraySlice<PlannedItem>, _ index: Int, then body: @escaping () -> Void) {
        guard let item = courses.first, case .address(let url) = item.content else { return body() }
        func finish(_ failure: String?) {
            sources[index].plan.items.append(
                PlannedWork(
                    kind: .course, id: item.id, day: item.day, name: item.name, version: item.version,
                    state: failure == nil ? .imported : .failed, reason: failure))
            // A course that the user deletes meanwhile does not come back.
            save(index)
            importNext(courses.dropFirst(), index, then: body)
        }
        let settings = sources[index].settings
        let request = OutgoingRequest(url: url, bodyLimit: PlanSource.sizeLimit, timeout: settings.timeout)
        send(request, index) { [unowned self] result in
            guard case .success(let response) = result, response.status == 200 else {
                return finish(FetchFault(result, host: Fetcher.host(of: url)).text)
            }
            let file = AtomicFile(
                in: directory + "/" + Self.courseDirectory, name: Self.fileName(of: item), mode: 0o600)
            do {
                try makeDirectories(directory + "/" + Self.courseDirectory)
                try file.replace(with: response.body)
            } catch {
                return finish("\(error)")
            }
            pacectl.run(["course", "import", "--", file.path]) { failure in
                try? file.remove()
                finish(failure)
            }
        }
    }

    /// A name without what a file's name may not have.
    private static func fileName(of item: PlannedItem) -> String {
        var name = item.name.unicodeScalars.map { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || " -_()".unicodeScalars.contains(scalar)
                ? String(scalar) : "_"
        }.joined()
        if name.lowercased().hasSuffix("_" + item.format) { name.removeLast(item.format.utf8.count + 1) }
        while name.utf8.count > 100 { name.removeLast() }
        return (name.isEmpty ? "course" : name) + "." + item.format
    }

    private func finish(_ index: Int, today: String, isMorning: Bool) {
        // A fetch before the morning does not replace that of the morning.
        if isMorning || Self.localTime().fields.hour >= sources[index].settings.hour { sources[index].plan.day = today }
        sources[index].isFetching = false
        sources[index].failures = 0
        (sources[index].failure, sources[index].retryAt) = (nil, nil)
        sources[index].lastSuccess = Clock.now()
        sources[index].restsUntil = nil
        save(index)
        let plan = sources[index].plan
        log(.notice, "plan \(sources[index].settings.name): \(plan.items.count) items")
        guard isMorning, sources[index].settings.loadsToday,
            let first = plan.items.firstIndex(where: { $0.kind == .workout && $0.day == today })
        else { return }
        // A workout that the user has chosen stays.
        ask("settings.get", #"{"key":"workout"}"#) { [unowned self] workout in
            guard let workout, !isRunning,
                workout == .array([]) || Self.text(workout) == sources[index].plan.loaded
            else { return }
            load(index, first)
        }
    }

    private func fail(_ index: Int, _ fault: FetchFault) {
        let now = Clock.now()
        sources[index].isFetching = false
        sources[index].failure = fault.text
        sources[index].isPaused = fault.isRefusal
        let doubled = Self.delays.lowerBound * (1 << min(sources[index].failures, 8))
        sources[index].failures += 1
        sources[index].retryAt = now + max(min(doubled, Self.delays.upperBound), fault.retryAfter ?? .zero)
        sources[index].restsUntil = fault.retryAfter.map { now + $0 }
        let name = sources[index].settings.name
        log(.warning, "plan \(name): \(fault.text)")
        if fault.isRefusal { notify("plan-\(name)", "the plan \(name) pauses: pacectl link status") }
    }

    private func save(_ index: Int) {
        do throws(SQLiteError) {
            try store.save(sources[index].plan, of: sources[index].settings)
        } catch {
            log(.error, "cannot store a plan: \(error)")
        }
    }

    private func file(of work: PlannedWork, _ index: Int) -> AtomicFile {
        AtomicFile(in: directory, name: fileName(of: work, index), mode: 0o600)
    }

    private func fileName(of work: PlannedWork, _ index: Int) -> String {
        "plan-\(sources[index].settings.name)-\(UUID.derived(from: work.id.utf8)).fit"
    }

    // MARK: Loading

    /// The FIT file of a workout; nil if it is gone.
    func bytes(of work: PlannedWork, _ index: Int) -> [UInt8]? {
        try? file(of: work, index).read(limit: Self.workoutLimit)
    }

    /// Loads a workout of this morning.
    private func load(_ index: Int, _ item: Int) {
        let work = sources[index].plan.items[item]
        pacectl.run(["workout", "load", file(of: work, index).path]) { [unowned self] failure in
            mark(index, work, failure)
            if failure != nil { return }
            ask("settings.get", #"{"key":"workout"}"#) { [unowned self] workout in
                sources[index].plan.loaded = workout.map(Self.text)
                save(index)
            }
        }
    }

    /// One workout is loaded, of all sources.
    private func mark(_ index: Int, _ work: PlannedWork, _ failure: String?) {
        for other in sources.indices {
            for item in sources[other].plan.items.indices where sources[other].plan.items[item].kind == .workout {
                let isThis = other == index && sources[other].plan.items[item].id == work.id
                if isThis {
                    sources[other].plan.items[item].state = failure == nil ? .loaded : .failed
                    sources[other].plan.items[item].reason = failure
                } else if failure == nil, sources[other].plan.items[item].state == .loaded {
                    sources[other].plan.items[item].state = .stored
                }
            }
            save(other)
        }
    }

    private func ask(_ method: String, _ parameters: String, completed: @escaping (JSON?) -> Void) {
        nextQuestion += 1
        let number = nextQuestion
        do throws(LineExchange.Failure) {
            questions[number] = try LineExchange(
                requestLine(method, parameters), at: control, loop: loop, timeout: .seconds(5),
                lineLimit: JSONRPC.lineLimit
            ) { [unowned self] result in
                questions[number] = nil
                completed((try? result.get()).flatMap { try? JSON(parsing: $0) }?["result"])
            }
        } catch {
            completed(nil)
        }
    }

    private static func text(_ json: JSON) -> String {
        var line = JSONWriter(capacity: 1024)
        line.value(json)
        return String(decoding: line.bytes, as: UTF8.self)
    }
}

/// Why something could not be fetched.
struct FetchFault {
    let text: String
    /// Whether the credential was refused, so that somebody must act.
    var isRefusal = false
    var retryAfter: Duration?

    init(text: String, isRefusal: Bool = false) {
        self.text = text
        self.isRefusal = isRefusal
    }

    init(_ result: Result<HTTPResponse, HTTPError>, host: String) {
        func described(_ cause: FetchFailure.Cause) -> String {
            FetchFailure(cause, host: host, retryAt: Instant(nanoseconds: 0)).description
        }
        switch result {
        case .failure(let error): text = described(.noResponse(error))
        case .success(let response):
            retryAfter = response.retryAfter(at: Clock.systemTime())
            isRefusal = response.status == 401 || response.status == 403
            text =
                switch response.status {
                case 401, 403: "\(host) refuses the credential (\(response.status))"
                case 200..<300: described(.unexpectedContent)
                case 300..<400:
                    described(.redirected(toHost: response.redirection.map(Fetcher.host) ?? "another address"))
                default: described(.status(response.status))
                }
        }
    }
}
