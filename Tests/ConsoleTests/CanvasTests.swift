import Console
import Testing

struct CanvasTests {
    @Test func widthsMatchThoseOfTerminals() {
        #expect(TerminalText.width(of: "Polar") == 5)
        #expect(TerminalText.width(of: "日本語") == 6)
        #expect(TerminalText.width(of: "e\u{301}") == 1)
        #expect(TerminalText.width(of: "a\u{200B}\u{AD}b") == 2)
        #expect(TerminalText.width(of: "❤\u{FE0F}") == 1)
        #expect(TerminalText.width(of: "👩‍👧") == 4)
        #expect(TerminalText.width(of: "█░▀●±…") == 6)
    }

    @Test func clustersDropJoinersAndExcessMarks() {
        let text = "👩\u{200D}👧 e" + String(repeating: "\u{301}", count: 9) + "\u{FE0F}"
        #expect(TerminalText.clusters(of: text).map(\.text) == ["👩", "👧", " ", "e\u{301}\u{301}"])
        #expect(TerminalText.clusters(of: "\u{301}x").map(\.text) == ["x"])
    }

    @Test func cutTextEndsInAnEllipsisBetweenCharacters() {
        #expect(TerminalText.cut("Polar H10", to: 9) == "Polar H10")
        #expect(TerminalText.cut("Polar H10", to: 7) == "Polar…")
        #expect(TerminalText.cut("日本語", to: 4) == "日…")
        #expect(TerminalText.cut("日本語", to: 1) == "…")
        #expect(TerminalText.cut("abc", to: 0) == "")
    }

    @Test func textWrapsAtSpacesAndIsCutInItsLastLine() {
        #expect(TerminalText.wrapped("no HR monitor connected", to: 14, lines: 3) == ["no HR monitor", "connected"])
        #expect(TerminalText.wrapped("one two three four", to: 7, lines: 2) == ["one two", "three…"])
        #expect(TerminalText.wrapped("incomprehensible", to: 5, lines: 3) == ["inco…"])
        #expect(TerminalText.wrapped("", to: 5, lines: 3) == [""])
    }

    @Test func textOutsideTheCanvasIsCut() {
        var canvas = Canvas(Size(columns: 4, rows: 2))
        canvas.put("abcdef", row: 0, column: -1)
        canvas.put("x日", row: 1, column: 2)
        canvas.put("no", row: 2, column: 0)
        canvas.put("no", row: -1, column: 0)
        #expect(canvas.rows(.none) == [Canvas.Row(text: "bcde", width: 4), Canvas.Row(text: "  x", width: 3)])
    }

    @Test func wideCharactersTakeTwoCells() {
        var canvas = Canvas(Size(columns: 5, rows: 1))
        canvas.put("日本", row: 0, column: 0)
        #expect(canvas.rows(.none) == [Canvas.Row(text: "日本", width: 4)])
    }

    @Test func onlyRowsThatChangedAreSent() {
        func frame(_ rows: [String]) -> Frame {
            Frame(
                size: Size(columns: 4, rows: rows.count),
                rows: rows.map { Canvas.Row(text: $0, width: TerminalText.width(of: $0)) })
        }
        let first = frame(["ab", "cd", ""])
        #expect(
            first.sequence(after: nil)
                == "\u{1B}[?2026h\u{1B}[0m\u{1B}[2J\u{1B}[1;1Hab\u{1B}[K\u{1B}[2;1Hcd\u{1B}[K\u{1B}[3;1H\u{1B}[K\u{1B}[?2026l"
        )
        #expect(first.sequence(after: first) == "")
        #expect(
            frame(["ab", "full", ""]).sequence(after: first) == "\u{1B}[?2026h\u{1B}[2;1Hfull\u{1B}[?2026l")
        let resized = frame(["ab", "cd"])
        #expect(resized.sequence(after: first).contains("\u{1B}[2J"))
    }

    @Test func digitsOfAllHeightsHaveTheirWidth() {
        for rows in BlockDigits.minimumRows...30 {
            let digits = BlockDigits(rows: rows)
            for text in ["", "0", "1:23:45", "9.87", "--:--", "?"] {
                let lines = digits.draw(text)
                #expect(lines.count == rows)
                #expect(lines.allSatisfy { $0.count == digits.width(of: text) })
            }
            let drawn = (0...9).map { digits.draw(String($0)) }
            #expect(Set(drawn).count == 10)
        }
    }

    @Test func smallDigitsAreReadable() {
        #expect(
            BlockDigits(rows: 3).draw("0123456789") == [
                "█▀█ ▀█  ▀▀█ ▀▀█ █ █ █▀▀ █▀▀ ▀▀█ █▀█ █▀█",
                "█ █  █  █▀▀ ▀▀█ ▀▀█ ▀▀█ █▀█   █ █▀█ ▀▀█",
                "▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀   ▀ ▀▀▀ ▀▀▀   ▀ ▀▀▀ ▀▀▀",
            ])
        #expect(BlockDigits(rows: 3).draw("-:.") == ["    ▄  ", "▀▀▀ ▄  ", "      ▀"])
    }
}
