import Domain
import Linux
package import Sensors

/// What people ask for.
extension KernelStraps {
    /// Hears who is there for so long, and then hands that over. A strap that is connected stays so; waiting for one makes way.
    package func scan(for duration: Duration, finished: @escaping ([StrapSighting]) -> Void) -> StrapRefusal? {
        if scan != nil || pairing != nil { return .busy }
        if let obstacle { return .hindered(obstacle) }
        let now = Clock.now()
        beginScan(Scan(endsAt: now + duration, finished: finished), at: now)
        settle(at: now)
        return nil
    }

    /// Which straps are ours; none leaves it to what is heard and remembered. It wakes one that sleeps.
    package func use(_ ours: [StrapPattern]) {
        let now = Clock.now()
        isOff = false
        isHelpless = false
        choice.said(ours)
        carryOut(link.wanted(keepsStrap: keepsStrap, at: now), at: now)
        settle(at: now)
    }

    /// No strap is used until ``use(_:)``.
    package func stop() {
        isOff = true
        settle(at: Clock.now())
    }

    /// Forgets the remembered straps that a pattern means, or all; `said` is what is left of those that were said.
    package func forget(_ pattern: StrapPattern?, said ours: [StrapPattern]) {
        let now = Clock.now()
        choice.said(ours)
        let names = { [choice] in choice.name(of: $0) }
        channel.forgetKeys(of: { pattern?.matches($0, name: names($0)) ?? true }, at: now)
        if choice.forget(pattern) { save() }
        if !keepsStrap { carryOut(link.wanted(keepsStrap: false, at: now), at: now) }
        settle(at: now)
    }

    /// Searches for whoever wants somebody to be heard.
    func searchAsWanted(at now: Instant) {
        channel.search(isSearching || scan != nil || isPairingWithUnheard, at: now)
    }

    var keepsStrap: Bool {
        strap.map(choice.mayKeep) ?? true
    }

    /// What of the host keeps scans and pairings from being begun.
    var obstacle: LinkReason? {
        hindrance ?? (channel.session.isPermitted ? nil : .noPermission)
    }
}
