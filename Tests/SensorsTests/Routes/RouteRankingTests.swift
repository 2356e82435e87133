import Domain
import Formats
import Testing

@Suite struct RouteRankingTests {
    /// A route from one place to another, over a place to the east of the line.
    private func route(east: Double, length: Double, ascent: Double?) -> RouteRanking.Candidate {
        let track = [(52.5, 13.4), (52.51, 13.4 + east), (52.52, 13.4)].map {
            Coordinate(latitude: $0.0, longitude: $0.1)
        }
        return RouteRanking.Candidate(track: track, length: length, ascent: ascent)
    }

    private func order(_ routes: (length: Double, ascent: Double?)...) -> [Int] {
        RouteRanking.order(
            routes.enumerated().map {
                route(east: Double($0.offset) * 0.01, length: $0.element.length, ascent: $0.element.ascent)
            })
    }

    @Test func flattestRouteIsFirst() {
        #expect(order((1000, 50), (1500, 20), (1200, 30)) == [1, 2, 0])
        #expect(RouteRanking.order([]) == [])
    }

    /// 5 m of small ascents, 5 % of great ones.
    @Test func shorterRouteIsFirstInATie() {
        #expect(order((1500, 20), (1000, 25)) == [1, 0])
        #expect(order((1500, 20), (1000, 25.1)) == [0, 1])
        #expect(order((1500, 400), (1000, 420)) == [1, 0])
        #expect(order((1500, 400), (1000, 421)) == [0, 1])
        // Each ties with the next, but the last not with the first.
        #expect(order((1900, 20), (1500, 24), (1000, 28)) == [1, 0, 2])
    }

    @Test func detoursAreDropped() {
        #expect(order((1000, 50), (2000, 20), (2001, 1)) == [1, 0])
    }

    @Test func routesWithoutAltitudesAreLast() {
        #expect(order((1100, nil), (1000, nil), (1500, 20)) == [2, 1, 0])
    }

    @Test func sameRouteIsListedOnce() {
        let routes = [
            route(east: 0.01, length: 1500, ascent: 30), route(east: 0.01, length: 1500, ascent: 31),
            // 7 m beside it, and 70 m.
            route(east: 0.0101, length: 1500, ascent: 32), route(east: 0.011, length: 1500, ascent: 40),
        ]
        #expect(RouteRanking.order(routes) == [0, 3])
    }

    /// A part of a route is not the same route.
    @Test func shorterPartOfARouteIsAnotherRoute() {
        let whole = route(east: 0.01, length: 1500, ascent: 30)
        let part = RouteRanking.Candidate(track: Array(whole.track.prefix(2)), length: 800, ascent: 20)
        #expect(RouteRanking.order([whole, part]) == [1, 0])
    }
}
