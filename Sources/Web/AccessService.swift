import Domain
import JSONCoding
import Linux
import Wire

/// Signs browsers in and out: answers code.sock and admin.sock, and knows the token of each request.
final class AccessService {
    /// Between two attempts to store the tokens, and between two looks at the groups of users.
    private static let pause = Duration.seconds(60)

    private var list: AccessList
    private var clock = PlausibleClock(Clock.systemTime(), at: Clock.now())
    private let file: TokenFile
    private let places: WebServer.Places
    private let log: (LogLevel, String) -> Void
    private var random = SystemRandomNumberGenerator()
    private var timer: TimerSource?
    /// Whether the last attempt to store the tokens has failed.
    private var hasFailed = false
    /// The tokens whose user has left the group.
    private var refused: [Int] = []
    /// Whether the name service says that a user may connect to the socket of a scope.
    var isMember: (_ user: UInt32, AccessScope) -> Bool = { _, _ in false } {
        didSet { checkMembers() }
    }
    /// The addresses of the page for the next code, the best one first.
    var addresses: [String] = []
    /// Called with the IDs of tokens that have ended.
    var ended: ([Int]) -> Void = { _ in }

    init(
        _ file: TokenFile, loop: EventLoop, places: WebServer.Places, log: @escaping (LogLevel, String) -> Void
    ) throws {
        self.file = file
        self.places = places
        self.log = log
        list = try file.read()
        timer = try loop.timer { [unowned self] in
            if list.isChanged { store() }
            checkMembers()
        }
    }

    var tokenCount: Int { list.tokens.count }

    /// Answers a request of a user on code.sock or admin.sock.
    func answer(_ request: WebRequest, of user: UInt32) -> Result<ControlResult, RPCError> {
        switch request {
        case .code(let isControl): return .success(.encoded(code(isControl ? .control : .watch, for: user)))
        case .tokens: return .success(.encoded(tokens()))
        case .revoke(let id):
            let (count, failure) = revoke(id)
            if let failure { return .failure(.internalError(failure)) }
            if let id, count == 0 {
                return .failure(.notFound("id", "there is no token \(id); see 'pacectl web tokens'"))
            }
            var json = JSONWriter(capacity: 32)
            json.object { $0.member("revoked", count) }
            return .success(.encoded(json.bytes))
        }
    }

    private func code(_ scope: AccessScope, for user: UInt32) -> [UInt8] {
        let maker = AccessToken.Maker(user: user, isMember: user != 0 && isMember(user, scope))
        let code = Secret(random: &random)
        list.makeCode(scope, by: maker, at: Clock.now(), code)
        var json = JSONWriter(capacity: 512)
        json.object { json in
            json.member("code", code.grouped)
            json.member("scope", scope.rawValue)
            json.member("can_command", places.mayCommand)
            json.member("expires_s", Int(AccessList.codeLifetime.wholeMilliseconds / 1000))
            json.array("urls") { json in
                for address in addresses { json.value("\(address)/#code=\(code.grouped)") }
            }
        }
        return json.bytes
    }

    private func tokens() -> [UInt8] {
        var json = JSONWriter(capacity: 4096)
        json.array { json in
            for token in list.tokens {
                json.object { json in
                    json.member("id", token.id)
                    json.member("scope", token.scope.rawValue)
                    json.member("name", token.name.text)
                    json.member("user", (token.maker?.user).map(User.text))
                    json.member("created", token.created)
                    json.member("used", token.used)
                }
            }
        }
        return json.bytes
    }

    /// - Parameter id: nil for all.
    /// - Returns: the number of revoked tokens, and why that is not stored. It is in force meanwhile.
    func revoke(_ id: Int?) -> (count: Int, failure: String?) {
        let ids = list.revoke(id)
        for id in ids { log(.notice, "token \(id) is revoked") }
        ended(ids)
        guard !ids.isEmpty, let failure = store() else { return (ids.count, nil) }
        return (
            ids.count,
            "\(ids.count == 1 ? "the browser is" : "the browsers are") signed out until paced-web ends, but \(failure): "
                + "correct that; paced-web tries again each minute and at its end"
        )
    }

    /// Stores what could not be stored before this process ends.
    func finish() {
        if list.isChanged { store() }
    }

    /// - Parameter code: as the browser sends it.
    func signIn(_ code: String, name: SanitizedText) throws(AccessList.Refusal) -> (secret: Secret, token: AccessToken)
    {
        guard let code = Secret(typed: code) else { throw .wrongCode }
        let secret = Secret(random: &random)
        let token = try list.exchange(code, name: name, at: Clock.now(), clockReading(), secret)
        log(.notice, "token \(token.id) (\(token.scope.rawValue)) is for \(name.text)")
        store()
        return (secret, token)
    }

    /// Whether a token of an earlier request is still in the list.
    func isValid(_ token: AccessToken) -> Bool {
        !refused.contains(token.id) && list.tokens.contains { $0.id == token.id }
    }

    /// Nil for a token that is unknown, expired or revoked, or whose user has left the group.
    func token(_ text: String) -> AccessToken? {
        let token = list.token(text, at: clockReading())
        if list.isChanged, !hasFailed { store() }
        guard let token, isValid(token) else { return nil }
        return token
    }

    private func clockReading() -> PlausibleClock.Reading {
        clock.read(Clock.systemTime(), at: Clock.now())
    }

    /// Refuses the tokens of members who have left the group. They are not revoked: the name service may fail.
    private func checkMembers() {
        let before = refused
        refused = list.tokens.filter { token in
            guard let maker = token.maker, maker.isMember else { return false }
            return !isMember(maker.user, token.scope)
        }.map(\.id)
        let new = refused.filter { !before.contains($0) }
        for id in new { log(.notice, "token \(id) is refused: its user has left the group") }
        ended(new)
        let isWaiting = list.isChanged || list.tokens.contains { $0.maker?.isMember == true }
        timer?.arm(at: isWaiting ? Clock.now() + Self.pause : nil)
    }

    /// Stores the tokens, or tries again later.
    ///
    /// - Returns: why they are not stored; nil if they are.
    @discardableResult
    private func store() -> String? {
        timer?.arm(at: Clock.now() + Self.pause)
        do throws(TokenFile.Failure) {
            try file.write(list)
            list.isChanged = false
            if hasFailed { log(.notice, "the tokens are stored") }
            hasFailed = false
            return nil
        } catch {
            if !hasFailed { log(.error, error.line) }
            hasFailed = true
            return error.line
        }
    }
}
