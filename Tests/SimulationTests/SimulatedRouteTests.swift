import Domain
import Simulation
import Testing

@Test func routeIsClosedAndWithinItsBounds() {
    let route = SimulatedRoute()
    #expect(abs(route.length - 6374) < 1)
    var last = route.place(at: route.length - 1)
    for metre in 0...Int(route.length) {
        let place = route.place(at: Double(metre))
        #expect((58.953...58.961).contains(place.coordinate.latitude))
        #expect((5.702...5.731).contains(place.coordinate.longitude))
        #expect((35...82).contains(place.elevation))
        #expect((0..<360).contains(place.heading))
        #expect((-0.25...0.25).contains(place.grade))
        let metres = MetresPerDegree(latitude: place.coordinate.latitude)
        let north = (place.coordinate.latitude - last.coordinate.latitude) * metres.north
        let east = (place.coordinate.longitude - last.coordinate.longitude) * metres.east
        let step = (north * north + east * east).squareRoot()
        // At a bend the straight line is shorter than the route.
        #expect(step < 1.001)
        last = place
    }
    #expect(route.place(at: 3 * route.length + 1234.5).coordinate.latitude.isFinite)
    let (first, again) = (route.place(at: 1234.5), route.place(at: 3 * route.length + 1234.5))
    #expect(abs(first.coordinate.latitude - again.coordinate.latitude) < 1e-9)
    #expect(abs(first.coordinate.longitude - again.coordinate.longitude) < 1e-9)
}

/// The noise of a current receiver, as the replay tests add it to recordings and the pipeline's limits expect it.
@Test func positionErrorsMatchThoseOfAReceiver() throws {
    let route = SimulatedRoute()
    var residuals: [[Double]] = []
    var speedErrors: [Double] = []
    var delta: [Double] = []
    for seed in 1...40 as ClosedRange<UInt64> {
        var run = SimulatedRun(seed: seed, startedAt: Recording.start, utc: UTC(milliseconds: 1_772_350_200_000))
        _ = run.advance(to: Recording.start)
        var errors: [Double] = []
        for second in 100...370 {
            let now = Recording.start + .seconds(second)
            _ = run.advance(to: now)
            let distance = run.trueDistance(at: now)
            let speed = (run.trueDistance(at: now + .milliseconds(1)) - distance) / 0.001
            let place = route.place(at: distance)
            let fix = try #require(run.advance(to: now + .milliseconds(400)).fixes.first).value
            let metres = MetresPerDegree(latitude: place.coordinate.latitude)
            errors.append((try #require(fix.latitude) - place.coordinate.latitude) * metres.north)
            let east = (try #require(fix.longitude) - place.coordinate.longitude) * metres.east
            #expect(abs(east) < 20)
            speedErrors.append(try #require(fix.speed) - speed)
            delta.append(try #require(fix.altitude) - place.elevation)
        }
        residuals.append(errors)
    }
    let all = residuals.flatMap { $0 }
    // 3 m that lasts 30 s, and 0.3 m of white noise; 40 runs have about 200 independent errors.
    #expect((2.5...3.5).contains(moments(all).deviation))
    #expect(abs(moments(all).mean) < 0.8)
    #expect((2.4...3.6).contains(moments(delta).deviation))
    func correlation(after lag: Int) -> Double {
        let products = residuals.flatMap { zip($0, $0.dropFirst(lag)).map { $0 * $1 } }
        return products.reduce(0, +) / Double(products.count) / all.reduce(0) { $0 + $1 * $1 } * Double(all.count)
    }
    #expect((0.92...0.98).contains(correlation(after: 1)))
    #expect((0.2...0.55).contains(correlation(after: 30)))
    #expect(abs(correlation(after: 150)) < 0.2)
    // From one second to the next: √(2/30) of 3 m, and twice the white noise.
    let steps = residuals.flatMap { zip($0, $0.dropFirst()).map { $1 - $0 } }
    #expect((0.82...0.94).contains(moments(steps).deviation))
    // While the runner stops, the speed is not negative: the error is one-sided, and at most 0.1 m/s.
    #expect(speedErrors.allSatisfy { abs($0) < 0.103 })
    #expect((0.04...0.06).contains(moments(speedErrors).deviation))
}
