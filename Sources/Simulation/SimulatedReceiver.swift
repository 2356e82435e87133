import CMath
import Domain

/// A simulated GNSS receiver with the accuracy of a current one.
struct SimulatedReceiver: Sendable {
    /// Clients know the demo's receiver by this name: its loss of the position is planned.
    private static let device = SanitizedText("simulated")

    /// The position error to the north and to the east, and the altitude error, in metres.
    private var north, east, up: GaussMarkovNoise

    /// The number of satellites in view, minus nine.
    private var sky: GaussMarkovNoise

    /// Seconds since the view of the sky returned.
    private var secondsInSight = 60.0

    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        north = GaussMarkovNoise(deviation: 3, over: 30, using: &random)
        east = GaussMarkovNoise(deviation: 3, over: 30, using: &random)
        up = GaussMarkovNoise(deviation: 3, over: 60, using: &random)
        sky = GaussMarkovNoise(deviation: 1.3, over: 90, using: &random)
    }

    /// The status of the link to gpsd.
    static func link(hasFix: Bool) -> LinkStatus {
        hasFix
            ? LinkStatus(.connected, name: device)
            : LinkStatus(.connecting, reason: .noFix, name: device)
    }

    /// The fix of one second. It arrives 0.1 to 0.3 s after its time.
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
        // 95 % of fixes lie within 2.45 deviations of one axis. The first fixes after a tunnel report a larger error.
        fix.accuracy = 2.45 * 3 + 15 * exp(-secondsInSight / 5)
        fix.speed = max(0, speed + doppler)
        fix.track = SimulatedRoute.turned(place.heading + 3 * turn)
        fix.satellites = Int(max(5, min(9 + sky.value, 13)).rounded())
        return fix
    }
}
