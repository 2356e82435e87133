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
    /// A round trip that leads back over a greater part of its way is there and back.
    private static let retracedLimit = 0.2
    /// Round trips of another length fill the list up to so many.
    private static let tripLimit = 3
    /// Squares. Who comes back to a square sooner has not left it.
    private static let stay = 10

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

    /// The indices of round trips in their order, without duplicates.
    ///
    /// Trips of about the wanted length come first, in the order of ``order(_:)``, without those that lead back over more of
    /// their own way than need be. The others follow, the nearest length first.
    package static func order(_ trips: [Candidate], metres: Double) -> [Int] {
        func difference(_ index: Int) -> Double { (trips[index].length - metres).magnitude }
        let near = trips.indices.filter { difference($0) <= metres * RoundTrip.tolerance }
        let least = near.map { retracedPart(of: trips[$0]) }.min() ?? 0
        let round = near.filter { retracedPart(of: trips[$0]) <= max(least, retracedLimit) }
        let far = trips.indices.filter { !near.contains($0) }.sorted { difference($0) < difference($1) }
        var order = self.order(round.map { trips[$0] }).map { round[$0] }
        for next in far where order.count < tripLimit && !order.contains(where: { areSame(trips[$0], trips[next]) }) {
            order.append(next)
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
        let squares = lines.map { Set(Self.squares(of: $0, width: width)) }
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

        /// The square and the eight around it.
        var neighbours: [Square] {
            (-1...1).flatMap { column in
                (-1...1).map { row in Square(column: self.column + column, row: self.row + row) }
            }
        }
    }

    /// The part of a track that runs where it has been before.
    private static func retracedPart(of trip: Candidate) -> Double {
        guard let origin = trip.track.first else { return 0 }
        let plane = LocalPlane(at: origin)
        let line = trip.track.map(plane.point)
        let squares = Self.squares(of: line, width: max(squareWidth, length(of: line) / squareLimit))
        var first: [Square: Int] = [:]
        var retraced = 0
        for (index, square) in squares.enumerated() {
            let earlier = square.neighbours.compactMap { first[$0] }.min()
            if let earlier, index - earlier > stay { retraced += 1 }
            if first[square] == nil { first[square] = index }
        }
        // Of a way there and back only half comes twice.
        return 2 * Double(retraced) / Double(max(squares.count, 1))
    }

    /// The squares that a line crosses, in its order, found by points that are a width apart.
    private static func squares(of line: [LocalPlane.Point], width: Double) -> [Square] {
        var squares: [Square] = []
        func add(_ east: Double, _ north: Double) {
            let square = Square(column: Int((east / width).rounded(.down)), row: Int((north / width).rounded(.down)))
            if square != squares.last { squares.append(square) }
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
        let near = squares.count { $0.neighbours.contains { others.contains($0) } }
        return Double(near) / Double(max(squares.count, 1))
    }
}
