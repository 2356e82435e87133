import Domain
import TestKit
import Testing

private func lines(_ reader: inout LineSplitter, hasEnded: Bool = false) -> [String] {
    var lines: [String] = []
    while let line = reader.next(hasEnded: hasEnded) {
        switch line {
        case .line(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
        case .tooLong: lines.append("too long")
        }
    }
    return lines
}

@Test func linesEndAtNewlines() {
    var reader = LineSplitter(limit: 10)
    reader.append("one\n\ntwo\nth".utf8)
    #expect(lines(&reader) == ["one", "", "two"])
    reader.append("ree\n".utf8)
    #expect(lines(&reader) == ["three"])
}

@Test func unterminatedLastLineIsReturned() {
    var reader = LineSplitter(limit: 10)
    reader.append("one\ntwo".utf8)
    #expect(lines(&reader, hasEnded: true) == ["one", "two"])
    #expect(lines(&reader, hasEnded: true) == [])
}

@Test func overlongLineIsReportedOnceAndSkipped() {
    var reader = LineSplitter(limit: 4)
    reader.append("1234\n12345\nnext\n".utf8)
    #expect(lines(&reader) == ["1234", "too long", "next"])
    reader.append("12345".utf8)
    #expect(lines(&reader) == ["too long"])
    for _ in 0..<100 {
        reader.append("67890".utf8)
        #expect(lines(&reader) == [])
    }
    reader.append("\nok\n".utf8)
    #expect(lines(&reader) == ["ok"])
    reader.append("12345".utf8)
    #expect(lines(&reader, hasEnded: true) == ["too long"])
}

@Test(arguments: 1...50 as ClosedRange<UInt64>)
func linesDoNotDependOnThePieces(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let text = (0..<400).map { _ in Array("ab\n".utf8).randomElement(using: &random)! }
    var whole = LineSplitter(limit: 5)
    whole.append(text)
    let expected = lines(&whole, hasEnded: true)
    var cut = LineSplitter(limit: 5)
    var found: [String] = []
    var rest = text[...]
    while !rest.isEmpty {
        let count = Int.random(in: 1...7, using: &random)
        cut.append(rest.prefix(count))
        rest = rest.dropFirst(count)
        found += lines(&cut)
    }
    found += lines(&cut, hasEnded: true)
    #expect(found == expected)
}

@Test(arguments: [nil, 100]) func bufferOfAnEndlessLineIsBounded(capacity: Int?) throws {
    var reader = LineSplitter(limit: 1000, keeping: capacity)
    for _ in 0..<1_000 {
        reader.append([UInt8](repeating: UInt8(ascii: "x"), count: 4096))
        while reader.next() != nil {}
        let kept = try #require(Mirror(reflecting: reader).descendant("bytes") as? [UInt8])
        #expect(kept.count <= 1000 + 4096)
    }
    reader.append("x\nnext\n".utf8)
    #expect(lines(&reader) == ["next"])
}
