package import Domain
import Privacy

/// The codes that sign browsers in, and the tokens of those that are.
///
/// Only hashes are kept. The owner stores ``tokens`` after each change. Users have shares of codes and tokens, and each scope has
/// its own: who may watch takes nothing from those who may command.
package struct AccessList: Equatable {
    /// A code is valid for this long, once.
    static let codeLifetime = Duration.seconds(120)
    /// Of each scope.
    static let tokenLimit = 64
    /// Of each scope and user.
    static let tokenShare = 32
    private static let codeLimit = 64
    private static let codeShare = 8

    package private(set) var tokens: [AccessToken]
    package private(set) var lastID: Int
    private var codes: [Code] = []
    /// The tokens whose last use has no date, because the clock was not plausible.
    private var undated: [Int] = []
    /// Whether ``tokens`` has changed since it was stored.
    package var isChanged = false

    private struct Code: Equatable {
        var hash: [UInt8]
        var scope: AccessScope
        var maker: AccessToken.Maker
        var end: Instant
    }

    /// Why a token is not made.
    package enum Refusal: Error, Equatable {
        /// The code is unknown, was used, or is too old.
        case wrongCode
        /// The code stays valid.
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

    /// Adds a new code. Of too many of a user, or of a scope, the oldest ends.
    package mutating func makeCode(
        _ scope: AccessScope, by maker: AccessToken.Maker, at now: Instant, _ secret: Secret
    ) {
        codes.removeAll { $0.end <= now }
        removeOldestCode(beyond: Self.codeShare) { $0.scope == scope && $0.maker.user == maker.user }
        removeOldestCode(beyond: Self.codeLimit) { $0.scope == scope }
        codes.append(Code(hash: Self.hash(of: secret), scope: scope, maker: maker, end: now + Self.codeLifetime))
    }

    private mutating func removeOldestCode(beyond limit: Int, where isCounted: (Code) -> Bool) {
        if codes.count(where: isCounted) >= limit, let oldest = codes.firstIndex(where: isCounted) {
            codes.remove(at: oldest)
        }
    }

    /// Makes a token of a new secret for a code, which ends with that.
    package mutating func exchange(
        _ code: Secret, name: SanitizedText, at now: Instant, _ clock: PlausibleClock.Reading, _ secret: Secret
    ) throws(Refusal) -> AccessToken {
        codes.removeAll { $0.end <= now }
        let hash = Self.hash(of: code)
        guard let index = codes.firstIndex(where: { $0.hash == hash }) else { throw .wrongCode }
        let (scope, maker) = (codes[index].scope, codes[index].maker)
        try makeRoom(clock, beyond: Self.tokenShare) { $0.scope == scope && $0.maker?.user == maker.user }
        try makeRoom(clock, beyond: Self.tokenLimit) { $0.scope == scope }
        codes.remove(at: index)
        lastID += 1
        let token = AccessToken(
            id: lastID, hash: Self.hash(of: secret), scope: scope, name: name, maker: maker, created: clock.time,
            used: clock.time)
        tokens.append(token)
        if !clock.isPlausible { undated.append(token.id) }
        isChanged = true
        return token
    }

    /// If there are too many tokens, that one ends which has expired first.
    private mutating func makeRoom(
        _ clock: PlausibleClock.Reading, beyond limit: Int, where isCounted: (AccessToken) -> Bool
    ) throws(Refusal) {
        let counted = tokens.filter(isCounted)
        guard counted.count >= limit else { return }
        guard let oldest = counted.filter({ hasExpired($0, clock) }).min(by: { $0.used < $1.used }) else {
            throw .tooManyTokens
        }
        tokens.removeAll { $0.id == oldest.id }
    }

    /// The token that a request names; nil for an unknown, an expired or a revoked one. A clock that is not plausible expires none
    /// and dates none, and no request ends the token of another browser.
    package mutating func token(_ text: String, at clock: PlausibleClock.Reading) -> AccessToken? {
        guard let secret = Secret(typed: text) else { return nil }
        let hash = Self.hash(of: secret)
        guard let index = tokens.firstIndex(where: { $0.hash == hash }) else { return nil }
        guard clock.isPlausible else {
            if !undated.contains(tokens[index].id) { undated.append(tokens[index].id) }
            return tokens[index]
        }
        if hasExpired(tokens[index], clock) {
            tokens.remove(at: index)
            isChanged = true
            return nil
        }
        undated.removeAll { $0 == tokens[index].id }
        // The day is enough, and spares the disk. A clock that was ahead has dated it wrongly.
        if abs(clock.time.milliseconds - tokens[index].used.milliseconds) >= AccessToken.dayMilliseconds {
            tokens[index].used = clock.time
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

    /// Whether a token was unused for too long.
    private func hasExpired(_ token: AccessToken, _ clock: PlausibleClock.Reading) -> Bool {
        clock.isPlausible && !undated.contains(token.id)
            && clock.time.milliseconds - token.used.milliseconds > AccessToken.lifetime
    }
}
