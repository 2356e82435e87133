import Domain

/// The last reported status of the strap, so that only changes are reported.
struct SensorStatusReporter: Sendable {
    private let backend: BluetoothStatus.Backend
    /// Why this backend is in use, if the user did not choose it.
    private let reason: SanitizedText?
    /// The kernel's release.
    private let kernel: String
    private var status: LinkStatus?
    private var faults: Set<SensorFault> = []
    private var bluetooth: BluetoothStatus?

    init(backend: BluetoothStatus.Backend, reason: SanitizedText?, kernel: String) {
        self.backend = backend
        self.reason = reason
        self.kernel = kernel
    }

    /// Appends reports of the changes since the last call.
    mutating func update(
        adapter: BluetoothAddress?, faults: Set<SensorFault>, _ status: LinkStatus,
        into actions: inout [SensorDriver.Action]
    ) {
        let bluetooth = BluetoothStatus(backend: backend, adapter: adapter, reason: reason)
        if bluetooth != self.bluetooth { actions.append(.report(.bluetooth(bluetooth))) }
        for fault in SensorFault.allCases {
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
