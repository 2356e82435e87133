/// A text for people, with the parts that vary apart from the words that do not: so a program can say it in another language.
///
/// `Sentence("course \(3) is loaded")` reads "course 3 is loaded"; its template is "course {1} is loaded", its values are ["3"].
package struct Sentence: Equatable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The words between the values: one more than there are values.
    private var words: [String]
    package private(set) var values: [String]

    /// The text.
    package var description: String {
        zip(values, words.dropFirst()).reduce(words[0]) { $0 + $1.0 + $1.1 }
    }

    /// The words, with `{1}`, `{2}` and so on in the places of the values.
    package var template: String {
        words.dropFirst().enumerated().reduce(words[0]) { "\($0){\($1.offset + 1)}\($1.element)" }
    }

    /// Whether the words say anything without the values: else there is nothing to translate.
    package var hasWords: Bool {
        words.contains { $0.utf8.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) } }
    }

    /// A text of another source, all of it a value.
    package init(verbatim text: String) {
        self.init(words: ["", ""], values: [text])
    }

    package init(stringLiteral value: String) {
        self.init(words: [value], values: [])
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.sentence
    }

    /// The sentence of a template and its values; nil if it has not exactly the places `{1}` to the last value, in order.
    package init?(template: String, values: [String]) {
        var (words, rest): ([String], Substring) = ([], template[...])
        for number in values.indices.map({ $0 + 1 }) {
            let place = "{\(number)}"
            guard let found = rest.indices.first(where: { rest[$0...].hasPrefix(place) }) else { return nil }
            words.append(String(rest[..<found]))
            rest = rest[found...].dropFirst(place.count)
        }
        self.init(words: words + [String(rest)], values: values)
    }

    private init(words: [String], values: [String]) {
        self.words = words
        self.values = values
    }

    /// Two are the same if they read the same.
    package static func == (one: Sentence, other: Sentence) -> Bool {
        one.description == other.description
    }

    package static func + (one: Sentence, other: Sentence) -> Sentence {
        var sum = one
        sum.words[sum.words.count - 1] += other.words[0]
        sum.words += other.words.dropFirst()
        sum.values += other.values
        return sum
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sentence = Sentence(words: [""], values: [])

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            sentence = sentence + Sentence(stringLiteral: literal)
        }

        package mutating func appendInterpolation(_ value: some Any) {
            sentence = sentence + Sentence(verbatim: "\(value)")
        }

        /// Keeps the words of a part.
        package mutating func appendInterpolation(_ part: Sentence) {
            sentence = sentence + part
        }
    }
}
