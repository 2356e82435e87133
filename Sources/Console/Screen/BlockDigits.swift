/// Digits drawn large as seven-segment figures of any height. One character cell has two pixels, one above the other.
package struct BlockDigits: Equatable {
    /// The smallest height of digits, in rows.
    package static let minimumRows = 3

    /// Height of a line of digits, in character cells.
    let rows: Int

    /// Thickness of a segment and space between digits, in pixels.
    private let bar: Int
    /// Height and width of a digit, in pixels. A pixel is one cell wide and half a cell high, almost square.
    private let height: Int
    private let width: Int

    /// Traps below ``minimumRows``.
    package init(rows: Int) {
        precondition(rows >= Self.minimumRows)
        self.rows = rows
        bar = (rows + 5) / 5
        // The middle segment is centred only if the height minus the segment is even.
        height = (rows * 2 - bar).isMultiple(of: 2) ? rows * 2 : rows * 2 - 1
        width = (height * 3 + 2) / 5
    }

    /// Width of a text, in character cells.
    package func width(of text: String) -> Int {
        text.isEmpty ? 0 : text.reduce(-bar) { $0 + width(of: $1) + bar }
    }

    private func width(of character: Character) -> Int {
        character == ":" || character == "." ? bar : width
    }

    /// The rows of characters for a text of digits, `:`, `.` and `-`. Other characters are blank.
    package func draw(_ text: String) -> [String] {
        var pixels = Array(repeating: Array(repeating: false, count: max(width(of: text), 0)), count: rows * 2)
        func fill(_ columns: Range<Int>, _ lines: Range<Int>) {
            for line in lines { for column in columns { pixels[line][column] = true } }
        }
        var left = 0
        for character in text {
            let right = left + width(of: character)
            let middle = (height - bar) / 2
            switch character {
            case ":":
                let upper = (height - bar) / 4
                fill(left..<right, upper..<upper + bar)
                fill(left..<right, height - upper - bar..<height - upper)
            case ".": fill(left..<right, height - bar..<height)
            case "1":
                // Two segments at the right edge would leave a gap on the left.
                let stem = left + (width - bar) / 2
                fill(left..<stem, 0..<bar)
                fill(stem..<stem + bar, 0..<height)
                fill(left..<right, height - bar..<height)
            default:
                let bars = Self.bars[character] ?? []
                if bars.contains(.top) { fill(left..<right, 0..<bar) }
                if bars.contains(.middle) { fill(left..<right, middle..<middle + bar) }
                if bars.contains(.bottom) { fill(left..<right, height - bar..<height) }
                if bars.contains(.upperLeft) { fill(left..<left + bar, 0..<middle + bar) }
                if bars.contains(.upperRight) { fill(right - bar..<right, 0..<middle + bar) }
                if bars.contains(.lowerLeft) { fill(left..<left + bar, middle..<height) }
                if bars.contains(.lowerRight) { fill(right - bar..<right, middle..<height) }
            }
            left = right + bar
        }
        return (0..<rows).map { row in
            String(
                zip(pixels[row * 2], pixels[row * 2 + 1]).map { upper, lower in
                    switch (upper, lower) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }

    private struct Bars: OptionSet {
        let rawValue: UInt8

        static let top = Bars(rawValue: 1)
        static let upperLeft = Bars(rawValue: 2)
        static let upperRight = Bars(rawValue: 4)
        static let middle = Bars(rawValue: 8)
        static let lowerLeft = Bars(rawValue: 16)
        static let lowerRight = Bars(rawValue: 32)
        static let bottom = Bars(rawValue: 64)
        static let left: Bars = [.upperLeft, .lowerLeft]
        static let right: Bars = [.upperRight, .lowerRight]
    }

    private static let bars: [Character: Bars] = [
        "0": [.top, .left, .right, .bottom],
        "2": [.top, .upperRight, .middle, .lowerLeft, .bottom],
        "3": [.top, .right, .middle, .bottom],
        "4": [.upperLeft, .right, .middle],
        "5": [.top, .upperLeft, .middle, .lowerRight, .bottom],
        "6": [.top, .left, .middle, .lowerRight, .bottom],
        "7": [.top, .right],
        "8": [.top, .left, .right, .middle, .bottom],
        "9": [.top, .upperLeft, .right, .middle, .bottom],
        "-": [.middle],
    ]
}
