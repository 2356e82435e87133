import Domain
import Foundation
import Linux
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

    @Test func bootIDIsAConstantUUID() {
        #expect(UUID(uuidString: Clock.bootID()) != nil)
        #expect(Clock.bootID() == Clock.bootID())
    }
}
