import CMath
import Domain

/// A receiver of satellites that sees where the simulated runner is as well as a present one does.
struct SimulatedReceiver: Sendable {
    private static let device = SanitizedText("simulated")

    /// Noise of the position to the north and to the east, in metres, and of the altitude.
    private var north, east, up: GaussMarkovNoise

    /// Satellites in view beside nine.
    private var sky: GaussMarkovNoise

    /// Seconds since the sky came back.
    private var secondsInSight = 60.0

    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        north = GaussMarkovNoise(deviation: 3, over: 30, using: &random)
        east = GaussMarkovNoise(deviation: 3, over: 30, using: &random)
        up = GaussMarkovNoise(deviation: 3, over: 60, using: &random)
        sky = GaussMarkovNoise(deviation: 1.3, over: 90, using: &random)
    }

    /// How the link to gpsd stands.
    static func link(hasFix: Bool) -> LinkStatus {
        hasFix
            ? LinkStatus(.connected, name: device)
            : LinkStatus(.connecting, reason: .noFix, name: device)
    }

    /// The report of one second; it arrives 0.1 to 0.3 s after its moment.
    mutating func fix(
        of place: SimulatedRoute.Place, speed: Double, isHidden: Bool, at moment: Instant, time: UTC
    ) -> Fix {
        north.step(using: &random)
        east.step(using: &random)
        up.step(using: &random)
        sky.step(using: &random)
        let arrivedAt = moment + .microseconds(Int64(random.uniform(100_000, 300_000)))
        let white = (north: random.normal(), east: random.normal(), up: random.normal())
        let doppler = random.uniform(-0.1, 0.1)
        let turn = random.normal()
        secondsInSight = isHidden ? 0 : secondsInSight + 1
        var fix = Fix(arrivedAt: arrivedAt, time: time, device: Self.device, mode: 1, satellites: 0)
        guard !isHidden else { return fix }
        let metres = MetresPerDegree(latitude: place.coordinate.latitude)
        fix.mode = 3
        fix.latitude = place.coordinate.latitude + (north.value + 0.3 * white.north) / metres.north
        fix.longitude = place.coordinate.longitude + (east.value + 0.3 * white.east) / metres.east
        fix.altitude = place.elevation + up.value + 0.3 * white.up
        // 95 % of fixes lie within 2.45 deviations of one axis; the first after a tunnel promise less.
        fix.accuracy = 2.45 * 3 + 15 * exp(-secondsInSight / 5)
        fix.speed = max(0, speed + doppler)
        fix.track = SimulatedRoute.turned(place.heading + 3 * turn)
        fix.satellites = Int(max(5, min(9 + sky.value, 13)).rounded())
        return fix
    }
}
