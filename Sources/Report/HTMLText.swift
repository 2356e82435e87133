import Domain

/// The text of a page. Only ``add(_:)`` appends text unescaped: the page's own.
struct HTMLText {
    private(set) var bytes: [UInt8] = []

    /// Appends the program's own text, which is markup.
    mutating func add(_ markup: String) {
        bytes.append(contentsOf: markup.utf8)
    }

    mutating func add(bytes more: [UInt8]) {
        bytes.append(contentsOf: more)
    }

    /// Appends external text, escaped for content and for an attribute's value in double quotes.
    mutating func add(escaped text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": add("&amp;")
            case "<": add("&lt;")
            case ">": add("&gt;")
            case "\"": add("&quot;")
            case "'": add("&#39;")
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}": add("\u{FFFD}")
            default: bytes.append(contentsOf: UTF8.encode(scalar)!)
            }
        }
    }

    /// Appends an element whose content is escaped.
    mutating func element(_ name: String, _ attributes: String = "", _ text: String) {
        add("<\(name)\(attributes.isEmpty ? "" : " " + attributes)>")
        add(escaped: text)
        add("</\(name)>")
    }
}

/// Round numbers for scales: 1, 2 or 5 times a power of ten.
enum RoundNumber {
    /// The least one that is not below `value`, which is above 0.
    static func above(_ value: Double) -> Double {
        guard value.isFinite, value > 0 else { return 1 }
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        while power > value { power /= 10 }
        for factor in [1.0, 2, 5] where factor * power >= value { return factor * power }
        return 10 * power
    }
}
