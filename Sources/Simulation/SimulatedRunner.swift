import CMath

/// The motion of a simulated runner or rider: speed, distance and effort.
struct SimulatedRunner: Sendable {
    /// Speed on the flat, in metres per second: 5:22 min/km.
    private static let cruisingSpeed = 3.1

    /// The limits of braking and acceleration, in metres per second squared.
    private static let acceleration = -1.5...1.0
    private let isRide: Bool

    /// Metres from the start to the present second.
    private(set) var distance = 0.0

    /// The speed at the present second, in metres per second.
    private(set) var speed = 0.0

    /// The acceleration until the next second, in metres per second squared.
    private(set) var gain = 0.0

    /// The equivalent speed on the flat, in metres per second.
    private(set) var effort = 0.0

    private let route = SimulatedRoute()
    private var mood: GaussMarkovNoise
    private var random: SplitMix64

    init(seed: UInt64, isRide: Bool = false) {
        self.isRide = isRide
        random = SplitMix64(seed: seed)
        mood = GaussMarkovNoise(deviation: 0.05, over: 40, using: &random)
    }

    /// The position at the present second.
    var place: SimulatedRoute.Place { route.place(at: distance) }

    /// Metres since the start at a fraction of a second after the present second.
    func distance(after fraction: Double) -> Double {
        distance + fraction * (speed + fraction * gain / 2)
    }

    /// Advances by one second and chooses the next acceleration.
    mutating func step(isHeld: Bool) {
        distance = distance(after: 1)
        speed += gain
        mood.step(using: &random)
        let stride = random.normal()
        if isRide {
            let ride = CyclingModel.ride(grade: place.grade, mood: 2 * mood.value + 0.05 * stride)
            effort = isHeld ? 0 : ride.effort
            accelerate(to: isHeld ? 0 : ride.speed)
            return
        }
        let cost = Self.cost(ofGrade: place.grade)
        effort = speed * cost
        // Uphill a runner slows down, but less than the cost rises. Downhill the legs set the limit.
        let wanted = isHeld ? 0 : Self.cruisingSpeed * min(pow(cost, -0.6), 1.12) * (1 + mood.value + 0.015 * stride)
        accelerate(to: wanted)
    }

    private mutating func accelerate(to wanted: Double) {
        gain = max(Self.acceleration.lowerBound, min(wanted - speed, Self.acceleration.upperBound))
    }

    /// Continues at the present speed for some whole seconds.
    mutating func skip(seconds: Int64) {
        distance += speed * Double(seconds)
    }

    /// The energy cost of a metre on a grade, as a multiple of that on the flat.
    ///
    /// Source: Minetti et al., "Energy cost of walking and running at extreme uphill and downhill slopes",
    /// 2002, for running.
    private static func cost(ofGrade grade: Double) -> Double {
        let slope = max(-0.2, min(grade, 0.2))
        let joules =
            ((((155.4 * slope - 30.4) * slope - 43.3) * slope + 46.3) * slope + 19.5) * slope + 3.6
        return joules / 3.6
    }
}
