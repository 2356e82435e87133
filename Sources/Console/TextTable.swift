/// Table with a header row. Each column is as wide as its widest cell.
package struct TextTable: Equatable {
    package struct Column: Equatable {
        var head: String
        /// Numbers are right-aligned.
        var isNumber = false

        package init(head: String, isNumber: Bool = false) {
            self.head = head
            self.isNumber = isNumber
        }
    }

    var columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// - Parameter cells: one for each column; an empty one is blank.
    package mutating func append(_ cells: [String]) {
        rows.append(cells)
    }

    /// The lines without trailing spaces. A column with only empty cells is left out.
    package var lines: [String] {
        let shown = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        let lines = ([columns.map(\.head)] + rows).map { cells in shown.map { Self.fitting(cells[$0]) } }
        let widths = shown.indices.map { column in lines.map { TerminalText.width(of: $0[column]) }.max() ?? 0 }
        return lines.map { cells in
            let padded = cells.enumerated().map { index, cell in
                let space = String(repeating: " ", count: widths[index] - TerminalText.width(of: cell))
                return columns[shown[index]].isNumber ? space + cell : cell + space
            }
            var line = padded.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The text that a terminal shows, so that the padding is right.
    private static func fitting(_ text: String) -> String {
        TerminalText.clusters(of: text).map(\.text).joined()
    }
}
