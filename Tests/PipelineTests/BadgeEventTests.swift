import Domain
import Pipeline
import Testing

@Suite struct BadgeEventTests {
    private static func badges(_ run: ScriptedRun) -> [(badge: Badge, at: Int64)] {
        run.events.compactMap {
            guard case .badge(let badge) = $0.kind else { return nil }
            return (badge, $0.at.milliseconds - ScriptedRun.start.milliseconds)
        }
    }

    @Test func `Each badge is reported once when the distance exceeds it`() throws {
        var run = ScriptedRun()
        run.fix(speed: 4)
        try run.begin()
        run.run(seconds: 650, speed: 4)
        let badges = Self.badges(run)
        #expect(badges.map(\.badge.name) == ["Earth's Atmosphere", "The Moon", "Earth's Magnetotail"])
        // 804.672 m at 4 m/s are 201.2 s; the distance is counted each second.
        #expect((201_000...204_000).contains(badges[0].at))
    }

    @Test func `A stated distance reports all the badges that it passes`() throws {
        var run = ScriptedRun()
        try run.begin(.walk)
        run.wait(.seconds(400))
        run.receive(.distance(1700))
        run.wait(.seconds(1))
        #expect(Self.badges(run).map(\.badge.name) == ["Earth's Atmosphere", "The Moon"])
    }

    @Test func `A ride and the end of the table report nothing`() throws {
        var ride = ScriptedRun()
        ride.fix(speed: 10)
        try ride.begin(.ride)
        ride.run(seconds: 120, speed: 10)
        #expect(try #require(ride.activity).total.distanceMetres > 1000)
        #expect(Self.badges(ride).isEmpty)

        var run = ScriptedRun()
        try run.begin()
        run.sleep(.seconds(36_000))
        run.receive(.distance(50_000))
        run.wait(.seconds(1))
        run.receive(.distance(60_000))
        run.wait(.seconds(10))
        #expect(Self.badges(run).map(\.badge) == Array(Badge.all.dropFirst()))
    }
}
