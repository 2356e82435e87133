/// Measures and cuts text in terminal cells.
package enum TerminalText {
    package struct Cluster: Equatable {
        package internal(set) var text: String
        /// 1 or 2 cells.
        var width: Int
    }

    /// The maximum number of combining marks of a character.
    private static let markLimit = 2

    /// Splits text into units that fill cells: one scalar each, with its marks.
    ///
    /// Joiners are removed, because terminals disagree about the width of joined emoji.
    package static func clusters(of text: String) -> [Cluster] {
        var clusters: [Cluster] = []
        var marks = 0
        for scalar in text.unicodeScalars {
            let width = width(of: scalar)
            if width > 0 {
                clusters.append(Cluster(text: String(scalar), width: width))
                marks = 0
            } else if isMark(scalar), !clusters.isEmpty, marks < markLimit {
                clusters[clusters.count - 1].text.unicodeScalars.append(scalar)
                marks += 1
            }
        }
        return clusters
    }

    /// The number of cells of a text.
    package static func width(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
    }

    /// The text, cut to `width` cells. An ellipsis marks the cut.
    package static func cut(_ text: String, to width: Int) -> String {
        if Self.width(of: text) <= width { return text }
        guard width > 0 else { return "" }
        var result = ""
        var left = width - 1
        for cluster in clusters(of: text) {
            left -= cluster.width
            if left < 0 { break }
            result += cluster.text
        }
        while result.last == " " { result.removeLast() }
        return result + "…"
    }

    /// The text in at most `limit` lines of at most `width` cells, broken at spaces.
    package static func wrapped(_ text: String, to width: Int, lines limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var rest = text.split(separator: " ")[...]
        while let word = rest.popFirst() {
            let longer = line.isEmpty ? String(word) : line + " " + word
            if Self.width(of: longer) <= width || line.isEmpty {
                line = longer
            } else if lines.count + 1 == limit {
                line = ([longer] + rest.map(String.init)).joined(separator: " ")
                rest = []
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return (lines + [line]).map { cut($0, to: width) }
    }

    /// 0, 1 or 2 cells. Source: Unicode Standard Annex 11, East Asian Width, W and F in large ranges; emoji are wide.
    static func width(of scalar: Unicode.Scalar) -> Int {
        // All scalars before the combining marks are one cell wide, except the soft hyphen.
        if scalar.value < 0x300 { return scalar.value == 0xAD ? 0 : 1 }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        // Vowels and final consonants of decomposed Hangul syllables.
        case 0x1160...0x11FF: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
            0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            return 2
        default: return properties.isEmojiPresentation ? 2 : 1
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // A variation selector would change the width of its base character.
        case .nonspacingMark, .enclosingMark: !scalar.properties.isVariationSelector
        default: false
        }
    }
}
