import CMath
package import Domain

/// Finds the places along a course, and the boxes that a database must be asked for.
///
/// The course is a line of great-circle arcs on the WGS-84 ellipsoid. It is kept as chords in geocentric coordinates,
/// none much longer than 1 km, so that poles and the antimeridian are places like others.
///
/// A place belongs to the next stretch of the course that passes through its corridor; a later passing, of a loop or on
/// the way back, is not reported. Within the stretch, several approaches count as one passing unless the course
/// departs by 20 m between them. Of these the first one is reported that comes as near as the nearest, with a tolerance
/// of 10 m: a place 100 m beside the turn of an out-and-back course is reported on the way out.
package struct CoursePlaces: Sendable {
    package struct Candidate: Equatable, Sendable {
        package var id: Int64
        package var place: Coordinate

        package init(id: Int64, place: Coordinate) {
            self.id = id
            self.place = place
        }
    }

    package enum Side: Equatable, Sendable {
        case left, right
        /// Within 10 m.
        case onCourse
    }

    package struct Found: Equatable, Sendable {
        package var id: Int64
        /// Metres along the course from the offset to the point of the course nearest to the place.
        package var ahead: Double
        /// Metres from that point to the place.
        package var crossTrack: Double
        /// Seen along the course.
        package var side: Side

        /// Metres there and back.
        package var detour: Double { 2 * crossTrack }
    }

    /// Degrees. `west` is not greater than `east`: a box over the antimeridian is two boxes.
    package struct Box: Equatable, Sendable {
        package var south: Double
        package var north: Double
        package var west: Double
        package var east: Double

        package func contains(_ place: Coordinate) -> Bool {
            south <= place.latitude && place.latitude <= north && west <= place.longitude && place.longitude <= east
        }
    }

    /// Metres to each side.
    package static let defaultHalfWidth = 500.0
    /// Metres; a wider corridor is narrowed to it.
    package static let widestHalfWidth = 50_000.0
    private static let onCourse = 10.0
    /// Metres; see the type.
    private static let departure = 20.0
    private static let tolerance = 10.0
    /// Metres, of computed distances.
    private static let rounding = 1e-6
    private static let longestChord = 1000.0
    /// Bounds the memory of a course of absurd length.
    private static let addedPointLimit = 50_000.0
    private static let blockSize = 32

    /// Geocentric metres; two or more. Neighbours are distinct unless the course is a single place.
    private var points: [SIMD3<Double>] = []
    /// Metres from the start, at each point.
    private var distances: [Double] = []
    /// A sphere around each ``blockSize`` chords.
    private var blocks: [(centre: SIMD3<Double>, radius: Double)] = []

    /// - Parameters:
    ///   - track: nil is returned without points, or for a coordinate that is no place on Earth.
    ///   - distances: metres from the start at each point, not falling, as the follower of the course counts them; nil to
    ///     measure them along the ellipsoid. Other counts and falling values return nil.
    package init?(_ track: [Coordinate], distances given: [Double]? = nil) {
        guard let first = track.first, track.allSatisfy(Self.isOnEarth) else { return nil }
        if let given {
            guard given.count == track.count, given.allSatisfy(\.isFinite),
                zip(given, given.dropFirst()).allSatisfy({ $0 <= $1 })
            else { return nil }
        }
        let vertices = track.map(Geocentric.point)
        let total = zip(vertices, vertices.dropFirst()).reduce(0) { $0 + Geocentric.metres($1.0, $1.1) }
        let longest = max(Self.longestChord, total / Self.addedPointLimit)
        points = [Geocentric.point(first)]
        distances = [given?[0] ?? 0]
        for (index, vertex) in vertices.enumerated().dropFirst() {
            let start = points[points.count - 1]
            let leg = Geocentric.metres(start, vertex)
            // Nearer points are the same.
            guard leg > 0.001 else { continue }
            let inner = Geocentric.arc(from: start, to: vertex, count: Int((leg / longest).rounded(.up)))
            let before = distances[distances.count - 1]
            let chain = [start] + inner + [vertex]
            let steps = zip(chain, chain.dropFirst()).map { Geocentric.metres($0, $1) }
            let whole = steps.reduce(0, +)
            let scale = (given?[index]).map { ($0 - before) / whole } ?? 1
            var along = 0.0
            for (point, step) in zip(chain.dropFirst(), steps) {
                along += step
                points.append(point)
                distances.append(before + along * scale)
            }
        }
        if points.count == 1 {
            points.append(points[0])
            distances.append(distances[0])
        }
        blocks = stride(from: 0, to: points.count - 1, by: Self.blockSize).map { start in
            let part = points[start...min(start + Self.blockSize, points.count - 1)]
            let low = part.reduce(points[start]) { pointwiseMin($0, $1) }
            let high = part.reduce(points[start]) { pointwiseMax($0, $1) }
            return ((low + high) / 2, Geocentric.length(high - low) / 2)
        }
    }

    private static func isOnEarth(_ place: Coordinate) -> Bool {
        (-90...90).contains(place.latitude) && (-180...180).contains(place.longitude)
    }

    /// Metres along the course from its first to its last point.
    package var length: Double { distances[distances.count - 1] - distances[0] }

    // MARK: Places

    /// The places in the corridor ahead, in the order of their distances; of equal ones the nearer one first.
    ///
    /// A place that the athlete has just passed is not ahead. At the start and at the end of the course, the corridor
    /// has round ends: a place before the start is 0 m ahead of an athlete who has not set out.
    ///
    /// - Parameters:
    ///   - offset: metres along the course of the athlete, limited to the course.
    ///   - halfWidth: metres, 0 to ``widestHalfWidth``.
    package func places(
        of candidates: [Candidate], from offset: Double, halfWidth: Double = defaultHalfWidth, limit: Int
    ) -> [Found] {
        let width = min(max(halfWidth, 0), Self.widestHalfWidth)
        let start = location(at: offset)
        let found = candidates.compactMap { candidate in
            Self.isOnEarth(candidate.place) ? next(candidate, from: start, width) : nil
        }
        let ordered = found.sorted { ($0.ahead, $0.crossTrack, $0.id) < ($1.ahead, $1.crossTrack, $1.id) }
        return Array(ordered.prefix(max(limit, 0)))
    }

    /// A point of a chord.
    private struct Location {
        var chord: Int
        /// 0...1.
        var part: Double
        var point: SIMD3<Double>
        /// Metres from the start of the course.
        var along: Double
    }

    private func location(at offset: Double) -> Location {
        let along = min(max(offset, distances[0]), distances[distances.count - 1])
        var (low, high) = (0, points.count - 2)
        while low < high {
            let middle = (low + high + 1) / 2
            if distances[middle] <= along { low = middle } else { high = middle - 1 }
        }
        let step = distances[low + 1] - distances[low]
        return location(on: low, part: step > 0 ? (along - distances[low]) / step : 0)
    }

    private func location(on chord: Int, part: Double) -> Location {
        Location(
            chord: chord, part: part, point: points[chord] + part * (points[chord + 1] - points[chord]),
            along: distances[chord] + part * (distances[chord + 1] - distances[chord]))
    }

    /// The nearest location of a chord, from `part` of it on.
    private func nearest(to place: SIMD3<Double>, on chord: Int, from part: Double) -> Location {
        let step = points[chord + 1] - points[chord]
        let square = Geocentric.dot(step, step)
        let nearest = square > 0 ? Geocentric.dot(place - points[chord], step) / square : 0
        return location(on: chord, part: min(max(nearest, part), 1))
    }

    private func next(_ candidate: Candidate, from start: Location, _ width: Double) -> Found? {
        let place = Geocentric.point(candidate.place)
        var stretch = Stretch()
        func end() -> Found? {
            defer { stretch = Stretch() }
            stretch.end()
            let passes = stretch.passes.filter { !isPassed(place, $0, from: start) }
            guard let least = passes.map(\.metres).min(),
                let first = passes.first(where: { $0.metres <= least + Self.tolerance })
            else { return nil }
            return Found(
                id: candidate.id, ahead: first.location.along - start.along, crossTrack: first.metres,
                side: side(of: candidate.place, place, first))
        }
        for block in start.chord / Self.blockSize..<blocks.count {
            let (centre, radius) = blocks[block]
            guard Geocentric.length(place - centre) <= radius + width else {
                if let found = end() { return found }
                continue
            }
            let last = min((block + 1) * Self.blockSize, points.count - 1)
            for chord in max(block * Self.blockSize, start.chord)..<last {
                let part = chord == start.chord ? start.part : 0
                let nearest = nearest(to: place, on: chord, from: part)
                let metres = Geocentric.length(place - nearest.point)
                guard metres <= width else {
                    if let found = end() { return found }
                    continue
                }
                let first = location(on: chord, part: part)
                let before = Geocentric.length(place - first.point)
                if before <= width { stretch.add(before, first) }
                stretch.add(metres, nearest)
                let after = Geocentric.length(place - points[chord + 1])
                if after <= width {
                    stretch.add(after, location(on: chord, part: 1))
                } else if let found = end() {
                    return found
                }
            }
        }
        return end()
    }

    private struct Pass {
        var metres: Double
        var location: Location
    }

    /// The part of the course in the corridor of a place, as a sequence of approaches and departures.
    private struct Stretch {
        private(set) var passes: [Pass] = []
        private var nearest: Pass?
        /// Metres, while the course departs.
        private var farthest = Double.infinity

        mutating func add(_ metres: Double, _ location: Location) {
            if let best = nearest {
                // The way back on the same line is not nearer.
                if metres < best.metres - rounding {
                    nearest = Pass(metres: metres, location: location)
                } else if metres > best.metres + departure {
                    end()
                    farthest = metres
                }
            } else if metres < farthest - departure {
                nearest = Pass(metres: metres, location: location)
            } else {
                farthest = max(farthest, metres)
            }
        }

        mutating func end() {
            if let nearest { passes.append(nearest) }
            nearest = nil
        }
    }

    /// Whether a place lies behind an athlete whose course leads away from it.
    private func isPassed(_ place: SIMD3<Double>, _ pass: Pass, from start: Location) -> Bool {
        guard start.along > distances[0], pass.location.along <= start.along else { return false }
        return Geocentric.dot(direction(at: start), place - start.point) < -Self.onCourse
    }

    private func side(of coordinate: Coordinate, _ place: SIMD3<Double>, _ pass: Pass) -> Side {
        guard pass.metres > Self.onCourse else { return .onCourse }
        let toLeft = Geocentric.cross(Geocentric.up(coordinate), direction(at: pass.location))
        return Geocentric.dot(toLeft, place - pass.location.point) >= 0 ? .left : .right
    }

    /// The direction of the course; between the two directions where it turns, so that a place at the outside of a sharp
    /// turn is on its outside.
    private func direction(at location: Location) -> SIMD3<Double> {
        let here = direction(of: location.chord)
        let neighbour = location.part <= 0 ? location.chord - 1 : location.part >= 1 ? location.chord + 1 : nil
        guard let neighbour, points.indices.dropLast().contains(neighbour) else { return here }
        let sum = here + direction(of: neighbour)
        return Geocentric.length(sum) > 1e-6 ? sum / Geocentric.length(sum) : here
    }

    /// Length 1, or 0 for a course that is a single place.
    private func direction(of chord: Int) -> SIMD3<Double> {
        let step = points[chord + 1] - points[chord]
        let length = Geocentric.length(step)
        return length > 0 ? step / length : step
    }

    // MARK: Boxes

    /// Boxes that contain the corridor of a part of the course, in its order, for one query each. They overlap.
    ///
    /// - Parameters:
    ///   - offsets: metres along the course, limited to the course.
    ///   - halfWidth: metres, 0 to ``widestHalfWidth``.
    ///   - longest: metres of the course in a box, at least 1000 and a 1000th of the part of the course: there are at most
    ///     about 2000 boxes.
    package func boxes(
        from offsets: ClosedRange<Double>, halfWidth: Double = defaultHalfWidth, longest: Double = 10_000
    ) -> [Box] {
        let width = min(max(halfWidth, 0), Self.widestHalfWidth)
        let (start, end) = (location(at: offsets.lowerBound), location(at: offsets.upperBound))
        let longest = max(longest, 1000, (end.along - start.along) / 1000)
        var boxes: [Box] = []
        var here = start
        while true {
            let next = here.along + longest < end.along ? location(at: here.along + longest) : end
            let inner = points[(here.chord + 1)..<max(next.chord + 1, here.chord + 1)]
            boxes += Self.boxes(around: [here.point] + inner + [next.point], width)
            guard next.along < end.along else { return boxes }
            here = next
        }
    }

    private static func boxes(around points: [SIMD3<Double>], _ width: Double) -> [Box] {
        let places = points.map(Geocentric.coordinate)
        guard let first = places.first else { return [] }
        // A chord of 1 km leaves its parallel by less than this, up to 89° of latitude.
        let margin = width + 5
        let degrees = margin / Geocentric.leastMetresPerDegreeNorth
        let latitudes = places.map(\.latitude)
        let south = max((latitudes.min() ?? 0) - degrees, -90)
        let north = min((latitudes.max() ?? 0) + degrees, 90)
        let highest = max(abs(south), abs(north))
        guard highest < 89 else { return [Box(south: south, north: north, west: -180, east: 180)] }
        let degreesEast = margin / (Geocentric.metresPerDegreeEast * cos(highest * .pi / 180))
        var (west, east, longitude) = (first.longitude, first.longitude, first.longitude)
        for (place, next) in zip(places, places.dropFirst()) {
            longitude += Geocentric.wrapped(next.longitude - place.longitude)
            (west, east) = (min(west, longitude), max(east, longitude))
        }
        (west, east) = (west - degreesEast, east + degreesEast)
        guard east - west < 360 else { return [Box(south: south, north: north, west: -180, east: 180)] }
        if west < -180 || east > 180 {
            let (one, other) = (Geocentric.wrapped(west), Geocentric.wrapped(east))
            return [
                Box(south: south, north: north, west: one, east: 180),
                Box(south: south, north: north, west: -180, east: other),
            ]
        }
        return [Box(south: south, north: north, west: west, east: east)]
    }
}
