import Domain
import Linux
import Testing

/// Turns of the loop that fail the test where what is waited for does not come.
extension BluetoothdFixture {
    /// Starts, and waits for the first beats.
    func stream(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try start()
        try turn(sourceLocation: sourceLocation) { hearts.count >= 2 }
    }

    /// Waits for beats that are new.
    func streamAgain(limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = hearts.count
        try turn(limit: limit, sourceLocation: sourceLocation) { hearts.count >= before + 2 }
    }

    /// Turns the loop until something is so; fails where it does not become so.
    func turn(
        limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation, until isSo: () -> Bool
    ) throws {
        let story = { [self] in "\(links.map { "\($0.state) \($0.reason?.rawValue ?? "")" }) after \(members)" }
        try #require(try run(for: limit) { _ in isSo() }, "\(story())", sourceLocation: sourceLocation)
    }

    /// Turns the loop for so long; says how late the latest of a timer's moments was, ten a second.
    @discardableResult
    func turn(for duration: Duration) throws -> Duration {
        var due = Clock.now()
        var worst = Duration.zero
        var timer: TimerSource?
        timer = try loop.timer {
            worst = max(worst, Clock.now() - due)
            due = Clock.now() + .milliseconds(100)
            timer?.arm(at: due)
        }
        timer?.arm(at: due)
        try run(for: duration)
        timer = nil
        return worst
    }

    var batteries: [Int] {
        inputs.compactMap { if case .battery(let percent) = $0.value { percent } else { nil } }
    }
}
