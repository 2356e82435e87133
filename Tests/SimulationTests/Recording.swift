import Domain
import Simulation

/// A simulated run, advanced ten times a second, and its inputs.
struct Recording {
    static let start = Instant(milliseconds: 86_400_000)
    static let utc = UTC(milliseconds: 1_772_350_200_400)

    let inputs: [Timestamped<Input>]

    init(seed: UInt64, seconds: Int) {
        var run = SimulatedRun(seed: seed, startedAt: Self.start, utc: Self.utc)
        var inputs: [Timestamped<Input>] = []
        for tenth in 0...(seconds * 10) { inputs += run.advance(to: Self.start + .milliseconds(100 * tenth)) }
        self.inputs = inputs
    }

    /// The seconds from the start to a moment.
    static func seconds(_ moment: Instant) -> Double {
        (moment - start).inSeconds
    }

    var fixes: [Fix] { inputs.fixes.map(\.value) }
    var notifications: [(seconds: Double, value: HeartRateMeasurement)] { timed(inputs.notifications) }
    var heartLinks: [(seconds: Double, value: LinkStatus)] { timed(inputs.heartLinks) }
    var gpsdLinks: [(seconds: Double, value: LinkStatus)] { timed(inputs.gpsdLinks) }
    var batteries: [(seconds: Double, value: Int)] { timed(inputs.batteries) }

    private func timed<Value>(_ values: [Timestamped<Value>]) -> [(seconds: Double, value: Value)] {
        values.map { (Self.seconds($0.measuredAt), $0.value) }
    }
}

/// The inputs of each kind, in order.
extension [Timestamped<Input>] {
    var fixes: [Timestamped<Fix>] {
        only { if case .fix(let fix) = $0 { fix } else { nil } }
    }

    var notifications: [Timestamped<HeartRateMeasurement>] {
        only { if case .heart(let value) = $0 { value } else { nil } }
    }

    var heartLinks: [Timestamped<LinkStatus>] {
        only { if case .heartLink(let status) = $0 { status } else { nil } }
    }

    var gpsdLinks: [Timestamped<LinkStatus>] {
        only { if case .gpsdLink(let status) = $0 { status } else { nil } }
    }

    var batteries: [Timestamped<Int>] {
        only { if case .battery(let percent) = $0 { percent } else { nil } }
    }

    private func only<Value: Sendable>(_ kind: (Input) -> Value?) -> [Timestamped<Value>] {
        compactMap { input in kind(input.value).map { Timestamped($0, at: input.measuredAt) } }
    }
}

/// Mean and standard deviation.
func moments(_ values: [Double]) -> (mean: Double, deviation: Double) {
    let mean = values.reduce(0, +) / Double(values.count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, (squares / Double(values.count - 1)).squareRoot())
}
