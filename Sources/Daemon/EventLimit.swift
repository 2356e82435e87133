package import Domain
import Wire

/// Limits the EVENTs of each kind: ``burst`` at once, then one each second.
///
/// Events of the run and gaps are never dropped: only a client that may control the run can cause
/// many of them. The next STATE has the content of the dropped events. A fault reports their number.
package struct EventLimit: Sendable {
    static let burst = 50
    static let interval = Duration.seconds(1)

    /// By kind; link events also by link.
    private var buckets: [String: TokenBucket] = [:]
    private var flood = FloodFault(name: .eventFlood) {
        "too much happens at once; \($0) \($0 == 1 ? "EVENT was" : "EVENTs were") left out, STATE is right"
    }

    package init() {}

    /// Drops the events that exceed the limit.
    package mutating func limited(_ outputs: [Output], at now: Instant) -> [Output] {
        outputs.filter { output in
            guard case .event(let event) = output, let key = Self.key(event.kind) else { return true }
            if buckets[key, default: TokenBucket(burst: Self.burst, interval: Self.interval)].consume(at: now) {
                return true
            }
            flood.dropped(at: now)
            return false
        }
    }

    /// The input that reports the number of dropped events, when it is due.
    package mutating func fault(at now: Instant) -> Input? {
        flood.next(at: now)
    }

    /// Nil if events of this kind are never dropped.
    private static func key(_ kind: Event.Kind) -> String? {
        switch kind {
        case .start, .pause, .resume, .autoPause, .autoResume, .lap, .stop, .discard, .gap, .workout, .badge, .course,
            .cue, .climb, .light, .mark:
            nil
        // The table of topics limits them.
        case .notice: nil
        case .link(let owner, _, _): kind.name + owner.rawValue
        case .fix, .clock, .recorder, .fault, .settings, .source, .calibration, .radar, .alert: kind.name
        }
    }
}
