import Domain
import Testing

struct BadgeTests {
    @Test func `The badges have the distances of MoonRunner`() {
        let metres: [Double] = [
            0, 804.672, 1609.344, 2414.016, 3218.688, 4023.36, 4828.032, 5632.704, 6437.376, 7242.048, 8046.72,
            8851.392, 9656.064, 11265.408, 12874.752, 14484.096, 16093.44, 17702.784, 19312.128, 20921.472, 22530.816,
            24140.16, 25749.504, 27358.848, 28968.192, 30577.536, 32186.88, 33796.224, 35405.568, 37014.912, 38624.256,
            40233.6, 42195,
        ]
        #expect(Badge.all.count == 33 && Set(Badge.all.map(\.name)).count == 33)
        for (badge, metres) in zip(Badge.all, metres) { #expect(abs(badge.distanceMetres - metres) < 1e-9) }
    }

    @Test(
        arguments: [
            (0.0, "Earth's Atmosphere"), (804.6, "Earth's Atmosphere"), (804.672, "The Moon"),
            (42_194.9, "Interstellar Space"),
            (42_195, nil), (.infinity, nil), (.nan, nil),
        ] as [(Double, String?)])
    func `The next badge is the first one of a greater distance`(_ metres: Double, _ name: String?) {
        #expect(Badge.next(at: metres)?.name == name)
    }

    private static func moon(_ efforts: [(metres: Double, seconds: Int64)]) -> BadgeStatus {
        BadgeStatus.all(
            of: efforts.enumerated().map { index, effort in
                BadgeStatus.Effort(
                    activity: index + 1, distanceMetres: effort.metres, elapsedMilliseconds: effort.seconds * 1000)
            })[2]
    }

    @Test func `The first activity beyond the distance earns a badge`() {
        let moon = Self.moon([(1600, 400), (1609.344, 400), (1610, 500), (1700, 600)])
        #expect(moon.badge.name == "The Moon")
        #expect(moon.earned?.activity == 3 && moon.best?.activity == 3)
        #expect(moon.silver == nil && moon.gold == nil)
    }

    @Test func `Silver takes more than 1.05 and gold more than 1.1 times the earning speed`() {
        // 4 m/s, then 4.2, 4.21, 4.4 and 4.41 m/s.
        let moon = Self.moon([(4000, 1000), (4200, 1000), (4210, 1000), (4400, 1000), (4410, 1000), (4410, 1000)])
        #expect(moon.earned?.activity == 1 && moon.silver?.activity == 3)
        #expect(moon.gold?.activity == 5 && moon.best?.activity == 5)
    }

    @Test func `One activity may take silver and gold`() {
        let moon = Self.moon([(4000, 1000), (8000, 1000)])
        #expect(moon.silver?.activity == 2 && moon.gold?.activity == 2)
    }

    @Test func `An activity without a time or with an impossible distance earns nothing`() {
        let moon = Self.moon([(4000, 0), (4000, -1), (.nan, 1000), (.infinity, 1000), (-4000, 1000)])
        #expect(moon == BadgeStatus(Badge.all[2]))
    }
}
