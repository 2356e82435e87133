import Domain
import Pipeline

/// A wheel or a crank that turns, and the counter of a sensor on it.
struct SimulatedCounter {
    private let rotor: RevolutionMeter.Rotor
    private let firstRevolutions: UInt64
    private let firstTicks: Int
    /// Seconds of the sensor's clock in a second.
    private let clockRate: Double
    /// Seconds since the start, and revolutions since then.
    private(set) var seconds = 0.0
    private(set) var position = 0.0
    /// The moment of the last whole revolution.
    private(set) var lastEvent = 0.0

    init(_ rotor: RevolutionMeter.Rotor, revolutions: UInt64 = 0, ticks: Int = 0, clockRate: Double = 1) {
        self.rotor = rotor
        firstRevolutions = revolutions
        firstTicks = ticks
        self.clockRate = clockRate
    }

    /// Turns at a rate in revolutions per second.
    mutating func turn(_ rate: Double, seconds duration: Double) {
        let next = position + rate * duration
        if next.rounded(.down) > position.rounded(.down) {
            lastEvent = seconds + (next.rounded(.down) - position) / rate
        }
        position = next
        seconds += duration
    }

    /// Whole revolutions since the start.
    var total: Int {
        Int(position)
    }

    var count: RevolutionCount {
        let ticks = rotor == .powerMeterWheel ? 2048.0 : 1024
        let revolutions = firstRevolutions &+ UInt64(position)
        return RevolutionCount(
            revolutions: rotor == .crank
                ? UInt32(UInt16(truncatingIfNeeded: revolutions)) : UInt32(truncatingIfNeeded: revolutions),
            eventTime: UInt16(truncatingIfNeeded: firstTicks + Int(lastEvent * clockRate * ticks)))
    }

    var now: Instant {
        Self.moment(seconds)
    }

    static func moment(_ seconds: Double) -> Instant {
        Instant(milliseconds: 1_000_000) + .nanoseconds(Int64(seconds * 1e9))
    }
}

/// A meter and the counter that it reads.
struct MeasuredCounter {
    var meter: RevolutionMeter
    var counter: SimulatedCounter
    /// The sum of what the meter counted.
    var counted = 0

    init(_ rotor: RevolutionMeter.Rotor, revolutions: UInt64 = 0, ticks: Int = 0, clockRate: Double = 1) {
        meter = RevolutionMeter(rotor)
        counter = SimulatedCounter(rotor, revolutions: revolutions, ticks: ticks, clockRate: clockRate)
    }

    var rate: Double? {
        meter.rate(at: counter.now)
    }

    @discardableResult mutating func notify() -> RevolutionMeter.Counted {
        let new = meter.received(counter.count, at: counter.now)
        counted += new.revolutions
        return new
    }

    /// Turns, with a notification after each `interval`.
    mutating func turn(_ rate: Double, seconds: Double, every interval: Double = 1) {
        for _ in 0..<Int((seconds / interval).rounded()) {
            counter.turn(rate, seconds: interval)
            notify()
        }
    }

    /// Two notifications of a counter that stands still: the second one is the base.
    mutating func connect() {
        notify()
        counter.turn(0, seconds: 0.25)
        notify()
    }
}
