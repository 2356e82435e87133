/// Who goes a route.
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

/// What a route engine is asked.
package struct RouteQuery: Equatable, Sendable {
    package var start: Coordinate
    package var end: Coordinate
    package var profile: RouteProfile

    package init(from start: Coordinate, to end: Coordinate, _ profile: RouteProfile) {
        self.start = start
        self.end = end
        self.profile = profile
    }
}
