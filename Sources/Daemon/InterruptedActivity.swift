package import Domain
import Pipeline
package import Storage

/// State in which the journal's newest activity was left, rebuilt by a replay of its entries.
///
/// Created on the journal's thread, because that may take long; adopted by ``Daemon/adopt(_:isClosing:)``.
package indirect enum InterruptedActivity: Sendable {
    /// It resumes, unless another activity has started since.
    case interrupted(Interrupted)
    /// It ended at its last moment or earlier.
    case over(OpenActivity, ResumedActivity)
    /// It was closed on low battery.
    case suspended(id: Int, SuspendedActivity)
    /// Its replay fails.
    case unreadable(id: Int, reason: String)

    package struct Interrupted: Sendable {
        var open: OpenActivity
        var resumed: ResumedActivity
        var isSameBoot: Bool
        var rule: Outage.Rule
        /// The resume limit, if the time since its last moment is unknown; else nil.
        var provisionalLimit: Duration?
    }

    /// Nil if no activity was left to resume.
    ///
    /// - Parameters:
    ///   - time: the time of day at `now`, if it is known.
    ///   - limit: the longest time since its last moment for which it resumes.
    package init?(
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
                self = .suspended(id: id, closed)
                return
            }
            // Only a demo resumes a demo.
            let decision =
                activity.recording.isDemo == isDemo
                ? ResumeDecision(activity, bootID: bootID, at: now, time: time, limit: limit) : .ended
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
        var provisionalLimit: Duration?
        switch decision {
        case .resumes(let after, let same, let chosen): (age, isSameBoot, rule) = (after, same, chosen)
        case .resumesProvisionally:
            age = .seconds(1)
            if open.lastTime != nil { provisionalLimit = limit }
        case .ended: return .over(open, try ResumedActivity(open, from: reader, last: open.last))
        }
        let resumed = try ResumedActivity(open, from: reader, last: now - age)
        if resumed.ended != nil { return .over(open, resumed) }
        return .interrupted(
            Interrupted(
                open: open, resumed: resumed, isSameBoot: isSameBoot, rule: rule, provisionalLimit: provisionalLimit))
    }

    package var id: Int? {
        switch self {
        case .interrupted(let interrupted): interrupted.open.recording.id
        case .over(let open, _): open.recording.id
        case .suspended(let id, _), .unreadable(let id, _): id
        }
    }
}
