import Domain
import Linux
package import Sensors

/// A strap that gives heart rate only to those that are paired with it.
extension KernelStrapBackend {
    /// A pairing that somebody has asked for: the strap is searched, then the kernel pairs with it.
    struct Pairing {
        let pattern: StrapMatcher
        let endsAt: Instant
        let finished: (PairingResult) -> Void
        /// Whom it is with, once that is known.
        var strap: LEAddress?
        /// It has not been looked yet for who may be meant.
        var isNew = true

        var deadline: Instant {
            isNew ? endsAt - PairingResult.limit : endsAt
        }
    }

    package func pair(_ pattern: StrapMatcher, finished: @escaping (PairingResult) -> Void) -> StrapRequestError? {
        if let refusal { return refusal }
        let now = Clock.now()
        // It goes on in the next turn of the loop, so that nothing is answered before it was begun.
        pairing = Pairing(pattern: pattern, endsAt: now + PairingResult.limit, finished: finished)
        makeWay(at: now)
        reconcile(at: now)
        return nil
    }

    var isPairing: Bool {
        pairing != nil
    }

    /// Whether the strap that is to be paired has yet to be heard.
    var isPairingWithUnheard: Bool {
        pairing.map { !$0.isNew && $0.strap == nil } ?? false
    }

    /// Begins what is new, and ends what nobody else has ended.
    func pursuePairing(at now: Instant) {
        guard let pairing else { return }
        if now >= pairing.endsAt { return endPairing(pairing.strap == nil ? .absent : .refused, at: now) }
        // The adapter may go away, or turn out not to be ours to command.
        if obstacle != nil { return endPairing(.refused, at: now) }
        guard pairing.isNew else { return }
        self.pairing?.isNew = false
        let strap = choice.meant(by: pairing.pattern, at: now) ?? strapAtHand(meantBy: pairing.pattern)
        guard let strap else { return searchAsWanted(at: now) }
        beginPairing(with: strap, at: now)
    }

    private func strapAtHand(meantBy pattern: StrapMatcher) -> LEAddress? {
        atHand.address.flatMap { pattern.matches($0, name: choice.name(of: $0)) ? $0 : nil }
    }

    /// Whoever is heard may be the one.
    func considerPairing(with sighting: ScanResult, at now: Instant) {
        guard isPairingWithUnheard, let pairing, pairing.pattern.matches(sighting.address, name: sighting.name) else {
            return
        }
        beginPairing(with: sighting.address, at: now)
        searchAsWanted(at: now)
    }

    private func beginPairing(with strap: LEAddress, at now: Instant) {
        guard let endsAt = pairing?.endsAt else { return }
        pairing?.strap = strap
        // A strap that has forgotten the key refuses us in spite of it.
        let isRefused = strap == atHand.address && link.faults.contains(.needsPairing)
        if channel.session.isPaired(strap), !isRefused { return endPairing(.pairedAlready, at: now) }
        channel.pair(strap, until: endsAt, at: now)
    }

    func endPairing(_ outcome: PairingResult, at now: Instant) {
        guard let pairing else { return }
        self.pairing = nil
        channel.stopPairing(at: now)
        searchAsWanted(at: now)
        // It is connected anew at once, if it is ours.
        wantAnew(at: now)
        pairing.finished(outcome)
    }
}
