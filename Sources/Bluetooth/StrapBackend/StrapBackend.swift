package import Domain
package import Sensors

/// A Bluetooth backend for straps: the kernel's management interface and L2CAP, or bluetoothd.
///
/// One backend at a time serves a strap. On release it disconnects the strap and stops scanning, but does
/// not clear the faults that it has raised.
package protocol StrapBackend: AnyObject {
    /// Receives the start or end of a run. During a run the strap is searched for more often.
    func runChanged(isActive: Bool)

    /// Sets our straps. If `ours` is empty, discovered and known straps are used. It wakes a strap that is off-body.
    func use(_ ours: [StrapMatcher])

    /// Uses no strap until ``use(_:)``.
    func stop()

    /// Forgets the known straps that match the pattern, or all if it is nil. `ours` is the remaining setting.
    func forget(_ pattern: StrapMatcher?, said ours: [StrapMatcher])

    /// Scans for `duration`, then returns the results to `finished`. A connected strap stays connected; a
    /// pending connection attempt is suspended.
    func scan(for duration: Duration, finished: @escaping ([ScanResult]) -> Void) -> StrapRequestError?

    /// Pairs with the strap that matches the pattern, within ``PairingResult/limit``. `finished` receives the result.
    func pair(_ pattern: StrapMatcher, finished: @escaping (PairingResult) -> Void) -> StrapRequestError?
}

/// Why a scan or a pairing is rejected.
package enum StrapRequestError: Equatable, Sendable {
    /// Another scan or pairing is in progress.
    case busy
    /// The host prevents it: no-bluetooth, no-adapter, adapter-off, adapter-blocked, no-permission or off.
    case hindered(LinkReason)
}
