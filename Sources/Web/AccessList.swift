package import Domain
import Privacy

/// The codes that sign browsers in, and the tokens of those that are.
///
/// Only hashes are kept. The owner stores ``tokens`` after each change.
package struct AccessList: Equatable {
    /// A code is valid for this long, once.
    static let codeLifetime = Duration.seconds(120)
    static let tokenLimit = 64
    private static let codeLimit = 8

    package private(set) var tokens: [AccessToken]
    package private(set) var lastID: Int
    private var codes: [Code] = []
    /// Whether ``tokens`` has changed since it was stored.
    package var isChanged = false

    private struct Code: Equatable {
        var hash: [UInt8]
        var scope: AccessScope
        var end: Instant
    }

    /// Why a token is not made.
    package enum Refusal: Error, Equatable {
        /// The code is unknown, was used, or is too old.
        case wrongCode
        case tooManyTokens
    }

    package init(tokens: [AccessToken] = [], lastID: Int = 0) {
        self.tokens = tokens
        self.lastID = max(lastID, tokens.map(\.id).max() ?? 0)
    }

    private static func hash(of secret: Secret) -> [UInt8] {
        guard let hash = SHA256.hash(of: Array(secret.text.utf8)) else { fatalError("libgcrypt has no SHA-256") }
        return hash
    }

    /// A new code. Of too many the oldest ends.
    package mutating func makeCode(
        _ scope: AccessScope, at now: Instant, random generator: inout some RandomNumberGenerator
    ) -> Secret {
        codes.removeAll { $0.end <= now }
        if codes.count >= Self.codeLimit { codes.removeFirst() }
        let secret = Secret(random: &generator)
        codes.append(Code(hash: Self.hash(of: secret), scope: scope, end: now + Self.codeLifetime))
        return secret
    }

    /// Makes a token for a code, which ends with that.
    package mutating func exchange(
        _ code: Secret, name: SanitizedText, at now: Instant, _ time: UTC,
        random generator: inout some RandomNumberGenerator
    ) throws(Refusal) -> (secret: Secret, token: AccessToken) {
        codes.removeAll { $0.end <= now }
        let hash = Self.hash(of: code)
        guard let index = codes.firstIndex(where: { $0.hash == hash }) else { throw .wrongCode }
        let scope = codes.remove(at: index).scope
        expire(at: time)
        guard tokens.count < Self.tokenLimit else { throw .tooManyTokens }
        let secret = Secret(random: &generator)
        lastID += 1
        let token = AccessToken(
            id: lastID, hash: Self.hash(of: secret), scope: scope, name: name, created: time, used: time)
        tokens.append(token)
        isChanged = true
        return (secret, token)
    }

    /// The token that a request names; nil for an unknown, an expired or a revoked one.
    package mutating func token(_ text: String, at time: UTC) -> AccessToken? {
        guard let secret = Secret(typed: text) else { return nil }
        expire(at: time)
        let hash = Self.hash(of: secret)
        guard let index = tokens.firstIndex(where: { $0.hash == hash }) else { return nil }
        // The day is enough, and spares the disk.
        if time >= Release.date, time.milliseconds - tokens[index].used.milliseconds >= AccessToken.dayMilliseconds {
            tokens[index].used = time
            isChanged = true
        }
        return tokens[index]
    }

    /// Revokes a token, or all if `id` is nil.
    ///
    /// - Returns: the IDs of those that are revoked.
    package mutating func revoke(_ id: Int?) -> [Int] {
        let revoked = tokens.filter { id == nil || $0.id == id }.map(\.id)
        tokens.removeAll { revoked.contains($0.id) }
        if !revoked.isEmpty { isChanged = true }
        return revoked
    }

    /// Removes the tokens that were unused for too long. A clock that is not set expires none.
    private mutating func expire(at time: UTC) {
        guard time >= Release.date else { return }
        let count = tokens.count
        tokens.removeAll { time.milliseconds - $0.used.milliseconds > AccessToken.lifetime }
        if tokens.count != count { isChanged = true }
    }
}
