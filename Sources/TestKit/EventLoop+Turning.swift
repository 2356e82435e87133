import Domain
package import Linux

extension EventLoop {
    /// Runs everything that is due, and its immediate consequences.
    package func settle(_ turns: Int = 20) {
        for _ in 0..<turns { try! runOnce(waiting: .zero) }
    }

    /// Runs the loop until a condition holds. False after the time limit.
    package func turn(until isTrue: () -> Bool, within timeout: Duration = .seconds(60)) -> Bool {
        let end = Clock.now() + timeout
        while !isTrue() {
            if Clock.now() > end { return false }
            try! runOnce(waiting: .milliseconds(5))
        }
        return true
    }
}
