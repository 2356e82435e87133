import Domain
import Linux
import Testing

/// Runs a loop through a list of steps: once a step's condition holds, its action runs and the next step follows.
final class Script {
    typealias Step = (name: String, condition: () -> Bool, action: () -> Void)

    private let loop: EventLoop
    private var steps: [Step] = []
    private var timer: TimerSource?

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func when(
        _ name: String, _ condition: @autoclosure @escaping () -> Bool, then action: @escaping () -> Void = {}
    ) {
        steps.append((name, condition, action))
    }

    /// Runs until all steps are done. Records an issue for the first step that takes longer than `limit`.
    func run(limit: Duration, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let deadline = Clock.now() + limit
        timer = try loop.timer { [self] in
            while let step = steps.first, step.condition() {
                steps.removeFirst()
                step.action()
            }
            if steps.isEmpty || Clock.now() > deadline {
                loop.stop(0)
            } else {
                timer?.arm(at: Clock.now() + .milliseconds(2))
            }
        }
        timer?.arm(at: Clock.now())
        _ = try loop.run()
        timer = nil
        if let step = steps.first { Issue.record("not within \(limit): \(step.name)", sourceLocation: sourceLocation) }
    }
}
