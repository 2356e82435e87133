import Domain
import Linux
import Pipeline
import TestKit

/// Sequences of fixes that try to produce impossible distance: phases of a few seconds, each with its own rate, clock,
/// places, speeds and delivery, and commands in between.
struct RandomAttack {
    private var random: SeededRandom
    private let sport: Sport
    /// The time of the next fix in seconds since the start, and the lead of the receiver's clock.
    private var now = 0.0
    private var ahead = 0.0
    /// Metres east and north.
    private var place = (x: 0.0, y: 0.0)
    private var heading = (x: 1.0, y: 0.0)
    private var lastTime = 0.0
    private var steps: [RunStep] = []

    private static let origin = 1_000_000.0

    private enum Clock: CaseIterable {
        case honest, none, fast, leapsAhead, justInside, slow, jumpsAbout, new
    }

    private enum Places: CaseIterable {
        case anywhere, twoPlaces, leaps, limit, overLimit, still, sustained, walk
    }

    private enum Speeds: CaseIterable {
        case none, zero, small, honest, absurd
    }

    private enum Delivery: CaseIterable {
        case atOnce, late, bursts, backwardAge
    }

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        sport = Sport.allCases[Int(random.next() % UInt64(Sport.allCases.count))]
    }

    mutating func play() -> (steps: [RunStep], sport: Sport) {
        if chance(0.5) { phase() }
        let back: Duration = chance(0.3) ? .seconds(Int(number(0, 120))) : .zero
        steps.append(RunStep(at: arrival(now), .command(.start(sport, indoor: false, back: back))))
        while now < 240 { phase() }
        var latest = Instant(milliseconds: 0)
        for index in steps.indices {
            let delay = max(latest - steps[index].at, .zero)
            steps[index].at += delay
            latest = steps[index].at
            guard case .fix(var fix) = steps[index].kind else { continue }
            fix.arrivedAt += delay
            steps[index].kind = .fix(fix)
        }
        return (steps, sport)
    }

    private mutating func phase() {
        let seconds = chance(0.2) ? number(0, 3) : number(1, 30)
        let interval = 1 / exponential(0.1, 20)
        let clock = choose(Clock.allCases)
        let places = choose(Places.allCases)
        let speeds = choose(Speeds.allCases)
        let delivery = choose(Delivery.allCases)
        let accuracy: Double? = chance(0.5) ? 5 : chance(0.5) ? nil : number(0, 300)
        let reach = exponential(1, 1e7)
        let delay = number(0, 12)
        let end = now + seconds
        if chance(0.2) { turn() }
        while now < end {
            let step = interval * (chance(0.8) ? 1 : number(0, 3))
            now += step
            let time = tell(clock, step)
            move(places, reach, seconds: max(time.map { $0 - lastTime } ?? step, 0))
            if let time { lastTime = time }
            let arrived = arrivedAt(delivery, delay, end: end)
            steps.append(RunStep(at: arrived, .fix(fix(at: arrived, time, speed(speeds), accuracy, delivery))))
            if chance(0.02) { steps.append(RunStep(at: arrived, .command(chance(0.5) ? .pause : .resume))) }
        }
        if chance(0.1) { steps.append(RunStep(at: arrival(now), .command(chance(0.3) ? .pause : .resume))) }
        if chance(0.15) { now += number(5, 40) }
        guard chance(0.15) else { return }
        now += chance(0.5) ? number(0.02, 0.5) : number(0, 20)
        steps.append(RunStep(at: arrival(now), .outage(chance(0.5) ? .paused : .continued)))
    }

    private mutating func tell(_ clock: Clock, _ step: Double) -> Double? {
        switch clock {
        case .honest: break
        case .none: return nil
        case .fast: ahead += step * number(0, 20)
        case .leapsAhead: if chance(0.3) { ahead += number(0, 650) }
        case .justInside: ahead += min(9.99, step * 8 + 1)
        case .slow: ahead -= step * number(0, 1)
        case .jumpsAbout: ahead = number(-700, 700)
        case .new: if chance(0.1) { ahead = number(-1e6, 1e6) }
        }
        return now + ahead
    }

    /// - Parameter seconds: the time since the fix before, according to the receiver.
    private mutating func move(_ places: Places, _ reach: Double, seconds: Double) {
        if chance(0.05) { turn() }
        switch places {
        case .anywhere: place = (number(-reach, reach), number(-reach, reach))
        case .twoPlaces: place.x = place.x > 0 ? 0 : reach
        case .leaps: if chance(0.3) { go(reach) }
        case .limit: go(sport.maxSpeed * max(seconds, 1) * 0.999)
        case .overLimit: go(sport.maxSpeed * seconds * number(1, 1.5))
        case .still: break
        case .sustained: go(sport.maxSpeed / 2 * seconds * number(0.8, 1.02))
        case .walk: go(number(0, 3) * seconds)
        }
        place = (min(max(place.x, -5e6), 5e6), min(max(place.y, -5e6), 5e6))
    }

    private mutating func go(_ metres: Double) {
        place.x += heading.x * metres
        place.y += heading.y * metres
    }

    private mutating func turn() {
        heading = choose([(1, 0), (-1, 0), (0, 1), (0, -1)])
    }

    private mutating func speed(_ speeds: Speeds) -> Double? {
        switch speeds {
        case .none: nil
        case .zero: 0
        case .small: number(0, 1)
        case .honest: sport.maxSpeed * number(0.3, 1)
        case .absurd: exponential(1, 1e6)
        }
    }

    private mutating func arrivedAt(_ delivery: Delivery, _ delay: Double, end: Double) -> Instant {
        switch delivery {
        case .atOnce, .backwardAge: arrival(now)
        case .late: arrival(now + number(0, delay))
        case .bursts: arrival(end)
        }
    }

    private mutating func fix(
        at arrived: Instant, _ time: Double?, _ speed: Double?, _ accuracy: Double?, _ delivery: Delivery
    ) -> Fix {
        // The first report of a fix may have arrived some time before its last one.
        let age = delivery == .backwardAge ? number(0, 0.4) : 0
        return Fix(
            arrivedAt: arrived - .milliseconds(Int64(age * 1000)),
            time: time.map { UTC(milliseconds: 1_800_000_000_000 + Int64($0 * 1000)) }, mode: 3,
            latitude: place.y / 111_260, longitude: place.x / 111_320, accuracy: accuracy, speed: speed)
    }

    private func arrival(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64((Self.origin + seconds) * 1e9))
    }

    // MARK: Random numbers

    private mutating func chance(_ share: Double) -> Bool {
        random.uniform() < share
    }

    private mutating func number(_ low: Double, _ high: Double) -> Double {
        low + (high - low) * random.uniform()
    }

    /// Returns a number in a range with every order of magnitude equally likely.
    private mutating func exponential(_ low: Double, _ high: Double) -> Double {
        var value = low
        var factor = high / low
        // Multiplies by the square root of the rest or not, bit by bit, without a logarithm.
        for _ in 0..<20 {
            factor = factor.squareRoot()
            if chance(0.5) { value *= factor }
        }
        return value
    }

    private mutating func choose<Value>(_ values: [Value]) -> Value {
        values[Int(random.next() % UInt64(values.count))]
    }
}
