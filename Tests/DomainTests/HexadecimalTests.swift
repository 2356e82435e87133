import Domain
import Testing

@Suite struct HexadecimalTests {
    @Test func `Bytes are two digits each, and are read back`() {
        let bytes: [UInt8] = [0x00, 0x0A, 0x9F, 0xFF]
        #expect(bytes.hexadecimal == "000a9fff")
        #expect([UInt8](hexadecimal: "000A9fFF") == bytes)
        #expect(UInt8(0x0A).hexadecimal(uppercase: true) == "0A")
    }

    @Test(arguments: ["0", "0x00", "+a", "g0", "0 0"])
    func `Other text is no bytes`(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }

    @Test func `All bytes are percent-encoded but letters, digits and those that are kept`() {
        #expect("aZ09/.-_~".percentEncoded(keeping: "/.-_") == "aZ09/.-_%7E")
        #expect("ä ?\n".percentEncoded(keeping: "/") == "%C3%A4%20%3F%0A")
    }
}
