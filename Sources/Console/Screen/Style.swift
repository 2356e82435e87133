import Domain

/// Appearance of a cell.
package struct Style: Equatable {
    typealias Colour = ScreenField.Colour

    var colour = Colour.primary
    var isBold = false
    /// Exchanges foreground and background.
    var isInverse = false

    static let plain = Style()
    /// For labels and hints.
    static let quiet = Style(colour: .secondary)
}

/// The colours that a terminal supports.
package enum Palette: Equatable, Sendable {
    /// Neither colours nor bold text: `NO_COLOR`, files, tests.
    case none
    case sixteen
    case many

    /// - Parameter kind: the variable `TERM`.
    init(terminal kind: String) {
        if environment("NO_COLOR") != nil || kind == "dumb" {
            self = .none
        } else {
            self = kind.hasSuffix("256color") || environment("COLORTERM") != nil ? .many : .sixteen
        }
    }

    /// The escape sequence (ECMA-48, SGR) that selects a style, whatever was selected before.
    func sequence(_ style: Style) -> String {
        if self == .none { return "" }
        let colour = self == .many ? Self.ofMany(style.colour) : Self.ofSixteen(style.colour)
        return "\u{1B}[0" + (style.isBold ? ";1" : "") + (style.isInverse ? ";7" : "") + (colour.map { ";" + $0 } ?? "")
            + "m"
    }

    /// Soft tones of xterm's 256 colours. Black and white, one of which is unreadable, are the default foreground.
    private static func ofMany(_ colour: Style.Colour) -> String? {
        switch colour {
        case .red: "38;5;203"
        case .orange: "38;5;208"
        case .yellow: "38;5;220"
        case .green: "38;5;77"
        case .mint: "38;5;121"
        case .teal: "38;5;37"
        case .cyan: "38;5;80"
        case .blue: "38;5;75"
        case .indigo: "38;5;105"
        case .purple: "38;5;141"
        case .pink: "38;5;211"
        case .brown: "38;5;137"
        case .gray, .secondary: "38;5;245"
        case .primary, .black, .white: nil
        }
    }

    private static func ofSixteen(_ colour: Style.Colour) -> String? {
        switch colour {
        case .red: "31"
        case .orange, .brown: "33"
        case .yellow: "93"
        case .green: "32"
        case .mint: "92"
        case .teal: "36"
        case .cyan: "96"
        case .blue: "94"
        case .indigo: "34"
        case .purple: "35"
        case .pink: "95"
        case .gray, .secondary: "90"
        case .primary, .black, .white: nil
        }
    }
}
