package import Domain
package import Linux
package import Sensors

/// Holds the Bluetooth backend in use, and replaces it as bluetoothd starts and exits (``BackendSelector``).
///
/// The old backend and its links are released before the new one starts, so that never both use one sensor.
/// The old one's faults are cleared and its sensors removed; the new one reports its own. A pending scan completes without results,
/// a pending pairing as refused.
package final class SensorBackendSwitch: SensorBackend {
    /// Makes a backend that reports to the given closure. The text is the reason for an automatic choice, or nil.
    package typealias Maker = (SanitizedText?, @escaping (Input) -> Void) throws(SystemError) -> any SensorBackend

    /// The delay before the next attempt to make a backend.
    package static let retryDelay = Duration.seconds(5)

    private let makeKernel: Maker
    private let makeBus: Maker
    private let report: (Input) -> Void
    private let changed: (BackendSelector.Backend, SanitizedText?) -> Void
    private let isAutomatic: Bool

    private var selector: BackendSelector
    private var owner: BusNameWatcher?
    private var timer: TimerSource?
    private var used: (kind: BackendSelector.Backend, backend: any SensorBackend)?
    private var makeAt: Instant?

    /// The state that a new backend has to receive.
    private var isActive = false
    private var isOff: Bool

    private var raised: [FaultName] = []
    private var sensors: Set<SensorID> = []
    private var advice: BackendHint?
    private var scanned: (([ScanResult]) -> Void)?
    private var paired: ((PairingResult) -> Void)?

    /// - Parameters:
    ///   - isOff: whether no sensor is used until ``select(_:)``.
    ///   - address: the bus, such as ``Bus/systemAddress``.
    ///   - report: receives the reports of the backend, never before this returns.
    ///   - changed: receives each backend that starts, with the reason if the user did not choose it.
    package init(
        _ preference: BackendSelector.Preference, isOff: Bool = false, address: String = Bus.systemAddress,
        loop: EventLoop,
        makeKernel: @escaping Maker, makeBus: @escaping Maker, report: @escaping (Input) -> Void,
        changed: @escaping (BackendSelector.Backend, SanitizedText?) -> Void
    ) throws(SystemError) {
        let now = Clock.now()
        self.makeKernel = makeKernel
        self.makeBus = makeBus
        self.report = report
        self.changed = changed
        self.isOff = isOff
        isAutomatic = preference == .auto
        selector = BackendSelector(preference, at: now)
        timer = try loop.timer { [unowned self] in onTimer() }
        if preference == .auto {
            owner = try BusNameWatcher(of: "org.bluez", at: address, loop: loop) { [unowned self] owner in
                selector.receive(isRunning: owner != nil, at: Clock.now())
                onTimer()
            }
        }
        // A configured backend also starts in the first iteration of the loop, as a detected one does.
        timer?.arm(at: preference == .auto ? selector.deadline : now)
    }

    deinit {
        release()
    }

    // MARK: The backend in use

    private func onTimer() {
        let now = Clock.now()
        selector.tick(at: now)
        if let kind = selector.backend, kind != used?.kind, now >= makeAt ?? now { change(to: kind, at: now) }
        timer?.arm(at: [selector.deadline, makeAt].compactMap { $0 }.min())
    }

    private func change(to kind: BackendSelector.Backend, at now: Instant) {
        release()
        makeAt = nil
        let pass: (Input) -> Void = { [unowned self] in self.pass($0, from: kind) }
        do throws(SystemError) {
            let backend = kind == .kernel ? try makeKernel(selector.reason, pass) : try makeBus(selector.reason, pass)
            used = (kind, backend)
            changed(kind, selector.reason)
            if isActive { backend.runChanged(isActive: true) }
            if isOff { backend.stop() }
        } catch {
            // Memory or descriptors are exhausted.
            makeAt = now + Self.retryDelay
            report(.heartLink(LinkStatus(.disconnected, reason: .noBluetooth)))
        }
    }

    /// Releases the backend in use, and completes what is pending on it.
    private func release() {
        // On release it may complete a pending scan or pairing.
        used = nil
        endScan([])
        endPairing(.refused)
        for fault in raised { report(.clear(fault)) }
        raised = []
        for sensor in sensors { report(.sensorRemoved(sensor)) }
        sensors = []
        advice = nil
    }

    private func pass(_ input: Input, from kind: BackendSelector.Backend) {
        switch input {
        case .raise(let fault, _): if !raised.contains(fault) { raised.append(fault) }
        case .clear(let fault): raised.removeAll { $0 == fault }
        case .sensor(let status): sensors.insert(status.id)
        case .sensorRemoved(let id): sensors.remove(id)
        case .heartLink(let status): advise(kind == .kernel ? BackendHint(status) : nil)
        default: break
        }
        report(input)
    }

    private func advise(_ advice: BackendHint?) {
        guard advice != self.advice else { return }
        if let old = self.advice { pass(.clear(old.fault), from: .kernel) }
        if let advice { pass(.raise(advice.fault, message: advice.message(isAutomatic: isAutomatic)), from: .kernel) }
        self.advice = advice
    }

    private func endScan(_ scanResults: [ScanResult]) {
        let finished = scanned
        scanned = nil
        finished?(scanResults)
    }

    private func endPairing(_ result: PairingResult) {
        let finished = paired
        paired = nil
        finished?(result)
    }

    // MARK: Requests

    package func runChanged(isActive: Bool) {
        self.isActive = isActive
        used?.backend.runChanged(isActive: isActive)
    }

    package func select(_ sensors: [SensorMatcher]) {
        isOff = false
        used?.backend.select(sensors)
    }

    package func stop() {
        isOff = true
        used?.backend.stop()
    }

    package func forget(_ pattern: SensorMatcher?, remaining ours: [SensorMatcher]) {
        used?.backend.forget(pattern, remaining: ours)
    }

    package func scan(for duration: Duration, finished: @escaping ([ScanResult]) -> Void) -> SensorRequestError? {
        if scanned != nil || paired != nil { return .busy }
        // Which backend to use is known after ``BackendSelector/startTimeout`` at most.
        guard let backend = used?.backend else { return .unavailable(.noBluetooth) }
        let rejection = backend.scan(for: duration) { [weak self] in self?.endScan($0) }
        if rejection == nil { scanned = finished }
        return rejection
    }

    package func pair(_ pattern: SensorMatcher, finished: @escaping (PairingResult) -> Void) -> SensorRequestError? {
        if scanned != nil || paired != nil { return .busy }
        guard let backend = used?.backend else { return .unavailable(.noBluetooth) }
        let rejection = backend.pair(pattern) { [weak self] in self?.endPairing($0) }
        if rejection == nil { paired = finished }
        return rejection
    }

    package func compensateOffset(_ pattern: SensorMatcher?, finished: @escaping (ZeroOffsetResult) -> Void) {
        guard let backend = used?.backend else { return finished(.absent) }
        backend.compensateOffset(pattern, finished: finished)
    }
}
