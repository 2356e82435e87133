/// The name of a picture of a place, in a directory on the board: nothing is fetched.
package struct PhotoName: Equatable, Sendable {
    package let text: String
    /// Of its content.
    package let type: String

    /// The directory of pictures, beside `places.db`.
    package static let directory = "photos"

    private static let types = [
        (".jpg", "image/jpeg"), (".jpeg", "image/jpeg"), (".png", "image/png"), (".webp", "image/webp"),
    ]

    /// Nil for an address of the web, for a path, and for a file of another type.
    package init?(_ text: String) {
        let small = text.lowercased()
        guard text.utf8.count <= 128, text.first != ".", text.utf8.allSatisfy(Self.isOfName),
            let type = Self.types.first(where: { small.hasSuffix($0.0) })?.1
        else { return nil }
        self.text = text
        self.type = type
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
