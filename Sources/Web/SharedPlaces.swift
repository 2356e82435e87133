/// Places that tokens share. No token takes more than its share, and the last places are for tokens that may command: browsers
/// that may only watch keep nobody out who may command.
package struct SharedPlaces: Equatable {
    package let limit: Int
    /// A browser opens six connections to a server.
    static let share = 6
    /// The places for tokens that may command.
    private let reserved: Int
    private var taken: [Int: Int] = [:]

    package init(_ limit: Int) {
        self.limit = limit
        reserved = limit / 4
    }

    package var count: Int { taken.values.reduce(0, +) }

    /// - Returns: false if there is no place for the token.
    package mutating func take(for token: AccessToken) -> Bool {
        guard taken[token.id, default: 0] < Self.share, count < limit - (token.scope == .control ? 0 : reserved)
        else { return false }
        taken[token.id, default: 0] += 1
        return true
    }

    package mutating func leave(_ token: AccessToken) {
        guard let count = taken[token.id] else { return }
        taken[token.id] = count > 1 ? count - 1 : nil
    }
}
