package import Domain

extension CourseData {
    /// The turns of the track, for a course without points.
    ///
    /// The track is resampled at 5 m, which leaves out the noise of a receiver that rests, and smoothed. The angle over
    /// 15 m on either side of a place decides, if that over 30 m confirms it: a receiver's error leaves the direction as
    /// it was. A curve with a radius of 20 m or more is no turn. Over 45° it is left or right, over 110° sharp, over 160°
    /// a U-turn; one turn in 30 m at most, at the vertex nearest to the largest angle.
    package func derivedTurns() -> [CoursePoint] {
        let samples = TurnSamples(vertices)
        var turns: [(sample: Int, angle: Double, wide: Double)] = []
        for index in samples.smooth.indices {
            guard let angle = samples.angle(at: index, over: 3), angle.magnitude > 45 else { continue }
            guard let wide = samples.angle(at: index, over: 6) ?? samples.angle(at: index, over: 4),
                wide.magnitude > 35, (wide > 0) == (angle > 0) || angle.magnitude > 150
            else { continue }
            if let last = turns.last, index - last.sample < 6 {
                if angle.magnitude > last.angle.magnitude { turns[turns.count - 1] = (index, angle, wide) }
            } else {
                turns.append((index, angle, wide))
            }
        }
        var points: [CoursePoint] = []
        for turn in turns.prefix(Self.pointLimit) {
            let vertex = samples.vertex(of: turn.sample, in: vertices)
            guard vertex > points.last?.vertex ?? 0, vertex < vertices.count - 1 else { continue }
            points.append(CoursePoint(vertex: vertex, Self.kind(of: turn.angle, turn.wide), isDerived: true))
        }
        return points
    }

    /// - Parameter wide: the angle over 30 m, which is larger in a hairpin.
    private static func kind(of angle: Double, _ wide: Double) -> CoursePointKind {
        switch max(angle.magnitude, wide.magnitude) {
        case 160...: .uTurn
        case 110...: angle > 0 ? .sharpLeft : .sharpRight
        default: angle > 0 ? .left : .right
        }
    }
}

/// Places of a track that are 5 m from the one before.
private struct TurnSamples {
    private static let spacing = 5.0

    /// The places, and the number of the vertex at which the segment of each begins.
    private var places: [Coordinate] = []
    private var segments: [Int] = []
    /// Each place in metres from the place before it, summed up, and averaged with its neighbours.
    private(set) var smooth: [LocalPlane.Point] = []

    init(_ vertices: [CourseVertex]) {
        guard let first = vertices.first else { return }
        places.append(first.coordinate)
        segments.append(0)
        for index in vertices.indices.dropLast() { addPlaces(from: vertices[index], to: vertices[index + 1], index) }
        var sum = LocalPlane.Point(east: 0, north: 0)
        var points = [sum]
        for index in places.indices.dropFirst() {
            let step = LocalPlane(at: places[index - 1]).point(places[index])
            sum.east += step.east
            sum.north += step.north
            points.append(sum)
        }
        smooth = points
        for index in points.indices.dropFirst().dropLast() {
            let (before, here, after) = (points[index - 1], points[index], points[index + 1])
            smooth[index].east = (before.east + 2 * here.east + after.east) / 4
            smooth[index].north = (before.north + 2 * here.north + after.north) / 4
        }
    }

    /// Adds the places of a segment.
    private mutating func addPlaces(from start: CourseVertex, to end: CourseVertex, _ segment: Int) {
        guard let last = places.last else { return }
        let plane = LocalPlane(at: start.coordinate)
        let to = plane.point(end.coordinate)
        let length = (to.east * to.east + to.north * to.north).squareRoot()
        guard length > 0 else { return }
        let from = plane.point(last)
        // Where the segment leaves the circle of the spacing around the last place.
        let along = (from.east * to.east + from.north * to.north) / length
        let square = max(from.east * from.east + from.north * from.north - along * along, 0)
        guard square < Self.spacing * Self.spacing else { return addEnd(end, segment) }
        var next = along + (Self.spacing * Self.spacing - square).squareRoot()
        while next <= length {
            if next >= 0 {
                places.append(start.coordinate.between(end.coordinate, part: next / length))
                segments.append(segment)
            }
            next += Self.spacing
        }
    }

    /// Adds the end of a segment that begins outside of the circle: rounding, or a vertex exactly on it.
    private mutating func addEnd(_ end: CourseVertex, _ segment: Int) {
        places.append(end.coordinate)
        segments.append(segment)
    }

    /// The angle at a place between those `count` places before and after it; nil near an end.
    func angle(at index: Int, over count: Int) -> Double? {
        guard index >= count, index + count < smooth.count else { return nil }
        return LocalPlane.angle(smooth[index - count], smooth[index], smooth[index + count])
    }

    /// The vertex nearest to a place: an end of its segment, or of one within 10 m along the track.
    func vertex(of sample: Int, in vertices: [CourseVertex]) -> Int {
        let place = places[sample]
        let first = segments[max(sample - 2, 0)]
        let last = segments[min(sample + 2, segments.count - 1)] + 1
        return (first...last).min {
            vertices[$0].coordinate.metres(to: place) < vertices[$1].coordinate.metres(to: place)
        } ?? first
    }
}
