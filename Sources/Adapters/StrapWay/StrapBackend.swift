package import Domain
package import Sensors

/// A way to the straps over the air: the kernel's own Bluetooth, or bluetoothd.
///
/// One way at a time serves a strap. Released, it leaves the strap and the air alone, and clears nothing that it has reported.
package protocol StrapBackend: AnyObject {
    /// A run has begun, or ended: during one the strap is looked for more often.
    func runChanged(isActive: Bool)

    /// Which straps are ours; none leaves it to what is heard and remembered. It wakes one that sleeps.
    func use(_ ours: [StrapMatcher])

    /// No strap is used until ``use(_:)``.
    func stop()

    /// Forgets the remembered straps that a pattern means, or all; `said` is what is left of those that were said.
    func forget(_ pattern: StrapMatcher?, said ours: [StrapMatcher])

    /// Hears who is there for so long, and then hands that over. A strap that is connected stays so; waiting for one makes way.
    func scan(for duration: Duration, finished: @escaping ([ScanResult]) -> Void) -> StrapRequestError?

    /// Pairs with the strap that a pattern means, within ``PairingResult/limit``, and then says how that ended.
    func pair(_ pattern: StrapMatcher, finished: @escaping (PairingResult) -> Void) -> StrapRequestError?
}

/// Why a scan or a pairing is not begun.
package enum StrapRequestError: Equatable, Sendable {
    /// Another one is going on.
    case busy
    /// The host does not let it: no-bluetooth, no-adapter, adapter-off, adapter-blocked, no-permission or off.
    case hindered(LinkReason)
}
