import Domain
import Sensors
import TestKit
import Testing

struct ScanDutyPolicyTests {
    private var clock = ManualClock()
    private var air = ScanDutyPolicy()

    /// Returns each change of the duty within a duration, with its second.
    private mutating func follow(_ duration: Duration) -> [Timestamped<ScanDutyPolicy.Duty?>] {
        let start = clock.now
        var changes: [Timestamped<ScanDutyPolicy.Duty?>] = []
        while let deadline = air.deadline, deadline <= start + duration {
            let before = air.duty
            clock.now = deadline
            air.tick(at: deadline)
            if air.duty != before {
                changes.append(Timestamped(air.duty, at: Instant(nanoseconds: (deadline - start).wholeNanoseconds)))
            }
        }
        clock.now = start + duration
        return changes
    }

    private func at(_ seconds: Int64, _ duty: ScanDutyPolicy.Duty?) -> Timestamped<ScanDutyPolicy.Duty?> {
        Timestamped(duty, at: Instant(milliseconds: seconds * 1000))
    }

    @Test mutating func scanHasFullDutyForTwoMinutes() {
        air.begin(at: clock.now)
        #expect(air.duty == .full)
        #expect(air.deadline == clock.now + .seconds(120))
    }

    @Test mutating func scanInARunUsesAQuarterOfTheDutyAfterTwoMinutes() {
        air.runChanged(isActive: true, at: clock.now)
        air.begin(at: clock.now)
        #expect(follow(.seconds(10_000)) == [at(120, .sparing)])
        #expect(ScanDutyPolicy.Duty.sparing.window / ScanDutyPolicy.Duty.sparing.interval == 0.25)
    }

    @Test mutating func idleScanRunsFiveSecondsInEvery30AfterTwoMinutes() {
        air.begin(at: clock.now)
        // The first scan window starts when the two minutes end.
        #expect(follow(.seconds(190)) == [at(125, nil), at(150, .full), at(155, nil), at(180, .full), at(185, nil)])
    }

    @Test mutating func startOfARunRestartsTheScanAtOnce() {
        air.begin(at: clock.now)
        _ = follow(.seconds(130))
        #expect(air.duty == nil)
        air.runChanged(isActive: true, at: clock.now)
        #expect(air.duty == .sparing)
        #expect(air.deadline == nil)
        air.runChanged(isActive: false, at: clock.now)
        #expect(air.duty == nil)
        #expect(air.deadline == clock.now + .seconds(20))
    }

    @Test mutating func connectedStrapStopsTheScanAndItsLossRestartsFullDuty() {
        air.begin(at: clock.now)
        _ = follow(.seconds(1000))
        air.end()
        #expect(air.duty == nil)
        #expect(air.deadline == nil)
        air.runChanged(isActive: true, at: clock.now)
        air.tick(at: clock.advance(by: .seconds(1)))
        #expect(air.duty == nil)
        air.begin(at: clock.now)
        #expect(air.duty == .full)
    }

    @Test mutating func scanKeepsItsScheduleAfterASleepOfTheBoard() {
        air.begin(at: clock.now)
        air.tick(at: clock.advance(by: .seconds(120 + 30 * 1_000_000 + 7)))
        #expect(air.duty == nil)
        #expect(air.deadline == clock.now + .seconds(23))
    }
}
