import Domain
import Foundation
import TestKit
import Testing

/// A slow run on a winding trail, at a record a second.
///
/// The heading turns by 0.4 rad/s (root mean square), so that a bend lasts some seconds. The speed varies about 2.4 m/s. A
/// device smooths its track and, some of them, its velocity: then the speed is that of the straight line over the last 5 s.
@Suite struct WindingTrackTests {
    enum Speed: CaseIterable {
        case exact, smoothed
    }

    @Test(arguments: [1, 2, 3] as [UInt64], Speed.allCases)
    func distanceOfASmoothedWindingTrackIsWithinOnePercent(seed: UInt64, speed: Speed) {
        var trail = Trail(seed: seed, whiteNoise: 0.05)
        let fixes = trail.fixes(seconds: 3600, speed: speed)
        let error = Rerun(fixes, sport: .run).metres / trail.metres - 1
        #expect(abs(error) <= 0.01, "\(error)")
    }

    /// The speeds of a receiver are not smoothed.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func distanceOfANoisyWindingTrackIsWithinThreePercent(seed: UInt64) {
        var trail = Trail(seed: seed, whiteNoise: 0.3)
        let fixes = trail.fixes(seconds: 3600, speed: .exact)
        let error = Rerun(fixes, sport: .run).metres / trail.metres - 1
        #expect(abs(error) <= 0.03, "\(error)")
    }
}

private struct Trail {
    /// The length of the way so far.
    var metres = 0.0
    private var random: SeededRandom
    private let whiteNoise: Double
    private var heading = 0.0
    private var turn = 0.0
    private var speed = 2.4
    private var east = 0.0
    private var north = 0.0
    /// The error that changes slowly: 2 m, correlated over a minute.
    private var drift = (east: 0.0, north: 0.0)

    init(seed: UInt64, whiteNoise: Double) {
        random = SeededRandom(seed: seed)
        self.whiteNoise = whiteNoise
    }

    mutating func fixes(seconds: Int, speed kind: WindingTrackTests.Speed) -> [Fix] {
        var places: [(east: Double, north: Double)] = []
        return (0..<seconds).map { second in
            if second > 0 { advance() }
            places.append((east, north))
            let kept = exp(-1.0 / 60)
            let fresh = 2 * (1 - kept * kept).squareRoot()
            drift = (
                kept * drift.east + fresh * random.normal(), kept * drift.north + fresh * random.normal()
            )
            let x = east + drift.east + whiteNoise * random.normal()
            let y = north + drift.north + whiteNoise * random.normal()
            let earlier = places[max(places.count - 6, 0)]
            let straight = hypot(east - earlier.east, north - earlier.north) / Double(min(5, max(second, 1)))
            let metresPerDegree = 111_194.9
            return Fix(
                arrivedAt: Instant(milliseconds: 1_000_000 + Int64(second) * 1000 + 200),
                time: UTC(milliseconds: 1_800_000_000_000 + Int64(second) * 1000), mode: 3,
                latitude: 47 + y / metresPerDegree,
                longitude: 8 + x / metresPerDegree / cos(47 * Double.pi / 180),
                accuracy: 5, speed: kind == .exact || second == 0 ? speed : straight)
        }
    }

    /// Follows the way for a second, in steps of a tenth.
    private mutating func advance() {
        let step = 0.1
        for _ in 0..<10 {
            speed += (2.4 - speed) * step / 15 + 0.5 * (2 * step / 15).squareRoot() * random.normal()
            speed = min(max(speed, 0.8), 4.2)
            turn += -turn * step / 4 + 0.4 * (2 * step / 4).squareRoot() * random.normal()
            heading += turn * step
            east += speed * step * cos(heading)
            north += speed * step * sin(heading)
            metres += speed * step
        }
    }
}
