import Domain
import Linux
package import Sensors

/// Requests of the user.
extension KernelStrapBackend: StrapDriver {
    package func use(_ ours: [StrapMatcher]) {
        let now = Clock.now()
        isOff = false
        isHelpless = false
        choice.select(ours)
        wantAnew(at: now)
    }

    package func forget(_ pattern: StrapMatcher?, said ours: [StrapMatcher]) {
        let now = Clock.now()
        choice.select(ours)
        let names = { [choice] in choice.name(of: $0) }
        channel.forgetKeys(of: { pattern?.matches($0, name: names($0)) ?? true }, at: now)
        if choice.forget(pattern) { save() }
        if !keepsStrap { perform(link.wanted(keepsStrap: false, at: now), at: now) }
        reconcile(at: now)
    }

    func makeWay(at now: Instant) {
        pending = nil
    }

    func searchAsWanted(at now: Instant) {
        channel.search(isSearching || scan != nil || isPairingWithUnheard, at: now)
    }

    var obstacle: LinkReason? {
        hindrance ?? (channel.session.isPermitted ? nil : .noPermission)
    }
}
