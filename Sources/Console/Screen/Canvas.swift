/// The size of a screen, in character cells.
package struct Size: Equatable, Sendable {
    package internal(set) var columns: Int
    package internal(set) var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}

/// A screen buffer: a grid of character cells. Text outside the grid is clipped.
package struct Canvas {
    let size: Size
    private var cells: [Cell]

    private struct Cell {
        /// One scalar with its combining marks; empty in the right half of a wide character.
        var text: String
        var style: Style

        var isBlank: Bool { text == " " && !style.isInverse }
    }

    package init(_ size: Size) {
        self.size = size
        cells = Array(repeating: Cell(text: " ", style: .plain), count: max(size.columns, 0) * max(size.rows, 0))
    }

    /// Draws a line of text.
    package mutating func put(_ text: String, row: Int, column: Int, _ style: Style = .plain) {
        guard (0..<size.rows).contains(row) else { return }
        var column = column
        for cluster in TerminalText.clusters(of: text) {
            if column >= 0, column + cluster.width <= size.columns {
                self[row, column] = Cell(text: cluster.text, style: style)
                if cluster.width == 2 { self[row, column + 1] = Cell(text: "", style: style) }
            }
            column += cluster.width
        }
    }

    private subscript(row: Int, column: Int) -> Cell {
        get { cells[row * size.columns + column] }
        set { cells[row * size.columns + column] = newValue }
    }

    /// One row as text with escape sequences.
    package struct Row: Equatable {
        package internal(set) var text: String
        /// The number of cells with text; the cells to the right are blank.
        package internal(set) var width: Int

        package init(text: String, width: Int) {
            self.text = text
            self.width = width
        }

        package func shown(in characters: CharacterSet) -> Row {
            Row(text: characters.shown(text), width: width)
        }
    }

    /// The rows from top to bottom. Each starts and ends in the terminal's default colours.
    package func rows(_ palette: Palette) -> [Row] {
        (0..<max(size.rows, 0)).map { row in
            let cells = self.cells[row * size.columns..<(row + 1) * size.columns]
            let width = (cells.lastIndex { !$0.isBlank }).map { $0 - cells.startIndex + 1 } ?? 0
            var text = ""
            var style = Style.plain
            for cell in cells.prefix(width) {
                if cell.style != style, !cell.isBlank || style.isInverse {
                    style = cell.style
                    text += palette.sequence(style)
                }
                text += cell.text
            }
            if style != .plain { text += palette.sequence(.plain) }
            return Row(text: text, width: width)
        }
    }
}

/// Content of a terminal screen, and the escape sequences that draw it.
package struct Frame: Equatable {
    var size: Size
    var rows: [Canvas.Row]

    package init(size: Size, rows: [Canvas.Row]) {
        self.size = size
        self.rows = rows
    }

    /// The text that turns `previous`, or an unknown screen, into this frame; empty if nothing has changed.
    package func sequence(after previous: Frame?) -> String {
        let known = previous?.size == size ? previous?.rows : nil
        var text = known == nil ? "\u{1B}[0m\u{1B}[2J" : ""
        for (index, row) in rows.enumerated() where known?[index] != row {
            text += "\u{1B}[\(index + 1);1H" + row.text
            // After a full row the cursor stays on its last character, and erasing would remove that.
            if row.width < size.columns { text += "\u{1B}[K" }
        }
        // Terminals with synchronised output (DEC private mode 2026) show the whole update at once.
        return text.isEmpty ? "" : "\u{1B}[?2026h" + text + "\u{1B}[?2026l"
    }
}
