package import Domain
import Linux
package import Sensors

/// What every backend has around its ``SensorDriver``: the actions to perform, the timer, and the receivers of reports.
package final class SensorDriverShell {
    var driver: SensorDriver
    fileprivate var queue = ActionQueue<SensorDriver.Action>()
    fileprivate var timer: TimerSource?
    fileprivate let report: (Input) -> Void
    fileprivate let describe: (DeviceInformation) -> Void
    fileprivate let remember: ([KnownSensor]) -> Void
    fileprivate var scanFinished: ([ScanResult]) -> Void = { _ in }
    fileprivate var pairingFinished: (PairingResult) -> Void = { _ in }
    fileprivate var compensationFinished: (ZeroOffsetResult) -> Void = { _ in }

    /// - Parameters:
    ///   - reason: why the backend is in use, if the user did not choose it.
    ///   - ours: the sensors that the setting or the option names. If it has no strap, discovered and known ones are used.
    ///   - remembered: the known sensors from earlier starts, which have sent a measurement.
    ///   - report: receives measurements, battery levels, changes of link and adapter, and faults.
    ///   - describe: receives a sensor's device information, once per connection.
    ///   - remember: receives the known sensors whenever they change.
    package init(
        over backend: BluetoothStatus.Backend, reason: SanitizedText? = nil, ours: [SensorMatcher],
        remembered: [KnownSensor], report: @escaping (Input) -> Void,
        describe: @escaping (DeviceInformation) -> Void, remember: @escaping ([KnownSensor]) -> Void
    ) {
        driver = SensorDriver(
            over: backend, reason: reason, kernel: Kernel.release, ours: ours, remembered: remembered, at: Clock.now())
        self.report = report
        self.describe = describe
        self.remember = remember
    }

    /// The actions of this turn, to which the driver appends.
    var actions: [SensorDriver.Action] {
        _read { yield queue.actions }
        _modify { yield &queue.actions }
    }
}

/// A backend that performs the actions of a ``SensorDriver``. What its events mean for the sensors it tells the driver, and
/// then it calls ``performActions(at:)``.
protocol DrivenSensorBackend: SensorBackend {
    var shell: SensorDriverShell { get }

    /// Performs an action that is for the radio.
    func perform(_ action: SensorDriver.Action, at now: Instant)

    /// Starts what had to wait until all actions are performed.
    func settle(at now: Instant)

    func host(at now: Instant) -> SensorDriver.Host

    /// Advances the timers of the backend and of the driver.
    func tick(at now: Instant)

    /// When the backend needs its next ``tick(at:)``.
    func deadlines(at now: Instant) -> [Instant?]

    /// Prepares for a pairing that the driver begins next.
    func preparePairing(at now: Instant)

    /// Forgets the keys of the sensors that the driver forgets next.
    func forgetKeys(of pattern: SensorMatcher?, at now: Instant)
}

extension DrivenSensorBackend {
    func startTimer(in loop: EventLoop, at now: Instant) throws(SystemError) {
        shell.timer = try loop.timer { [unowned self] in
            let now = Clock.now()
            tick(at: now)
            performActions(at: now)
        }
        shell.timer?.arm(at: now)
    }

    /// Performs the driver's actions, then arms the timer. An event that they cause is handled by this same call.
    func performActions(at now: Instant) {
        guard shell.queue.begin() else { return }
        repeat {
            performPending(at: now)
            settle(at: now)
            shell.driver.reconcile(with: host(at: now), at: now, into: &shell.actions)
        } while !shell.actions.isEmpty
        shell.queue.end()
        shell.timer?.arm(at: (deadlines(at: now) + [shell.driver.deadline(at: now)]).compactMap { $0 }.min())
    }

    /// Completes pending requests when the backend is released.
    func release(at now: Instant) {
        shell.driver.release(at: now, into: &shell.actions)
        performPending(at: now)
    }

    private func performPending(at now: Instant) {
        while let action = shell.queue.popFirst() {
            switch action {
            case .report(let input): shell.report(input)
            case .describe(let information): shell.describe(information)
            case .remember(let sensors): shell.remember(sensors)
            case .finishScan(let results): shell.scanFinished(results)
            case .finishPairing(let result): shell.pairingFinished(result)
            case .finishCompensation(let result): shell.compensationFinished(result)
            default: perform(action, at: now)
            }
        }
    }

    // MARK: Requests

    package func runChanged(isActive: Bool) {
        let now = Clock.now()
        shell.driver.runChanged(isActive: isActive, at: now)
        performActions(at: now)
    }

    package func select(_ sensors: [SensorMatcher]) {
        let now = Clock.now()
        shell.driver.select(sensors, at: now, into: &shell.actions)
        performActions(at: now)
    }

    package func stop() {
        shell.driver.stop()
        performActions(at: Clock.now())
    }

    package func forget(_ pattern: SensorMatcher?, remaining ours: [SensorMatcher]) {
        let now = Clock.now()
        forgetKeys(of: pattern, at: now)
        shell.driver.forget(pattern, ours: ours, at: now, into: &shell.actions)
        performActions(at: now)
    }

    package func scan(for duration: Duration, finished: @escaping ([ScanResult]) -> Void) -> SensorRequestError? {
        if let rejection = shell.driver.rejection { return rejection }
        let now = Clock.now()
        shell.scanFinished = finished
        shell.driver.scan(for: duration, at: now, into: &shell.actions)
        performActions(at: now)
        return nil
    }

    package func pair(_ pattern: SensorMatcher, finished: @escaping (PairingResult) -> Void) -> SensorRequestError? {
        if let rejection = shell.driver.rejection { return rejection }
        let now = Clock.now()
        shell.pairingFinished = finished
        shell.driver.pair(pattern, at: now)
        preparePairing(at: now)
        performActions(at: now)
        return nil
    }

    package func compensateOffset(_ pattern: SensorMatcher?, finished: @escaping (ZeroOffsetResult) -> Void) {
        let now = Clock.now()
        if let result = shell.driver.compensateOffset(pattern, at: now, into: &shell.actions) {
            return finished(result)
        }
        shell.compensationFinished = finished
        performActions(at: now)
    }
}
