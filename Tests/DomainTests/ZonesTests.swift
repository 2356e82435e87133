import Domain
import Testing

@Suite struct ZonesTests {
    @Test(arguments: [
        (0, 0), (99, 0), (100, 1), (119, 1), (120, 2), (139, 2), (140, 3), (160, 4), (179, 4), (180, 5), (184, 5),
        (250, 5), (300, 5),
    ])
    func zoneStartsAtItsLowestValue(beats: Int, zone: Int) throws {
        #expect(try Zones([100, 120, 140, 160, 180]).zone(of: beats) == zone)
    }

    @Test(
        arguments: [
            (40, 0), (99, 0), (100, 0), (119, 0.225625), (120, 0.2375), (140, 0.475), (160, 0.7125), (179, 0.938125),
            (180, 0.95),
            (184, 0.9975), (185, 1), (250, 1),
        ] as [(Int, Double)])
    func zoneFractionReaches95PercentAtZoneFive(beats: Int, fraction: Double) throws {
        #expect(abs(try Zones([100, 120, 140, 160, 180]).fraction(of: beats) - fraction) < 1e-12)
    }

    /// The app derived the zone from the fraction and missed zone 5 at its lowest value for 57 % of all pairs.
    @Test func lowestValueOfZoneFiveIsInZoneFive() throws {
        for first in 80...159 {
            for fifth in (first + 4)...219 {
                let zones = try Zones([first, first + 1, first + 2, first + 3, fifth])
                #expect(zones.zone(of: fifth) == 5)
                #expect(zones.zone(of: fifth - 1) == (fifth - 1 > first + 2 ? 4 : 3))
                #expect(zones.zone(of: first - 1) == 0)
            }
        }
    }

    @Test(arguments: [
        ([100, 100, 140, 160, 180], 1), ([100, 90, 140, 130, 180], 2), ([5, 4, 3, 2, 1], 4),
        ([0, 120, 140, 160, 180], 1),
        ([-10, 120, 140, 160, 251], 2), ([100, 120, 140, 160], 1), ([], 1), ([1, 2, 3, 4, 5, 6], 1),
    ])
    func eachViolationGivesOneErrorLine(bottoms: [Int], lines: Int) {
        let error = #expect(throws: Zones.Invalid.self) { try Zones(bottoms) }
        #expect(error?.lines.count == lines)
    }

    @Test func errorLinesNameBothZones() {
        let error = #expect(throws: Zones.Invalid.self) { try Zones([100, 120, 120, 160, 150]) }
        #expect(
            error?.lines == [
                "zone 3 begins at 120, must be above zone 2 at 120",
                "zone 5 begins at 150, must be above zone 4 at 160",
            ])
    }

    @Test func extremeZonesAreAccepted() throws {
        #expect(try Zones([1, 2, 3, 4, 5]).zone(of: 0) == 0)
        #expect(try Zones([246, 247, 248, 249, 250]).zone(of: 250) == 5)
    }

    @Test func zonesHaveTheAppsNames() {
        #expect((0...5).map(Zones.name(of:)) == ["Warm Up", "Zone 1", "Zone 2", "Zone 3", "Zone 4", "Zone 5"])
    }
}
