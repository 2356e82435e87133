import JSONCoding

/// Handles JSON as text: values to print unchanged, and values to send.
package enum JSONText {
    /// The members of an object in their order, each with its unchanged value; empty if it is not an object.
    package static func members(of object: String) -> [(name: String, value: String)] {
        let text = Array(object.utf8)
        guard case .object? = try? JSON(parsing: text) else { return [] }
        // The text is valid JSON from here on.
        var members: [(name: String, value: String)] = []
        var depth = 0
        var partStart = 0
        var name = ""
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                index += 1
                while text[index] != UInt8(ascii: "\"") { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 1 { partStart = index + 1 }
            case UInt8(ascii: ":") where depth == 1:
                name = self.name(text[partStart..<index])
                partStart = index + 1
            case UInt8(ascii: ",") where depth == 1:
                members.append((name, trimmed(text[partStart..<index])))
                partStart = index + 1
            case UInt8(ascii: "}") where depth == 1:
                let value = trimmed(text[partStart..<index])
                if !value.isEmpty { members.append((name, value)) }
                depth -= 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
        }
        return members
    }

    /// A typed value: unchanged on one line if it is JSON, else as a JSON string.
    package static func value(typed: String) -> String {
        if (try? JSON(parsing: typed.utf8)) != nil {
            return String(typed.map { $0.isNewline ? " " : $0 })
        }
        return string(typed)
    }

    /// A text as a JSON string.
    static func string(_ text: String) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": return "\\" + String(scalar)
        case "\u{00}"..."\u{1F}", "\u{7F}":
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(scalar)
        }
    }

    private static func name(_ text: ArraySlice<UInt8>) -> String {
        (try? JSON(parsing: text))?.string ?? ""
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}
