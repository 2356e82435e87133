extension CourseData {
    /// The course from its end to its start, without times. A turn to the left is one to the right; the names of turns
    /// and forks say what to do in the other direction and are left out.
    package var reversed: CourseData {
        var course = CourseData(sport: sport)
        course.vertices = vertices.reversed().map { CourseVertex($0.coordinate, altitude: $0.altitude) }
        course.points = points.reversed().map { point in
            let kind = point.kind.reversed
            return CoursePoint(
                vertex: vertices.count - 1 - point.vertex, kind ?? point.kind, name: kind == nil ? point.name : nil,
                isDerived: point.isDerived)
        }
        return course
    }
}

extension CoursePointKind {
    /// The type in the other direction; nil for one that has none.
    fileprivate var reversed: CoursePointKind? {
        switch self {
        case .left: .right
        case .right: .left
        case .slightLeft: .slightRight
        case .slightRight: .slightLeft
        case .sharpLeft: .sharpRight
        case .sharpRight: .sharpLeft
        case .segmentStart: .segmentEnd
        case .segmentEnd: .segmentStart
        case .leftFork, .rightFork, .middleFork: .generic
        case .straight, .uTurn: self
        default: nil
        }
    }
}
