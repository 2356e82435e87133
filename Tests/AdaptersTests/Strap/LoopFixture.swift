import Adapters
import Domain
import Linux

/// A bench whose loop runs until something has come about.
protocol LoopFixture: AnyObject {
    var loop: EventLoop { get }
    var inputs: [Timestamped<Input>] { get }
    /// What the loop runs for; asked by ``check()``.
    var isDone: (Self) -> Bool { get set }
    var timers: [TimerSource] { get set }
}

extension LoopFixture {
    /// Does something after a while, in the loop.
    func after(_ duration: Duration, _ body: @escaping () -> Void) throws {
        let timer = try loop.timer(body)
        timer.arm(at: Clock.now() + duration)
        timers.append(timer)
    }

    /// Runs the loop until a condition that anything can bring about; false when the time is over. Once a bench.
    @discardableResult
    func run(for limit: Duration, until isDone: @escaping (Self) -> Bool = { _ in false }) throws -> Bool {
        self.isDone = isDone
        try after(limit) { [unowned self] in loop.stop(1) }
        // What a test has the loop do may hold the bench.
        defer {
            timers = []
            self.isDone = { _ in false }
        }
        return try loop.run() == 0
    }

    func check() {
        if isDone(self) { loop.stop(0) }
    }

    var links: [LinkStatus] {
        inputs.compactMap { if case .heartLink(let status) = $0.value { status } else { nil } }
    }
}
