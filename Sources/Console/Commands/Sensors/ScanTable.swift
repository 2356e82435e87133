import Domain
package import JSONCoding

/// Table of the sensors that a scan has found so far.
package struct ScanTable: Equatable {
    package struct Row: Equatable {
        package internal(set) var name: String?
        package internal(set) var address: String
        var type: String
        /// In dBm.
        package internal(set) var signal: Int?
        package internal(set) var kinds: [String]

        /// Nil if the element of the `sensor.scan` result is incomplete.
        init?(_ json: JSON) {
            guard let address = json["address"]?.harmlessText(), let type = json["address_type"]?.harmlessText() else {
                return nil
            }
            name = json["name"]?.harmlessText()
            self.address = address
            self.type = type
            signal = json["rssi_dbm"]?.integer(in: -127...20)
            kinds = json["kinds"]?.array?.prefix(16).compactMap { $0.harmlessText() } ?? []
        }
    }

    /// In the order of discovery, so that rows do not move.
    package private(set) var rows: [Row] = []

    package init() {}

    /// Merges a scan result: known sensors get the new signal and keep names and kinds that are missing.
    package mutating func receive(_ answer: JSON) {
        for var row in (answer.array ?? []).compactMap(Row.init) {
            if let index = rows.firstIndex(where: { $0.address == row.address && $0.type == row.type }) {
                row.name = row.name ?? rows[index].name
                if row.kinds.isEmpty { row.kinds = rows[index].kinds }
                rows[index] = row
            } else {
                rows.append(row)
            }
        }
    }

    /// The lines of the table, each at most `width` cells wide; empty if no sensor was found.
    package func lines(width: Int) -> [String] {
        if rows.isEmpty { return [] }
        let cells =
            [["NAME", "ADDRESS", "TYPE", "SIGNAL", "MEASURES"]]
            + rows.map { row in
                [
                    TerminalText.cut(row.name ?? "–", to: 32), TerminalText.cut(row.address, to: 17),
                    TerminalText.cut(row.type, to: 6), row.signal.map { "\($0) dBm" } ?? "–",
                    row.kinds.map(SensorLine.words).joined(separator: ", "),
                ]
            }
        let widths = (0..<4).map { column in cells.map { TerminalText.width(of: $0[column]) }.max() ?? 0 }
        return cells.map { cells in
            let columns = zip(cells, widths).map { cell, width in
                TerminalText.clusters(of: cell).map(\.text).joined()
                    + String(repeating: " ", count: width - TerminalText.width(of: cell))
            }
            return TerminalText.cut((columns + [cells[4]]).joined(separator: "  "), to: width)
        }
    }

    /// The last line, with the next step for the user.
    package var conclusion: String {
        guard let first = rows.first else {
            return
                "No sensor found: a strap advertises only while it is worn (wet it, put it on), others while they move."
        }
        let count = rows.count == 1 ? "One sensor." : "\(rows.count) sensors."
        return count
            + " 'pacectl sensors add \(Self.quoted(first.name ?? "\(first.address)/\(first.type)"))' selects one."
    }

    /// Quotes a word for a shell. The word has no control characters; shell metacharacters are removed.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain ? word : "\"" + word.filter { !"\"\\$`!'".contains($0) } + "\""
    }
}
