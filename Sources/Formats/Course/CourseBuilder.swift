package import Domain

/// Collects the track and the points of a file, and makes a course of them.
package struct CourseBuilder {
    /// The most vertices of a file: a recording of three days with one each second. More than
    /// ``CourseData/vertexLimit`` are thinned.
    static let vertexLimit = 300_000
    /// The most points of a file, with those that are not on the track.
    static let cueLimit = 10_000

    /// A vertex of the file.
    struct Vertex {
        var coordinate: Coordinate
        var altitude: Double?
        /// Milliseconds on the file's clock.
        var time: Int64?
        /// The part that begins here after a pause, and its time.
        var resumed: (part: Int, time: Int64?)?
        /// Counts the pauses of the file before the vertex.
        var part = 0
        /// Metres along the track of the file.
        var along = 0.0
    }

    /// A point as the file states it: it is not yet placed on the track.
    struct Cue {
        /// Nil if only its time or distance is known.
        var coordinate: Coordinate?
        var kind: CoursePointKind
        var name: SanitizedText?
        /// Milliseconds on the file's clock.
        var time: Int64?
        /// Metres from the start.
        var distance: Double?
    }

    private(set) var vertices: [Vertex] = []
    private(set) var cues: [Cue] = []
    var skipped = SkippedElements()
    /// The distance that the file states for its last vertex, in metres.
    var statedLength = 0.0
    private var part = 0

    package init() {}

    /// Begins a part of the track after a pause: the time between the parts is not counted.
    mutating func beginPart() {
        part += 1
    }

    /// - Throws: ``FileError`` for a place that is not on the Earth, and beyond ``vertexLimit``.
    package mutating func add(_ coordinate: Coordinate, altitude: Double?, time: Int64?) throws(FileError) {
        try Self.check(coordinate)
        let altitude = altitude.flatMap { (-1000...20_000).contains($0) ? $0 : nil }
        if vertices.last?.coordinate == coordinate {
            // A stop, and the end of one line that begins the next.
            let last = vertices.count - 1
            vertices[last].altitude = vertices[last].altitude ?? altitude
            if vertices[last].part != part { vertices[last].resumed = (part, time) }
            return
        }
        guard vertices.count < Self.vertexLimit else {
            throw FileError("the track has more than \(Self.vertexLimit) points: simplify it, or split the file")
        }
        vertices.append(Vertex(coordinate: coordinate, altitude: altitude, time: time, part: part))
    }

    /// Replaces the altitude and the time of the last vertex, if the file has them after it.
    mutating func changeLast(altitude: Double?, time: Int64?) {
        guard !vertices.isEmpty else { return }
        vertices[vertices.count - 1].altitude = altitude.flatMap { (-1000...20_000).contains($0) ? $0 : nil }
        vertices[vertices.count - 1].time = time
    }

    /// - Throws: ``FileError`` for a place that is not on the Earth, and beyond ``cueLimit``.
    mutating func add(_ cue: Cue) throws(FileError) {
        if let coordinate = cue.coordinate { try Self.check(coordinate) }
        guard cues.count < Self.cueLimit else {
            throw FileError("the file has more than \(Self.cueLimit) points beside its track: remove some")
        }
        cues.append(cue)
    }

    /// - Throws: ``FileError`` for a place that is not on the Earth.
    static func check(_ coordinate: Coordinate) throws(FileError) {
        guard coordinate.latitude.magnitude <= 90, coordinate.longitude.magnitude <= 180 else {
            throw FileError(
                "a position is not on the Earth: the latitude must be -90 to 90 and the longitude -180 to 180; "
                    + "correct or remove it")
        }
    }

    /// Makes the course.
    ///
    /// - Parameter missing: the error if there is no track.
    /// - Throws: ``FileError`` if the file holds no course, or one that is too large.
    package mutating func finish(
        name: SanitizedText?, sport: Sport?, missing: String
    ) throws(FileError) -> ImportedCourse {
        guard !vertices.isEmpty else { throw FileError(missing) }
        guard vertices.count > 1 else {
            throw FileError("the track has only one point: a course needs two or more at different places")
        }
        try measure()
        let times = elapsedTimes()
        let hasRisingTimes = zip(vertices, vertices.dropFirst()).allSatisfy { one, next in
            if let before = one.time, let after = next.time { before <= after } else { false }
        }
        var track = vertices
        for index in track.indices { track[index].time = times?[index] }
        let hints = cues.map { cue in hint(of: cue, hasRisingTimes: hasRisingTimes) }
        track = try CourseThinning.thinned(
            track, limit: CourseData.vertexLimit - min(cues.count, CourseData.pointLimit))
        let places = CoursePlacement(track).places(of: cues, hints: hints)
        let placed = zip(cues, places).compactMap { cue, place in place.map { (cue, $0) } }
        skipped.count("points more than \(Int(CoursePlacement.reach)) m from the track", cues.count - placed.count)
        guard placed.count <= CourseData.pointLimit else {
            throw FileError("\(placed.count) points are on the track, more than \(CourseData.pointLimit): remove some")
        }
        var data = Self.insert(placed, into: track)
        data.sport = sport
        if data.points.isEmpty { data.points = data.derivedTurns() }
        return ImportedCourse(name: name, data: data, skipped: skipped)
    }

    /// Computes the distances of the vertices.
    private mutating func measure() throws(FileError) {
        for index in vertices.indices.dropFirst() {
            let before = vertices[index - 1]
            vertices[index].along = before.along + before.coordinate.metres(to: vertices[index].coordinate)
        }
        let length = vertices[vertices.count - 1].along
        guard length <= CourseData.lengthLimit else {
            throw FileError(
                "the track is \(Int(min(length / 1000, 1e9))) km long, more than "
                    + "\(Int(CourseData.lengthLimit / 1000)) km: split the file, or correct its positions")
        }
    }

    /// The active times of the vertices. Nil unless each has one, they do not fall within a part, and they rise at all.
    private func elapsedTimes() -> [Int64]? {
        var elapsed: [Int64] = []
        for (index, vertex) in vertices.enumerated() {
            guard let time = vertex.time, time.magnitude < 1 << 60 else { return nil }
            guard index > 0 else {
                elapsed.append(0)
                continue
            }
            let before = vertices[index - 1]
            let start = before.resumed ?? (before.part, before.time)
            guard let began = start.time else { return nil }
            let step = vertex.part == start.part ? time - began : 0
            guard step >= 0, elapsed[index - 1] + step <= TrackRows.longest else { return nil }
            elapsed.append(elapsed[index - 1] + step)
        }
        return elapsed.last == 0 ? nil : elapsed
    }

    /// The metres along the track that the file's time or distance of a cue means; nil if it cannot be right.
    private func hint(of cue: Cue, hasRisingTimes: Bool) -> Double? {
        if hasRisingTimes, let time = cue.time, let along = along(at: time), isNear(cue, along) { return along }
        guard let distance = cue.distance, distance > 0, statedLength > 0 else { return nil }
        let along = distance * vertices[vertices.count - 1].along / statedLength
        return isNear(cue, along) ? along : nil
    }

    private func along(at time: Int64) -> Double? {
        let index = firstVertex { ($0.time ?? 0) >= time }
        guard index < vertices.count, let end = vertices[index].time else { return nil }
        guard index > 0, let start = vertices[index - 1].time, end > start else {
            return end == time ? vertices[index].along : nil
        }
        let part = Double(time - start) / Double(end - start)
        return vertices[index - 1].along + part * (vertices[index].along - vertices[index - 1].along)
    }

    /// Whether a cue is within twice the reach of a place of the track.
    private func isNear(_ cue: Cue, _ along: Double) -> Bool {
        guard let coordinate = cue.coordinate else { return along <= vertices[vertices.count - 1].along }
        let index = firstVertex { $0.along >= along }
        guard index < vertices.count else { return false }
        guard index > 0 else { return vertices[0].coordinate.metres(to: coordinate) < 2 * CoursePlacement.reach }
        let (before, after) = (vertices[index - 1], vertices[index])
        let place = before.coordinate.between(
            after.coordinate, part: (along - before.along) / (after.along - before.along))
        return place.metres(to: coordinate) < 2 * CoursePlacement.reach
    }

    /// The first vertex for which a condition holds that then holds for all later ones; else their number.
    private func firstVertex(where condition: (Vertex) -> Bool) -> Int {
        var (low, high) = (0, vertices.count)
        while low < high {
            let middle = (low + high) / 2
            if condition(vertices[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Makes a course of a track and its points, with a vertex for each point.
    private static func insert(_ placed: [(Cue, CoursePlacement.Place)], into track: [Vertex]) -> CourseData {
        var data = CourseData()
        data.vertices.reserveCapacity(track.count + placed.count)
        let sorted = placed.enumerated().sorted { one, other in
            let (first, second) = (one.element.1, other.element.1)
            return (first.segment, first.part, one.offset) < (second.segment, second.part, other.offset)
        }
        var next = 0
        for (index, vertex) in track.enumerated() {
            data.vertices.append(vertex.courseVertex)
            while next < sorted.count, sorted[next].element.1.segment == index {
                let (cue, place) = sorted[next].element
                if place.part > 0 {
                    let inserted = vertex.courseVertex(before: track[index + 1], part: place.part)
                    if inserted.coordinate != data.vertices.last?.coordinate { data.vertices.append(inserted) }
                }
                data.points.append(CoursePoint(vertex: data.vertices.count - 1, cue.kind, name: cue.name))
                next += 1
            }
        }
        return data
    }
}

extension CourseBuilder.Vertex {
    fileprivate var courseVertex: CourseVertex {
        CourseVertex(coordinate, altitude: altitude, elapsedMilliseconds: time)
    }

    fileprivate func courseVertex(before next: Self, part: Double) -> CourseVertex {
        let altitude = altitude.flatMap { low in next.altitude.map { low + part * ($0 - low) } }
        let elapsed = time.flatMap { start in
            next.time.map { start + Int64((part * Double($0 - start)).rounded()) }
        }
        return CourseVertex(
            coordinate.between(next.coordinate, part: part), altitude: altitude, elapsedMilliseconds: elapsed)
    }
}
