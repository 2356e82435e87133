package import Domain
package import Pipeline

/// A fix, command or outage of a run in a test, with its moment.
package struct RunStep: Sendable {
    package enum Kind: Sendable {
        case fix(Fix)
        case command(RunCommand)
        /// No process has run since the previous step.
        case outage(Outage.Rule)
    }

    package var at: Instant
    package var kind: Kind

    package init(at: Instant, _ kind: Kind) {
        self.at = at
        self.kind = kind
    }
}

/// Plays steps into a run and finds the interval whose distance exceeds the bound most.
///
/// The bound: the distance of any interval is at most the sport's maximum speed times the
/// interval's monotonic time plus 10 s. A counted gap belongs to the time of the gap.
package struct BoundedRun {
    /// The distance at each whole second of active time.
    package private(set) var seconds: [(at: Instant, metres: Double)] = []
    package private(set) var gaps: [Gap] = []
    /// The accepted fixes, in order: when the first report arrived, and when the run received the fix.
    private var fixes: [(arrivedAt: Instant, at: Instant)] = []
    private let sport: Sport
    /// A backdated start judges the earlier fixes again, and reports none of them.
    private var fixesAreKnownFrom: Instant?

    package struct Gap {
        /// The tick that counted the gap.
        package var at: Instant
        package var seconds: Double
        package var metres: Double
    }

    /// - Parameter steps: in order. Rejected commands are ignored. At least one step starts a run.
    package init(_ steps: [RunStep], sport: Sport) {
        self.sport = sport
        guard let first = steps.first, let last = steps.last else { return }
        var effects = Effects()
        var run = RunEngine(Pipeline(settings: Settings(), isDemo: false, at: first.at), at: first.at)
        var now = first.at
        for step in steps {
            if case .outage = step.kind {} else { advance(&run, to: step.at, &effects) }
            switch step.kind {
            case .outage(let rule):
                var stop = Effects()
                guard let interrupted = run.suspend(at: now, into: &stop) else { continue }
                let outage = Outage(duration: step.at - now, isSameBoot: true, settings: Settings(), rule: rule)
                run.resume(interrupted, after: outage, at: step.at, into: &effects)
            case .fix(let fix): run.step(.input(.fix(fix)), at: step.at, into: &effects)
            case .command(let command):
                if case .start(_, _, let back) = command, back > .zero { fixesAreKnownFrom = step.at }
                _ = try? run.step(command, at: step.at, into: &effects)
            }
            now = step.at
            record(&effects, at: now)
        }
        advance(&run, to: last.at + .seconds(2), &effects)
    }

    package var metres: Double { seconds.last?.metres ?? 0 }

    private mutating func advance(_ run: inout RunEngine, to now: Instant, _ effects: inout Effects) {
        while run.deadline <= now {
            let deadline = run.deadline
            run.step(.time, at: deadline, into: &effects)
            record(&effects, at: deadline)
        }
    }

    private mutating func record(_ effects: inout Effects, at now: Instant) {
        for output in effects.outputs {
            switch output {
            case .fix(let fix): fixes.append((max(fix.at, fixes.last?.arrivedAt ?? fix.at), now))
            case .event(let event):
                guard case .gap(.position, let seconds, let metres?, counted: true) = event.kind else { continue }
                gaps.append(Gap(at: event.at, seconds: seconds, metres: metres))
            case .heart: break
            }
        }
        for state in effects.seconds {
            guard let metres = state.activity?.total.distanceMetres else { continue }
            seconds.append((state.at, metres))
        }
        effects.removeAll()
    }
}

extension BoundedRun {
    /// Metres by which the worst interval exceeds the bound; 0 or less if none does.
    package var worstExcess: Double {
        max(excess(withGaps: true), excess(withGaps: false))
    }

    /// Metres by which the worst counted gap exceeds the sustained speed times its arrival time or duration.
    package var worstGapExcess: Double {
        gaps.map { gap in
            let before = (fixes.last { $0.at <= gap.at - .seconds(1) } ?? fixes.first)?.arrivedAt ?? gap.at
            if let fixesAreKnownFrom, before <= fixesAreKnownFrom { return 0 }
            let newest = fixes.last { $0.at <= gap.at }?.arrivedAt ?? gap.at
            return gap.metres - sport.sustainedSpeed * min(gap.seconds, (newest - before).inSeconds)
        }.max() ?? 0
    }

    /// Distance minus speed times time may rise by at most 10 s at that speed. One pass finds the worst pair.
    private func excess(withGaps: Bool) -> Double {
        var worst = 0.0
        var lowest = 0.0
        var skipped = 0.0
        var gap = 0
        guard let start = seconds.first?.at else { return 0 }
        let begin = start - .seconds(1)
        for second in seconds {
            while gap < gaps.count, gaps[gap].at <= second.at {
                if !withGaps { skipped += gaps[gap].metres }
                gap += 1
            }
            let height = second.metres - skipped - sport.maxSpeed * (second.at - begin).inSeconds
            worst = max(worst, height - lowest - sport.maxSpeed * 10)
            // No interval starts inside a counted gap.
            let isInGap = gaps.contains { second.at < $0.at && second.at > $0.at - .seconds($0.seconds + 2) }
            if !withGaps || !isInGap { lowest = min(lowest, height) }
        }
        return worst
    }
}
