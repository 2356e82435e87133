import Domain
import Foundation
import Pipeline
import Testing

@Suite struct SunTests {
    /// The altitudes of PyEphem, from `Tools/sun-vectors.py`.
    @Test func `Times agree with PyEphem to 15 s up to 65° and to 60 s up to 80°`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Sun/vectors.csv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst()
        try #require(lines.count == 6000)
        var none = 0
        for line in lines {
            let cells = line.split(separator: ",")
            let time = UTC(milliseconds: try #require(Int64(cells[0])) * 1000)
            let place = Coordinate(
                latitude: try #require(Double(cells[1])), longitude: try #require(Double(cells[2])))
            let day = SolarDay(of: time, at: place)
            #expect(day.span.contains(time))
            for (cell, crossing) in zip(cells[3...], [day.dawn, day.rise, day.set, day.dusk]) {
                switch (cell, crossing) {
                case ("+", .above), ("-", .below): none += 1
                case (_, .at(let found)):
                    let expected = try #require(Double(cell), "\(line)")
                    let error = abs(Double(found.milliseconds - time.milliseconds) / 1000 - expected)
                    #expect(error <= (abs(place.latitude) <= 65 ? 15 : 60), "\(line)")
                default: Issue.record("\(line): \(crossing)")
                }
            }
        }
        #expect(none > 3000)
    }

    @Test func `A day without a sunset and one without a sunrise have their names`() {
        let tromsoe = Coordinate(latitude: 69.65, longitude: 18.96)
        func status(_ month: Int, _ hours: Int) -> SunStatus {
            let time = UTC(milliseconds: UTC(year: 2026, month: month, day: 21).milliseconds + Int64(hours) * 3_600_000)
            return SolarDay(of: time, at: tromsoe).status(at: time)
        }
        #expect(status(6, 23) == SunStatus(phase: .polarDay))
        let noon = status(12, 11)
        #expect(noon.phase == .twilight && noon.rise == nil && noon.set == nil)
        #expect(noon.dawn != nil && (noon.lightLeft ?? 0) > 3600)
        let night = status(12, 18)
        #expect(night.phase == .polarNight && night.lightLeft == 0 && night.dusk == noon.dusk)
        let day = status(3, 11)
        #expect(day.phase == .day && day.lightLeft != nil)
        #expect(status(3, 1).phase == .night && status(3, 1).rise == day.rise)
        // It does not get dark between the civil twilights of the evening and the morning.
        let light = status(5, 20)
        #expect(light.phase == .polarDay || light.lightLeft == nil)
    }

    @Test func `The next solar day begins where the one before ends`() {
        let place = Coordinate(latitude: 52.52, longitude: -170.5)
        var day = SolarDay(of: UTC(year: 2026, month: 1, day: 1), at: place)
        for _ in 0..<800 {
            let next = SolarDay(of: day.span.upperBound, at: place)
            #expect(next.span.lowerBound == day.span.upperBound)
            #expect(SolarDay(of: UTC(milliseconds: day.span.upperBound.milliseconds - 1), at: place) == day)
            day = next
        }
    }

    // MARK: In a run

    /// The end of civil twilight at the place of a scripted run.
    private static let dusk: UTC = {
        let day = SolarDay(of: UTC(year: 2027, month: 1, day: 15), at: Coordinate(latitude: 0, longitude: 13))
        guard case .at(let dusk) = day.dusk else { preconditionFailure("the sun sets at the equator") }
        return dusk
    }()

    /// A run with a position, some seconds before the end of civil twilight.
    private static func run(secondsToDusk: Int64) -> ScriptedRun {
        var run = ScriptedRun()
        run.receive(.systemClock(UTC(milliseconds: dusk.milliseconds - secondsToDusk * 1000), isSynchronised: true))
        run.fix()
        return run
    }

    private static func warnings(_ events: [Event]) -> [Double?] {
        events.compactMap { if case .light(let sun) = $0.kind { sun.lightLeft } else { nil } }
    }

    @Test func `Half an hour before the end of the light is reported once in a run`() throws {
        var run = Self.run(secondsToDusk: 1810)
        try run.begin()
        run.wait(.seconds(9))
        #expect(Self.warnings(run.events).isEmpty)
        #expect(run.state.sun?.lightLeft == 1801)
        run.wait(.seconds(1))
        #expect(Self.warnings(run.events) == [1800])
        run.wait(.seconds(1900))
        #expect(run.state.sun?.phase == .night && run.state.sun?.lightLeft == 0)
        #expect(Self.warnings(run.events).count == 1)
        try run.perform(.stop)
        run.receive(.systemClock(UTC(milliseconds: Self.dusk.milliseconds - 600_000), isSynchronised: true))
        run.wait(.seconds(5))
        #expect(Self.warnings(run.events).count == 1, "no run is in progress")
        try run.begin()
        run.wait(.seconds(5))
        #expect(Self.warnings(run.events).count == 2)
    }

    @Test func `A run that begins late is told what is left, and one in the dark nothing`() throws {
        var late = Self.run(secondsToDusk: 600)
        try late.begin()
        late.wait(.seconds(5))
        #expect(Self.warnings(late.events) == [599])
        var dark = Self.run(secondsToDusk: -60)
        try dark.begin()
        dark.wait(.seconds(5))
        #expect(Self.warnings(dark.events).isEmpty && dark.state.sun?.phase == .night)
    }

    @Test func `A paused run is warned too`() throws {
        var run = Self.run(secondsToDusk: 1810)
        try run.begin()
        try run.perform(.pause)
        run.wait(.seconds(20))
        #expect(Self.warnings(run.events) == [1800])
    }

    @Test func `Without a position or the time there is no sun, and a guessed time warns nobody`() throws {
        var run = ScriptedRun()
        #expect(run.state.sun == nil)
        run.fix()
        #expect(run.state.sun == nil)
        run.receive(.rtcClock(UTC(milliseconds: Self.dusk.milliseconds - 600_000)))
        try run.begin()
        run.wait(.seconds(5))
        #expect(run.state.sun?.lightLeft == 595)
        #expect(Self.warnings(run.events).isEmpty)
        var blind = ScriptedRun()
        blind.receive(.systemClock(Self.dusk, isSynchronised: true))
        #expect(blind.state.sun == nil)
    }

    @Test func `The place of the last fix counts, also after an outage`() throws {
        var run = Self.run(secondsToDusk: 1810)
        try run.begin()
        run.wait(.seconds(20))
        #expect(run.state.position == nil && Self.warnings(run.events).count == 1)
        let outage = Outage(duration: .seconds(100), isSameBoot: true, settings: Settings())
        run.sleep(.zero)
        run.pipeline.resume(after: outage, at: run.now + .seconds(100), into: &run.effects)
        run.now += .seconds(100)
        run.settle()
        run.wait(.seconds(20))
        #expect(run.state.sun?.lightLeft == 1670)
        #expect(Self.warnings(run.events).count == 1)
    }

    @Test func `The published times are those of the exact place to 3 s at 65°`() {
        for day in 0..<365 {
            let time = UTC(milliseconds: UTC(year: 2026, month: 1, day: 1).milliseconds + Int64(day) * 86_400_000)
            let place = Coordinate(latitude: 64.995_49, longitude: 13.000_49)
            let exact = SolarDay(of: time, at: place).status(at: time)
            let published = SunMemory().status(at: time, place)
            for (one, other) in [
                (exact.rise, published.rise), (exact.set, published.set), (exact.dusk, published.dusk),
            ] {
                guard let one, let other else { continue }
                #expect(abs(one.milliseconds - other.milliseconds) <= 3000)
            }
        }
    }

    @Test func `A replay reports the same, and the run that continues after it nothing again`() throws {
        let start = ScriptedRun.start
        var engine = SteppedEngine(Pipeline(settings: Settings(), isDemo: false, at: start), at: start)
        let time = UTC(milliseconds: Self.dusk.milliseconds - 1_805_000)
        engine.receive(.systemClock(time, isSynchronised: true), at: start)
        engine.receive(.fix(ScriptedRun().nextFix()), at: start)
        _ = try engine.perform(.start(.run, indoor: false), at: start)
        for second in 1...10 { engine.receive(.battery(percent: second), at: start + .seconds(second)) }
        let live = Self.warnings(
            engine.effects.outputs.compactMap { if case .event(let event) = $0 { event } else { nil } })
        #expect(live == [1800])
        let entries = engine.drainEntries()
        guard case .snapshot(let beginning) = entries.first?.kind else {
            throw CommandRejection(command: "start", state: .idle)
        }
        var replay = Replay(beginning)
        for entry in entries { replay.apply(entry) }
        var run = ScriptedRun()
        run.pipeline = replay.pipeline
        run.now = start + .seconds(10)
        #expect(run.state.sun == engine.state(at: run.now).sun)
        run.wait(.seconds(20))
        #expect(Self.warnings(run.events).isEmpty)
        #expect(run.state.sun?.lightLeft == 1775)
    }
}
