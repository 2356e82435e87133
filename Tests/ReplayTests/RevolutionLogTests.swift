import Domain
import Pipeline
import Sensors
import TestKit
import Testing

/// The decoders and the meter on what real sensors sent.
@Suite struct RevolutionLogTests {
    /// A device reports the same wheel and crank by two services, the wheel in other units of time.
    ///
    /// The first notification of each is of a real device (cagnulein/qdomyos-zwift#3224); the ride after it is made.
    @Test func speedCadenceAndPowerServicesGiveEqualDistances() throws {
        let first = (
            csc: try CyclingSpeedCadenceMeasurement(hex("03 A2 5E 01 00 6D 0E 4B 63 96 7F").span),
            cps: try CyclingPowerMeasurement(hex("30 00 88 00 A2 5E 01 00 AF 1D 4B 63 96 7F").span)
        )
        #expect(first.csc.wheel?.revolutions == first.cps.wheel?.revolutions && first.csc.crank == first.cps.crank)
        let start = (wheel: try #require(first.csc.wheel), crank: try #require(first.csc.crank))
        let powerTime = Int(try #require(first.cps.wheel).eventTime)
        var meters = [RevolutionMeter(.wheel), RevolutionMeter(.powerMeterWheel), RevolutionMeter(.crank)]
        var counted = [0, 0, 0]
        var random = SeededRandom(seed: 3224)
        var (seconds, position, event) = (0.0, 0.0, 0.0)
        var (pedalled, pedalEvent) = (0.0, 0.0)
        for _ in 0..<7200 {
            let rate = 2 + 2 * random.uniform()
            if (position + rate).rounded(.down) > position.rounded(.down) {
                event = seconds + ((position + rate).rounded(.down) - position) / rate
            }
            if (pedalled + rate / 3).rounded(.down) > pedalled.rounded(.down) {
                pedalEvent = seconds + ((pedalled + rate / 3).rounded(.down) - pedalled) / (rate / 3)
            }
            position += rate
            pedalled += rate / 3
            seconds += 1
            let wheel = start.wheel.revolutions &+ UInt32(position)
            let crank = UInt16(truncatingIfNeeded: Int(start.crank.revolutions) + Int(pedalled))
            let crankTime = UInt16(truncatingIfNeeded: Int(start.crank.eventTime) + Int(pedalEvent * 1024))
            let csc = try CyclingSpeedCadenceMeasurement(
                ([0x03] + bytes(wheel)
                    + bytes(UInt16(truncatingIfNeeded: Int(start.wheel.eventTime) + Int(event * 1024)))
                    + bytes(crank) + bytes(crankTime)).span)
            let cps = try CyclingPowerMeasurement(
                ([0x30, 0, 0x88, 0] + bytes(wheel) + bytes(UInt16(truncatingIfNeeded: powerTime + Int(event * 2048)))
                    + bytes(crank) + bytes(crankTime)).span)
            #expect(csc.crank == cps.crank)
            let now = Instant(milliseconds: 1_000_000 + Int64(seconds * 1000))
            let counts = [try #require(csc.wheel), try #require(cps.wheel), try #require(cps.crank)]
            for index in counts.indices { counted[index] += meters[index].received(counts[index], at: now).revolutions }
            #expect(counted[0] == counted[1])
            if seconds > 5 {
                let rates = try meters.map { try #require($0.rate(at: now)) }
                #expect(abs(rates[0] - rates[1]) < 0.01 * rates[0])
                #expect(abs(rates[2] - rates[0] / 3) < rates[0])
            }
        }
        // The first two notifications of a connection count nothing.
        #expect(counted[0] > 20_000 && Int(position) - counted[0] <= 8)
        #expect(Int(pedalled) - counted[2] <= 3)
    }

    private func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A Zwift Hub with its times of arrival. Notifications of 150 s are missing from the log.
    ///
    /// Capture: Berg0162/simcline#7, 16:04:31 to 16:07:38.
    private static let hub: [(at: Double, bytes: String)] = [
        (0.000, "01 EC 00 00 00 1F A8"), (0.999, "03 ED 00 00 00 EC AA 60 00 C4 A9"),
        (2.143, "03 EF 00 00 00 6C B0 61 00 A9 AE"), (3.000, "03 F0 00 00 00 07 B3 62 00 8E B3"),
        (4.279, "03 F2 00 00 00 00 B8 63 00 63 B8"), (5.131, "03 F4 00 00 00 A9 BC 64 00 1B BD"),
        (155.616, "03 C0 01 00 00 E0 0E CC 00 6B 0D"), (156.040, "03 C2 01 00 00 97 13 CD 00 C7 11"),
        (157.036, "03 C3 01 00 00 F3 15 CE 00 23 16"), (158.033, "03 C5 01 00 00 C9 1A CF 00 8B 1A"),
        (180.978, "03 EC 01 00 00 62 76 E4 00 91 74"), (181.977, "03 EE 01 00 00 03 7B E5 00 D5 78"),
        (183.115, "03 EF 01 00 00 58 7D E6 00 32 7D"), (183.969, "03 F1 01 00 00 17 82 E7 00 8E 81"),
        (184.966, "03 F2 01 00 00 95 84 E8 00 EA 85"),
    ]

    @Test func realTrainerWithAGapOfTwoWrapsIsCountedExactly() throws {
        var wheel = RevolutionMeter(.wheel)
        var crank = RevolutionMeter(.crank)
        var counted = (wheel: 0, crank: 0)
        var speeds: [Double] = []
        for (at, text) in Self.hub {
            let now = Instant(milliseconds: 1_000_000 + Int64((at * 1000).rounded()))
            let measurement = try CyclingSpeedCadenceMeasurement(hex(text).span)
            if let count = measurement.wheel { counted.wheel += wheel.received(count, at: now).revolutions }
            if let count = measurement.crank { counted.crank += crank.received(count, at: now).revolutions }
            if let rate = wheel.rate(at: now) { speeds.append(rate) }
        }
        // From the second notification on: 498 - 237. The crank's gap of 150 s is not counted: 100 - 97 and 232 - 204.
        #expect(counted == (261, 31))
        // The trainer turned its wheel at 1.5 to 1.7 revolutions a second; none of the gaps shows another speed.
        #expect(speeds.count >= 8 && speeds.allSatisfy { (1.4...1.8).contains($0) }, "\(speeds)")
        // A cadence of 55.
        let cadence = try #require(crank.rate(at: Instant(milliseconds: 1_185_000))) * 60
        #expect((54...56).contains(cadence))
    }

    /// A crank sensor that repeats each event two to four times, across a wrap of the event time.
    ///
    /// Capture: dvmarinoff/Auuki, cscs.test.js (Magene Gemini 200); the times of arrival are made, at 4.4 Hz.
    @Test func realCrankKeepsItsCadenceAcrossAWrap() throws {
        let log: [(count: UInt32, ticks: UInt16, repeats: Int, cadence: Int)] = [
            (41761, 62651, 2, 95), (41762, 63295, 3, 95), (41763, 63935, 2, 96), (41764, 64580, 3, 95),
            (41765, 65228, 2, 95), (41766, 347, 3, 94), (41767, 1005, 3, 93), (41768, 1673, 2, 92),
            (41769, 2347, 3, 91), (41770, 3023, 3, 91),
        ]
        var meter = RevolutionMeter(.crank)
        var now = Instant(milliseconds: 1_000_000)
        var counted = 0
        for (count, ticks, repeats, cadence) in log {
            for _ in 0..<repeats {
                counted += meter.received(RevolutionCount(revolutions: count, eventTime: ticks), at: now).revolutions
                if let rate = meter.rate(at: now) { #expect(Int((rate * 60).rounded()) == cadence) }
                now += .milliseconds(227)
            }
        }
        #expect(counted == 9)
    }
}
