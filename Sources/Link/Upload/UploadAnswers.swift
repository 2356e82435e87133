import Domain
import HTTP
import JSONCoding
import Linux
import Servers
import Wire

/// The requests of link.sock about uploads.
extension Uploader {
    private static let listLimit = 100

    func upload(_ activities: [UUID], service: String?) throws(RPCError) -> [UInt8] {
        let services = try indices(of: service)
        guard !services.isEmpty else {
            throw .unavailable("the configuration has no section [Upload NAME]")
        }
        var ids: [(UUID, Int)] = []
        for uuid in activities { ids.append((uuid, try number(of: uuid))) }
        for (uuid, id) in ids {
            for service in services { ask(uuid, id, to: service) }
        }
        pump()
        return text(activities.flatMap { uuid in services.map { (uuid, $0) } })
    }

    /// The number of an activity that may be uploaded.
    private func number(of uuid: UUID) throws(RPCError) -> Int {
        guard let follower, follower.isReadable else { throw .unavailable("the journal cannot be read now") }
        do {
            guard let id = try follower.number(of: uuid) else {
                throw RPCError.notFound("activities", "there is no activity \(uuid)")
            }
            guard let summary = try follower.activity(id) else {
                throw RPCError.unavailable("activity \(id) is in the trash: 'pacectl restore \(id)' takes it out")
            }
            if summary.isOpen { throw RPCError.unavailable("activity \(id) is still in progress") }
            if summary.isDemo { throw RPCError.unavailable("activity \(id) is of the demo") }
            return id
        } catch let error as RPCError {
            throw error
        } catch {
            throw .unavailable("the journal cannot be read: \(error)")
        }
    }

    private func indices(of name: String?) throws(RPCError) -> [Int] {
        guard let name else { return Array(queue.services.indices) }
        guard let index = queue.services.firstIndex(where: { $0.settings.name == name }) else {
            let names = queue.services.map(\.settings.name).joined(separator: ", ")
            throw .notFound(
                "to", "there is no section [Upload \(name)]" + (names.isEmpty ? "" : "; the services are \(names)"))
        }
        return [index]
    }

    /// - Parameter activity: nil for the newest uploads.
    func uploads(of activity: UUID?) -> [UInt8] {
        if let activity { return text(queue.services.indices.map { (activity, $0) }) }
        var all = queue.services.indices.flatMap { index in
            queue.services[index].entries.map { (id: $0.value.id, uuid: $0.key, service: index) }
        }
        all.sort { ($1.id, $0.service) < ($0.id, $1.service) }
        return text(all.prefix(Self.listLimit).map { ($0.uuid, $0.service) })
    }

    private func text(_ pairs: [(activity: UUID, service: Int)]) -> [UInt8] {
        let now = Clock.now()
        var line = JSONWriter(capacity: 1024)
        line.object { line in
            line.array("uploads") { line in
                for pair in pairs { line.object { write(pair.activity, pair.service, now, into: &$0) } }
            }
        }
        return line.bytes
    }

    private func write(_ activity: UUID, _ index: Int, _ now: Instant, into line: inout JSONWriter) {
        let service = queue.services[index]
        let entry = service.entries[activity]
        let state = entry?.state ?? .none
        line.member("activity", activity)
        line.member("to", service.settings.name)
        line.member("service", service.settings.service?.word)
        line.member("state", service.active == activity && state == .waiting ? "sending" : state.rawValue)
        guard let entry else { return }
        let isWaiting = state == .waiting || state == .processing
        line.member("reason", isWaiting ? obstacle(of: index) ?? entry.reason ?? service.reason : entry.reason)
        if isWaiting, !service.isPaused, let next = [entry.retryAt, service.retryAt].compactMap(\.self).max() {
            line.member("next_try_ms", max((next - now).wholeMilliseconds, 0))
        }
        guard state == .done, let remote = entry.remote else { return }
        line.member("url", service.settings.service?.page(remote, service.settings))
        line.member("remote", remote)
    }

    // MARK: Login

    /// Begins a login, or ends it.
    ///
    /// - Parameter completed: called once, perhaps before the return.
    func login(_ name: String, answer: String?, completed: @escaping (Result<[UInt8], RPCError>) -> Void) {
        do throws(RPCError) {
            guard let index = try indices(of: name).first else { return }
            let settings = queue.services[index].settings
            guard case .token(let oauth) = settings.service?.access else {
                throw .unavailable("\(name) needs no login: its secret is the credential \(settings.credential)")
            }
            guard let secret = secrets[index] else {
                throw .unavailable("the credential \(settings.credential) with the secret of the client is missing")
            }
            guard let answer else { return completed(.success(try begin(oauth, index))) }
            guard let login = logins[index], login.until > Clock.now() else {
                throw .unavailable("there is no login that waits: begin it anew")
            }
            guard let code = OAuth.code(in: answer, of: login) else {
                throw .unavailable("the answer is not that of this login: paste the whole address")
            }
            logins[index] = nil
            let request = oauth.tokenRequest(settings, secret: secret, OAuth.grant(code: code, settings, login))
            send(request, index) { [unowned self] result in
                guard let outcome = take(result, of: index, earlier: nil) else {
                    log(.notice, "logged in at \(name)")
                    resume(index)
                    return completed(.success(Array(#"{"done":true}"#.utf8)))
                }
                completed(.failure(.serverFailed(outcome.reason, "the login has failed: \(outcome.reason)")))
            }
        } catch {
            completed(.failure(error))
        }
    }

    private func begin(_ oauth: OAuth, _ index: Int) throws(RPCError) -> [UInt8] {
        let login = OAuth.Login(at: Clock.now())
        guard let url = oauth.address(queue.services[index].settings, login) else {
            throw .unavailable("libgcrypt has no SHA-256")
        }
        logins[index] = login
        var line = JSONWriter(capacity: 1024)
        line.object { $0.member("url", url) }
        return line.bytes
    }
}
