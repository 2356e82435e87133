import Domain
import Sensors
import TestKit
import Testing

struct MgmtPacketTests {
    private static let strap = LEAddress(BluetoothAddress(value: 0xF0F1_F2F3_F4F5), .random)

    private func packet(_ text: String) throws(ParseError) -> MgmtPacket {
        try MgmtPacket(hex(text).span)
    }

    @Test(
        arguments: [
            ("0100 ffff 0700 0300 00 0100 0000", .answered(opcode: 3, .success, reply: [1, 0, 0, 0])),
            ("0200 0000 0300 0500 12", .answered(opcode: 5, .blocked, reply: [])),
            ("0300 0000 0100 05", .failing(code: 5)),
            ("0400 0200 0000", .added),
            ("0500 0200 0000", .removed),
            ("0600 0000 0400 81020000", .settingsChanged([.powered, .lowEnergy, AdapterSettings(rawValue: 0x80)])),
            ("0b00 0000 1000 f5f4f3f2f1f0 02 00000000 0300 02 01 06", .connected(strap)),
            ("0c00 0000 0800 f5f4f3f2f1f0 02 01", .disconnected(strap, .timeout)),
            ("0c00 0000 0800 f5f4f3f2f1f0 02 77", .disconnected(strap, .unknown)),
            ("0d00 0000 0800 f5f4f3f2f1f0 02 04", .connectFailed(strap, MgmtStatus(rawValue: 4))),
            ("1300 0000 0200 06 01", .discovering(true)),
            ("1300 0000 0200 06 00", .discovering(false)),
            ("0c00 0000 0800 f5f4f3f2f1f0 00 01", .other(0x0C)),
            ("2d00 0000 0100 01", .other(0x2D)),
        ] as [(String, MgmtPacket.Event)])
    func eventsDecodeFromTheKernelsStructures(bytes: String, event: MgmtPacket.Event) throws {
        #expect(try packet(bytes).event == event)
    }

    @Test func deviceFoundEventHasNameServicesAndRSSI() throws {
        // Advertising data of a Mio Alpha (BlueZ, unit/test-eir.c).
        let packet = try packet(
            "1200 0100 1c00 f5f4f3f2f1f0 02 c4 00000000 0e00 02 01 06 03 02 0d 18 06 09 41 4c 50 48 41")
        #expect(packet.index == 1)
        guard case .found(let result) = packet.event else {
            Issue.record("not found")
            return
        }
        #expect(result.address == Self.strap)
        #expect(result.rssi == -60)
        #expect(result.name?.text == "ALPHA")
        #expect(result.services == [AttributeUUID(0x180D)])
    }

    @Test func unknownRSSIIsNil() throws {
        let packet = try packet("1200 0000 0e00 f5f4f3f2f1f0 02 7f 04000000 0000")
        guard case .found(let result) = packet.event else {
            Issue.record("not found")
            return
        }
        #expect(result.rssi == nil)
    }

    @Test(arguments: [
        "", "01", "0100 ffff", "0100 ffff 0000", "0400 0000 0100", "0400 0000 0000 00", "0600 0000 0300 810200",
        "0c00 0000 0700 f5f4f3f2f1f0 02", "0c00 0000 0800 f5f4f3f2f1f0 03 01",
        "1200 0000 0e00 f5f4f3f2f1f0 02 7f 04000000 0100", "1200 0000 0f00 f5f4f3f2f1f0 02 7f 04000000 0000 00",
        "0b00 0000 0d00 f5f4f3f2f1f0 02 00000000 03 00",
    ])
    func truncatedOrOverlongPacketIsRejected(bytes: String) {
        #expect(throws: ParseError.self) { try packet(bytes) }
    }
}

struct AdvertisingDataTests {
    private func data(_ text: String) -> AdvertisingData {
        AdvertisingData(hex(text))
    }

    @Test func shortAndLongServiceUUIDsAreEqual() {
        #expect(data("03 03 0d 18").services == data("11 07 fb349b5f80000080 0010 0000 0d180000").services)
    }

    @Test func completeNameWinsOverAShortenedOne() {
        #expect(data("03 08 50 6f 06 09 50 6f 6c 61 72").name?.text == "Polar")
        #expect(data("06 09 50 6f 6c 61 72 03 08 50 6f").name?.text == "Polar")
    }

    @Test func nameEndsAtItsNULPadding() {
        #expect(data("06 09 48 31 30 00 00").name?.text == "H10")
        #expect(data("02 09 00").name == nil)
    }

    @Test(arguments: ["ff 09 41", "05 09 41", "00 03 09 41 42", "02", "01 03 02 03 0d"])
    func malformedFieldsAreIgnored(bytes: String) {
        #expect(data(bytes).name == nil)
        #expect(data(bytes).services == [])
    }

    @Test func servicesAreLimited() {
        var bytes: [UInt8] = [0xFB, 0x03]
        for index in 0..<125 { bytes += [UInt8(index), 0x18] }
        #expect(AdvertisingData(bytes).services.count == ScanResult.serviceLimit)
    }
}
