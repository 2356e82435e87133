import Domain
import Testing
import Web

@Suite struct PlausibleClockTests {
    private static let start = UTC(milliseconds: Release.date.milliseconds + 1_000_000)
    private var clock = PlausibleClock(start, at: Instant(nanoseconds: 0))

    private mutating func isPlausible(_ seconds: Int64, ahead: Int64 = 0) -> Bool {
        let time = UTC(milliseconds: Self.start.milliseconds + (seconds + ahead) * 1000)
        return clock.read(time, at: Instant(nanoseconds: 0) + .seconds(seconds)).isPlausible
    }

    @Test mutating func clockIsPlausibleAfterAnHour() {
        let seen = [isPlausible(3599), isPlausible(3600)]
        #expect(seen == [false, true])
    }

    @Test mutating func stepNeedsAnotherHour() {
        let seen = [
            isPlausible(4000), isPlausible(4001, ahead: 91 * 86_400), isPlausible(4002), isPlausible(7601),
            isPlausible(7602),
        ]
        #expect(seen == [true, false, false, false, true])
    }

    @Test mutating func clockThatIsSlowlyCorrectedStaysPlausible() {
        let seen = (1...30).map { isPlausible($0 * 86_400, ahead: $0 * 40) }
        #expect(!seen.contains(false))
    }

    @Test mutating func timeBeforeTheReleaseIsNotPlausible() {
        clock = PlausibleClock(UTC(milliseconds: 0), at: Instant(nanoseconds: 0))
        let reading = clock.read(UTC(milliseconds: 4_000_000), at: Instant(nanoseconds: 0) + .seconds(4000))
        #expect(!reading.isPlausible)
    }
}
