import Domain
import JSONCoding
import Linux
import Wire

/// Signs browsers in and out: answers code.sock and admin.sock, and knows the token of each request.
final class AccessService {
    private var list: AccessList
    private let file: TokenFile
    private let places: WebServer.Places
    private let log: (LogLevel, String) -> Void
    private var random = SystemRandomNumberGenerator()
    /// The addresses of the page for the next code, the best one first.
    var addresses: [String] = []
    /// Called with the IDs of revoked tokens.
    var revoked: ([Int]) -> Void = { _ in }

    init(
        _ file: TokenFile, places: WebServer.Places, log: @escaping (LogLevel, String) -> Void
    ) throws(TokenFile.Failure) {
        self.file = file
        self.places = places
        self.log = log
        list = try file.read()
    }

    var tokenCount: Int { list.tokens.count }

    /// Answers a request of code.sock or admin.sock.
    func answer(_ request: WebRequest) -> Result<ControlResult, RPCError> {
        switch request {
        case .code(let isControl): return .success(.encoded(code(isControl ? .control : .watch)))
        case .tokens: return .success(.encoded(tokens()))
        case .revoke(let id):
            let count = revoke(id)
            if let id, count == 0 {
                return .failure(.notFound("id", "there is no token \(id); see 'pacectl web tokens'"))
            }
            var json = JSONWriter(capacity: 32)
            json.object { $0.member("revoked", count) }
            return .success(.encoded(json.bytes))
        }
    }

    private func code(_ scope: AccessScope) -> [UInt8] {
        let code = list.makeCode(scope, at: Clock.now(), random: &random)
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
                    json.member("created", token.created)
                    json.member("used", token.used)
                }
            }
        }
        return json.bytes
    }

    /// - Parameter id: nil for all.
    /// - Returns: the number of revoked tokens.
    @discardableResult
    func revoke(_ id: Int?) -> Int {
        let ids = list.revoke(id)
        for id in ids { log(.notice, "token \(id) is revoked") }
        store()
        revoked(ids)
        return ids.count
    }

    /// - Parameter code: as the browser sends it.
    func signIn(_ code: String, name: SanitizedText) throws(AccessList.Refusal) -> (secret: Secret, token: AccessToken)
    {
        guard let secret = Secret(typed: code) else { throw .wrongCode }
        let made = try list.exchange(secret, name: name, at: Clock.now(), Clock.systemTime(), random: &random)
        log(.notice, "token \(made.token.id) (\(made.token.scope.rawValue)) is for \(name.text)")
        store()
        return made
    }

    /// Whether a token of an earlier request is still in the list.
    func isValid(_ token: AccessToken) -> Bool {
        list.tokens.contains { $0.id == token.id }
    }

    /// Nil for a token that is unknown, expired or revoked.
    func token(_ text: String) -> AccessToken? {
        let token = list.token(text, at: Clock.systemTime())
        if list.isChanged { store() }
        return token
    }

    /// A failure to store is no failure of the request: the token is valid until the end of this process.
    private func store() {
        do throws(TokenFile.Failure) {
            try file.write(list)
            list.isChanged = false
        } catch {
            log(.error, error.line)
        }
    }
}
