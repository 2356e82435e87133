package import Domain

/// The words of a report, and which of them was read last. The indices of a word's bytes are its offsets in the report.
struct ReportWords {
    private let words: [ArraySlice<UInt8>]
    private let end: Int
    private var next = 0
    private(set) var unread = UnreadWords()

    /// Words are separated by spaces and control characters. The first `=` ends the report.
    ///
    /// - Throws: ``ParseError`` if the report is longer than `limit` bytes.
    init(_ report: [UInt8], limit: Int) throws(ParseError) {
        guard report.count <= limit else { throw ParseError(at: limit, expected: "the end of the report") }
        end = report.firstIndex(of: UInt8(ascii: "=")) ?? report.count
        words = report[..<end].split { $0 <= UInt8(ascii: " ") || $0 == 0x7F }
    }

    var isAtEnd: Bool { next == words.count }

    /// Offset of the next word, or of the end of the report.
    var offset: Int { isAtEnd ? end : words[next].startIndex }

    /// The next word, or one after it; empty behind the last one.
    func peek(_ distance: Int = 0) -> ArraySlice<UInt8> {
        next + distance < words.count ? words[next + distance] : []
    }

    mutating func skip(words count: Int = 1) {
        next = min(next + count, words.count)
    }

    /// Skips the next word if it is this one.
    mutating func skip(_ word: String) -> Bool {
        guard isNext(word) else { return false }
        next += 1
        return true
    }

    func isNext(_ word: String) -> Bool {
        peek().elementsEqual(word.utf8)
    }

    /// Skips the next word, which has no known meaning.
    mutating func leaveUnread() {
        unread.append(peek())
        skip()
    }
}

/// Words of a report that have no known meaning, so that its reader can see what was not decoded.
package struct UnreadWords: Hashable, Sendable {
    /// Maximum number of words that are kept, each with at most ``SanitizedText/characterLimit`` characters.
    package static let limit = 8

    package private(set) var texts: [SanitizedText] = []
    /// Number of all such words.
    package private(set) var count = 0

    mutating func append(_ word: ArraySlice<UInt8>) {
        guard let text = SanitizedText(word) else { return }
        count += 1
        if texts.count < Self.limit { texts.append(text) }
    }
}

/// Cursor over the bytes of one word. A method that returns nil or false has skipped nothing.
struct GroupReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ word: ArraySlice<UInt8>) {
        rest = word
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ count: Int) {
        rest = rest.dropFirst(count)
    }

    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Parses a number of exactly `count` digits; more may follow.
    mutating func digits(_ count: Int) -> Int? {
        guard rest.count >= count else { return nil }
        var number = 0
        for byte in rest.prefix(count) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        rest = rest.dropFirst(count)
        return number
    }

    /// Parses a number with as many digits as there are, if these are in `counts`.
    mutating func digits(_ counts: ClosedRange<Int>) -> Int? {
        let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        return counts.contains(count) ? digits(count) : nil
    }

    /// The raw value that the word has here, the first of the cases that fits.
    mutating func skip<Code: CaseIterable & RawRepresentable<String>>(_: Code.Type) -> Code? {
        Code.allCases.first { skip($0.rawValue) }
    }
}

/// A station and the day and time of a report, which METAR and TAF begin with.
struct ReportHeading {
    /// A letter, and three letters or digits.
    let station: String

    /// - Throws: ``ParseError`` if the next word is no station.
    init(_ words: inout ReportWords) throws(ParseError) {
        let word = words.peek()
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard word.count == 4, let first = word.first, letters.contains(first),
            word.allSatisfy({ letters.contains($0) || digits.contains($0) })
        else { throw ParseError(at: words.offset, expected: "a station") }
        station = String(decoding: word, as: UTF8.self)
        words.skip()
    }
}
