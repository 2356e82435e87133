/// An element of OpenStreetMap: `n123`, `w123` or `r123`, as osmium-tool writes it.
package struct PlaceID: Hashable, Sendable {
    package enum Element: Int64, CaseIterable, Sendable {
        case node, way, relation

        var letter: String { String(word.prefix(1)) }

        package var word: String {
            switch self {
            case .node: "node"
            case .way: "way"
            case .relation: "relation"
            }
        }
    }

    package let element: Element
    /// Above 0, below 2^60.
    package let number: Int64

    package init?(_ element: Element, _ number: Int64) {
        guard number > 0, number < 1 << 60 else { return nil }
        self.element = element
        self.number = number
    }

    /// Parses `n123`, `node/123`, and the areas of osmium-tool: `a246` is the way 123, `a247` the relation 123.
    package init?(_ text: some StringProtocol) {
        let digits = text.utf8.reversed().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
        guard let number = Int64(text.suffix(digits)), number > 0 else { return nil }
        let word = text.dropLast(digits)
        if word == "a" {
            self.init(number % 2 == 0 ? .way : .relation, number / 2)
            return
        }
        guard let element = Element.allCases.first(where: { word == $0.letter || word == $0.word + "/" }) else {
            return nil
        }
        self.init(element, number)
    }

    /// As `places.db` stores it.
    package init?(stored: Int64) {
        guard let element = Element(rawValue: stored & 3) else { return nil }
        self.init(element, stored >> 2)
    }

    package var stored: Int64 { number << 2 | element.rawValue }

    package var text: String { element.letter + String(number) }

    /// The page of the element.
    package var address: String { "https://www.openstreetmap.org/\(element.word)/\(number)" }
}
