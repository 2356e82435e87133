package import Domain

extension CourseData {
    /// The course in the other direction.
    ///
    /// Left and right are swapped, and so are the start and the end of a segment. A turn loses its name, which is that of
    /// the way it leads to. Derived turns are computed again. Times are dropped: they are those of the other direction.
    package func reversed() -> CourseData {
        var result = CourseData(sport: sport)
        result.vertices = vertices.reversed().map { CourseVertex($0.coordinate, altitude: $0.altitude) }
        result.points = points.reversed().filter { !$0.isDerived }.map { point in
            let kind = point.kind.reversed
            return CoursePoint(
                vertex: vertices.count - 1 - point.vertex, kind, name: point.kind.isTurn ? nil : point.name)
        }
        if points.contains(where: \.isDerived) { result.points = result.derivedTurns() }
        return result
    }
}

extension CoursePointKind {
    fileprivate var reversed: CoursePointKind {
        switch self {
        case .left: .right
        case .right: .left
        case .slightLeft: .slightRight
        case .slightRight: .slightLeft
        case .sharpLeft: .sharpRight
        case .sharpRight: .sharpLeft
        case .leftFork: .rightFork
        case .rightFork: .leftFork
        case .segmentStart: .segmentEnd
        case .segmentEnd: .segmentStart
        default: self
        }
    }

    /// Whether the point says where to go.
    fileprivate var isTurn: Bool {
        switch self {
        case .left, .right, .straight, .leftFork, .rightFork, .middleFork, .slightLeft, .slightRight, .sharpLeft,
            .sharpRight, .uTurn:
            true
        default: false
        }
    }
}
