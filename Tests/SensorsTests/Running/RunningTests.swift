import Domain
import Sensors
import TestKit
import Testing

struct RunningTests {
    private func decode(_ text: String) throws -> RunningMeasurement {
        try RunningMeasurement(hex(text).span)
    }

    @Test func valuesOfOtherProjectsParse() throws {
        // Source: OpenTracksApp/OpenTracks, BluetoothHandlerRunningSpeedAndCadenceTest.java.
        let walk = try decode("02 00 05 50 FF FF 00 01")
        #expect(walk == RunningMeasurement(rawSpeed: 1280, cadence: 80, totalDecimetres: 16_842_751))
        #expect(walk.speed == 5)
        // Source: polarofficial/polar-ble-sdk, BleRscClientTest.kt.
        let run = try decode("07 34 12 56 89 07 04 03 02 01")
        #expect(
            run
                == RunningMeasurement(
                    rawSpeed: 0x1234, cadence: 0x56, strideCentimetres: 0x0789, totalDecimetres: 0x0102_0304,
                    isRunning: true))
        #expect(try decode("00 0A 00 14") == RunningMeasurement(rawSpeed: 10, cadence: 20))
        // Source: NordicSemiconductor/Android-BLE-Common-Library, its RSC test.
        let nordic = try decode("07 00 03 12 56 00 01 00 00 F0")
        #expect(nordic.speed == 3 && nordic.cadence == 18 && nordic.strideCentimetres == 86)
        #expect(nordic.totalDecimetres == 0xF000_0001 && nordic.isRunning)
    }

    @Test(arguments: ["00 0A 00 14", "01 0A 00 14 50 00", "02 0A 00 14 01 00 00 00", "FF 0A 00 14 50 00 01 00 00 00"])
    func truncatedValueReportsItsOffset(bytes: String) throws {
        try expectTruncationIsRejected(of: hex(bytes)) { bytes throws(ParseError) in try RunningMeasurement(bytes) }
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func randomBytesAreAcceptedIfTheirFlagsAllowIt(seed: UInt64) {
        expectRandomBytesAreMeasured(seed: seed, flagBytes: 1, fixed: 3, sizes: [2, 4]) { bytes throws(ParseError) in
            _ = try RunningMeasurement(bytes)
        }
    }
}
