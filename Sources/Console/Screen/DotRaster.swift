/// A drawing of dots in character cells: eight Braille dots a cell, or two halves of a cell in ASCII.
package struct DotRaster {
    let size: Size
    private var cells: [UInt8]
    private var marks: [Int: Unicode.Scalar] = [:]

    /// The number of dots from left to right.
    var width: Int { size.columns * 2 }
    /// The number of dots from top to bottom.
    var height: Int { size.rows * 4 }

    package init(_ size: Size) {
        self.size = Size(columns: max(size.columns, 1), rows: max(size.rows, 1))
        cells = Array(repeating: 0, count: self.size.columns * self.size.rows)
    }

    /// The bit of each dot in a pattern of U+2800, by row and column.
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    /// Sets a dot, counted from the top left; one outside is clipped.
    package mutating func set(_ x: Int, _ y: Int) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        cells[y / 4 * size.columns + x / 2] |= Self.bits[y % 4][x % 2]
    }

    /// Sets the dots of a straight line between two dots, which must lie inside.
    package mutating func line(from: (x: Int, y: Int), to: (x: Int, y: Int)) {
        let steps = max(abs(to.x - from.x), abs(to.y - from.y), 1)
        for step in 0...steps {
            set(
                from.x + Self.part(to.x - from.x, step, steps), from.y + Self.part(to.y - from.y, step, steps))
        }
    }

    /// `distance * step / steps`, rounded.
    private static func part(_ distance: Int, _ step: Int, _ steps: Int) -> Int {
        (2 * distance * step + (distance < 0 ? -steps : steps)) / (2 * steps)
    }

    /// Puts a letter into the cell of a dot.
    package mutating func mark(_ letter: Unicode.Scalar, at dot: (x: Int, y: Int)) {
        marks[min(max(dot.y / 4, 0), size.rows - 1) * size.columns + min(max(dot.x / 2, 0), size.columns - 1)] = letter
    }

    /// The rows from top to bottom, without blanks at their ends.
    package func rows(in characters: CharacterSet) -> [String] {
        (0..<size.rows).map { row in
            var scalars = String.UnicodeScalarView()
            var blanks = 0
            for index in row * size.columns..<(row + 1) * size.columns {
                let scalar = marks[index] ?? Self.scalar(cells[index], characters)
                if scalar == " " {
                    blanks += 1
                } else {
                    for _ in 0..<blanks { scalars.append(" ") }
                    blanks = 0
                    scalars.append(scalar)
                }
            }
            return String(scalars)
        }
    }

    private static func scalar(_ dots: UInt8, _ characters: CharacterSet) -> Unicode.Scalar {
        if dots == 0 { return " " }
        if characters == .utf8 { return Unicode.Scalar(0x2800 + UInt32(dots)) ?? " " }
        // The upper and the lower four dots.
        switch (dots & 0x1B != 0, dots & 0xE4 != 0) {
        case (true, false): return "'"
        case (false, true): return "."
        default: return ":"
        }
    }
}
