/// Where and why bytes from outside could not be read. The reader's state is as it was before them.
package struct ParseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Offset of the first byte that is missing or wrong, counted from the start of what was parsed.
    package var offset: Int
    /// What was expected there, as words that fit into "expected …".
    package var expected: StaticText

    package init(at offset: Int, expected: StaticText) {
        self.offset = offset
        self.expected = expected
    }

    package var description: String {
        "expected \(expected.text) at byte \(offset)"
    }
}

/// Text of the program itself, as opposed to text from outside (``SanitizedText``).
package struct StaticText: ExpressibleByStringLiteral, Hashable, Sendable {
    package let text: String

    package init(stringLiteral text: String) {
        self.text = text
    }
}
