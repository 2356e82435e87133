import Domain
import Outputs

/// Bounds how many EVENTs of one kind are published: ``burst`` at once, and one more each second.
///
/// Events of the run and gaps are never dropped: whoever causes many of them may command the run. What the dropped ones would say is in
/// the next STATE. How many there were is a fault.
struct EventLimit: Sendable {
    static let burst = 50
    static let interval = Duration.seconds(1)

    /// By kind; those of the two links apart.
    private var buckets: [String: TokenBucket] = [:]
    private var flood = FloodFault(name: .eventFlood) {
        "too much happens at once; \($0) \($0 == 1 ? "EVENT was" : "EVENTs were") left out, STATE is right"
    }

    /// The outputs without the events that are too many.
    mutating func limited(_ outputs: [Output], at now: Instant) -> [Output] {
        outputs.filter { output in
            guard case .event(let event) = output, let key = Self.key(event.kind) else { return true }
            if buckets[key, default: TokenBucket(burst: Self.burst, interval: Self.interval)].consume(at: now) {
                return true
            }
            flood.dropped(at: now)
            return false
        }
    }

    /// The input that says how many were dropped, when it is due.
    mutating func fault(at now: Instant) -> Input? {
        flood.next(at: now)
    }

    /// Nil for an event that is never dropped.
    private static func key(_ kind: Event.Kind) -> String? {
        switch kind {
        case .start, .pause, .resume, .lap, .stop, .discard, .gap: nil
        case .link(let owner, _, _): kind.name + owner.rawValue
        case .fix, .clock, .recorder, .fault, .settings: kind.name
        }
    }
}
