import Domain
import Foundation
import TestKit
import Testing

/// The limits of docs/behaviour.md on recordings of receivers, through the real gpsd.
@Suite struct ReceiverLogTests {
    /// A recording and its permitted distance in metres.
    struct Case: CustomTestStringConvertible {
        var log: String
        var sport = Sport.run
        var metres: ClosedRange<Double>
        var why: String

        var testDescription: String { "\(log): \(why)" }
    }

    @Test(arguments: [
        Case(log: "gpsd/bu303-nofix.log", metres: 0...0, why: "never a fix"),
        Case(log: "gpsd/telit-he910.log", metres: 0...0, why: "three minutes standing, five reports a fix"),
        Case(log: "gpsd/sirf2.log", metres: 0...30, why: "ten minutes standing, naively 620 m"),
        Case(
            log: "gpsd/ublox-neo-m8l.log", metres: 0...5,
            why: "19 s at 10 Hz, time going back, carried 4 m at under 0.9 m/s"),
        Case(log: "gpsd/nmea-fuzzy-cases.log", metres: 0...7.4, why: "malformed sentences, a hole of ten minutes"),
        Case(
            log: "gpsd/humminbird-M37.log", metres: 73...76,
            why: "a boat, 27 s at 2.7 m/s, its clock set back on the way"),
        Case(log: "replay/run-fenix2-9km.nmea", metres: 8918...9098, why: "a run of 9008 m by its watch"),
    ])
    func distanceStaysWithinItsLimits(recording: Case) throws {
        let fixes = try GpsdLog(recording.log).fixes().map(\.1)
        let replay = Rerun(fixes, sport: recording.sport)
        #expect(recording.metres.contains(replay.metres), "\(replay.metres) m")
    }
}
