import Domain
import Linux
import Sensors

/// The last reported status of the strap, so that only changes are reported.
struct StrapStatusReporter {
    private let way: BluetoothStatus.Backend
    /// Why this backend is in use, if the user did not choose it.
    private let reason: SanitizedText?
    private var status: LinkStatus?
    private var faults: Set<StrapFault> = []
    private var bluetooth: BluetoothStatus?

    init(way: BluetoothStatus.Backend, reason: SanitizedText?) {
        self.way = way
        self.reason = reason
    }

    /// The changes since the last call, as inputs of the pipeline.
    mutating func update(adapter: BluetoothAddress?, _ faults: Set<StrapFault>, _ status: LinkStatus) -> [Input] {
        var inputs: [Input] = []
        let bluetooth = BluetoothStatus(way: way, adapter: adapter, reason: reason)
        if bluetooth != self.bluetooth { inputs.append(.bluetooth(bluetooth)) }
        for fault in StrapFault.allCases {
            switch (self.faults.contains(fault), faults.contains(fault)) {
            case (false, true): inputs.append(fault.raised(kernel: Kernel.release))
            case (true, false): inputs.append(fault.cleared)
            default: break
            }
        }
        if status != self.status { inputs.append(.heartLink(status)) }
        self.bluetooth = bluetooth
        self.faults = faults
        self.status = status
        return inputs
    }
}
