/// Error of a parser of untrusted bytes. The parser's state is the same as before the call.
package struct ParseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Offset of the first missing or wrong byte from the start of the input.
    package var offset: Int
    /// Completes the sentence "expected …".
    package var expected: StaticText

    package init(at offset: Int, expected: StaticText) {
        self.offset = offset
        self.expected = expected
    }

    package var description: String {
        "expected \(expected.text) at byte \(offset)"
    }
}

/// A string literal of the program, as opposed to untrusted text (``SanitizedText``). `StaticString` is not `Hashable`.
package struct StaticText: ExpressibleByStringLiteral, Hashable, Sendable {
    package let text: String

    package init(stringLiteral text: String) {
        self.text = text
    }
}
