import Domain
import Sensors
import TestKit
import Testing

/// Returns a report that many milliseconds after the first.
func report(
    _ milliseconds: Int64?, mode: UInt8 = 3, latitude: Double? = 52.5, longitude: Double? = 13.4,
    altitude: Double? = nil, accuracy: Double? = nil, speed: Double? = nil, device: String? = "/dev/ttyACM0"
) -> TPVReport {
    TPVReport(
        device: device, time: milliseconds.map { UTC(milliseconds: 1_772_000_000_000 + $0) }, mode: mode,
        latitude: latitude, longitude: longitude, altitude: altitude, accuracy: accuracy, speed: speed)
}

@Suite struct EpochMergerTests {
    var clock = ManualClock()
    var merger = EpochMerger(device: "/dev/ttyACM0")

    /// Returns the fixes that a report closes at once.
    mutating func fixes(after report: TPVReport) -> [Fix] {
        var fixes: [Fix] = []
        merger.received(report, at: clock.now, into: &fixes)
        return fixes + ready()
    }

    mutating func ready() -> [Fix] {
        var fixes: [Fix] = []
        merger.tick(at: clock.now, into: &fixes)
        return fixes
    }

    /// Teaches the merger ten fixes of that many reports each, 10 ms apart.
    mutating func learn(reports: Int) {
        for second in -10..<0 {
            for _ in 0..<reports {
                _ = fixes(after: report(Int64(second) * 1_000))
                clock.advance(by: .milliseconds(10))
            }
            clock.advance(by: .milliseconds(1_000 - 10 * reports))
        }
        _ = ready()
    }

    @Test mutating func firstFixesCloseAfter300Milliseconds() {
        let first = clock.now
        #expect(fixes(after: report(0)) == [])
        #expect(merger.deadline == first + .milliseconds(300))
        clock.advance(by: .milliseconds(299))
        #expect(ready() == [])
        clock.advance(by: .milliseconds(1))
        #expect(ready().map(\.arrivedAt) == [first])
        #expect(merger.deadline == nil)
    }

    @Test mutating func fixClosesWhenTheTimeChanges() {
        _ = fixes(after: report(0, altitude: 30))
        clock.advance(by: .milliseconds(100))
        let closed = fixes(after: report(100, altitude: 31))
        #expect(closed.map(\.altitude) == [30])
    }

    @Test mutating func oneReportPerFixIsLearnedFromTenFixes() {
        for second in 0..<10 {
            #expect(fixes(after: report(Int64(second) * 1_000)) == [])
            clock.advance(by: .seconds(1))
            #expect(ready().count == 1)
        }
        for second in 10..<20 {
            #expect(fixes(after: report(Int64(second) * 1_000)).map(\.arrivedAt) == [clock.now])
            clock.advance(by: .seconds(1))
        }
    }

    @Test(arguments: 2...7)
    mutating func fixClosesAtTheReportThatCompletedTheLastTen(reports: Int) {
        learn(reports: reports)
        let first = clock.now
        for _ in 1..<reports {
            #expect(fixes(after: report(0)) == [])
            clock.advance(by: .milliseconds(10))
        }
        #expect(fixes(after: report(0)).map(\.arrivedAt) == [first])
    }

    @Test mutating func additionalReportsAreAwaitedFromTheNextFix() {
        learn(reports: 1)
        #expect(fixes(after: report(0)).count == 1)
        clock.advance(by: .milliseconds(50))
        #expect(fixes(after: report(0)) == [])
        clock.advance(by: .milliseconds(950))
        #expect(fixes(after: report(1_000, speed: 0)) == [])
        clock.advance(by: .milliseconds(50))
        #expect(fixes(after: report(1_000, speed: 3)).map(\.speed) == [3])
    }

    @Test mutating func fewerReportsAreLearnedAfterTenFixes() {
        learn(reports: 2)
        var closedAtOnce: [Int] = []
        for second in 0..<12 {
            closedAtOnce.append(fixes(after: report(Int64(second) * 1_000)).count)
            clock.advance(by: .milliseconds(300))
            _ = ready()
            clock.advance(by: .milliseconds(700))
        }
        #expect(closedAtOnce == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    }

    @Test mutating func lastValueOfEachFieldCountsAndAMissingOneKeepsIt() {
        _ = fixes(after: report(0, mode: 2, accuracy: 9, speed: 0))
        _ = fixes(after: report(0, mode: 3, latitude: nil, longitude: nil, altitude: 34, speed: 2.9))
        _ = fixes(after: report(0, mode: 0, latitude: 52.6, longitude: 13.5))
        let fix = fixes(after: report(1_000)).first
        #expect(fix?.mode == 3)
        #expect(fix?.latitude == 52.6)
        #expect(fix?.longitude == 13.5)
        #expect(fix?.altitude == 34)
        #expect(fix?.accuracy == 9)
        #expect(fix?.speed == 2.9)
        #expect(fix?.device?.text == "/dev/ttyACM0")
    }

    @Test mutating func partialPositionsAreNotCombined() {
        _ = fixes(after: report(0, latitude: 52.5, longitude: nil))
        _ = fixes(after: report(0, latitude: nil, longitude: 13.4))
        let fix = fixes(after: report(1_000)).first
        #expect(fix?.mode == 3)
        #expect(fix?.latitude == nil)
        #expect(fix?.longitude == nil)
        #expect(fix?.hasPosition == false)
    }

    @Test mutating func fixHasTheArrivalTimeOfItsFirstReport() {
        learn(reports: 3)
        let first = clock.now
        _ = fixes(after: report(0))
        clock.advance(by: .milliseconds(120))
        _ = fixes(after: report(0))
        clock.advance(by: .milliseconds(120))
        #expect(fixes(after: report(0)).map(\.arrivedAt) == [first])
    }

    @Test mutating func reportWithoutTimeIsASeparateFixAndClosesTheLast() {
        _ = fixes(after: report(0, altitude: 1))
        clock.advance(by: .milliseconds(10))
        let closed = fixes(after: report(nil, altitude: 2))
        #expect(closed.map(\.altitude) == [1, 2])
        #expect(closed.last?.time == nil)
        #expect(closed.last?.arrivedAt == clock.now)
        #expect(fixes(after: report(nil, altitude: 3)).map(\.altitude) == [3])
    }

    @Test mutating func lateReportOfAnEarlierEpochIsIgnored() {
        learn(reports: 1)
        for tenth in 0..<5 { _ = fixes(after: report(Int64(tenth) * 100)) }
        clock.advance(by: .milliseconds(100))
        #expect(fixes(after: report(0)) == [])
        #expect(fixes(after: report(500)).count == 1)
    }

    @Test mutating func repeatedLogKeepsGivingFixes() {
        learn(reports: 1)
        for _ in 0..<3 {
            for second in 0..<7 {
                #expect(fixes(after: report(Int64(second) * 1_000)).count == 1)
                clock.advance(by: .seconds(1))
            }
        }
    }

    @Test mutating func clockThatJumpsBackStartsAnotherFix() {
        learn(reports: 1)
        #expect(fixes(after: report(500_000)).count == 1)
        clock.advance(by: .seconds(1))
        #expect(fixes(after: report(1_000)).count == 1)
    }

    @Test mutating func satelliteCountExpiresAfterTenSeconds() {
        learn(reports: 1)
        #expect(fixes(after: report(0)).map(\.satellites) == [nil])
        merger.received(satellites: 9, at: clock.now)
        clock.advance(by: .milliseconds(9_999))
        #expect(fixes(after: report(9_999)).map(\.satellites) == [9])
        clock.advance(by: .milliseconds(1))
        #expect(fixes(after: report(10_000)).map(\.satellites) == [nil])
    }

    @Test mutating func receiverNameIsSanitized() {
        merger = EpochMerger(device: "/dev/\u{1B}[2J")
        #expect(fixes(after: report(nil)).first?.device?.text == "/dev/\u{FFFD}[2J")
    }
}
