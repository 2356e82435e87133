import Domain
import Linux
import Testing

/// Iterations of the loop that fail the test if the awaited condition does not come about.
extension BluetoothdFixture {
    /// Starts, and waits for the first beats.
    func stream(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try start()
        try turn(sourceLocation: sourceLocation) { hearts.count >= 2 }
    }

    /// Waits for new beats.
    func streamAgain(limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation) throws {
        let before = hearts.count
        try turn(limit: limit, sourceLocation: sourceLocation) { hearts.count >= before + 2 }
    }

    /// Runs the loop until a condition holds. Fails the test if it does not.
    func turn(
        limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation, until isSo: () -> Bool
    ) throws {
        let story = { [self] in "\(links.map { "\($0.state) \($0.reason?.rawValue ?? "")" }) after \(members)" }
        try #require(try run(for: limit) { _ in isSo() }, "\(story())", sourceLocation: sourceLocation)
    }

    /// Runs the loop for `duration`. Returns the largest delay of a timer that fires ten times a second.
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
