import Domain
import Formats
import Pipeline
import Testing

@Suite struct RoundTripTests {
    private let start = Coordinate(latitude: 42.5, longitude: 1.5)

    @Test func tripsLeadIntoAllDirectionsOverThreeEqualSides() {
        let trips = RoundTrip.all(from: start, metres: 13_000)
        #expect(trips.map(\.bearing) == [0, 60, 120, 180, 240, 300])
        for trip in trips {
            let places = trip.places
            #expect(places.first == start && places.last == start && places.count == 4)
            for (one, other) in zip(places, places.dropFirst()) {
                #expect((one.metres(to: other) - 13_000 / 3.9).magnitude < 20)
            }
        }
    }

    @Test(arguments: [(89.99, 0.0), (-89.99, 10), (0, 179.99), (0, -179.99)])
    func cornersAreOnEarth(latitude: Double, longitude: Double) {
        let start = Coordinate(latitude: latitude, longitude: longitude)
        for place in RoundTrip.all(from: start, metres: 200_000).flatMap(\.places) {
            #expect(place.latitude.magnitude <= 90 && place.longitude.magnitude <= 180)
            #expect(start.metres(to: place) < 60_000)
        }
    }

    @Test func aTripOfAnotherLengthIsTriedAgainWithAnotherSide() throws {
        let trip = RoundTrip.all(from: start, metres: 10_000)[0]
        #expect(trip.corrected(length: 11_400, metres: 10_000) == nil)
        #expect(try #require(trip.corrected(length: 20_000, metres: 10_000)).side == trip.side / 2)
        #expect(try #require(trip.corrected(length: 500, metres: 10_000)).side == trip.side * 4)
        #expect(trip.corrected(length: 0, metres: 10_000) == nil)
    }

    /// A round trip over places east and north of the start, in degrees.
    private func candidate(_ corners: [(Double, Double)], length: Double, ascent: Double?) -> RouteRanking.Candidate {
        let places = ([(0, 0)] + corners + [(0, 0)]).map {
            Coordinate(latitude: start.latitude + $0.1, longitude: start.longitude + $0.0)
        }
        return RouteRanking.Candidate(track: places, length: length, ascent: ascent)
    }

    @Test func tripsOfTheLengthComeFirstAndTheFlattestOfThem() {
        let east = candidate([(0.02, 0), (0.01, 0.02)], length: 5000, ascent: 100)
        let west = candidate([(-0.02, 0), (-0.01, 0.02)], length: 5500, ascent: 20)
        let long = candidate([(-0.02, 0), (-0.01, -0.03)], length: 8000, ascent: 5)
        let short = candidate([(0.01, 0), (0.01, -0.01)], length: 3000, ascent: 5)
        #expect(RouteRanking.order([short, long, east, west], metres: 5000) == [3, 2, 0])
        #expect(RouteRanking.order([], metres: 5000) == [])
        // The same way round in the other direction is the same trip.
        let back = candidate([(0.01, 0.02), (0.02, 0)], length: 5000, ascent: 100)
        #expect(RouteRanking.order([east, back], metres: 5000) == [0])
    }

    @Test func aWayThereAndBackGivesWayToARoundOne() {
        let round = candidate([(0.02, 0), (0.01, 0.02)], length: 5000, ascent: 100)
        let thereAndBack = candidate([(-0.01, 0), (-0.02, 0), (-0.01, 0)], length: 5000, ascent: 0)
        #expect(RouteRanking.order([thereAndBack, round], metres: 5000) == [1])
        #expect(RouteRanking.order([thereAndBack], metres: 5000) == [0])
    }
}
