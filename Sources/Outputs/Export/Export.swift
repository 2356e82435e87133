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
package struct ExportMetadata: Equatable, Sendable {
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
    /// Samples beside the first of their second, where a format has whole seconds.
    package var samples = 0
    /// Positions that stand alone between two gaps, where a line needs two.
    package var lonePositions = 0
    /// RR intervals.
    package var beats = 0
    /// Laps, where there is more than one.
    package var laps = 0
    /// Seconds whose own distance or speed is left to be counted from the positions again.
    package var distances = 0
    package var speeds = 0
    /// Seconds whose cadence, power or temperature has no place.
    package var cadences = 0
    package var powers = 0
    package var temperatures = 0

    package init() {}
}
