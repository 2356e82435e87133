package import Domain

/// One entry of an activity's input log, with its moment. A replay of the same entries in the same
/// order gives the same states and events. Replay, resume, split and backdated start rely on this.
///
/// The first entry of an activity is a ``Kind/snapshot(_:)``. Moments belong to the boot clock of the boot in
/// which they were recorded; a reader shifts the entries of other boots onto one clock (``shifted(by:)``).
package struct InputLogEntry: Equatable, Sendable {
    package var at: Instant
    package var kind: Kind
    /// Why the fix was rejected; nil if it was accepted. It is informative: a replay judges the fix itself.
    package var rejection: FixRejection?

    package init(at: Instant, _ kind: Kind, refusal: FixRejection? = nil) {
        self.at = at
        self.kind = kind
        self.rejection = refusal
    }

    package enum Kind: Equatable, Sendable {
        /// State of the idle pipeline before the next entry.
        indirect case snapshot(PipelineSnapshot)
        /// An input; those that describe only this machine and those without effect are not recorded.
        case input(Input)
        /// A command that was accepted. A backdated start has the moment at which the run began.
        case command(RunCommand)
        /// The loop did not run for this duration, which ends at this moment: missed ticks are applied in one step.
        case suspended(Duration)
        /// No process ran up to this moment.
        case outage(Outage)
        /// A signal stopped the daemon; everything before is recorded. The entry has no effect on a replay.
        case shutdown
        /// The run was stopped automatically at or before this moment.
        case ended(AutoStopReason)
    }

    /// The entry with every moment in it moved later by `shift`, a whole number of milliseconds.
    package func shifted(by shift: Duration) -> InputLogEntry {
        guard shift != .zero else { return self }
        var entry = self
        entry.at += shift
        switch kind {
        case .snapshot(let beginning): entry.kind = .snapshot(beginning.shifted(by: shift))
        case .input(.fix(var fix)):
            fix.arrivedAt += shift
            entry.kind = .input(.fix(fix))
        case .input(.receiverClock(let time, let arrivedAt)):
            entry.kind = .input(.receiverClock(time, arrivedAt: arrivedAt + shift))
        case .input, .command, .suspended, .outage, .shutdown, .ended: break
        }
        return entry
    }
}

/// Why a run was stopped automatically.
package enum AutoStopReason: CaseIterable, Sendable {
    /// No movement, beat or command for too long; the run ends at the last of them.
    case forgotten
    /// The battery was nearly empty; the activity is resumed if power returns soon.
    case power
}

/// Why a fix was rejected.
package enum FixRejection: String, CaseIterable, Sendable {
    case noFix = "no fix"
    case noPosition = "no position"
    case time
    case accuracy
    case speed
}

/// A time in which no daemon recorded an open activity.
package struct Outage: Equatable, Sendable {
    /// How an outage counts for an active run.
    package enum Rule: CaseIterable, Sendable {
        /// The timer was paused; position and heart rate start without history. Default of entries without a rule.
        case paused
        /// The run continued: missed ticks are applied on schedule, and filter, odometer and pace keep their state.
        case continued
    }

    /// Time from the last known moment to the entry's moment.
    package var duration: Duration
    /// Whether the machine was not rebooted: the known time of day stays valid.
    package var isSameBoot: Bool
    /// Settings from this moment on.
    package var settings: Settings
    package var rule: Rule

    package init(duration: Duration, isSameBoot: Bool, settings: Settings, rule: Rule = .paused) {
        self.duration = duration
        self.isSameBoot = isSameBoot
        self.settings = settings
        self.rule = rule
    }
}
