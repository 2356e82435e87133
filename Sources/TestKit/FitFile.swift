package import Domain
package import Formats

/// The content of a FIT file, read by ``FitReader``.
package struct FitFile {
    package var recording: RecordedActivity
    package var rows: [RecordingRow] = []
    package var skipped: SkippedElements

    /// - Parameter pieces: the number of bytes that the reader gets at a time.
    /// - Throws: ``FileError``
    package init(_ bytes: [UInt8], pieces: Int = .max) throws {
        var survey = FitReader(FitSurvey())
        try survey.feed(bytes.span) { _ in }
        var reader = FitReader(plan: survey.finishSurvey().plans(splits: false).first)
        var rows: [RecordingRow] = []
        for start in stride(from: 0, to: bytes.count, by: min(pieces, max(bytes.count, 1))) {
            let piece = bytes[start..<min(start + min(pieces, bytes.count), bytes.count)]
            try reader.feed(piece.span) { rows.append($0) }
        }
        let imported = try reader.finish { rows.append($0) }
        recording = imported.recording
        skipped = imported.skipped
        self.rows = rows
    }

    package var samples: [RecordingSample] {
        rows.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }

    package var beats: [UInt16] {
        rows.flatMap { if case .beats(_, let rr, _) = $0 { rr } else { [UInt16]() } }
    }

    /// Exports a recording as a FIT file.
    package static func export(
        _ recording: RecordedActivity, _ rows: [RecordingRow],
        origin: ExportMetadata = ExportMetadata(serialNumber: 12_345_678)
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try FitExport.write(recording, rows: RowList(rows), origin: origin) { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        return bytes
    }
}

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
