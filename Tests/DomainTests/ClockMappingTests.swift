import Domain
import Testing

private func mapping(_ second: Int64, _ utc: Int64, _ source: ClockSource = .system) -> ClockMapping {
    ClockMapping(
        at: Instant(milliseconds: second * 1000), time: UTC(milliseconds: utc * 1000), source: source)
}

private func time(_ second: Int64, _ mappings: [ClockMapping]) -> Int64? {
    ClockMapping.time(of: Instant(milliseconds: second * 1000), by: mappings).map { $0.time.milliseconds / 1000 }
}

@Test func instantsBeforeTheFirstClockMappingUseTheFirst() {
    #expect(time(10, [mapping(100, 5100), mapping(160, 9160)]) == 5010)
}

@Test func clockStepAppliesOnlyToLaterInstants() {
    let mappings = [mapping(100, 5100), mapping(160, 9160), mapping(220, 9220)]
    #expect(time(159, mappings) == 5159)
    #expect(time(160, mappings) == 9160)
    #expect(time(500, mappings) == 9500)
}

@Test func noClockMappingGivesNoTime() {
    #expect(time(10, []) == nil)
    #expect(time(10, [mapping(5, 7, .unset)]) == nil)
}
