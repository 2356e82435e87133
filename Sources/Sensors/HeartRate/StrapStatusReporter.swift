import Domain

/// The strap that a backend uses, or used last.
struct CurrentStrap: Sendable {
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
    mutating func status(of link: StrapLink, _ selector: StrapSelector, at now: Instant) -> LinkStatus {
        var status = link.status
        if status.reason == .ambiguous {
            status.name = selector.names(at: now)
        } else if status.address != nil {
            name = name ?? address.flatMap(selector.name)
            status.name = name
        }
        return status
    }
}

/// The last reported status of the strap, so that only changes are reported.
struct StrapStatusReporter: Sendable {
    private let backend: BluetoothStatus.Backend
    /// Why this backend is in use, if the user did not choose it.
    private let reason: SanitizedText?
    /// The kernel's release.
    private let kernel: String
    private var status: LinkStatus?
    private var faults: Set<StrapFault> = []
    private var bluetooth: BluetoothStatus?

    init(backend: BluetoothStatus.Backend, reason: SanitizedText?, kernel: String) {
        self.backend = backend
        self.reason = reason
        self.kernel = kernel
    }

    /// Appends reports of the changes since the last call.
    mutating func update(
        adapter: BluetoothAddress?, faults: Set<StrapFault>, _ status: LinkStatus,
        into actions: inout [StrapDriver.Action]
    ) {
        let bluetooth = BluetoothStatus(backend: backend, adapter: adapter, reason: reason)
        if bluetooth != self.bluetooth { actions.append(.report(.bluetooth(bluetooth))) }
        for fault in StrapFault.allCases {
            switch (self.faults.contains(fault), faults.contains(fault)) {
            case (false, true): actions.append(.report(fault.raised(kernel: kernel)))
            case (true, false): actions.append(.report(fault.cleared))
            default: break
            }
        }
        if status != self.status { actions.append(.report(.heartLink(status))) }
        self.bluetooth = bluetooth
        self.faults = faults
        self.status = status
    }
}
