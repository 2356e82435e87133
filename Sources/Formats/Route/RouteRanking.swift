package import Domain

/// The order of several routes to one place: the flattest first.
package enum RouteRanking {
    /// A route as it is compared.
    package struct Candidate: Sendable {
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

    /// A route that is longer than the shortest one by this factor is a detour.
    private static let detourFactor = 2.0
    /// Ascents that differ by less are a tie: metres, and a part of the smaller one.
    private static let tieMetres = 5.0
    private static let tiePart = 0.05
    /// Routes that share more of their lengths are the same.
    private static let sharedPart = 0.95
    /// Metres. The squares of a longer route are wider, so that it crosses at most so many.
    private static let squareWidth = 10.0
    private static let squareLimit = 20_000.0

    /// The indices of the routes in their order, without duplicates and detours.
    ///
    /// Of the routes that tie with the flattest of those left, the shortest comes first. Routes without altitudes come last,
    /// the shortest first.
    package static func order(_ routes: [Candidate]) -> [Int] {
        guard let shortest = routes.map(\.length).min() else { return [] }
        var left = routes.indices.filter { routes[$0].length <= shortest * detourFactor }
        var order: [Int] = []
        while let next = first(of: left, routes) {
            left.removeAll { $0 == next }
            if !order.contains(where: { areSame(routes[$0], routes[next]) }) { order.append(next) }
        }
        return order
    }

    private static func first(of left: [Int], _ routes: [Candidate]) -> Int? {
        let known = left.filter { routes[$0].ascent != nil }
        guard let least = known.compactMap({ routes[$0].ascent }).min() else {
            return left.min { routes[$0].length < routes[$1].length }
        }
        return known.filter { isTie(routes[$0].ascent, least: least) }.min { routes[$0].length < routes[$1].length }
    }

    /// Whether an ascent is as good as the least one: at most 5 m or 5 % more.
    package static func isTie(_ ascent: Double?, least: Double?) -> Bool {
        guard let ascent, let least else { return false }
        return ascent <= least + max(tieMetres, least * tiePart)
    }

    /// Whether each route has nearly all of the other.
    private static func areSame(_ one: Candidate, _ other: Candidate) -> Bool {
        guard let origin = one.track.first else { return false }
        let plane = LocalPlane(at: origin)
        let lines = [one, other].map { $0.track.map(plane.point) }
        let width = max(squareWidth, (lines.map(length).max() ?? 0) / squareLimit)
        let squares = lines.map { Self.squares(of: $0, width: width) }
        return part(of: squares[0], near: squares[1]) > sharedPart
            && part(of: squares[1], near: squares[0]) > sharedPart
    }

    private static func length(of line: [LocalPlane.Point]) -> Double {
        zip(line, line.dropFirst()).reduce(0) { $0 + distance($1.0, $1.1) }
    }

    private static func distance(_ one: LocalPlane.Point, _ other: LocalPlane.Point) -> Double {
        let (east, north) = (other.east - one.east, other.north - one.north)
        return (east * east + north * north).squareRoot()
    }

    private struct Square: Hashable {
        var column: Int
        var row: Int
    }

    /// The squares that a line crosses, found by points that are a width apart.
    private static func squares(of line: [LocalPlane.Point], width: Double) -> Set<Square> {
        var squares: Set<Square> = []
        func add(_ east: Double, _ north: Double) {
            squares.insert(Square(column: Int((east / width).rounded(.down)), row: Int((north / width).rounded(.down))))
        }
        if let start = line.first { add(start.east, start.north) }
        var rest = 0.0
        for (start, end) in zip(line, line.dropFirst()) {
            let length = distance(start, end)
            var along = width - rest
            while along <= length {
                let part = along / length
                add(start.east + part * (end.east - start.east), start.north + part * (end.north - start.north))
                along += width
            }
            rest = length - (along - width)
        }
        return squares
    }

    /// The part of the squares that the other route crosses too, or passes beside.
    private static func part(of squares: Set<Square>, near others: Set<Square>) -> Double {
        let near = squares.count { square in
            (-1...1).contains { column in
                (-1...1).contains { row in
                    others.contains(Square(column: square.column + column, row: square.row + row))
                }
            }
        }
        return Double(near) / Double(max(squares.count, 1))
    }
}
