import Domain
import Linux
package import Sensors

/// Pairing, for a strap that sends heart rate only over an encrypted link.
extension KernelStrapBackend {
    /// A requested pairing: the strap is searched for, then the kernel pairs with it.
    struct Pairing {
        let pattern: StrapMatcher
        let endsAt: Instant
        let finished: (PairingResult) -> Void
        /// The address of the strap, once it is known.
        var strap: LEAddress?
        /// Whether the strap was not looked up yet among the known and found ones.
        var isNew = true

        var deadline: Instant {
            isNew ? endsAt - PairingResult.limit : endsAt
        }
    }

    package func pair(_ pattern: StrapMatcher, finished: @escaping (PairingResult) -> Void) -> StrapRequestError? {
        if let refusal { return refusal }
        let now = Clock.now()
        // The pairing starts in the next iteration of the loop, so that it never finishes before this returns.
        pairing = Pairing(pattern: pattern, endsAt: now + PairingResult.limit, finished: finished)
        makeWay(at: now)
        reconcile(at: now)
        return nil
    }

    var isPairing: Bool {
        pairing != nil
    }

    /// Whether the strap to pair is not found yet.
    var isPairingWithUnheard: Bool {
        pairing.map { !$0.isNew && $0.strap == nil } ?? false
    }

    /// Starts a new pairing, and ends one that has expired or cannot continue.
    func pursuePairing(at now: Instant) {
        guard let pairing else { return }
        if now >= pairing.endsAt { return endPairing(pairing.strap == nil ? .absent : .refused, at: now) }
        // The adapter may disappear, or turn out to need a privilege that we lack.
        if obstacle != nil { return endPairing(.refused, at: now) }
        guard pairing.isNew else { return }
        self.pairing?.isNew = false
        let strap = choice.meant(by: pairing.pattern, at: now) ?? strapAtHand(meantBy: pairing.pattern)
        guard let strap else { return searchAsWanted(at: now) }
        beginPairing(with: strap, at: now)
    }

    private func strapAtHand(meantBy pattern: StrapMatcher) -> LEAddress? {
        currentStrap.address.flatMap { pattern.matches($0, name: choice.name(of: $0)) ? $0 : nil }
    }

    /// Starts the pairing if the found device matches.
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
        // A strap that has lost its key refuses the link although we hold ours.
        let isRefused = strap == currentStrap.address && link.faults.contains(.needsPairing)
        if channel.session.isPaired(strap), !isRefused { return endPairing(.pairedAlready, at: now) }
        channel.pair(strap, until: endsAt, at: now)
    }

    func endPairing(_ outcome: PairingResult, at now: Instant) {
        guard let pairing else { return }
        self.pairing = nil
        channel.stopPairing(at: now)
        searchAsWanted(at: now)
        // If it is our strap, it is reconnected at once.
        wantAnew(at: now)
        pairing.finished(outcome)
    }
}
