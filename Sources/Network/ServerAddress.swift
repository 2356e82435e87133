/// The address of a server: http or https, a host, and a path without the last slash.
struct ServerAddress: Equatable {
    let text: String

    private static let lengthLimit = 256

    /// - Parameter text: an address of the program itself.
    init(text: String) {
        self.text = text
    }

    /// Nil if the text is not such an address.
    init?(_ text: String) {
        guard Self.isURL(text), !text.hasSuffix("/"), !text.utf8.contains(UInt8(ascii: "?")) else { return nil }
        self.text = text
    }

    /// Whether a text is an address of http or https, perhaps with a query.
    static func isURL(_ text: String) -> Bool {
        let rest = text.hasPrefix("https://") ? text.dropFirst(8) : text.hasPrefix("http://") ? text.dropFirst(7) : ""
        return !rest.isEmpty && !rest.hasPrefix("/") && text.utf8.count <= lengthLimit
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }
}
