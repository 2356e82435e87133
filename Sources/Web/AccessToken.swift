package import Domain

/// What a browser may do.
package enum AccessScope: String, Equatable, Sendable {
    /// What a user of the group paced-watch may do.
    case watch
    /// Also what a user of the group paced-control may do.
    case control
}

/// A token of a browser, as it is stored.
package struct AccessToken: Equatable, Sendable {
    /// From 1, never used twice.
    package var id: Int
    /// SHA-256 of the token.
    var hash: [UInt8]
    package internal(set) var scope: AccessScope
    /// What the browser calls itself.
    var name: SanitizedText
    /// Who made its code; nil for a token of an earlier release.
    package internal(set) var maker: Maker?
    var created: UTC
    /// The day of the last use.
    package internal(set) var used: UTC

    /// A user who makes a code.
    package struct Maker: Equatable, Sendable {
        package var user: UInt32
        /// Whether a user other than root, by the groups of the name service, was allowed to make the code: the token is valid as long as
        /// that holds. A service may have a group that the name service does not know of.
        package var isMember: Bool

        package init(user: UInt32, isMember: Bool) {
            self.user = user
            self.isMember = isMember
        }
    }

    /// A token that is unused for this long expires.
    static let lifetime: Int64 = 90 * dayMilliseconds
    package static let dayMilliseconds: Int64 = 86_400_000
}

/// A secret as text: 128 bits in 26 digits of Crockford's base 32, in groups for the eye.
///
/// Source: Crockford, "Base 32": no I, L, O and U; I and L are read as 1, O as 0.
package struct Secret: Equatable {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let digitCount = 26

    /// The digits, without hyphens.
    package let text: String

    package init(random generator: inout some RandomNumberGenerator) {
        var (high, low) = (generator.next() as UInt64, generator.next() as UInt64)
        var digits: [Character] = []
        for _ in 0..<Self.digitCount {
            digits.append(Self.digits[Int(low & 31)])
            low = low >> 5 | high << 59
            high >>= 5
        }
        text = String(digits)
    }

    /// A secret as a person may type it; nil for another text.
    package init?(typed: String) {
        var digits: [Character] = []
        for character in typed.uppercased() where character != "-" && character != " " {
            let digit: Character =
                switch character {
                case "I", "L": "1"
                case "O": "0"
                default: character
                }
            guard digits.count < Self.digitCount, Self.digits.contains(digit) else { return nil }
            digits.append(digit)
        }
        guard digits.count == Self.digitCount else { return nil }
        text = String(digits)
    }

    /// Groups of up to five digits with hyphens between.
    package var grouped: String {
        var result = ""
        for (index, digit) in text.enumerated() {
            if index > 0, index % 5 == 0 { result += "-" }
            result.append(digit)
        }
        return result
    }
}
