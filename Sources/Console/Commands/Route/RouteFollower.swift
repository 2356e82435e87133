import Domain
import Linux

/// Decides when `pacectl route --follow` asks for a new route: after the run was more than 50 m beside the course for 20 s,
/// and not within 30 s of the last question.
struct RouteFollower: Equatable {
    enum Action: Equatable {
        case wait
        /// Ask for routes from the coordinate to the destination.
        case ask(Coordinate)
        case end(Ending)
    }

    enum Ending: Equatable {
        case arrived
        /// Another course was loaded, or the course was unloaded.
        case replaced
    }

    private static let distance = 50.0
    private static let delay = Duration.seconds(20)
    private static let pause = Duration.seconds(30)
    /// A daemon that has just started does not have its course yet.
    private static let grace = Duration.seconds(30)

    /// The number of the course.
    private(set) var course: Int
    /// Since when the run is beside it.
    private var offSince: Instant?
    private var askedAt: Instant?
    /// Since when another course is loaded, or none.
    private var replacedSince: Instant?

    init(course: Int) {
        self.course = course
    }

    /// Takes a state.
    ///
    /// - Parameter position: nil if it is unknown or old.
    mutating func receive(_ state: CourseStatus?, position: Coordinate?, at now: Instant) -> Action {
        guard let state, state.number == course else {
            offSince = nil
            let since = replacedSince ?? now
            replacedSince = since
            return now - since >= Self.grace ? .end(.replaced) : .wait
        }
        replacedSince = nil
        if state.status == .done { return .end(.arrived) }
        guard let position, let metres = state.crossTrackMetres, abs(metres) > Self.distance else {
            offSince = nil
            return .wait
        }
        let since = offSince ?? now
        offSince = since
        guard now - since >= Self.delay, askedAt.map({ now - $0 >= Self.pause }) ?? true else { return .wait }
        askedAt = now
        return .ask(position)
    }

    /// Follows a new course.
    mutating func follow(_ course: Int) {
        self.course = course
        offSince = nil
    }
}
