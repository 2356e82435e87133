import Domain

/// Leaves out vertices of a track that has too many, after Douglas and Peucker.
enum CourseThinning {
    /// The tolerances from the track in metres that are tried, each if those before it keep too many vertices.
    private static let tolerances = [0.5, 1, 2, 4, 8, 16]
    /// The tolerance of the altitude, in metres.
    private static let altitudeTolerance = 1.0
    /// The vertices of a block. Its ends are kept, so that the time is bounded.
    private static let block = 512

    /// - Throws: ``FileError`` if more than `limit` vertices are left.
    static func thinned(_ track: [CourseBuilder.Vertex], limit: Int) throws(FileError) -> [CourseBuilder.Vertex] {
        if track.count <= limit { return track }
        for tolerance in tolerances {
            let kept = simplified(track, tolerance)
            if kept.count <= limit { return kept }
        }
        throw FileError(
            "the track has \(track.count) points, more than \(CourseData.vertexLimit), and is too winding or hilly to "
                + "be simplified: split the file")
    }

    private static func simplified(_ track: [CourseBuilder.Vertex], _ tolerance: Double) -> [CourseBuilder.Vertex] {
        var isKept = Array(repeating: false, count: track.count)
        isKept[track.count - 1] = true
        for start in stride(from: 0, to: track.count - 1, by: block) {
            isKept[start] = true
            var open = [(start, min(start + block, track.count - 1))]
            while let (first, last) = open.popLast() {
                guard last > first + 1, let worst = worst(track, first, last, tolerance) else { continue }
                isKept[worst] = true
                open.append((first, worst))
                open.append((worst, last))
            }
        }
        return track.indices.filter { isKept[$0] }.map { track[$0] }
    }

    /// The vertex between two others that deviates most from the line between them; nil if all are within tolerance.
    private static func worst(
        _ track: [CourseBuilder.Vertex], _ first: Int, _ last: Int, _ tolerance: Double
    ) -> Int? {
        let (start, end) = (track[first], track[last])
        let plane = LocalPlane(at: start.coordinate)
        let from = LocalPlane.Point(east: 0, north: 0)
        let to = plane.point(end.coordinate)
        var worst: (index: Int, deviation: Double)?
        for index in first + 1..<last {
            let vertex = track[index]
            let (part, metres) = plane.point(vertex.coordinate).projection(from: from, to: to)
            var deviation = metres / tolerance
            if let altitude = vertex.altitude {
                guard let low = start.altitude, let high = end.altitude else { return index }
                deviation = max(deviation, (low + part * (high - low) - altitude).magnitude / altitudeTolerance)
            }
            if deviation > max(worst?.deviation ?? 0, 1) { worst = (index, deviation) }
        }
        return worst?.index
    }
}
