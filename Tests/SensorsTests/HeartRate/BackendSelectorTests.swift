import Domain
import Sensors
import TestKit
import Testing

struct BackendSelectorTests {
    private var clock = ManualClock()
    private var choice: BackendSelector

    init() {
        choice = BackendSelector(.auto, at: clock.now)
    }

    /// Advances the clock and calls `tick(at:)` at the deadline.
    private mutating func pass(_ duration: Duration) {
        let end = clock.now + duration
        if let deadline = choice.deadline, deadline <= end { choice.tick(at: deadline) }
        clock.now = end
    }

    private mutating func report(_ isRunning: Bool) {
        choice.receive(isRunning: isRunning, at: clock.now)
    }

    @Test mutating func runningBluetoothdIsChosenAtOnce() {
        #expect(choice.backend == nil)
        report(true)
        #expect(choice.backend == .bluetoothd)
        #expect(choice.reason?.text == "bluetoothd runs")
        #expect(choice.deadline == nil)
    }

    @Test mutating func kernelIsChosenAtOnceWithoutBluetoothd() {
        report(false)
        #expect(choice.backend == .kernel)
        #expect(choice.reason?.text == "bluetoothd does not run")
        #expect(choice.deadline == nil)
    }

    @Test mutating func silentBusSelectsTheKernelAfterTwoSeconds() {
        pass(.seconds(2) - .milliseconds(1))
        #expect(choice.backend == nil)
        pass(.milliseconds(1))
        #expect(choice.backend == .kernel)
        #expect(choice.reason?.text == "the system bus does not answer")
        report(false)
        #expect(choice.reason?.text == "the system bus does not answer", "why it was chosen does not change")
        report(true)
        #expect(choice.backend == .bluetoothd, "an answer may come late")
    }

    @Test mutating func restartedBluetoothdStaysChosen() {
        report(true)
        for gap in [0.1, 1, 3, 3.9] {
            report(false)
            pass(.seconds(gap))
            #expect(choice.backend == .bluetoothd)
            report(true)
            #expect(choice.deadline == nil)
            pass(.seconds(10))
            #expect(choice.backend == .bluetoothd)
        }
    }

    @Test mutating func stoppedBluetoothdIsReplacedAfterFourSeconds() {
        report(true)
        report(false)
        pass(.seconds(3))
        // The loss of the bus changes nothing.
        report(false)
        pass(.seconds(1))
        #expect(choice.backend == .kernel)
        #expect(choice.reason?.text == "bluetoothd does not run")
        report(true)
        #expect(choice.backend == .bluetoothd)
    }

    @Test(arguments: [(BackendSelector.Preference.kernel, BackendSelector.Backend.kernel), (.bluetoothd, .bluetoothd)])
    mutating func configuredBackendIsKept(_ wish: BackendSelector.Preference, _ way: BackendSelector.Backend) {
        choice = BackendSelector(wish, at: clock.now)
        for isRunning in [true, false] {
            #expect(choice.backend == way && choice.reason == nil && choice.deadline == nil)
            report(isRunning)
            pass(.seconds(10))
        }
        #expect(choice.backend == way && choice.reason == nil)
    }
}
