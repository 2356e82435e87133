import Domain
import HTTP
import JSONCoding
import Linux
import Privacy
import Wire

/// How a service of OAuth 2 (RFC 6749) gives tokens: its paths, and what its authorisation needs.
package struct OAuth: Sendable {
    let authorisation: String
    let token: String
    let scope: String
    /// More of the authorisation's query, from an &.
    let parameters: String
    /// Whether a code needs its verifier (RFC 7636).
    let hasChallenge: Bool
    /// Whether a refresh token ends that is not used: it is used as soon as the access token has ended.
    let endsUnused: Bool

    /// A login that waits for the user's answer.
    struct Login {
        let state: String
        let verifier: String
        let until: Instant

        static let lifetime = Duration.seconds(600)

        init(at now: Instant) {
            state = Self.word()
            verifier = Self.word()
            until = now + Self.lifetime
        }

        /// 256 random bits.
        private static func word() -> String {
            var random = SystemRandomNumberGenerator()
            let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            return bytes.map { $0.hexadecimal(uppercase: false) }.joined()
        }
    }

    /// The address that the user opens; nil if libgcrypt has no SHA-256.
    func address(_ settings: UploadSettings, _ login: Login) -> String? {
        var query =
            "?response_type=code&client_id=\(Self.encoded(settings.client ?? ""))"
            + "&redirect_uri=\(Self.encoded(settings.redirection))&scope=\(Self.encoded(scope))"
            + "&state=\(login.state)" + parameters
        if hasChallenge {
            guard let hash = SHA256.hash(of: Array(login.verifier.utf8)) else { return nil }
            let challenge = String(decoding: Base64.encode(hash), as: UTF8.self)
                .map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
            query += "&code_challenge=\(String(challenge))&code_challenge_method=S256"
        }
        return settings.address + authorisation + query
    }

    /// The code in what the user has pasted: the address of the browser, or the code itself.
    ///
    /// - Returns: nil if it is the answer to another login, or a refusal.
    static func code(in answer: String, of login: Login) -> String? {
        guard let start = answer.firstIndex(of: "?") else {
            return answer.utf8.contains(UInt8(ascii: "/")) ? nil : answer
        }
        var values: [Substring: Substring] = [:]
        for pair in answer[answer.index(after: start)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard let state = values["state"], state == login.state, let code = values["code"] else { return nil }
        return decoded(code)
    }

    /// - Parameter grant: the form without the client's names.
    func tokenRequest(_ settings: UploadSettings, secret: String, _ grant: [(String, String)]) -> OutgoingRequest {
        let form = [("client_id", settings.client ?? ""), ("client_secret", secret)] + grant
        let text = form.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        var request = OutgoingRequest(
            url: settings.address + token,
            headers: [
                "Content-Type: application/x-www-form-urlencoded", "Accept: application/json", "Expect:",
            ], content: .bytes(Array(text.utf8)), bodyLimit: 64 * 1024, timeout: min(settings.timeout, .seconds(60)))
        request.isUnique = true
        return request
    }

    static func grant(code: String, _ settings: UploadSettings, _ login: Login) -> [(String, String)] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", settings.redirection),
            ("code_verifier", login.verifier),
        ]
    }

    static func grant(refresh: String) -> [(String, String)] {
        [("grant_type", "refresh_token"), ("refresh_token", refresh)]
    }

    private static func encoded(_ text: String) -> String { text.percentEncoded(keeping: "-._~") }

    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = [UInt8](hexadecimal: String(decoding: rest.prefix(2), as: UTF8.self)), value.count == 1
            else { return nil }
            bytes += value
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The tokens of a service, in a file of the state directory.
///
/// A new pair is on the disk before its access token is used: a service may take the earlier refresh token until then only.
struct OAuthTokens: Equatable {
    var access: String
    var refresh: String
    var expires: UTC?

    private static let sizeLimit = 64 * 1024

    /// - Parameter earlier: the refresh token that stays valid where the answer has none.
    init?(_ answer: JSON?, earlier: String?, at time: UTC) {
        guard let access = Self.token(answer?["access_token"]),
            let refresh = Self.token(answer?["refresh_token"]) ?? earlier
        else { return nil }
        self.access = access
        self.refresh = refresh
        // A duration needs no clock of the service; a moment is how the file has it.
        if let seconds = answer?["expires_in"]?.integer, (0...315_360_000).contains(seconds) {
            expires = UTC(milliseconds: time.milliseconds + Int64(seconds) * 1000)
        } else if let seconds = answer?["expires_at"]?.integer, (0...253_402_300_799).contains(seconds) {
            expires = UTC(milliseconds: Int64(seconds) * 1000)
        }
    }

    /// A token goes into a header: no character may end it.
    private static func token(_ json: JSON?) -> String? {
        guard let text = json?.string, (1...8192).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        return text
    }

    /// Whether the access token is valid for a whole request.
    func isValid(at time: UTC, for duration: Duration) -> Bool {
        guard let expires else { return true }
        return time.milliseconds + duration.wholeMilliseconds < expires.milliseconds
    }

    static func file(of settings: UploadSettings, in directory: String) -> AtomicFile {
        AtomicFile(in: directory, name: "tokens-\(settings.name).json", mode: 0o600)
    }

    /// Nil if there are none.
    init?(_ file: AtomicFile) {
        guard let bytes = try? file.read(limit: Self.sizeLimit), let json = try? JSON(parsing: bytes) else {
            return nil
        }
        self.init(json, earlier: nil, at: UTC(milliseconds: 0))
    }

    func save(in file: AtomicFile) throws(DirectoryError) {
        var line = JSONWriter(capacity: 1024)
        line.object {
            $0.member("access_token", access)
            $0.member("refresh_token", refresh)
            $0.member("expires_at", expires.map { $0.milliseconds / 1000 })
        }
        line.newline()
        try file.replace(with: line.bytes)
    }
}
