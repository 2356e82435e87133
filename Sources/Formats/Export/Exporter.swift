package import Domain

extension ExportFormat {
    /// Writes a recording in this format, in pieces of some KiB, with memory that does not grow with the recording.
    ///
    /// - Returns: The elements that the format cannot represent.
    /// - Throws: The errors of `rows` and `sink`; the file is incomplete then.
    package func write(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> ExportLoss {
        switch self {
        case .fit: try FitExport.write(recording, rows: rows, origin: origin, into: sink)
        case .gpx: try GPXExport.write(recording, rows: rows, origin: origin, into: sink)
        case .tcx: try TCXExport.write(recording, rows: rows, origin: origin, into: sink)
        case .geojson: try GeoJSONExport.write(recording, rows: rows, origin: origin, into: sink)
        case .kml: try KMLExport.write(recording, rows: rows, origin: origin, into: sink)
        case .csv: try CSVExport.write(recording, rows: rows, origin: origin, into: sink)
        }
    }
}
