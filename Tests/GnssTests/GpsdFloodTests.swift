import Domain
import Gnss
import TestKit
import Testing

/// A gpsd that reports too much, from bytes to inputs.
@Suite struct GpsdFloodTests {
    private static let start = Instant(milliseconds: 1_000_000)

    /// A connected decoder and its inputs.
    private struct Stage {
        var stream = GpsdDecoder(addresses: 1)
        var inputs: [Timestamped<Input>] = []

        init() {
            advance(to: start)
            stream.connected(at: start)
            send([FakeGpsd.version], at: start)
        }

        mutating func send(_ lines: [String], at now: Instant) {
            var steps: [GpsdDecoder.Step] = []
            stream.received(lines.joined(separator: "\r\n").utf8.map { $0 } + [13, 10], at: now, into: &steps)
            advance(to: now, after: steps)
        }

        mutating func advance(to now: Instant, after earlier: [GpsdDecoder.Step] = []) {
            var steps = earlier
            stream.advance(to: now, into: &steps)
            for step in steps {
                if case .input(let input) = step { inputs.append(Timestamped(input, at: now)) }
            }
            #expect(stream.deadline > now)
        }

        /// Runs at each deadline until `end`.
        mutating func wait(until end: Instant) {
            while stream.deadline <= end { advance(to: stream.deadline) }
        }

        var fixes: [Timestamped<Fix>] {
            inputs.compactMap { if case .fix(let fix) = $0.value { Timestamped(fix, at: $0.measuredAt) } else { nil } }
        }

        var links: [LinkStatus] {
            inputs.compactMap { if case .gpsdLink(let status) = $0.value { status } else { nil } }
        }

        var faults: [Input] {
            inputs.map(\.value).filter {
                switch $0 {
                case .raise, .clear: true
                default: false
                }
            }
        }
    }

    /// A report at a number of milliseconds, less than an hour, after a fixed time of day.
    private static func report(_ milliseconds: Int, fields: String = #""mode":3,"lat":52.5,"lon":13.4"#) -> String {
        func digits(_ value: Int, _ count: Int) -> String {
            String(repeating: "0", count: count - "\(value)".count) + "\(value)"
        }
        let seconds = milliseconds / 1000
        let time = "08:\(digits(seconds / 60, 2)):\(digits(seconds % 60, 2)).\(digits(milliseconds % 1000, 3))"
        return #"{"class":"TPV","device":"/dev/a","time":"2026-11-21T\#(time)Z",\#(fields)}"#
    }

    /// A receiver with 20 Hz for a minute, in a loop that repeatedly stalls for up to 2.4 s.
    @Test(arguments: 0..<5 as Range<UInt64>)
    func twentyFixesASecondAreAllUsedAfterAStall(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var stage = Stage()
        var waiting: [String] = []
        var stalledUntil = 0
        for milliseconds in stride(from: 0, to: 60_000, by: 50) {
            waiting.append(Self.report(milliseconds))
            if stalledUntil < milliseconds, random.uniform() < 0.02 {
                stalledUntil = milliseconds + Int.random(in: 100...2400, using: &random)
            }
            guard milliseconds >= stalledUntil else { continue }
            stage.send(waiting, at: Self.start + .milliseconds(milliseconds))
            waiting = []
        }
        stage.wait(until: Self.start + .seconds(61))
        stage.send(waiting, at: Self.start + .seconds(62))
        stage.wait(until: Self.start + .seconds(63))
        #expect(stage.fixes.count == 1200)
        #expect(stage.faults.isEmpty)
    }

    @Test(arguments: [1, 40])
    func floodIsLimitedToTwentyFiveFixesASecondAndCounted(step: Int) {
        var stage = Stage()
        for milliseconds in 0..<6000 {
            stage.send([Self.report(milliseconds * step)], at: Self.start + .milliseconds(milliseconds))
        }
        #expect((199...200).contains(stage.fixes.count))
        let dropped = 6000 - stage.fixes.count
        stage.wait(until: Self.start + .seconds(70))
        guard stage.faults.count == 3, case .raise(.gpsdFlood, let first) = stage.faults[0] else {
            Issue.record("\(stage.faults)")
            return
        }
        let words = "gpsd sends more than 25 positions a second; "
        #expect(first.hasPrefix(words))
        #expect(
            stage.faults.dropFirst() == [
                .raise(.gpsdFlood, message: words + "\(dropped) were discarded"), .clear(.gpsdFlood),
            ])
    }

    /// Reports with and without a position, or a receiver that comes and goes, a thousand times a second.
    @Test(arguments: [true, false])
    func flickeringLinkIsReportedOnceASecondWithItsFinalState(hasReports: Bool) {
        var stage = Stage()
        for milliseconds in 0..<6000 {
            let isOdd = milliseconds % 2
            let report = isOdd == 1 ? Self.report(milliseconds) : Self.report(milliseconds, fields: #""mode":1"#)
            let device = #"{"class":"DEVICE","path":"/dev/a","activated":\#(isOdd)}"#
            stage.send([hasReports ? report : device], at: Self.start + .milliseconds(milliseconds))
        }
        #expect((10...17).contains(stage.links.count))
        stage.send([Self.report(10_000)], at: Self.start + .seconds(10))
        stage.wait(until: Self.start + .seconds(12))
        #expect(stage.links.last == LinkStatus(.connected, name: SanitizedText("/dev/a")))
    }
}
