import Domain
import Linux
import Simulation
import Testing

@Test func simulatorReportsUntilItIsReleased() throws {
    let loop = try EventLoop()
    let began = Clock.now()
    var inputs: [Timestamped<Input>] = []
    var simulator: Simulator?
    let end = try loop.timer { loop.stop(0) }
    end.arm(at: began + .seconds(10))
    simulator = try Simulator(.run, seed: 1, loop: loop) { input in
        inputs.append(Timestamped(input, at: Clock.now()))
        // Released during a report. The strap's next one would come within a second.
        guard case .fix = input else { return }
        simulator = nil
        end.arm(at: Clock.now() + .milliseconds(1100))
    }
    #expect(try loop.run() == 0)

    #expect(simulator == nil)
    guard case .fix(let fix)? = inputs.last?.value else {
        Issue.record("a fix was to be the last input, but it is \(String(describing: inputs.last))")
        return
    }
    #expect(inputs.gpsdLinks.map(\.value.state) == [.connecting, .connected])
    #expect(inputs.heartLinks.map(\.value.state) == [.connecting])
    #expect(fix.mode == 3)
    // Reported on arrival, with the machine's own clocks.
    let reportedAt = try #require(inputs.last?.measuredAt)
    #expect(fix.arrivedAt >= began)
    #expect(reportedAt >= fix.arrivedAt)
    let time = try #require(fix.time)
    let age = Clock.systemTime().milliseconds - time.milliseconds - (Clock.now() - reportedAt).wholeMilliseconds
    #expect((50...1000).contains(age))
}
