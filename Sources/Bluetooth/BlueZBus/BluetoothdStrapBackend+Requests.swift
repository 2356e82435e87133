import Domain
import Linux
package import Sensors

/// Requests of the user.
extension BluetoothdStrapBackend: StrapDriver {
    func makeWay(at now: Instant) {
        if wanted != nil { connection?.disconnect(at: now) }
    }

    package func use(_ ours: [StrapMatcher]) {
        let now = Clock.now()
        isOff = false
        choice.select(ours)
        wantAnew(at: now)
    }

    package func forget(_ pattern: StrapMatcher?, said ours: [StrapMatcher]) {
        let now = Clock.now()
        choice.select(ours)
        if choice.forget(pattern) { save() }
        if !keepsStrap { perform(link.wanted(keepsStrap: false, at: now), at: now) }
        reconcile(at: now)
    }
}
