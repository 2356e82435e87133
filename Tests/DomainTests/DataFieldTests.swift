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

    @Test func `Fields of a course have the values of its status`() {
        var state = State.idle(at: Instant(milliseconds: 5))
        state.course = CourseStatus(lengthMetres: 5000)
        #expect(DataField.courseRemaining.value(in: state) == nil, "before the course was reached")
        state.course?.progressMetres = 5100
        state.course?.crossTrackMetres = -12
        state.course?.arrivalSeconds = 90.5
        #expect(DataField.courseRemaining.value(in: state) == 0)
        #expect(DataField.offCourse.value(in: state) == 12)
        #expect(DataField.timeToEnd.value(in: state) == 90.5)
        #expect(DataField.arrival.time(in: state) == nil, "the time of day is unknown")
        state.course?.returnMetres = 60
        state.time = UTC(milliseconds: 1_772_350_212_300)
        #expect(DataField.offCourse.value(in: state) == 60)
        #expect(DataField.arrival.time(in: state) == UTC(milliseconds: 1_772_350_302_800))
        state.partner = PartnerStatus(secondsAhead: nil, metresAhead: -30)
        #expect(DataField.partnerTime.value(in: state) == nil)
        #expect(DataField.partnerDistance.value(in: state) == -30)
    }

    @Test func `Fields of the wind have its components`() {
        var state = State.idle(at: Instant(milliseconds: 5))
        #expect(DataField.headwind.value(in: state) == nil)
        state.wind = .example
        #expect(DataField.headwind.value(in: state) == 5.227)
        #expect(DataField.crosswind.value(in: state) == -3.018)
        #expect(DataField.windAngle.value(in: state) == -30)
    }

    @Test func `Fields of the sun are empty without its times`() {
        var state = State.idle(at: Instant(milliseconds: 5))
        state.sun = .example
        #expect(DataField.sunrise.time(in: state) == SunStatus.example.rise)
        #expect(DataField.sunset.time(in: state) == SunStatus.example.set)
        #expect(DataField.lightLeft.value(in: state) == 1800)
        state.sun = SunStatus(phase: .polarNight, lightLeft: 0)
        #expect(DataField.sunrise.time(in: state) == nil && DataField.sunset.time(in: state) == nil)
        #expect(DataField.lightLeft.value(in: state) == 0)
    }

    @Test func paceOfASlowSpeedIsUnknown() {
        var state = State.example
        state.activity?.speed = 0.27
        #expect(DataField.pace3s.value(in: state) == nil)
        state.activity?.speed = 0.5
        #expect(DataField.pace3s.value(in: state) == 2)
    }
}
