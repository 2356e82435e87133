package import Domain

/// Which stations may be asked: at most 8 different ones an hour, so that a service cannot follow the position by the names
/// that are asked of it.
package struct StationBudget: Sendable {
    package static let limit = 8
    private static let window = Duration.seconds(3600)

    /// The stations of the last hour, and when each was asked last.
    private var asked: [String: Instant] = [:]

    package init() {}

    /// Chooses the first names that may be asked now, and counts them.
    ///
    /// - Returns: the names in their order; empty if none may be asked.
    package mutating func choose(_ names: [String], at now: Instant) -> [String] {
        asked = asked.filter { now - $0.value < Self.window }
        return names.filter { name in
            guard asked[name] != nil || asked.count < Self.limit else { return false }
            asked[name] = now
            return true
        }
    }
}
