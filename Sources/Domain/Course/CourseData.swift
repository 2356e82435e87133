/// A planned way as a client hands it over and the journal stores it: its track and its course points.
///
/// ``Course`` is what is computed from it. The name is not a part of it, so that a renamed course stays the same one.
package struct CourseData: Equatable, Sendable {
    /// The most vertices: 500 km with one each 10 m.
    package static let vertexLimit = 50_000
    package static let pointLimit = 2_000
    /// The longest course, in metres.
    package static let lengthLimit = 2_000_000.0

    package var sport: Sport?
    /// The track, at least two vertices.
    package var vertices: [CourseVertex]
    /// In order of their vertices.
    package var points: [CoursePoint]

    package init(sport: Sport? = nil, vertices: [CourseVertex] = [], points: [CoursePoint] = []) {
        self.sport = sport
        self.vertices = vertices
        self.points = points
    }
}

/// A point of a course's track.
package struct CourseVertex: Equatable, Sendable {
    package var coordinate: Coordinate
    /// Metres above mean sea level; nil if the file has none here.
    package var altitude: Double?
    /// Active time since the first vertex, in milliseconds, if the course was recorded or planned with times.
    package var elapsedMilliseconds: Int64?

    package init(_ coordinate: Coordinate, altitude: Double? = nil, elapsedMilliseconds: Int64? = nil) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.elapsedMilliseconds = elapsedMilliseconds
    }
}

/// A place of a course that is announced: a turn, a summit, water.
package struct CoursePoint: Equatable, Sendable {
    /// Index of its vertex. A reader that places a point between two vertices inserts one.
    package var vertex: Int
    package var kind: CoursePointKind
    package var name: SanitizedText?
    /// Whether the turn was computed from the track, because the file has no course points.
    package var isDerived: Bool

    package init(vertex: Int, _ kind: CoursePointKind, name: SanitizedText? = nil, isDerived: Bool = false) {
        self.vertex = vertex
        self.kind = kind
        self.name = name
        self.isDerived = isDerived
    }
}

/// The type of a course point. The words are those of the FIT profile's `course_point`, with hyphens.
package enum CoursePointKind: String, CaseIterable, Sendable {
    case generic, summit, valley, water, food, danger, left, right, straight
    case firstAid = "first-aid"
    case fourthCategory = "fourth-category"
    case thirdCategory = "third-category"
    case secondCategory = "second-category"
    case firstCategory = "first-category"
    case horsCategory = "hors-category"
    case sprint
    case leftFork = "left-fork"
    case rightFork = "right-fork"
    case middleFork = "middle-fork"
    case slightLeft = "slight-left"
    case sharpLeft = "sharp-left"
    case slightRight = "slight-right"
    case sharpRight = "sharp-right"
    case uTurn = "u-turn"
    case segmentStart = "segment-start"
    case segmentEnd = "segment-end"
    case campsite
    case aidStation = "aid-station"
    case restArea = "rest-area"
    case distanceMarker = "general-distance"
    case service
    case energyGel = "energy-gel"
    case sportsDrink = "sports-drink"
    case mileMarker = "mile-marker"
    case checkpoint, shelter
    case meetingSpot = "meeting-spot"
    case overlook, toilet, shower, gear
    case sharpCurve = "sharp-curve"
    case steepIncline = "steep-incline"
    case tunnel, bridge, obstacle, crossing, store, transition, navaid, transport, alert, info
}
