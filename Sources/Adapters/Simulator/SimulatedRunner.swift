import CMath

/// The legs of a simulated run: how fast and how far, and what effort that is.
struct SimulatedRunner: Sendable {
    /// Speed on the flat, in metres per second: 5:22 min/km.
    private static let cruisingSpeed = 3.1

    /// The hardest speeding up and braking, in metres per second squared.
    private static let acceleration = -1.5...1.0

    /// Metres since the start, as of the present second.
    private(set) var distance = 0.0

    /// Metres per second at the present second.
    private(set) var speed = 0.0

    /// Metres per second squared, until the next second.
    private(set) var gain = 0.0

    /// The speed on the flat that would be the same effort, in metres per second.
    private(set) var effort = 0.0

    private let route = SimulatedRoute()
    private var mood: GaussMarkovNoise
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        mood = GaussMarkovNoise(deviation: 0.05, over: 40, using: &random)
    }

    /// Where the runner is at the present second.
    var place: SimulatedRoute.Place { route.place(at: distance) }

    /// Metres since the start, a fraction of a second on from the present second.
    func distance(after fraction: Double) -> Double {
        distance + fraction * (speed + fraction * gain / 2)
    }

    /// Comes to the next second, and decides how to go on.
    mutating func step(isHeld: Bool) {
        distance = distance(after: 1)
        speed += gain
        mood.step(using: &random)
        let stride = random.normal()
        let cost = Self.cost(ofGrade: place.grade)
        effort = speed * cost
        // Uphill a runner slows, but not by as much as it costs; downhill the legs set the limit.
        let wanted = isHeld ? 0 : Self.cruisingSpeed * min(pow(cost, -0.6), 1.12) * (1 + mood.value + 0.015 * stride)
        gain = max(Self.acceleration.lowerBound, min(wanted - speed, Self.acceleration.upperBound))
    }

    /// Runs on as now for whole seconds that nobody watches.
    mutating func skip(seconds: Int64) {
        distance += speed * Double(seconds)
    }

    /// What a metre costs on a grade, as a multiple of a metre on the flat.
    ///
    /// Source: Minetti et al., "Energy cost of walking and running at extreme uphill and downhill slopes", 2002, for running.
    private static func cost(ofGrade grade: Double) -> Double {
        let slope = max(-0.2, min(grade, 0.2))
        let joules =
            ((((155.4 * slope - 30.4) * slope - 43.3) * slope + 46.3) * slope + 19.5) * slope + 3.6
        return joules / 3.6
    }
}
