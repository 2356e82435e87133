import Domain
import Sensors
import TestKit
import Testing

struct StrapValueTests {
    @Test(arguments: [("57", 87), ("00", 0), ("64", 100)])
    func batteryLevelIsAPercentage(_ bytes: String, percent: Int) throws {
        #expect(try BatteryLevel(hex(bytes).span).percent == percent)
    }

    @Test(arguments: ["", "65", "FF"])
    func invalidBatteryLevelIsRejected(_ bytes: String) {
        #expect(throws: ParseError.self) { try BatteryLevel(hex(bytes).span) }
    }

    @Test(arguments: [
        ("00", BodySensorLocation.other), ("01", .chest), ("02", .wrist), ("05", .earLobe), ("06", .foot),
    ])
    func bodySensorLocationParses(_ bytes: String, location: BodySensorLocation) throws {
        #expect(try BodySensorLocation(hex(bytes).span) == location)
    }

    @Test(arguments: ["", "07", "FF"])
    func reservedBodySensorLocationIsRejected(_ bytes: String) {
        #expect(throws: ParseError.self) { try BodySensorLocation(hex(bytes).span) }
    }

    @Test func paddingOfDeviceInformationIsTrimmed() {
        var information = DeviceInformation()
        information.set(Array("  Polar Electro Oy \0\0".utf8), of: .manufacturerName)
        information.set(Array("\0 \0".utf8), of: .modelNumber)
        information.set([], of: .serialNumber)
        #expect(information.manufacturer?.text == "Polar Electro Oy")
        #expect(information.model == nil)
        #expect(information.serialNumber == nil)
    }

    @Test func hostileDeviceNameIsSanitized() {
        var information = DeviceInformation()
        information.set(Array("\u{1B}[2J\u{1B}]0;x\u{7}\"</b>\u{202E}".utf8) + [0xFF, 0xC0], of: .deviceName)
        #expect(information.name?.text == "\u{FFFD}[2J\u{FFFD}]0;x\u{FFFD}\"</b>\u{FFFD}\u{FFFD}\u{FFFD}")
        information.set(Array(repeating: UInt8(ascii: "x"), count: 512), of: .deviceName)
        #expect(information.name?.text.count == 64)
    }
}
