import Domain
import JSONCoding
import TestKit
import Testing
import Wire

private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.object(body)
    return String(decoding: writer.bytes, as: UTF8.self)
}

@Test(arguments: [
    (41.23, 2, "41.23"), (3.2, 2, "3.2"), (87.0, 1, "87"), (0.31244, 4, "0.3124"), (0.05, 2, "0.05"), (0.004, 2, "0"),
    (-0.004, 2, "0"), (-0.0, 2, "0"), (-13.4, 7, "-13.4"), (-0.5, 1, "-0.5"), (52.123_456_78, 7, "52.1234568"),
    (179.999_999_96, 7, "180"), (1e6, 2, "1000000"), (0.125, 2, "0.12"), (0.375, 2, "0.38"), (1.005, 2, "1"),
    (100.0, 0, "100"), (131.5, 0, "132"), (9_007_199_254_740_991.0, 0, "9007199254740991"), (1e-300, 9, "0"),
])
func decimalsRoundLikePrintfWithoutTrailingZeros(value: Double, decimals: Int, text: String) {
    #expect(written { $0.member("v", value, decimals: decimals) } == "{\"v\":\(text)}")
}

@Test(arguments: [Double.nan, .signalingNaN, .infinity, -.infinity, 1e300, 0x1p53])
func invalidDoubleIsOmitted(value: Double) {
    #expect(written { $0.member("v", value, decimals: 2) } == "{}")
}

@Test(arguments: [
    (Int64.min, "-9223372036854775808"), (Int64.max, "9223372036854775807"), (0, "0"), (-1, "-1"), (10, "10"),
    (1_000_000, "1000000"),
])
func integersAreWrittenInFull(value: Int64, text: String) {
    #expect(written { $0.member("v", value) } == "{\"v\":\(text)}")
}

@Test func nilMembersAreOmitted() {
    let line = written {
        $0.member("a", nil as String?)
        $0.member("b", nil as Int?)
        $0.member("c", nil as Bool?)
        $0.member("d", nil as Double?, decimals: 2)
        $0.member("e", nil as UTC?)
        $0.member("f", nil as BluetoothAddress?)
        $0.member("g", 1)
    }
    #expect(line == "{\"g\":1}")
}

@Test(arguments: [
    ("plain", "plain"), ("", ""), ("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("\u{1B}[2J", "\\u001b[2J"),
    ("\u{1B}]0;title\u{7}", "\\u001b]0;title\\u0007"), ("\u{7F}", "\\u007f"), ("\u{9B}2J", "\\u009b2J"),
    ("\u{80}\u{9F}", "\\u0080\\u009f"), ("\n\r\t\0", "\\n\\r\\t\\u0000"),
    ("\"}\n{\"class\":\"STATE\"", "\\\"}\\n{\\\"class\\\":\\\"STATE\\\""),
    ("</script>", "\\u003c/script>"), ("a\u{202E}b\u{2066}c\u{061C}d\u{200F}", "a\\u202eb\\u2066c\\u061cd\\u200f"),
    ("\u{2028}\u{2029}", "\\u2028\\u2029"), ("Jürgens Gurt ♥ 心 🏃", "Jürgens Gurt ♥ 心 🏃"), ("\u{A0}ÿ", "\u{A0}ÿ"),
])
func hostileTextIsEscaped(text: String, escaped: String) {
    #expect(written { $0.member("v", text) } == "{\"v\":\"\(escaped)\"}")
}

@Test func commasSeparateMembersAndElements() {
    let line = written {
        $0.array("empty") { _ in }
        $0.object("none") { _ in }
        $0.array("lists") { list in
            list.array { _ in }
            list.array { for number in [1, 2] { $0.value(number) } }
            list.object { $0.member("a", true) }
            list.null()
            list.value("x")
            list.value(written: "[1]".utf8)
        }
        $0.member("last", false)
    }
    #expect(line == #"{"empty":[],"none":{},"lists":[[],[1,2],{"a":true},null,"x",[1]],"last":false}"#)
}

@Test(
    arguments: [
        (1_772_350_212_300, "\"2026-03-01T07:30:12.300Z\""), (0, "\"1970-01-01T00:00:00.000Z\""),
        (-1, "\"1969-12-31T23:59:59.999Z\""), (253_402_300_799_999, "\"9999-12-31T23:59:59.999Z\""),
        (-62_167_219_200_000, "\"0000-01-01T00:00:00.000Z\""),
    ] as [(Int64, String)])
func timesAreUTCWithMilliseconds(milliseconds: Int64, text: String) {
    #expect(written { $0.member("v", UTC(milliseconds: milliseconds)) } == "{\"v\":\(text)}")
}

@Test(arguments: [253_402_300_800_000, -62_167_219_200_001] as [Int64])
func yearsBeyondFourDigitsAreOmitted(milliseconds: Int64) {
    #expect(written { $0.member("v", UTC(milliseconds: milliseconds)) } == "{}")
}

@Test func bluetoothAddressIsWrittenWithColons() {
    #expect(
        written { $0.member("v", BluetoothAddress(value: 0xA09E_1A00_0FB1)) } == #"{"v":"A0:9E:1A:00:0F:B1"}"#)
}

@Test func clearedBufferKeepsItsCapacity() {
    var writer = JSONWriter()
    writer.stateLine(.example, sequence: 1)
    let first = writer.bytes
    let capacity = writer.bytes.capacity
    writer.clear()
    writer.stateLine(.example, sequence: 1)
    #expect(writer.bytes == first)
    #expect(writer.bytes.capacity == capacity)
}
