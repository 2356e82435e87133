package import Domain
import Formats

/// The rows of a recording, in memory.
package struct RowList: RecordingRows {
    package var rows: [RecordingRow]

    package init(_ rows: [RecordingRow]) {
        self.rows = rows
    }

    package func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws {
        for row in rows where moments.contains(row.at) { try body(row) }
    }
}
