package import Domain

/// A kind of file that a recording can be written as.
package enum ExportFormat: String, CaseIterable, Sendable {
    case fit, gpx, tcx, geojson, kml, csv
}

/// The rows of one recording, to be read as often as a format needs it.
package protocol RecordingRows {
    /// Hands over the rows whose moments lie in a range, in order, as few at a time in memory as it can.
    func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws
}

extension RecordingRows {
    /// All rows of the recording.
    package func each(_ body: (RecordingRow) throws -> Void) throws {
        try each(in: 0...Int64.max, body)
    }
}

/// What a file tells of the machine that wrote it, beside the recording.
package struct ExportOrigin: Equatable, Sendable {
    /// A number for this machine, not 0, that tells nothing else of it.
    package var serialNumber: UInt32
    /// Local time less UTC at the recording's start, in seconds.
    package var localOffset: Int
    /// When the file is written; nil where no clock is known.
    package var written: UTC?

    package init(serialNumber: UInt32, localOffset: Int = 0, written: UTC? = nil) {
        self.serialNumber = serialNumber
        self.localOffset = localOffset
        self.written = written
    }
}

/// What a format could not hold of a recording, counted.
package struct ExportLoss: Equatable, Sendable {
    /// Seconds without position.
    package var secondsWithoutPosition = 0
    /// RR intervals.
    package var beats = 0

    package init() {}
}
