import Domain
import Sensors
import TestKit
import Testing

/// Test values of other projects, captures of real power meters, and values of the specification's tables.
struct CyclingPowerTests {
    private func decode(_ text: String) throws -> CyclingPowerMeasurement {
        try CyclingPowerMeasurement(hex(text).span)
    }

    // Source: zacharyedwardbull/pycycling, test_cycling_power_service.py; OpenTracksApp/OpenTracks,
    // BluetoothHandlerCyclingPowerTest.java.
    @Test(arguments: [
        ("00 00 D2 04", 1234), ("00 00 28 00", 40), ("00 00 F6 FF", -10), ("00 00 FF 7F", 32767),
        ("00 00 00 80", -32768), ("00 E0 28 00", 40),
    ])
    func powerIsSigned(bytes: String, watts: Int) throws {
        #expect(try decode(bytes) == CyclingPowerMeasurement(watts: Int16(watts)))
    }

    @Test func countsOfWheelAndCrankParse() throws {
        var expected = CyclingPowerMeasurement(watts: 1234)
        expected.wheel = RevolutionCount(revolutions: .max, eventTime: 16131)
        expected.crank = RevolutionCount(revolutions: 2047, eventTime: 4071)
        #expect(try decode("30 00 D2 04 FF FF FF FF 03 3F FF 07 E7 0F") == expected)
        // Capture: cagnulein/qdomyos-zwift#3224.
        let capture = try decode("30 00 88 00 A2 5E 01 00 AF 1D 4B 63 96 7F")
        #expect(capture.watts == 136)
        #expect(capture.wheel == RevolutionCount(revolutions: 89762, eventTime: 7599))
        #expect(capture.crank == RevolutionCount(revolutions: 25419, eventTime: 32662))
    }

    // Captures: OpenTracksApp/OpenTracks#1352 (4iiii).
    @Test func torqueOfTheCrankParses() throws {
        var expected = CyclingPowerMeasurement(watts: 0)
        expected.accumulatedTorque = 159
        expected.isTorqueOfCrank = true
        expected.crank = RevolutionCount(revolutions: 12, eventTime: 17125)
        #expect(try decode("2C 00 00 00 9F 00 0C 00 E5 42") == expected)
        #expect(try decode("2C 00 00 00 DF 00 2B 00 39 F6").crank == RevolutionCount(revolutions: 43, eventTime: 63033))
        #expect(try !decode("04 00 00 00 9F 00").isTorqueOfCrank)
    }

    @Test func balanceHasAReferenceAndALimit() throws {
        let left = try decode("03 00 C8 00 5F")
        #expect(left.balance == 95 && left.isBalanceOfLeft)
        let unknown = try decode("01 00 C8 00 C8")
        #expect(unknown.balance == 200 && !unknown.isBalanceOfLeft)
        #expect(try decode("03 00 C8 00 C9").balance == nil)
        #expect(try decode("03 00 C8 00 FF").balance == nil)
    }

    @Test func everyFieldHasItsPlace() throws {
        let everything =
            "FF 1F 01 00 64 02 00 03 00 00 00 04 00 05 00 06 00 07 00 F8 FF 09 00 F6 FF BC 3A 12 0B 00 0C 00 0D 00"
        var expected = CyclingPowerMeasurement(watts: 1)
        expected.balance = 100
        expected.isBalanceOfLeft = true
        expected.accumulatedTorque = 2
        expected.isTorqueOfCrank = true
        expected.wheel = RevolutionCount(revolutions: 3, eventTime: 4)
        expected.crank = RevolutionCount(revolutions: 5, eventTime: 6)
        expected.force = .init(maximum: 7, minimum: -8)
        expected.torque = .init(maximum: 9, minimum: -10)
        expected.angle = .init(maximum: 0xABC, minimum: 0x123)
        expected.topDeadSpotAngle = 11
        expected.bottomDeadSpotAngle = 12
        expected.energyKilojoules = 13
        expected.needsOffsetCompensation = true
        #expect(try decode(everything) == expected)
        try expectTruncationIsRejected(of: hex(everything)) { bytes throws(ParseError) in
            try CyclingPowerMeasurement(bytes)
        }
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func randomBytesAreAcceptedIfTheirFlagsAllowIt(seed: UInt64) {
        expectRandomBytesAreMeasured(
            seed: seed, flagBytes: 2, fixed: 2, sizes: [1, 0, 2, 0, 6, 4, 4, 4, 3, 2, 2, 2]
        ) { bytes throws(ParseError) in
            _ = try CyclingPowerMeasurement(bytes)
        }
    }

    @Test func featuresShowWhatAMeterDoes() throws {
        let features = try CyclingPowerFeatures(hex("0B 03 01 00").span)
        #expect(features.isSuperset(of: [.balance, .accumulatedTorque, .crank, .offsetCompensation, .measuresTorque]))
        #expect(features.isDisjoint(with: [.wheel, .extremes, .deadSpotAngles]))
        #expect(throws: ParseError.self) { try CyclingPowerFeatures(hex("0B 03 01").span) }
    }

    private static func result(_ indication: String, features: String? = "00 02 00 00") -> OffsetCompensation.Step? {
        var compensation = OffsetCompensation()
        #expect(compensation.read(features: features.map { hex($0) }) == .subscribe)
        return compensation.indicated(hex(indication).span)
    }

    @Test func responseToTheZeroOffsetParses() {
        #expect(OffsetCompensation().subscribed(nil) == .write([0x0C]))
        #expect(Self.result("20 0C 01 9C FF") == .finish(.compensated(ZeroOffset(-100, isTorque: false))))
        let torque = ZeroOffset(-3.125, isTorque: true)
        #expect(Self.result("20 0C 01 9C FF", features: "00 00 01 00") == .finish(.compensated(torque)))
        // Without its unit an offset has no meaning.
        #expect(Self.result("20 0C 01 9C FF", features: nil) == .finish(.compensated(nil)))
        #expect(Self.result("20 0C 01 FF FF") == .finish(.compensated(nil)))
        // The parameter is missing or incomplete: the meter has compensated nevertheless.
        #expect(Self.result("20 0C 01") == .finish(.compensated(nil)))
        #expect(Self.result("20 0C 01 9C") == .finish(.compensated(nil)))
        #expect(Self.result("20 0C 02") == .finish(.notSupported))
        for code in ["03", "04", "77"] { #expect(Self.result("20 0C \(code)") == .finish(.failed)) }
        for other in ["20 05 01 AF 00", "", "20", "20 0C", "0C 0C 01"] { #expect(Self.result(other) == nil) }
    }
}
