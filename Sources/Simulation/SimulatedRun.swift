package import Domain

/// A simulated session: a runner or rider on real paths, or an indoor session, and the inputs of a receiver and a strap.
///
/// The same seed, start and time of day give the same inputs, however often it is advanced. In the first
/// three minutes there are a stop at a red light (40 s after the start, standing for about 15 s), a tunnel
/// (75 s, 20 s long) and a dropout of the strap (150 s, 12 s long). All three recur (``PeriodicIncident``).
package struct SimulatedRun: Sendable {
    /// After a longer time than this without ``advance(to:)`` the missed inputs are dropped.
    package static let holeLimit = Duration.seconds(30)

    private let session: SimulatedSession
    private let startedAt: Instant
    private let startedTime: UTC
    private var runner: SimulatedRunner
    private var heart: SimulatedHeart
    private var receiver: SimulatedReceiver
    private var strap = SimulatedStrap()

    /// The next whole second of UTC, when the runner advances and a fix is made.
    private var secondAt: Instant
    /// The fix that has not arrived yet.
    private var fix: Fix?
    private var strapAt: Instant
    /// Nil before the first link status.
    private var hasFix: Bool?

    /// - Parameter utc: the time of day at the start, from which the receiver's time continues.
    package init(_ session: SimulatedSession = .run, seed: UInt64, startedAt: Instant, utc: UTC) {
        self.session = session
        var seeds = SplitMix64(seed: seed)
        runner = SimulatedRunner(seed: seeds.next(), isRide: session == .ride)
        heart = SimulatedHeart(seed: seeds.next())
        receiver = SimulatedReceiver(seed: seeds.next())
        self.startedAt = startedAt
        startedTime = utc
        let past = utc.milliseconds - utc.milliseconds.flooredDivision(by: 1000) * 1000
        secondAt = startedAt + .milliseconds(past == 0 ? 0 : 1000 - past)
        strapAt = startedAt
    }

    /// When ``advance(to:)`` should be called next.
    package var nextAt: Instant {
        min(fix?.arrivedAt ?? secondAt, min(secondAt, strapAt))
    }

    /// The inputs up to `now` that were not returned yet, in order, each with its time.
    ///
    /// After a hole longer than ``holeLimit`` the runner has moved on, and the inputs of the hole are dropped.
    package mutating func advance(to now: Instant) -> [Timestamped<Input>] {
        if now - nextAt > Self.holeLimit { skip(to: now) }
        var inputs: [Timestamped<Input>] = []
        while nextAt <= now {
            if let fix, fix.arrivedAt <= min(secondAt, strapAt) {
                deliver(fix, to: &inputs)
            } else if secondAt <= strapAt {
                step()
            } else {
                notify(&inputs)
            }
        }
        return inputs
    }

    /// The true distance of the runner in metres.
    ///
    /// - Parameter now: at most a second after the last ``advance(to:)``, and not before it.
    package func trueDistance(at now: Instant) -> Double {
        // The present second began one second before `secondAt`.
        runner.distance(after: max(0, min((now - secondAt).inSeconds + 1, 1)))
    }

    private mutating func step() {
        let seconds = (secondAt - startedAt).inSeconds
        if session.isIndoor {
            heart.follow(effort: SimulatedSession.indoorEffort(after: seconds))
            secondAt += .seconds(1)
            return
        }
        runner.step(isHeld: PeriodicIncident.redLight.age(after: seconds) != nil)
        heart.follow(effort: runner.effort)
        fix = receiver.fix(
            of: runner.place, speed: runner.speed, isHidden: PeriodicIncident.tunnel.age(after: seconds) != nil,
            at: secondAt,
            time: UTC(milliseconds: startedTime.milliseconds + (secondAt - startedAt).wholeMilliseconds))
        secondAt += .seconds(1)
    }

    private mutating func deliver(_ fix: Fix, to inputs: inout [Timestamped<Input>]) {
        let isFix = fix.mode >= 2
        if isFix != hasFix {
            hasFix = isFix
            inputs.append(Timestamped(.gpsdLink(SimulatedReceiver.link(hasFix: isFix)), at: fix.arrivedAt))
        }
        inputs.append(Timestamped(.fix(fix), at: fix.arrivedAt))
        self.fix = nil
    }

    private mutating func notify(_ inputs: inout [Timestamped<Input>]) {
        if hasFix == nil, !session.isIndoor {
            hasFix = false
            inputs.append(Timestamped(.gpsdLink(SimulatedReceiver.link(hasFix: false)), at: strapAt))
        }
        let seconds = (strapAt - startedAt).inSeconds
        let beats = heart.beats(until: beatClock(at: strapAt))
        for input in strap.notifications(after: seconds, rate: heart.shownRate, beats: beats) {
            inputs.append(Timestamped(input, at: strapAt))
        }
        strapAt += SimulatedStrap.period
    }

    private mutating func skip(to now: Instant) {
        let seconds = max((now - secondAt).wholeMilliseconds / 1000, 0)
        runner.skip(seconds: seconds)
        secondAt += .seconds(seconds)
        fix = nil
        let periods = max((now - strapAt).wholeMilliseconds / SimulatedStrap.period.wholeMilliseconds, 0)
        strapAt += SimulatedStrap.period * Int(periods)
        heart.skip(to: beatClock(at: strapAt))
    }

    /// A moment in units of 1/1024 s since the start.
    private func beatClock(at moment: Instant) -> Int64 {
        Int64((moment - startedAt).inSeconds * 1024)
    }
}

/// A recurring incident of a simulated run, at fixed times.
struct PeriodicIncident: Sendable {
    /// The first start, the length and the period, in seconds since the start of the run.
    var first, length, period: Double

    /// The seconds since the current occurrence began, at a time since the start. Nil between occurrences.
    func age(after seconds: Double) -> Double? {
        guard seconds >= first else { return nil }
        let age = (seconds - first).truncatingRemainder(dividingBy: period)
        return age < length ? age : nil
    }
}

extension PeriodicIncident {
    /// A red traffic light. With the braking before it the runner stops for about 15 s.
    static let redLight = PeriodicIncident(first: 40, length: 18, period: 300)

    /// The receiver has no view of the sky.
    static let tunnel = PeriodicIncident(first: 75, length: 20, period: 300)

    /// The strap is out of range.
    static let dropout = PeriodicIncident(first: 150, length: 12, period: 420)
}
