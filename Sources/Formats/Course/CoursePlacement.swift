import Domain

/// Finds the places of a file's points on its track.
///
/// A track may pass a point several times. Each pass is a candidate with a cost in metres: its distance from the point,
/// and what contradicts it: the file's own time or distance, a turn to the other side, and the order of the points. The
/// cheapest sequence of candidates is chosen, by dynamic programming.
struct CoursePlacement {
    /// The farthest a point may be from the track, in metres.
    static let reach = 50.0

    /// The most passes of the track at one point.
    private static let candidateLimit = 48
    /// The rise of the distance that ends a pass.
    private static let passing = 8.0
    /// A place this near to a vertex is the vertex.
    private static let snap = 1.0

    /// The cost of a point that lies before the one before it in the file; of one at the same place; and of each metre
    /// between the two, so that the nearer of equal passes is chosen.
    private static let backward = 30.0
    private static let repeated = 10.0
    private static let advance = 0.001
    /// The cost of a turn to the other side, and of each metre of difference to the file's time or distance.
    private static let otherSide = 20.0
    private static let contradiction = 0.1

    struct Place {
        /// The index of the vertex at which the segment begins.
        var segment: Int
        /// 0...1 of the segment; 0 at its first vertex.
        var part: Double
        /// Metres along the track.
        var along: Double
    }

    private struct Candidate {
        var place: Place
        var cost: Double
    }

    private let track: [CourseBuilder.Vertex]

    init(_ track: [CourseBuilder.Vertex]) {
        self.track = track
    }

    /// The places of the points, in the order of the file; nil for a point that is too far away.
    ///
    /// - Parameter hints: the metres along the track that the file states for each point, or nil.
    func places(of cues: [CourseBuilder.Cue], hints: [Double?]) -> [Place?] {
        var places: [Place?] = Array(repeating: nil, count: cues.count)
        /// The candidates of the points that have one, and for each candidate the best one before it.
        var steps: [(cue: Int, candidates: [Candidate], best: [Int])] = []
        for (index, cue) in cues.enumerated() {
            var candidates = candidates(of: cue, hint: hints[index])
            guard !candidates.isEmpty else { continue }
            var best = Array(repeating: 0, count: candidates.count)
            if let before = steps.last?.candidates {
                for (number, candidate) in candidates.enumerated() {
                    let costs = before.map { $0.cost + Self.cost(from: $0.place.along, to: candidate.place.along) }
                    best[number] = costs.indices.min { costs[$0] < costs[$1] } ?? 0
                    candidates[number].cost += costs[best[number]]
                }
            }
            steps.append((index, candidates, best))
        }
        guard let last = steps.last?.candidates,
            var chosen = last.indices.min(by: { last[$0].cost < last[$1].cost })
        else { return places }
        for step in steps.reversed() {
            places[step.cue] = step.candidates[chosen].place
            chosen = step.best[chosen]
        }
        return places
    }

    private static func cost(from before: Double, to along: Double) -> Double {
        if along < before - passing { return backward }
        return along < before + passing ? repeated : advance * (along - before)
    }

    private func candidates(of cue: CourseBuilder.Cue, hint: Double?) -> [Candidate] {
        guard let coordinate = cue.coordinate else {
            guard let hint, let place = place(at: hint) else { return [] }
            return [Candidate(place: place, cost: 0)]
        }
        var passes = passes(at: coordinate)
        for index in passes.indices {
            let place = passes[index].place
            if let hint { passes[index].cost += Self.contradiction * (place.along - hint).magnitude }
            if let isLeft = cue.kind.isLeft, let angle = angle(at: place), angle.magnitude > 20, (angle > 0) != isLeft {
                passes[index].cost += Self.otherSide
            }
        }
        return passes
    }

    /// The nearest place of each pass of the track within ``reach``.
    private func passes(at coordinate: Coordinate) -> [Candidate] {
        let plane = LocalPlane(at: coordinate)
        let latitudes = Self.reach / Coordinate.metresPerDegree
        let here = LocalPlane.Point(east: 0, north: 0)
        var passes: [Candidate] = []
        /// The nearest place of this pass; nil between two passes.
        var nearest: Candidate?
        var farthest = Double.infinity
        func see(_ metres: Double, _ segment: Int, _ part: Double) {
            guard passes.count < Self.candidateLimit else { return }
            if let best = nearest {
                if metres < best.cost {
                    nearest = Candidate(place: Place(segment: segment, part: part, along: 0), cost: metres)
                } else if metres > best.cost + Self.passing {
                    passes.append(best)
                    nearest = nil
                    farthest = metres
                }
            } else if metres <= Self.reach, metres < farthest - Self.passing || farthest > Self.reach {
                nearest = Candidate(place: Place(segment: segment, part: part, along: 0), cost: metres)
            } else {
                farthest = max(farthest == .infinity ? 0 : farthest, metres)
            }
        }
        for segment in track.indices.dropLast() {
            let (start, end) = (track[segment].coordinate, track[segment + 1].coordinate)
            let isFar =
                max(start.latitude, end.latitude) < coordinate.latitude - latitudes
                || min(start.latitude, end.latitude) > coordinate.latitude + latitudes
            if isFar {
                see(.infinity, segment, 0)
                continue
            }
            let first = plane.point(start)
            let second = plane.point(after: first, from: start, to: end)
            let (part, metres) = here.projection(from: first, to: second)
            see(here.projection(from: first, to: first).metres, segment, 0)
            see(metres, segment, part)
            see(here.projection(from: second, to: second).metres, segment, 1)
        }
        if let nearest, passes.count < Self.candidateLimit { passes.append(nearest) }
        return passes.map { Candidate(place: snapped($0.place), cost: $0.cost) }
    }

    /// The place with its distance, at a vertex if it is near one.
    private func snapped(_ place: Place) -> Place {
        let (start, end) = (track[place.segment].along, track[place.segment + 1].along)
        let metres = place.part * (end - start)
        let isNearer = metres < end - start - metres
        if isNearer, metres < Self.snap { return Place(segment: place.segment, part: 0, along: start) }
        if !isNearer, end - start - metres < Self.snap { return Place(segment: place.segment + 1, part: 0, along: end) }
        return Place(segment: place.segment, part: place.part, along: start + metres)
    }

    private func place(at along: Double) -> Place? {
        guard let index = track.firstIndex(where: { $0.along >= along }) else { return nil }
        guard index > 0 else { return Place(segment: 0, part: 0, along: 0) }
        let (start, end) = (track[index - 1].along, track[index].along)
        return snapped(Place(segment: index - 1, part: (along - start) / (end - start), along: along))
    }

    /// The angle by which the track turns at a place, over 20 m on either side; positive to the left, in degrees. Nil
    /// at an end.
    private func angle(at place: Place) -> Double? {
        let plane = LocalPlane(at: coordinate(of: place))
        var (before, after) = (place.segment, place.segment + 1)
        if place.part == 0 { before -= 1 }
        while before >= 0, place.along - track[before].along < 20 { before -= 1 }
        while after < track.count, track[after].along - place.along < 20 { after += 1 }
        guard before >= 0, after < track.count else { return nil }
        // Far vertices give the direction, but the nearest part of their segments is meant.
        let start = plane.point(coordinate(at: place.along - 20, in: before))
        let end = plane.point(coordinate(at: place.along + 20, in: after - 1))
        return LocalPlane.angle(start, LocalPlane.Point(east: 0, north: 0), end)
    }

    private func coordinate(of place: Place) -> Coordinate {
        place.part == 0
            ? track[place.segment].coordinate
            : track[place.segment].coordinate.between(track[place.segment + 1].coordinate, part: place.part)
    }

    private func coordinate(at along: Double, in segment: Int) -> Coordinate {
        let (start, end) = (track[segment], track[segment + 1])
        return start.coordinate.between(end.coordinate, part: (along - start.along) / (end.along - start.along))
    }
}

extension CoursePointKind {
    /// Whether a turn is to the left; nil for what is no turn to one side.
    fileprivate var isLeft: Bool? {
        switch self {
        case .left, .slightLeft, .sharpLeft, .leftFork: true
        case .right, .slightRight, .sharpRight, .rightFork: false
        default: nil
        }
    }
}
