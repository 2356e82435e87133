import Sensors
import TestKit
import Testing

@Suite struct GpsdLinesTests {
    /// Returns the lines of a stream that arrives in these pieces.
    func lines(_ pieces: [[UInt8]], of reader: inout GpsdLines) -> [String] {
        var lines: [String] = []
        for piece in pieces {
            reader.append(piece)
            while let line = reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        }
        return lines
    }

    func lines(_ pieces: [UInt8]...) -> [String] {
        var reader = GpsdLines()
        return lines(pieces, of: &reader)
    }

    @Test func emptyLinesAndCarriageReturnsAreRemoved() {
        #expect(lines(Array("a\r\nb\n\r\n\n\rc\r\r\n".utf8)) == ["a", "b", "\rc\r"])
    }

    @Test func incompleteLineIsNotReturned() {
        #expect(lines(Array("a\nb".utf8)) == ["a"])
    }

    @Test func streamCutAnywhereGivesTheSameLines() {
        let stream = Array(#"{"class":"VERSION"}\#r\#n{"class":"TPV","mode":3}\#r\#n\#r\#n{"class":"SKY"}\#n"#.utf8)
        let whole = lines(stream)
        #expect(whole.count == 3)
        for first in stream.indices {
            for second in first..<stream.count {
                #expect(
                    lines(Array(stream[..<first]), Array(stream[first..<second]), Array(stream[second...])) == whole)
            }
        }
        var reader = GpsdLines()
        #expect(lines(stream.map { [$0] }, of: &reader) == whole)
    }

    @Test(arguments: ["\n", "\r\n"])
    func lineAboveTheLimitIsSkipped(end: String) {
        let limit = String(repeating: "x", count: GpsdLines.limit)
        let stream = Array((limit + end + limit + "x" + end + "y" + end).utf8)
        #expect(lines(stream) == [limit, "y"])
        // The same, byte by byte.
        var reader = GpsdLines()
        #expect(lines(stream.map { [$0] }, of: &reader) == [limit, "y"])
    }

    @Test func endlessLineIsSkipped() throws {
        var reader = GpsdLines()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 16_384)
        for _ in 0..<1_000 {
            #expect(lines([piece], of: &reader) == [])
            let kept = try #require(Mirror(reflecting: reader).descendant("bytes") as? [UInt8])
            #expect(kept.count <= GpsdLines.limit + piece.count)
        }
        #expect(lines([Array("x\nnext\n".utf8)], of: &reader) == ["next"])
    }

    /// The lines must equal those of a plain split.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomPiecesGiveTheSameLinesAsASplit(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let alphabet: [UInt8] = [0, 10, 13, 10, 34, 123, 125, 200]
            let stream = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let split = stream.split(separator: 10, omittingEmptySubsequences: false).dropLast()
                .map { $0.last == 13 ? $0.dropLast() : $0 }.filter { !$0.isEmpty }
                .map { String(decoding: $0, as: UTF8.self) }
            var reader = GpsdLines()
            var pieces: [[UInt8]] = []
            var rest = stream[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...20, using: &random))
                pieces.append(Array(piece))
                rest = rest.dropFirst(piece.count)
            }
            #expect(lines(pieces, of: &reader) == split)
        }
    }
}
