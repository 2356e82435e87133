import Domain
import TestKit
import Testing

@Suite struct DataFieldTests {
    @Test func namesAndTitlesAreUniqueAndShort() {
        #expect(Set(DataField.allCases.map(\.title)).count == DataField.allCases.count)
        for field in DataField.allCases {
            #expect(field.title.count <= 20 && !field.sports.isEmpty, "\(field.rawValue)")
            #expect(field.text.hasSuffix("."), "\(field.rawValue)")
        }
    }

    @Test func speedIsOfferedForRidesAndPaceIsNot() {
        #expect(DataField.speed.sports.contains(.ride))
        for pace in [DataField.pace, .pace3s, .lapPace, .averagePace, .maxPace] {
            #expect(!pace.sports.contains(.ride))
        }
    }

    @Test func idleStateHasNoValuesOfARun() {
        let state = State.idle(at: Instant(milliseconds: 5))
        for field in DataField.allCases { #expect(field.value(in: state) == nil, "\(field.rawValue)") }
    }

    @Test func indoorRunHasNoDistanceAndNoPace() {
        var state = State.example
        state.activity?.isIndoor = true
        state.activity?.speedSource = .none
        for field in [DataField.distance, .lapDistance, .pace, .pace3s, .lapSpeed, .averageSpeed, .maxSpeed] {
            #expect(field.value(in: state) == nil, "\(field.rawValue)")
        }
        #expect(DataField.time.value(in: state) == 12.3)
    }

    @Test func stalePositionHasNoValues() {
        var state = State.example
        #expect(DataField.altitude.value(in: state) == 34.1)
        state.positionIsStale = true
        #expect(DataField.altitude.value(in: state) == nil)
        #expect(DataField.gpsAccuracy.value(in: state) == nil)
        #expect(DataField.speed.value(in: state) == nil)
    }

    @Test func paceOfASlowSpeedIsUnknown() {
        var state = State.example
        state.activity?.speed = 0.27
        #expect(DataField.pace3s.value(in: state) == nil)
        state.activity?.speed = 0.5
        #expect(DataField.pace3s.value(in: state) == 2)
    }
}
