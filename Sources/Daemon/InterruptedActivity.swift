import Adapters
import Domain
import Pipeline

/// What the newest activity of the journal was left as, lived once more from its entries.
///
/// It is made where the journal is read, which may take long; the loop puts it in force (``Daemon/Begun/takeUp(_:isServing:at:)``).
enum InterruptedActivity: Sendable {
    /// It goes on, unless another activity has begun since.
    case interrupted(Interrupted)
    /// It ended at its last moment, or before.
    case over(OpenActivity, ResumedActivity)
    /// It was closed because the battery was nearly empty.
    case closedForPower(id: Int, SuspendedActivity)
    /// A replay of it fails.
    case unreadable(id: Int, reason: String)

    struct Interrupted: Sendable {
        var open: OpenActivity
        var taken: ResumedActivity
        var isSameBoot: Bool
        var rule: Outage.Rule
        /// The limit where the time since is not known yet; nil where it is.
        var undecidedLimit: Duration?
    }

    /// Nil where nothing is to be taken up.
    ///
    /// - Parameters:
    ///   - time: the time of day at `now`, if it is known.
    ///   - limit: how long ago its last moment may lie.
    init?(
        _ journal: JournalStartup, from reader: JournalReader, isDemo: Bool, bootID: String, at now: Instant,
        time: UTC?,
        limit: Duration
    ) {
        guard let activity = journal.open ?? journal.endedForPower, let id = activity.recording.id else { return nil }
        do {
            if journal.open == nil {
                guard activity.recording.isDemo == isDemo,
                    let closed = try SuspendedActivity(
                        activity, from: reader, bootID: bootID, at: now, time: time, limit: limit)
                else { return nil }
                self = .closedForPower(id: id, closed)
                return
            }
            // A demo goes on with a demo only.
            let decision =
                activity.recording.isDemo == isDemo
                ? ResumeDecision(activity, bootID: bootID, at: now, time: time, limit: limit) : .isOver
            self = try Self.replay(activity, decision, from: reader, at: now, limit: limit)
        } catch {
            self = .unreadable(id: id, reason: "\(error)")
        }
    }

    private static func replay(
        _ open: OpenActivity, _ decision: ResumeDecision, from reader: JournalReader, at now: Instant, limit: Duration
    ) throws -> InterruptedActivity {
        let age: Duration
        var isSameBoot = false
        var rule = Outage.Rule.paused
        var undecidedLimit: Duration?
        switch decision {
        case .goesOn(let after, let same, let chosen): (age, isSameBoot, rule) = (after, same, chosen)
        case .goesOnForNow:
            age = .seconds(1)
            if open.lastTime != nil { undecidedLimit = limit }
        case .isOver: return .over(open, try ResumedActivity(open, from: reader, last: open.last))
        }
        let taken = try ResumedActivity(open, from: reader, last: now - age)
        if taken.ended != nil { return .over(open, taken) }
        return .interrupted(
            Interrupted(
                open: open, taken: taken, isSameBoot: isSameBoot, rule: rule, undecidedLimit: undecidedLimit))
    }

    var id: Int? {
        switch self {
        case .interrupted(let interrupted): interrupted.open.recording.id
        case .over(let open, _): open.recording.id
        case .closedForPower(let id, _), .unreadable(let id, _): id
        }
    }
}
