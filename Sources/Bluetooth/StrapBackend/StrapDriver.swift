import Domain
import Linux
import Sensors

/// A scan on request, beside the scans of ``StrapLink``.
struct StrapScan {
    let endsAt: Instant
    let finished: ([ScanResult]) -> Void
}

/// The strap that a backend uses, or used last.
struct CurrentStrap {
    private(set) var address: LEAddress?
    /// The name that the strap advertised or reported.
    private var name: SanitizedText?

    mutating func change(to strap: LEAddress) {
        if strap != address { name = nil }
        address = strap
    }

    mutating func described(_ information: DeviceInformation) {
        // An advertised name is kept: another name would be that of another strap.
        name = name ?? information.name
    }

    /// The link status with the name of the strap, or with all names if several straps match.
    mutating func status(of link: StrapLink, _ choice: StrapSelector, at now: Instant) -> LinkStatus {
        var status = link.status
        if status.reason == .ambiguous {
            status.name = choice.names(at: now)
        } else if status.address != nil {
            name = name ?? address.flatMap(choice.name)
            status.name = name
        }
        return status
    }
}

/// The common part of the two Bluetooth backends: scan for straps, and serve one.
protocol StrapDriver: StrapBackend {
    var link: StrapLink { get set }
    var choice: StrapSelector { get set }
    var currentStrap: CurrentStrap { get set }
    var scan: StrapScan? { get set }
    /// Whether a pairing is in progress.
    var isPairing: Bool { get }
    /// The user chose to use no strap.
    var isOff: Bool { get set }
    /// The condition of this host that prevents scans and pairings.
    var obstacle: LinkReason? { get }

    var report: (Input) -> Void { get }
    var describe: (DeviceInformation) -> Void { get }
    var remember: ([KnownStrap]) -> Void { get }

    /// Cancels a pending connection attempt, because the adapter cannot scan meanwhile. It is retried afterwards.
    func makeWay(at now: Instant)
    /// Starts or stops the scan, as the link, a requested scan and a pairing need it.
    func searchAsWanted(at now: Instant)
    func perform(_ action: StrapLink.Action?, at now: Instant)
    /// Performs what has become possible, reports what has changed, and arms the timer.
    func reconcile(at now: Instant)
}

extension StrapDriver {
    package func runChanged(isActive: Bool) {
        let now = Clock.now()
        link.runChanged(isActive: isActive, at: now)
        reconcile(at: now)
    }

    package func stop() {
        isOff = true
        reconcile(at: Clock.now())
    }

    package func scan(for duration: Duration, finished: @escaping ([ScanResult]) -> Void) -> StrapRequestError? {
        if let refusal { return refusal }
        let now = Clock.now()
        scan = StrapScan(endsAt: now + duration, finished: finished)
        makeWay(at: now)
        searchAsWanted(at: now)
        reconcile(at: now)
        return nil
    }

    /// Why a scan or a pairing cannot start now.
    var refusal: StrapRequestError? {
        scan != nil || isPairing ? .busy : obstacle.map { .hindered($0) }
    }

    func endScan(at now: Instant) {
        guard let scan, now >= scan.endsAt else { return }
        self.scan = nil
        searchAsWanted(at: now)
        scan.finished(choice.sightings(at: now))
    }

    /// Applies a changed choice of straps: keeps the strap, or switches to another one.
    func wantAnew(at now: Instant) {
        perform(link.wanted(keepsStrap: keepsStrap, at: now), at: now)
        reconcile(at: now)
    }

    var keepsStrap: Bool {
        currentStrap.address.map(choice.mayKeep) ?? true
    }

    func save() {
        remember(choice.remembered)
    }

    /// Receives a report of the current strap.
    func received(_ said: HeartRateSession.Report, at now: Instant) {
        switch said {
        case .subscribed: link.subscribed(at: now)
        case .measured(let measurement):
            link.received(measurement, at: now)
            if let strap = currentStrap.address, choice.received(measurement, from: strap, at: now) { save() }
            reconcile(at: now)
            return report(.heart(measurement))
        case .battery(let level): report(.battery(percent: level.percent))
        case .described(let information): described(information, at: now)
        }
        reconcile(at: now)
    }

    private func described(_ information: DeviceInformation, at now: Instant) {
        if let strap = currentStrap.address {
            switch choice.described(information, of: strap) {
            case .ours(let hasChanged): if hasChanged { save() }
            case .stranger: return perform(link.wanted(keepsStrap: false, at: now), at: now)
            }
        }
        currentStrap.described(information)
        reconcile(at: now)
        describe(information)
    }
}
