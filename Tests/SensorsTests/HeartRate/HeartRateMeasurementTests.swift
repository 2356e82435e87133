import Domain
import Sensors
import TestKit
import Testing

/// Test values of other projects, captures of real straps, and values that must be rejected.
struct HeartRateMeasurementTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        var bytes: String
        var expected: HeartRateMeasurement
        var testDescription: String { bytes }

        init(
            _ bytes: String, _ beatsPerMinute: UInt16, contact: Bool? = nil, energy: UInt16? = nil, rr: [UInt16] = []
        ) {
            self.bytes = bytes
            expected = HeartRateMeasurement(
                beatsPerMinute: beatsPerMinute, contact: contact, energyKilojoules: energy, rrIntervals: rr)
        }
    }

    // Source: polarofficial/polar-ble-sdk, BleHrClientTest.kt.
    static let polar = [
        Vector("00 FF", 255),
        Vector("00 7F", 127),
        Vector("01 80 80", 32896),
        Vector("01 7F 7F", 32639),
        Vector("06 00", 0, contact: true),
        Vector("04 00", 0, contact: false),
        Vector("02 00", 0),
        Vector("00 00", 0),
        Vector("09 00 00 FF FF", 0, energy: 65535),
        Vector("08 00 7F 80", 0, energy: 32895),
        Vector("10 00 FF FF", 0, rr: [65535]),
        Vector("11 00 00 FF FF 7F 80", 0, rr: [65535, 32895]),
        // An interval of 0 is no beat: the only vector that is parsed differently here.
        Vector("11 00 00 00 00", 0, rr: []),
    ]

    // Source: NordicSemiconductor/Android-BLE-Common-Library, HeartRateMeasurementDataCallbackTest.java; rejects the
    // last.
    static let nordic = [
        Vector("00 55", 85),
        Vector("04 FF", 255, contact: false),
        Vector("1E 55 32 00 21 00", 85, contact: true, energy: 50, rr: [33]),
        Vector("1F 01 01 32 01 01 00 02 01 FF FF", 257, contact: true, energy: 306, rr: [1, 258, 65535]),
        Vector("17 01 01", 257, contact: true),
    ]

    // Source: dvmarinoff/Auuki, heart-rate-measurement.test.js.
    static let auuki = [
        Vector("00 51", 81),
        Vector("01 2C 01", 300),
        Vector("10 43 72 03", 67, rr: [882]),
        Vector("10 44 72 03 8A 03", 68, rr: [882, 906]),
        Vector("10 67 72 03 8A 03 95 04", 103, rr: [882, 906, 1173]),
        Vector("18 43 D0 07 72 03", 67, energy: 2000, rr: [882]),
        Vector("08 43 D0 07", 67, energy: 2000),
        Vector("09 2C 01 D0 07", 300, energy: 2000),
        Vector("04 43", 67, contact: false),
        Vector("06 43", 67, contact: true),
    ]

    // Source: OpenTracksApp/OpenTracks, BluetoothHandlerManagerHeartRateTest.java; zacharyedwardbull/pycycling.
    static let others = [
        Vector("02 3C", 60),
        Vector("01 01 01", 257),
        Vector("00 2A", 42),
    ]

    // Source: noble/node-bluetooth-hci-socket#36; FleXoft/Polar-H7-HRM#1.
    static let captures = [
        Vector("16 46 8A 03 44 03", 70, contact: true, rr: [906, 836]),
        Vector("10 4E D2 02 C8 02", 78, rr: [722, 712]),
        Vector("10 4F B7 02", 79, rr: [695]),
        Vector("10 51 00 03 12 03", 81, rr: [768, 786]),
    ]

    @Test(arguments: polar + nordic + auuki + others + captures)
    func valuesOfOtherProjectsAndRealStrapsParse(_ vector: Vector) throws {
        #expect(try HeartRateMeasurement(hex(vector.bytes).span) == vector.expected)
    }

    @Test func incompleteIntervalAtTheEndIsDropped() throws {
        let value = try HeartRateMeasurement(hex("10 3C 00 04 00").span)
        #expect(value == HeartRateMeasurement(beatsPerMinute: 60, rrIntervals: [1024]))
    }

    @Test func reservedFlagsAreIgnored() throws {
        let value = try HeartRateMeasurement(hex("F6 46 8A 03").span)
        #expect(value == HeartRateMeasurement(beatsPerMinute: 70, contact: true, rrIntervals: [906]))
    }

    @Test func bytesAfterAValueWithoutIntervalsAreIgnored() throws {
        #expect(try HeartRateMeasurement(hex("00 46 8A 03").span) == HeartRateMeasurement(beatsPerMinute: 70))
    }

    @Test func fullNotificationGivesNineIntervals() throws {
        let value = try HeartRateMeasurement(hex("10 46" + String(repeating: "00 04", count: 9)).span)
        #expect(value.rrIntervals == Array(repeating: 1024, count: 9))
    }

    @Test(arguments: [("", 0), ("00", 1), ("01 3C", 2), ("08 3C 01", 3), ("09 3C 00", 3), ("1F 01", 2)])
    func truncatedValueReportsItsOffset(_ bytes: String, offset: Int) {
        let error = #expect(throws: ParseError.self) { try HeartRateMeasurement(hex(bytes).span) }
        #expect(error?.offset == offset)
    }

    @Test(arguments: 0..<10)
    func randomBytesGiveAtMostElevenIntervals(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (accepted, rejected) = (0, 0)
        for _ in 0..<10_000 {
            let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // The flags, a heart rate of one byte or two, and the energy.
            let flags = bytes.first ?? 0
            let fixed = 2 + Int(flags & 1) + (flags & 8 == 0 ? 0 : 2)
            guard let value = try? HeartRateMeasurement(bytes.span) else {
                rejected += 1
                #expect(bytes.count < fixed)
                continue
            }
            accepted += 1
            #expect(bytes.count >= fixed)
            #expect(value.beatsPerMinute == UInt16(bytes[1]) + (flags & 1 == 0 ? 0 : UInt16(bytes[2]) << 8))
            #expect(value.rrIntervals.count <= (flags & 16 == 0 ? 0 : (bytes.count - fixed) / 2))
        }
        #expect(accepted > 1000 && rejected > 100, "\(accepted) accepted, \(rejected) rejected")
    }

    @Test(arguments: [
        Vector("10 43 00 00", 67), Vector("10 43 00 00 72 03", 67, rr: [882]),
        Vector("10 43 72 03 00 00 8a 03 00 00", 67, rr: [882, 906]), Vector("10 43 01 00 00 00 00", 67, rr: [1]),
    ])
    func zeroIntervalIsDropped(vector: Vector) throws {
        #expect(try HeartRateMeasurement(hex(vector.bytes).span) == vector.expected)
    }
}
