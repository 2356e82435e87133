import Domain
import TestKit
import Testing

@testable import Pipeline

@Suite struct PartnerTests {
    /// 3 m/s for 100 s, then 5 m/s for 100 s: 800 m in 200 s.
    private static func curve(on course: CourseHash? = nil) -> Partner {
        let seconds = Array(0...200)
        let curve = PartnerCurve(
            hash: CourseHash(2), course: course, elapsedMilliseconds: seconds.map { Int32($0 * 1000) },
            metres: seconds.map { Float($0 <= 100 ? 3 * $0 : 300 + 5 * ($0 - 100)) })
        return .recorded(LoadedPartner(hash: curve.hash, name: SanitizedText("last week"), curve: curve))
    }

    @Test func `A partner of constant pace is compared by distance and time`() throws {
        var run = ScriptedRun()
        run.receive(.partner(.pace(0.25)))
        #expect(run.state.partner == nil)
        run.fix(speed: 5)
        try run.begin()
        run.run(seconds: 100, speed: 5)
        let partner = try #require(run.state.partner)
        let metres = try #require(run.activity).total.distanceMetres
        #expect(partner.pace == 0.25)
        #expect(abs(partner.metresAhead - (metres - 400)) < 0.01)
        #expect(abs(try #require(partner.secondsAhead) - (metres / 4 - 100)) < 0.01)
    }

    @Test func `A recorded partner is compared along its curve, and has no time beyond its end`() {
        let partner = Self.curve()
        let behind = partner.status(milliseconds: 150_000, metres: 400, following: nil)
        // The partner was at 400 m after 120 s, and is at 550 m now.
        #expect(behind?.secondsAhead == -30)
        #expect(behind?.metresAhead == -150)
        #expect(behind?.name?.text == "last week")
        let ahead = partner.status(milliseconds: 10_000, metres: 60, following: nil)
        #expect(ahead?.secondsAhead == 10)
        #expect(ahead?.metresAhead == 30)
        let beyond = partner.status(milliseconds: 190_000, metres: 900, following: nil)
        #expect(beyond?.secondsAhead == nil)
        #expect(beyond?.metresAhead == 150)
    }

    @Test func `A partner on the course is compared from where the run came onto it`() {
        let partner = Self.curve(on: CourseHash(1))
        #expect(partner.status(milliseconds: 1000, metres: 5, following: nil) == nil)
        #expect(partner.status(milliseconds: 1000, metres: 5, following: (CourseHash(3), 0, 5)) == nil)
        // The partner was at 300 m after 100 s, and is at 600 m 60 s later.
        let status = partner.status(milliseconds: 60_000, metres: 0, following: (CourseHash(1), 300, 550))
        #expect(status?.secondsAhead == -10)
        #expect(status?.metresAhead == -50)
        let pace = Partner.pace(0.5).status(milliseconds: 60_000, metres: 0, following: (CourseHash(1), 300, 420))
        #expect(pace?.metresAhead == 0)
        #expect(pace?.secondsAhead == 0)
    }
}
