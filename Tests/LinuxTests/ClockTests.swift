import Domain
import Foundation
import Linux
import TestKit
import Testing

@Suite struct ClockTests {
    @Test func bootClockNeverGoesBack() {
        var last = Clock.now()
        for _ in 0..<10_000 {
            let now = Clock.now()
            #expect(now >= last)
            last = now
        }
    }

    @Test func systemTimeMatchesFoundation() {
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        let time = Clock.systemTime().milliseconds
        let after = Int64(Date().timeIntervalSince1970 * 1000)
        #expect((before - 1...after + 1).contains(time))
    }

    @Test func realTimeClockIsTheFirstThatIsNotBeforeTheRelease() throws {
        let directory = TemporaryDirectory()
        let earliest = UTC(year: 2026, month: 11, day: 20)
        func time() -> UTC? { Clock.realTimeClock(notBefore: earliest, in: directory("rtc")) }
        #expect(time() == nil)
        for (name, seconds) in [("rtc0", "12"), ("rtc1", "none"), ("rtc2", "1797000000"), ("rtc3", "1796000000")] {
            try FileManager.default.createDirectory(
                atPath: directory("rtc/" + name), withIntermediateDirectories: true)
            try Data((seconds + "\n").utf8).write(to: URL(filePath: directory("rtc/\(name)/since_epoch")))
            #expect(time() == (name < "rtc2" ? nil : UTC(milliseconds: 1_797_000_000_000)))
        }
    }

    @Test func bootIDIsAConstantUUID() {
        #expect(UUID(uuidString: Clock.bootID()) != nil)
        #expect(Clock.bootID() == Clock.bootID())
    }
}
