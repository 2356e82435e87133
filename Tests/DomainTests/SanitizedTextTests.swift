import Domain
import TestKit
import Testing

@Suite struct SanitizedTextTests {
    @Test func ordinaryNamesOfAnyScriptAreKept() {
        for name in ["Polar H10 00000001", "Müllers Gürtel", "心拍センサー", "сердце", "قلب", "💓 strap", "a\u{301}"] {
            #expect(SanitizedText(name)?.text == name)
            #expect(SanitizedText(name.utf8)?.text == name)
        }
    }

    /// Not test arguments: the runner prints those unchanged, also on a terminal.
    private static let hostile = [
        "\u{1B}[2J", "\u{1B}]0;title\u{07}", "\u{9B}2J", "\u{9D}0;title\u{9C}", "\u{00}", "\r\n", "\t", "\u{7F}",
        "\u{85}", "\u{2028}", "\u{2029}", "\u{202E}drowssap", "\u{2066}x\u{2069}", "\u{200E}\u{200F}\u{061C}",
    ]

    @Test func terminalControlsAndBidiMarksAreReplaced() throws {
        for hostile in Self.hostile {
            let text = try #require(SanitizedText("a" + hostile + "b")).text
            #expect(text.unicodeScalars.allSatisfy(Self.isHarmless))
            #expect(text.unicodeScalars.contains("\u{FFFD}"))
            #expect(text.unicodeScalars.count == hostile.unicodeScalars.count + 2)
        }
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func malformedUTF8BecomesReplacementCharacters(bytes: [UInt8]) throws {
        let text = try #require(SanitizedText([0x61] + bytes + [0x62])).text
        #expect(text.first == "a" && text.last == "b")
        #expect(text.dropFirst().dropLast().allSatisfy { $0 == "\u{FFFD}" })
    }

    @Test(arguments: [" ", "\u{200B}", "\u{2060}\u{FEFF} ", "\u{3164}", "\u{2800}", "\u{00AD}\u{180E}"])
    func invisibleTextIsNil(_ text: String) {
        #expect(SanitizedText(text) == nil)
        #expect(SanitizedText("a" + text + "b") != nil)
    }

    @Test func emptyTextIsNil() {
        #expect(SanitizedText("") == nil)
        #expect(SanitizedText([UInt8]()) == nil)
    }

    @Test func atMostSixtyFourCharactersAreKept() {
        #expect(SanitizedText(String(repeating: "x", count: 1_000_000))?.text.count == 64)
        #expect(SanitizedText(repeatElement(UInt8(ascii: "x"), count: 1_000_000))?.text.count == 64)
        #expect(SanitizedText(String(repeating: "😀", count: 65))?.text.count == 64)
    }

    @Test func combiningMarksAreBoundedByTheScalarLimit() throws {
        let text = try #require(SanitizedText("a" + String(repeating: "\u{301}", count: 100_000))).text
        #expect(text.unicodeScalars.count <= SanitizedText.scalarLimit)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func randomBytesGiveShortHarmlessText(seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let count = Int.random(in: 1...2000, using: &numbers)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            guard let text = SanitizedText(bytes)?.text else { continue }
            #expect(text.count <= 64)
            #expect(text.unicodeScalars.allSatisfy(Self.isHarmless))
            #expect(SanitizedText(text)?.text == text, "what is harmless stays as it is")
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        default: !scalar.properties.isBidiControl
        }
    }
}
