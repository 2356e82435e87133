import Domain
import Pipeline
import TestKit
import Testing

/// Automatic starts, with recordings and simulated receivers and straps.
@Suite struct AutoStartTests {
    /// An idle pipeline with automatic starts.
    fileprivate struct Idle {
        var pipeline = Pipeline(settings: Settings(), isDemo: false, at: Instant(milliseconds: 900_000))
        private var effects = Effects()
        var autoStart = AutoStart()
        /// The time of each decision, and the start that it proposes.
        var starts: [(at: Instant, since: Instant)] = []

        mutating func receive(_ input: Input, at now: Instant) {
            pipeline.step(.input(input), at: now, into: &effects)
            if let since = autoStart.receive(effects.outputs) { starts.append((now, since)) }
            effects.removeAll()
        }

        mutating func beat(_ rate: UInt16 = 100, at now: Instant) {
            receive(.heart(HeartRateMeasurement(beatsPerMinute: rate, rrIntervals: rate == 0 ? [] : [600])), at: now)
        }

        mutating func start(at now: Instant) throws {
            _ = try pipeline.step(.start(.run, indoor: false), at: now, into: &effects)
        }

        mutating func endRun(at now: Instant) throws {
            try start(at: now)
            _ = try pipeline.step(.stop, at: now, into: &effects)
            _ = autoStart.receive(effects.outputs)
            effects.removeAll()
            starts = []
        }
    }

    private func starts(_ fixes: [Fix]) -> [(at: Instant, since: Instant)] {
        var idle = Idle()
        for fix in fixes { idle.receive(.fix(fix), at: fix.arrivedAt) }
        return idle.starts
    }

    private static func moment(_ second: Int) -> Instant {
        Instant(milliseconds: 1_000_000 + Int64(second) * 1000)
    }

    // MARK: Standing still

    @Test(arguments: ["gpsd/sirf2.log", "gpsd/telit-he910.log", "gpsd/bu303-nofix.log", "gpsd/ublox-neo-m8l.log"])
    func stationaryReceiverStartsNoRun(log: String) throws {
        #expect(starts(try GpsdLog(log).fixes().map(\.1)).isEmpty)
    }

    /// An hour with the noise of a modern receiver, with and without a reported speed.
    @Test(arguments: 1...10 as ClosedRange<UInt64>, [true, false])
    func hourOfStandingStartsNoRun(seed: UInt64, tellsSpeed: Bool) {
        var noise = ReceiverNoise(seed: seed)
        let fixes = (0..<3600).map { second in
            let place = noise.displaced(Coordinate(latitude: 52.5, longitude: 13.4))
            return Fix(
                arrivedAt: Self.moment(second) + .milliseconds(noise.latency),
                time: UTC(milliseconds: 1_800_000_000_000 + Int64(second) * 1000), mode: 3,
                latitude: place.latitude, longitude: place.longitude, accuracy: 5,
                speed: tellsSpeed ? abs(noise.normal() * 0.15) : nil)
        }
        #expect(starts(fixes).isEmpty)
    }

    /// The first fixes converge from 200 m away within half a minute.
    @Test(arguments: [nil, 0.2, 0] as [Double?])
    func convergingFirstFixesStartNoRun(speed: Double?) {
        let fixes = (0..<300).map { second in
            Fix(
                arrivedAt: Self.moment(second), mode: 3,
                latitude: 52.5 + 200 / 111_194 * max(0, 1 - Double(second) / 25), longitude: 13.4, accuracy: 8,
                speed: speed)
        }
        #expect(starts(fixes).isEmpty)
    }

    /// Under a roof: the position drifts by 80 m, and the receiver reports a large error.
    @Test func driftBelowTheErrorIsNotMovement() {
        let fixes = (0..<600).map { second in
            let metres = Double(second % 80 < 40 ? second % 80 : 80 - second % 80) * 2
            return Fix(
                arrivedAt: Self.moment(second), mode: 3, latitude: 52.5 + metres / 111_194, longitude: 13.4,
                accuracy: 45, speed: 2)
        }
        #expect(starts(fixes).isEmpty)
    }

    // MARK: Moving

    /// A minute of standing still, then the recording: the run starts where it first moves, also with receiver noise.
    @Test(arguments: Recording.all, [nil, 1, 2] as [UInt64?])
    func runStartsWhereTheMovementDid(recording: Recording, seed: UInt64?) throws {
        let fixes = recording.fixes(noise: seed.map { ReceiverNoise(seed: $0) })
        let first = try #require(fixes.first)
        let standing = (1...60).reversed().map { second in
            var fix = first
            fix.arrivedAt = first.arrivedAt - .seconds(second)
            fix.time = first.time.map { UTC(milliseconds: $0.milliseconds - Int64(second) * 1000) }
            fix.speed = 0
            return fix
        }
        let start = try #require(starts(standing + fixes).first)
        let moved = try #require(fixes.first { ($0.speed ?? 0) >= 0.7 }).arrivedAt
        #expect(start.since >= moved)
        let from = try #require((standing + fixes).last { $0.arrivedAt <= start.since })
        let to = try #require(fixes.last { $0.arrivedAt <= start.at })
        let metres = try #require(Coordinate(from)).metres(to: try #require(Coordinate(to)))
        #expect((50...85).contains(metres), "\(metres) m in \((start.at - start.since).inSeconds) s")
        #expect(start.at - start.since <= RunCommand.maxBackdate)
    }

    @Test func receiverWithoutSpeedsStartsARunOnceItHasSettled() throws {
        let fixes = (0..<200).map { second in
            Fix(
                arrivedAt: Self.moment(second), mode: 3, latitude: 52.5 + Double(max(0, second - 60)) * 3 / 111_194,
                longitude: 13.4, accuracy: 5)
        }
        let start = try #require(starts(fixes).first)
        #expect((60...70).contains((start.since - Self.moment(0)).inSeconds))
        #expect((start.at - Self.moment(60)).inSeconds <= 30)
    }

    // MARK: Beats

    @Test func thirtySecondsOfBeatsStartARun() throws {
        var idle = Idle()
        for second in 0...29 { idle.beat(at: Self.moment(second)) }
        #expect(idle.starts.isEmpty)
        idle.beat(at: Self.moment(30))
        #expect(idle.starts.first?.since == Self.moment(0))
    }

    @Test(arguments: [(3, true), (4, false)])
    func holeOfMoreThanThreeSecondsRestartsTheCount(seconds: Int, counts: Bool) {
        var idle = Idle()
        for second in 0...15 { idle.beat(at: Self.moment(second)) }
        for second in (15 + seconds)...35 { idle.beat(at: Self.moment(second)) }
        #expect(idle.starts.isEmpty != counts)
    }

    @Test func invalidReadingsStartNoRun() {
        var idle = Idle()
        for second in 0...100 { idle.beat(0, at: Self.moment(second)) }
        for second in 101...200 { idle.beat(second % 20 < 4 ? 250 : 100, at: Self.moment(second)) }
        #expect(idle.starts.isEmpty)
    }

    @Test func singleInvalidReadingIsNotAHole() {
        var idle = Idle()
        for second in 0...30 { idle.beat(second % 10 == 5 ? 0 : 100, at: Self.moment(second)) }
        #expect(idle.starts.first?.since == Self.moment(0))
    }

    // MARK: After a run

    /// The rider stops the run by hand and walks on with the strap still worn.
    @Test func manualStopIsNotUndone() throws {
        var idle = Idle()
        for second in 0..<100 { idle.move(to: Double(second) * 4, speed: 4, at: Self.moment(second)) }
        #expect(!idle.starts.isEmpty)
        try idle.endRun(at: Self.moment(100))
        for second in 101..<700 {
            idle.beat(at: Self.moment(second))
            idle.move(to: 400 + Double(second - 100) * 1.2, speed: 1.2, at: Self.moment(second))
        }
        #expect(idle.starts.isEmpty)
        // They stay inside for two minutes and leave again.
        for second in 700..<830 { idle.move(to: 1120, speed: 0, at: Self.moment(second)) }
        for second in 830..<860 { idle.move(to: 1120 + Double(second - 829) * 3, speed: 3, at: Self.moment(second)) }
        #expect(idle.starts.first?.since == Self.moment(830))
    }

    @Test func beatsThatPauseForTwoMinutesStartTheNextRun() throws {
        var idle = Idle()
        for second in 0..<20 { idle.beat(at: Self.moment(second)) }
        try idle.endRun(at: Self.moment(20))
        for second in 20..<100 { idle.beat(at: Self.moment(second)) }
        for second in 215..<290 { idle.beat(at: Self.moment(second)) }
        #expect(idle.starts.isEmpty)
        for second in 410..<445 { idle.beat(at: Self.moment(second)) }
        #expect(idle.starts.first?.since == Self.moment(410))
    }

    /// A run that was auto-stopped at an earlier time has been over since then.
    @Test func nextRunStartsAtOnceAfterAnAutoStop() throws {
        var idle = Idle()
        var settings = Settings()
        settings.autoStopMinutes = 3
        idle.receive(.setting(.autoStopMinutes, settings), at: Self.moment(0))
        try idle.start(at: Self.moment(0))
        for second in 0..<200 { idle.move(to: 0, speed: 0, at: Self.moment(second)) }
        #expect(idle.pipeline.runState == .idle)
        for second in 200..<240 { idle.move(to: Double(second - 199) * 3, speed: 3, at: Self.moment(second)) }
        #expect(idle.starts.first?.since == Self.moment(200))
    }
}

extension AutoStartTests.Idle {
    /// Sends a fix that many metres north.
    fileprivate mutating func move(to metres: Double, speed: Double, at now: Instant) {
        let fix = Fix(
            arrivedAt: now, mode: 3, latitude: 52.5 + metres / 111_194, longitude: 13.4, accuracy: 5, speed: speed)
        receive(.fix(fix), at: now)
    }
}

extension Coordinate {
    fileprivate init?(_ fix: Fix) {
        guard let latitude = fix.latitude, let longitude = fix.longitude else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}
