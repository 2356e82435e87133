import Daemon
import Domain
import Pipeline
import Simulation
import TestKit
import Testing

@Suite struct LogRateLimiterTests {
    private let start = Instant(milliseconds: 1_000_000)

    @Test func burstIsLoggedAndTheRestCounted() {
        var limit = LogRateLimiter()
        let taken = (0..<50).count { _ in limit.allows(.commands, at: start) }
        #expect(taken == LogRateLimiter.burst)
        #expect(limit.popSuppressed(at: start).count == 0, "the count is a line too")
        #expect(limit.allows(.links, at: start) == true, "each subject for itself")
        let reports = limit.popSuppressed(at: start + LogRateLimiter.period)
        #expect(reports.map(\.subject) == [.commands])
        #expect(reports.map(\.count) == [30])
        #expect(limit.popSuppressed(at: start + LogRateLimiter.period).count == 0)
        #expect(limit.allows(.commands, at: start + LogRateLimiter.period) == false, "its room is used up")
        #expect(limit.popSuppressed(at: start + LogRateLimiter.period * 2).map(\.count) == [1])
        #expect(limit.allows(.commands, at: start + LogRateLimiter.period * 3) == true)
    }

    @Test func suppressedLinesAreReportedBeforeTheNextLine() {
        var limit = LogRateLimiter()
        for _ in 0...LogRateLimiter.burst { _ = limit.allows(.run, at: start) }
        let later = start + .seconds(3600)
        #expect(limit.allows(.run, at: later) == false)
        #expect(limit.popSuppressed(at: later).map(\.count) == [2])
        #expect(limit.allows(.run, at: later) == true)
    }

    @Test func floodLogsAtMostSixtyLinesAnHour() {
        var limit = LogRateLimiter()
        var lines = 0
        var leftOut = 0
        let hours = 24
        for second in 0..<hours * 3600 {
            let now = start + .seconds(second)
            for _ in 0..<10 where limit.allows(.commands, at: now) { lines += 1 }
            for reports in limit.popSuppressed(at: now) {
                lines += 1
                leftOut += reports.count
            }
        }
        #expect(lines <= LogRateLimiter.burst + hours * 60)
        #expect(lines >= hours * 60)
        #expect(leftOut + lines >= hours * 36_000 - 600, "each is written or counted")
    }

    @Test func burstCapacityRefillsOnlyToItsLimit() {
        var limit = LogRateLimiter()
        for _ in 0..<LogRateLimiter.burst { #expect(limit.allows(.faults, at: start) == true) }
        let later = start + .seconds(86_400)
        let taken = (0..<100).count { _ in limit.allows(.faults, at: later) }
        #expect(taken == LogRateLimiter.burst)
    }
}

/// The log of an hour of simulated time: the demo's inputs through the pipeline, and each event to the log.
@Suite struct LogVolumeTests {
    private struct Hour {
        var lines: [String] = []
        var kinds: [LogRateLimiter.Subject: Int] = [:]
    }

    private let start = Instant(milliseconds: 3_600_000)

    /// A run of an hour with these inputs.
    private func hour(autoLapMetres: Int = 0, inputs: (Instant) -> [Timestamped<Input>], nextAt: () -> Instant) throws
        -> Hour
    {
        var settings = Settings()
        settings.autoLapMetres = autoLapMetres
        var pipeline = Pipeline(settings: settings, isDemo: false, at: start)
        var limit = LogRateLimiter()
        var hour = Hour()
        var effects = Effects()
        _ = try pipeline.step(.start(nil, indoor: false), at: start, into: &effects)
        while true {
            let now = min(nextAt(), pipeline.deadline)
            guard now <= start + .seconds(3600) else { return hour }
            for input in inputs(now) { pipeline.step(.input(input.value), at: input.measuredAt, into: &effects) }
            pipeline.step(.time, at: now, into: &effects)
            for case .event(let event) in effects.outputs {
                guard let (_, text) = Log.line(of: event) else { continue }
                // No line about a run is suppressed.
                #expect(limit.allows(Log.subject(of: event), at: event.at) == true, "\(text)")
                hour.lines.append(text)
                hour.kinds[Log.subject(of: event), default: 0] += 1
            }
            effects.removeAll()
        }
    }

    /// A lap each hundred metres.
    @Test func runWithoutFaultsLogsAtMostSixtyLinesAnHour() throws {
        let run = SyntheticRun(start: start)
        var place = 0
        var first: [Timestamped<Input>] = [
            Timestamped(.gpsdLink(LinkStatus(.connected)), at: start),
            Timestamped(.heartLink(LinkStatus(.connecting)), at: start),
            Timestamped(.heartLink(LinkStatus(.connected)), at: start),
            Timestamped(.systemClock(SyntheticRun.began, isSynchronised: true), at: start),
        ]
        let hour = try hour(autoLapMetres: 100) { now in
            defer { first = [] }
            var inputs = first
            while run.moment(place + 1) <= now {
                place += 1
                if case .input(let input) = run.entry(place).kind {
                    inputs.append(Timestamped(input, at: run.moment(place)))
                }
            }
            return inputs
        } nextAt: {
            first.isEmpty ? run.moment(place + 1) : start
        }
        #expect(hour.lines.count <= 60)
        #expect(place == 7200)
    }

    /// Twelve tunnels, and nine times without a strap.
    @Test func demoHourLogsAFewLinesForEachIncident() throws {
        var simulated = SimulatedRun(seed: 1, startedAt: start, utc: UTC(milliseconds: 1_772_350_200_400))
        let hour = try hour {
            simulated.advance(to: $0)
        } nextAt: {
            simulated.nextAt
        }
        #expect(hour.lines.count <= 20 + 12 * 5 + 9 * 3)
    }
}
