import Domain

/// What the terminal's locale can show: `LC_ALL`, else `LC_CTYPE`, else `LANG`, as setlocale(3) looks them up. Boards
/// often set none of them: then the terminal is taken for one that shows UTF-8.
package enum CharacterSet: Equatable {
    case utf8, ascii

    static let ofTerminal = CharacterSet(
        locale: environment("LC_ALL") ?? environment("LC_CTYPE") ?? environment("LANG"))

    init(locale: String?) {
        let codeset = locale.map { $0.drop { $0 != "." }.lowercased() } ?? ".utf-8"
        self = codeset.hasPrefix(".utf-8") || codeset.hasPrefix(".utf8") ? .utf8 : .ascii
    }

    /// The text with a character of this set in each cell. Escape sequences stay.
    func shown(_ text: String) -> String {
        if self == .utf8 { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                let width = TerminalText.width(of: scalar)
                result += width == 0 ? "" : Self.replacements[scalar] ?? String(repeating: "?", count: width)
            }
        }
        return result
    }

    /// One cell for one cell, so that columns stay in line.
    private static let replacements: [Unicode.Scalar: String] = [
        "█": "#", "▀": "'", "▄": ".", "░": "-", "●": "*", "…": ".", "–": "-", "—": "-", "±": "~", "×": "x", "°": " ",
        "→": ">", "←": "<", "↑": "^", "↓": "v", "↖": "\\", "↗": "/", "↘": "\\", "↙": "/", "▲": "^", "▁": "_", "▂": "_",
        "▃": ".", "▅": ":", "▆": ":", "▇": "#", "≥": ">", "≤": "<", "·": ".",
    ]
}
