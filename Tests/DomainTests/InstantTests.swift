import Domain
import Testing

@Suite struct InstantTests {
    @Test func millisecondsAreRoundedDownOnBothSidesOfBoot() {
        #expect(Instant(nanoseconds: 1_999_999).milliseconds == 1)
        #expect(Instant(nanoseconds: -1).milliseconds == -1)
        #expect(Instant(nanoseconds: -1_000_000).milliseconds == -1)
        #expect(Instant(milliseconds: 1234).nanoseconds == 1_234_000_000)
    }

    @Test func durationsAreExactToTheNanosecond() {
        let start = Instant(nanoseconds: 7)
        let later = start + .milliseconds(100)
        #expect(later.nanoseconds == 100_000_007)
        #expect(later - start == .milliseconds(100))
        #expect(start - later == .milliseconds(-100))
        #expect(later - .nanoseconds(100_000_000) == start)
        #expect(start < later)
        var moved = start
        moved += .seconds(3)
        #expect(moved.nanoseconds == 3_000_000_007)
    }

    @Test func aDayOfTicksDoesNotDrift() {
        var now = Instant(milliseconds: 0)
        for _ in 0..<864_000 { now += .milliseconds(100) }
        #expect(now.milliseconds == 86_400_000)
    }

    @Test func durationsConvertToWholeUnitsAndSeconds() {
        #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
        #expect(Duration.microseconds(1999).wholeMilliseconds == 1)
        #expect(Duration.microseconds(-1999).wholeMilliseconds == -1)
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
        #expect(Duration.seconds(-2).wholeNanoseconds == -2_000_000_000)
    }

    @Test(
        arguments: [(7, 2, 3), (-7, 2, -4), (7, -2, -4), (-7, -2, 3), (6, 3, 2), (-6, 3, -2), (0, 5, 0)]
            as [(Int64, Int64, Int64)])
    func flooredDivisionRoundsTowardNegativeInfinity(dividend: Int64, divisor: Int64, quotient: Int64) {
        #expect(dividend.flooredDivision(by: divisor) == quotient)
    }

    @Test func ageOfAValueIsNeverNegative() {
        let value = Timestamped(140, at: Instant(milliseconds: 1000))
        #expect(value.age(at: Instant(milliseconds: 1312)) == .milliseconds(312))
        #expect(value.age(at: Instant(milliseconds: 900)) == .zero)
    }
}
