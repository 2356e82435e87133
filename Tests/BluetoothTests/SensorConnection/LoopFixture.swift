import Domain
import Linux

/// A fixture whose loop runs until a condition holds.
protocol LoopFixture: AnyObject {
    var loop: EventLoop { get }
    var inputs: [Timestamped<Input>] { get }
    /// The condition that ends the loop, evaluated by ``check()``.
    var isDone: (Self) -> Bool { get set }
    var timers: [TimerSource] { get set }
}

extension LoopFixture {
    /// Calls `body` in the loop after a delay.
    func after(_ duration: Duration, _ body: @escaping () -> Void) throws {
        let timer = try loop.timer(body)
        timer.arm(at: Clock.now() + duration)
        timers.append(timer)
    }

    /// Runs the loop until a condition holds. False after the time limit. Once per fixture.
    @discardableResult
    func run(for limit: Duration, until isDone: @escaping (Self) -> Bool = { _ in false }) throws -> Bool {
        self.isDone = isDone
        try after(limit) { [unowned self] in loop.stop(1) }
        // The closures of a test may retain the fixture.
        defer {
            timers = []
            self.isDone = { _ in false }
        }
        return try loop.run() == 0
    }

    /// Runs the loop for a time, and returns how often it woke up. A loop that spins
    /// turns many thousand times a second, however busy the machine is.
    func wakeUps(in duration: Duration) throws -> Int {
        let end = Clock.now() + duration
        var count = 0
        while Clock.now() < end {
            try loop.runOnce(waiting: end - Clock.now())
            count += 1
        }
        return count
    }

    func check() {
        if isDone(self) { loop.stop(0) }
    }

    var links: [LinkStatus] {
        inputs.compactMap { if case .heartLink(let status) = $0.value { status } else { nil } }
    }
}
