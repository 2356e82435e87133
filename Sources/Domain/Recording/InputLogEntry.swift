/// One thing that reached the pipeline, with its moment. An activity is a function of its entries: the same ones in the same order give
/// the same states and events, which is how it is replayed, resumed, split and begun late.
///
/// The first entry of an activity is a ``Kind/beginning(_:)``. Moments are those of the boot clock of the part that the entry is in; a
/// reader of several parts shifts the others (``shifted(by:)``), so that time goes on.
package struct InputLogEntry: Equatable, Sendable {
    package var at: Instant
    package var kind: Kind
    /// Why the fix was not believed, when it was not. A note for readers: a replay judges anew.
    package var refusal: FixRejection?

    package init(at: Instant, _ kind: Kind, refusal: FixRejection? = nil) {
        self.at = at
        self.kind = kind
        self.refusal = refusal
    }

    package enum Kind: Equatable, Sendable {
        /// What was known before the next entry.
        indirect case snapshot(PipelineSnapshot)
        /// All inputs but those that are the machine's own and those that change nothing.
        case input(Input)
        /// A command that was carried out. A start that was asked for late stands where the run began.
        case command(RunCommand)
        /// The loop did not turn for so long, up to this moment: what fell due meanwhile is one step, not ticks of their own.
        case suspended(Duration)
        /// The process, or the power, was gone up to this moment.
        case outage(Outage)
        /// A signal stopped the daemon at this moment: everything before it is recorded. Changes nothing.
        case shutdown
        /// By this moment the run had ended without a command.
        case ended(AutoStopReason)
    }

    /// The same entry on a clock that stands so many whole milliseconds later; every moment in it is moved.
    package func shifted(by shift: Duration) -> InputLogEntry {
        guard shift != .zero else { return self }
        var entry = self
        entry.at += shift
        switch kind {
        case .snapshot(let beginning): entry.kind = .snapshot(beginning.shifted(by: shift))
        case .input(.fix(var fix)):
            fix.arrivedAt += shift
            entry.kind = .input(.fix(fix))
        case .input, .command, .suspended, .outage, .shutdown, .ended: break
        }
        return entry
    }
}

/// How a run ends by itself.
package enum AutoStopReason: CaseIterable, Sendable {
    /// It had shown no sign of life for too long, and was closed as of its last one.
    case forgotten
    /// The battery was nearly empty; it goes on when power returns soon.
    case power
}

/// Why a fix is not believed.
package enum FixRejection: String, CaseIterable, Sendable {
    case noFix = "no fix"
    case noPosition = "no position"
    case time
    case accuracy
    case speed
}

/// A stretch in which nothing ran.
package struct Outage: Equatable, Sendable {
    /// What an active run did meanwhile.
    package enum Rule: CaseIterable, Sendable {
        /// The timer stood still; position and heart are as at a start. Entries that name no rule have this one.
        case paused
        /// The run was never paused: the missed ticks are applied on their schedule, and the state of filter, distance and pace remains.
        case continued
    }

    /// From the last moment that is known to the entry's.
    package var duration: Duration
    /// The board did not start anew: what is known of the time of day still holds.
    package var isSameBoot: Bool
    /// The settings that are in force from here on.
    package var settings: Settings
    package var rule: Rule

    package init(duration: Duration, isSameBoot: Bool, settings: Settings, rule: Rule = .paused) {
        self.duration = duration
        self.isSameBoot = isSameBoot
        self.settings = settings
        self.rule = rule
    }
}
