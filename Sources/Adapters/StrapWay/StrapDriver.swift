import Domain
import Linux
import Sensors

/// A search that somebody has asked for, beside the link's own.
struct StrapScan {
    let endsAt: Instant
    let finished: ([ScanResult]) -> Void
}

/// The strap that a way has at hand, or had last.
struct CurrentStrap {
    private(set) var address: LEAddress?
    /// What it called itself.
    private var name: SanitizedText?

    mutating func change(to strap: LEAddress) {
        if strap != address { name = nil }
        address = strap
    }

    mutating func described(_ information: DeviceInformation) {
        // A name that it advertised stays: another one would be another strap's.
        name = name ?? information.name
    }

    /// How the link stands, with the name of whom that is about.
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

/// What the two ways over the air do alike: they search for straps, and hear one.
protocol StrapDriver: StrapBackend {
    var link: StrapLink { get set }
    var choice: StrapSelector { get set }
    var atHand: CurrentStrap { get set }
    var scan: StrapScan? { get set }
    /// Whether a pairing goes on.
    var isPairing: Bool { get }
    /// People have said that no strap is to be used.
    var isOff: Bool { get set }
    /// What of the host keeps scans and pairings from being begun.
    var obstacle: LinkReason? { get }

    var report: (Input) -> Void { get }
    var describe: (DeviceInformation) -> Void { get }
    var remember: ([KnownStrap]) -> Void { get }

    /// Stops waiting for a strap, which the adapter cannot do while it searches. What is wanted is waited for again afterwards.
    func makeWay(at now: Instant)
    /// Searches while anybody wants somebody to be heard.
    func searchAsWanted(at now: Instant)
    func perform(_ action: StrapLink.Action?, at now: Instant)
    /// Does what has become possible, tells what has changed, and waits for the next deadline.
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

    /// Why neither a scan nor a pairing can be begun now.
    var refusal: StrapRequestError? {
        scan != nil || isPairing ? .busy : obstacle.map { .hindered($0) }
    }

    func endScan(at now: Instant) {
        guard let scan, now >= scan.endsAt else { return }
        self.scan = nil
        searchAsWanted(at: now)
        scan.finished(choice.sightings(at: now))
    }

    /// Uses the strap again, or another one, as people want it from now on.
    func wantAnew(at now: Instant) {
        perform(link.wanted(keepsStrap: keepsStrap, at: now), at: now)
        reconcile(at: now)
    }

    var keepsStrap: Bool {
        atHand.address.map(choice.mayKeep) ?? true
    }

    func save() {
        remember(choice.remembered)
    }

    /// Takes what the strap at hand has said.
    func received(_ said: HeartRateSession.Report, at now: Instant) {
        switch said {
        case .subscribed: link.subscribed(at: now)
        case .measured(let measurement):
            link.received(measurement, at: now)
            if let strap = atHand.address, choice.received(measurement, from: strap, at: now) { save() }
            reconcile(at: now)
            return report(.heart(measurement))
        case .battery(let level): report(.battery(percent: level.percent))
        case .described(let information): described(information, at: now)
        }
        reconcile(at: now)
    }

    private func described(_ information: DeviceInformation, at now: Instant) {
        if let strap = atHand.address {
            switch choice.described(information, of: strap) {
            case .ours(let hasChanged): if hasChanged { save() }
            case .stranger: return perform(link.wanted(keepsStrap: false, at: now), at: now)
            }
        }
        atHand.described(information)
        reconcile(at: now)
        describe(information)
    }
}
