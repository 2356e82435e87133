import Domain
import Sensors
import TestKit
import Testing

/// Test values of other projects and captures of real sensors.
struct CyclingSpeedCadenceTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        var bytes: String
        var expected: CyclingSpeedCadenceMeasurement
        var testDescription: String { bytes }

        init(_ bytes: String, wheel: (UInt32, UInt16)? = nil, crank: (UInt32, UInt16)? = nil) {
            self.bytes = bytes
            expected = CyclingSpeedCadenceMeasurement(
                wheel: wheel.map { RevolutionCount(revolutions: $0.0, eventTime: $0.1) },
                crank: crank.map { RevolutionCount(revolutions: $0.0, eventTime: $0.1) })
        }
    }

    static let vectors = [
        // Source: dvmarinoff/Auuki, cscs.test.js.
        Vector("01 0C 00 00 00 44 1A", wheel: (12, 6724)),
        Vector("02 02 00 99 1D", crank: (2, 7577)),
        Vector("03 0C 00 00 00 44 1A 02 00 99 1D", wheel: (12, 6724), crank: (2, 7577)),
        Vector("02 F0 B7 67 2B", crank: (47088, 11111)),
        // Source: zacharyedwardbull/pycycling, test_cycling_speed_cadence_service.py.
        Vector("03 FF FF FF FF 03 3F FF 07 E7 0F", wheel: (4_294_967_295, 16131), crank: (2047, 4071)),
        // Source: OpenTracksApp/OpenTracks, BluetoothHandlerCyclingDistanceSpeedTest.java.
        Vector("01 FF FF 00 01 45 99", wheel: (16_842_751, 39237)),
        Vector("03 C8 00 00 01 06 99 E1 00 45 99", wheel: (16_777_416, 39174), crank: (225, 39237)),
        Vector("02 C8 00 00 00 06 99", crank: (200, 0)),
        // Captures: OpenTracksApp/OpenTracks#1054 (Wahoo); Berg0162/simcline#7 (Zwift Hub, which omits the crank
        // until it turns); cagnulein/qdomyos-zwift#3224.
        Vector("03 00 00 00 00 10 01 21 00 C6 EB", wheel: (0, 272), crank: (33, 60358)),
        Vector("01 EC 00 00 00 1F A8", wheel: (236, 43039)),
        Vector("03 ED 00 00 00 EC AA 60 00 C4 A9", wheel: (237, 43756), crank: (96, 43460)),
        Vector("03 A2 5E 01 00 6D 0E 4B 63 96 7F", wheel: (89762, 3693), crank: (25419, 32662)),
        // No revolutions at all, and reserved flags.
        Vector("00"),
        Vector("FC"),
        Vector("FE 02 00 99 1D", crank: (2, 7577)),
    ]

    @Test(arguments: vectors)
    func valuesOfOtherProjectsAndRealSensorsParse(_ vector: Vector) throws {
        #expect(try CyclingSpeedCadenceMeasurement(hex(vector.bytes).span) == vector.expected)
    }

    @Test(arguments: ["03 FF FF FF FF 03 3F FF 07 E7 0F", "01 0C 00 00 00 44 1A", "02 02 00 99 1D", "00"])
    func truncatedValueReportsItsOffset(bytes: String) throws {
        try expectTruncationIsRejected(of: hex(bytes)) { bytes throws(ParseError) in
            try CyclingSpeedCadenceMeasurement(bytes)
        }
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func randomBytesAreAcceptedIfTheirFlagsAllowIt(seed: UInt64) {
        expectRandomBytesAreMeasured(seed: seed, flagBytes: 1, fixed: 0, sizes: [6, 4]) { bytes throws(ParseError) in
            _ = try CyclingSpeedCadenceMeasurement(bytes)
        }
    }

    @Test func featuresShowWhatASensorMeasures() throws {
        #expect(try CyclingSpeedCadenceFeatures(hex("03 00").span) == [.wheel, .crank])
        #expect(try CyclingSpeedCadenceFeatures(hex("02 00 00").span) == .crank)
        #expect(throws: ParseError.self) { try CyclingSpeedCadenceFeatures(hex("03").span) }
    }
}
