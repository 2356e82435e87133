import Domain
import Linux
package import Sensors

/// What people ask for.
extension BusStraps: StrapWay {
    package func scan(for duration: Duration, finished: @escaping ([StrapSighting]) -> Void) -> StrapRefusal? {
        if scan != nil || pairing != nil { return .busy }
        if let obstacle = hindrance { return .hindered(obstacle) }
        let now = Clock.now()
        scan = Scan(endsAt: now + duration, finished: finished)
        makeWay(at: now)
        settle(at: now)
        return nil
    }

    func endScan(at now: Instant) {
        guard let scan, now >= scan.endsAt else { return }
        self.scan = nil
        look(isSearching, at: now)
        scan.finished(choice.sightings(at: now))
    }

    /// Searches for somebody. What was waited for is waited for again afterwards; what is connected stays so.
    func makeWay(at now: Instant) {
        if wanted != nil { connection?.leave(at: now) }
        look(isSearching, at: now)
    }

    package func use(_ ours: [StrapPattern]) {
        let now = Clock.now()
        isOff = false
        choice.said(ours)
        carryOut(link.wanted(keepsStrap: keepsStrap, at: now), at: now)
        settle(at: now)
    }

    package func stop() {
        isOff = true
        settle(at: Clock.now())
    }

    package func forget(_ pattern: StrapPattern?, said ours: [StrapPattern]) {
        let now = Clock.now()
        choice.said(ours)
        if choice.forget(pattern) { save() }
        if !keepsStrap { carryOut(link.wanted(keepsStrap: false, at: now), at: now) }
        settle(at: now)
    }

    private var keepsStrap: Bool {
        strap.map(choice.mayKeep) ?? true
    }
}
