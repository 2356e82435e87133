/// Places that tokens share. No token takes more than its share, and the last places are for tokens that may command: browsers
/// that may only watch keep nobody out who may command.
package struct SharedPlaces: Equatable {
    package let limit: Int
    /// A browser opens six connections to a server.
    static let share = 6
    /// The places for tokens that may command.
    private let reserved: Int
    /// The ID of the token of each place that is taken.
    private var taken: [Int] = []

    package init(_ limit: Int) {
        self.limit = limit
        reserved = limit / 4
    }

    package var count: Int { taken.count }

    /// - Returns: false if there is no place for the token.
    package mutating func take(for token: AccessToken) -> Bool {
        guard taken.count(where: { $0 == token.id }) < Self.share,
            count < limit - (token.scope == .control ? 0 : reserved)
        else { return false }
        taken.append(token.id)
        return true
    }

    package mutating func leave(_ token: AccessToken) {
        if let place = taken.firstIndex(of: token.id) { taken.remove(at: place) }
    }
}
