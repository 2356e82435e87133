package import Domain

/// The order of several ways to one place: the flattest first.
package enum RouteRanking {
    /// A way as it is compared.
    package struct Way: Sendable {
        package var track: [Coordinate]
        /// Metres.
        package var length: Double
        /// Metres climbed; nil if the altitude is unknown.
        package var ascent: Double?

        package init(track: [Coordinate], length: Double, ascent: Double?) {
            self.track = track
            self.length = length
            self.ascent = ascent
        }
    }

    /// A way that is longer than the shortest one by this factor is a detour.
    private static let detourFactor = 2.0
    /// Ascents that differ by less are a tie: metres, and a part of the smaller one.
    private static let tieMetres = 5.0
    private static let tiePart = 0.05
    /// Ways that share more of their lengths are the same.
    private static let sharedPart = 0.95
    /// Metres between the places that are compared, and how far a place of a shared way may be from the other one.
    private static let sampleDistance = 20.0
    private static let sharedDistance = 15.0

    /// The indices of the ways in their order, without duplicates and detours.
    ///
    /// Of the ways that tie with the flattest of those left, the shortest comes first. Ways without altitudes come last,
    /// the shortest first.
    package static func order(_ ways: [Way]) -> [Int] {
        guard let shortest = ways.map(\.length).min() else { return [] }
        var left = ways.indices.filter { ways[$0].length <= shortest * detourFactor }
        var order: [Int] = []
        while let next = first(of: left, ways) {
            left.removeAll { $0 == next }
            if !order.contains(where: { areSame(ways[$0], ways[next]) }) { order.append(next) }
        }
        return order
    }

    private static func first(of left: [Int], _ ways: [Way]) -> Int? {
        let known = left.filter { ways[$0].ascent != nil }
        guard let least = known.compactMap({ ways[$0].ascent }).min() else {
            return left.min { ways[$0].length < ways[$1].length }
        }
        return known.filter { isTie(ways[$0].ascent, least: least) }.min { ways[$0].length < ways[$1].length }
    }

    /// Whether an ascent is as good as the least one: at most 5 m or 5 % more.
    package static func isTie(_ ascent: Double?, least: Double?) -> Bool {
        guard let ascent, let least else { return false }
        return ascent <= least + max(tieMetres, least * tiePart)
    }

    /// Whether each way has nearly all of the other.
    private static func areSame(_ one: Way, _ other: Way) -> Bool {
        part(of: one.track, near: other.track) > sharedPart && part(of: other.track, near: one.track) > sharedPart
    }

    /// The part of the places of a track, one each 20 m, that are near another track.
    private static func part(of track: [Coordinate], near other: [Coordinate]) -> Double {
        guard let start = track.first, !other.isEmpty else { return 0 }
        let plane = LocalPlane(at: start)
        let line = other.map(plane.point)
        let places = samples(track.map(plane.point))
        let near = places.count { place in
            zip(line, line.dropFirst()).contains { place.projection(from: $0, to: $1).metres <= sharedDistance }
        }
        return Double(near) / Double(max(places.count, 1))
    }

    private static func samples(_ line: [LocalPlane.Point]) -> [LocalPlane.Point] {
        var samples = line.first.map { [$0] } ?? []
        var rest = 0.0
        for (start, end) in zip(line, line.dropFirst()) {
            let (east, north) = (end.east - start.east, end.north - start.north)
            let length = (east * east + north * north).squareRoot()
            var along = sampleDistance - rest
            while along <= length {
                let part = along / length
                samples.append(LocalPlane.Point(east: start.east + part * east, north: start.north + part * north))
                along += sampleDistance
            }
            rest = length - (along - sampleDistance)
        }
        return samples
    }
}
