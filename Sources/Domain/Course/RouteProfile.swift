/// How the user of a route travels.
package enum RouteProfile: String, CaseIterable, Sendable {
    case walk, run, ride

    /// The sport of a course that such a route becomes.
    package var sport: Sport {
        switch self {
        case .walk: .walk
        case .run: .run
        case .ride: .ride
        }
    }
}
