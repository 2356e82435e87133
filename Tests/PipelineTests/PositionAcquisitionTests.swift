import Domain
import Pipeline
import Testing

@Suite struct PositionAcquisitionTests {
    typealias State = AcquisitionStatus.State

    /// The states, and the ticks after which each begins.
    private func states(of machine: PositionAcquisition, ticks: Int) -> [(state: State, tick: Int)] {
        var machine = machine
        var states = [(machine.status.state, 0)]
        for tick in 1...ticks {
            machine.advance(ticks: 1)
            if machine.status.state != states.last?.0 { states.append((machine.status.state, tick)) }
        }
        return states
    }

    private func searching() -> PositionAcquisition {
        var machine = PositionAcquisition()
        machine.connect()
        return machine
    }

    private func updated() -> PositionAcquisition {
        var machine = searching()
        machine.receive(accuracy: 10)
        machine.advance(ticks: 1)
        return machine
    }

    private func expectStates(
        _ machine: PositionAcquisition, _ expected: [(State, Int)], ticks: Int,
        at location: SourceLocation = #_sourceLocation
    ) {
        let states = states(of: machine, ticks: ticks)
        #expect(states.map(\.state) == expected.map(\.0), sourceLocation: location)
        #expect(states.map(\.tick) == expected.map(\.1), sourceLocation: location)
    }

    @Test func waitsForTheNetworkWithoutEnd() {
        expectStates(PositionAcquisition(), [(.network, 0)], ticks: 10_000)
    }

    /// Searches of 10, 15, 20, 25, 30 and 30 s, with 5.1 s between.
    @Test func searchWithoutFixesFailsAndBeginsAgain() {
        var expected: [(State, Int)] = []
        var start = 0
        for length in [100, 150, 200, 250, 300, 300, 300] {
            expected += [(.searching, start), (.extended, start + 3), (.errorIdle, start + length)]
            start += length + 51
        }
        expectStates(searching(), expected, ticks: start - 1)
    }

    @Test func goodFixEndsTheSearchAtOnce() {
        var machine = searching()
        machine.advance(ticks: 2)
        #expect(machine.status == AcquisitionStatus(.searching, age: .milliseconds(200)))
        machine.receive(accuracy: 100)
        expectStates(machine, [(.found, 0), (.updated, 1), (.expired, 301), (.updating, 302)], ticks: 302)
        var late = searching()
        late.advance(ticks: 99)
        late.receive(accuracy: nil)
        #expect(late.status.state == .found)
    }

    @Test(arguments: [(101.0, State.found), (5000, .found), (5001, .errorIdle)])
    func roughFixCountsAtTheEndOfTheSearch(accuracy: Double, next: State) {
        var machine = searching()
        machine.advance(ticks: 50)
        machine.receive(accuracy: accuracy)
        machine.receive(accuracy: 9000)
        #expect(machine.status.state == .extended)
        machine.advance(ticks: 49)
        #expect(machine.status.state == .extended)
        machine.advance(ticks: 1)
        #expect(machine.status.state == next)
    }

    @Test func updateWithoutFixesFailsAndBeginsAgain() {
        expectStates(
            updated(),
            [
                (.updated, 0), (.expired, 300), (.updating, 301), (.expiredError, 601), (.updating, 702),
                (.expiredError, 1002), (.updating, 1103),
            ], ticks: 1103)
    }

    @Test(arguments: [(15.0, true), (15.1, false)]) func goodFixEndsAnUpdateAtOnce(accuracy: Double, ends: Bool) {
        var machine = updated()
        machine.advance(ticks: 400)
        #expect(machine.status.state == .updating)
        machine.receive(accuracy: accuracy)
        #expect((machine.status.state == .updated) == ends)
    }

    @Test(arguments: [(5000.0, State.updated), (5001, .expiredError)])
    func roughFixCountsAtTheEndOfAnUpdate(accuracy: Double, next: State) {
        var machine = updated()
        machine.advance(ticks: 400)
        machine.receive(accuracy: accuracy)
        machine.advance(ticks: 200)
        #expect(machine.status.state == .updating)
        machine.advance(ticks: 1)
        #expect(machine.status.state == next)
    }

    /// A fix of the first search does not count for an update.
    @Test func updateForgetsTheFixesBefore() {
        expectStates(updated(), [(.updated, 0), (.expired, 300), (.updating, 301), (.expiredError, 601)], ticks: 601)
    }

    @Test func goodFixesKeepThePositionUpdated() {
        var machine = updated()
        for _ in 0..<100 {
            machine.advance(ticks: 299)
            machine.receive(accuracy: 15)
            #expect(machine.status == AcquisitionStatus(.updated, age: .zero))
        }
        machine.receive(accuracy: 16)
        machine.advance(ticks: 299)
        machine.receive(accuracy: 16)
        machine.advance(ticks: 1)
        #expect(machine.status.state == .expired)
    }

    @Test func fixInAnErrorWaitsForTheNextSearch() {
        var machine = searching()
        machine.advance(ticks: 100)
        machine.receive(accuracy: 5)
        #expect(machine.status.state == .errorIdle)
        machine.advance(ticks: 51)
        #expect(machine.status.state == .searching)
        machine.receive(accuracy: 5)
        #expect(machine.status.state == .found)
    }

    /// The transition that ParkFinder lacks: whatever the state, a lost receiver is no endless search.
    @Test(arguments: [0, 2, 50, 120, 160]) func lostReceiverEndsASearch(ticks: Int) {
        var machine = searching()
        machine.advance(ticks: ticks)
        machine.disconnect()
        #expect(machine.status == AcquisitionStatus(.network, age: .zero))
        machine.connect()
        #expect(machine.status.state == .searching)
    }

    @Test(arguments: [0, 10, 300, 400, 650]) func lostReceiverEndsAnUpdate(ticks: Int) {
        var machine = updated()
        machine.advance(ticks: ticks)
        machine.disconnect()
        #expect(machine.status.state == .network)
        machine.connect()
        #expect(machine.status.state == .updating)
    }

    @Test func fixProvesTheConnection() {
        var machine = PositionAcquisition()
        machine.receive(accuracy: 5)
        #expect(machine.status.state == .found)
    }

    /// However many searches have failed, the answer that there is no position comes within 30 s.
    @Test(arguments: 0..<10) func answerComesWithinThirtySeconds(failures: Int) {
        var machine = searching()
        for _ in 0..<failures {
            while machine.status.state != .errorIdle { machine.advance(ticks: 1) }
            machine.advance(ticks: 51)
        }
        #expect(states(of: machine, ticks: 300).contains { $0.state == .errorIdle })
    }

    /// Many ticks at once, after a stall, are the same as one by one.
    @Test func manyTicksAreTheSameAsOneByOne() {
        for count in [1, 2, 3, 99, 100, 101, 151, 700, 3333] {
            for machine in [PositionAcquisition(), searching(), updated()] {
                var (one, other) = (machine, machine)
                one.advance(ticks: count)
                for _ in 0..<count { other.advance(ticks: 1) }
                #expect(one == other)
            }
        }
    }
}
