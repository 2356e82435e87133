import Domain
import Sensors
import TestKit
import Testing

struct AttributePDUTests {
    private static let control = AttributeUUID(value: 0xFB00_5C81_02E7_F387_1CAD_8ACD_2D8D_F0C8)

    @Test func shortAndLongFormsOfAUUIDAreEqual() throws {
        let long = try AttributeUUID(hex("fb 34 9b 5f 80 00 00 80 00 10 00 00 0d 18 00 00").span)
        #expect(long == AttributeUUID(0x180D))
        #expect(long.bytes == hex("0d 18"))
        #expect(try AttributeUUID(hex("0d 18").span) == long)
    }

    @Test func customUUIDTakesSixteenBytes() throws {
        let bytes = hex("c8 f0 8d 2d cd 8a ad 1c 87 f3 e7 02 81 5c 00 fb")
        #expect(try AttributeUUID(bytes.span) == Self.control)
        #expect(Self.control.bytes == bytes)
    }

    @Test(arguments: [0, 1, 3, 4, 15, 17])
    func uuidOfAnyOtherSizeIsRejected(_ count: Int) {
        #expect(throws: ParseError.self) { try AttributeUUID(Array(repeating: 1, count: count).span) }
    }

    @Test(arguments: [
        (AttributeRequest.exchangeMTU(517), "02 05 02"),
        (.findInformation(0x16...0x16), "04 16 00 16 00"),
        (.findService(1...0xFFFF, AttributeUUID(0x180D)), "06 01 00 ff ff 00 28 0d 18"),
        (.readByType(0x13...0x1A, .characteristic), "08 13 00 1a 00 03 28"),
        (.read(handle: 0x7FFF), "0a ff 7f"),
        (.readBlob(handle: 0x18, offset: 0x102), "0c 18 00 02 01"),
        (.write(handle: 0x16, value: [1, 0]), "12 16 00 01 00"),
    ])
    func requestsEncodeToTheirBytes(_ request: AttributeRequest, bytes: String) {
        #expect(request.bytes == hex(bytes))
    }

    @Test(arguments: [
        ("01 08 1a 00 0a", AttributePDU.refusal(of: 0x08, handle: 0x1A, .attributeNotFound)),
        ("02 17 00", .mtuRequest(23)),
        ("03 05 02", .mtu(517)),
        ("05 01 16 00 02 29", .information([Descriptor(handle: 0x16, type: .clientCharacteristicConfiguration)])),
        (
            "05 02 24 00 c8 f0 8d 2d cd 8a ad 1c 87 f3 e7 02 81 5c 00 fb",
            .information([Descriptor(handle: 0x24, type: control)])
        ),
        ("07 13 00 1a 00 21 00 27 00", .services([0x13...0x1A, 0x21...0x27])),
        ("09 03 1d 00 57", .values([AttributeValue(handle: 0x1D, value: [0x57])])),
        ("09 02 1d 00", .values([AttributeValue(handle: 0x1D, value: [])])),
        ("0b 01", .value([1])),
        ("0b", .value([])),
        ("0d 02 03", .part([2, 3])),
        ("13", .written),
        ("1b 15 00 16 43", .notification(AttributeValue(handle: 0x15, value: [0x16, 0x43]))),
        ("1d 23 00 f0", .indication(AttributeValue(handle: 0x23, value: [0xF0]))),
        ("0a 03 00", .otherRequest(0x0A)),
        ("20 03 00 04 00", .otherRequest(0x20)),
        ("52 03 00 01", .other(0x52)),
        ("d2 03 00 01", .other(0xD2)),
        ("1e", .other(0x1E)),
        ("ff", .other(0xFF)),
        ("00", .other(0x00)),
    ])
    func pdusOfAPeerParse(_ bytes: String, expected: AttributePDU) throws {
        #expect(try AttributePDU(hex(bytes).span) == expected)
    }

    @Test(arguments: [
        "", "01", "01 08 1a 00", "02", "02 17", "03 05", "05", "05 01", "05 03 16 00 02 29", "05 01 16 00 02",
        "05 02 24 00 c8 f0", "07", "07 13 00 1a", "07 1a 00 13 00", "07 00 00 13 00", "09", "09 00", "09 01 15",
        "09 03 1d 00", "09 07 14 00 10 15 00 37 2a 17", "1b", "1b 15", "1d 15",
    ])
    func truncatedAndContradictoryPDUsAreRejected(_ bytes: String) {
        #expect(throws: ParseError.self) { try AttributePDU(hex(bytes).span) }
    }
}
