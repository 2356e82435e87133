package import Domain

/// A file format for exports.
package enum ExportFormat: String, CaseIterable, Sendable {
    case fit, gpx, tcx, geojson, kml, csv
}

/// Metadata of the host that writes an export.
package struct ExportMetadata: Equatable, Sendable {
    /// A number for this host, not 0, from which nothing else about it can be derived.
    package var serialNumber: UInt32
    /// Local time minus UTC at the start of the recording, in seconds.
    package var localOffset: Int
    /// The time of writing; nil if no clock is known.
    package var written: UTC?

    package init(serialNumber: UInt32, localOffset: Int = 0, written: UTC? = nil) {
        self.serialNumber = serialNumber
        self.localOffset = localOffset
        self.written = written
    }
}

/// The elements of a recording that a format cannot represent, counted.
package struct ExportLoss: Equatable, Sendable {
    package var secondsWithoutPosition = 0
    /// Samples after the first of their second, in a format with whole seconds.
    package var samples = 0
    /// Single positions between two gaps, where a line needs two.
    package var lonePositions = 0
    /// RR intervals.
    package var beats = 0
    /// Laps, if there is more than one.
    package var laps = 0
    /// Seconds whose distance or speed readers must compute from positions.
    package var distances = 0
    package var speeds = 0
    /// Seconds whose cadence, power or temperature is lost.
    package var cadences = 0
    package var powers = 0
    package var temperatures = 0

    package init() {}
}
