package import Domain

/// A file format for exports.
package enum ExportFormat: String, CaseIterable, Sendable {
    case fit, gpx, tcx, geojson, kml, csv

    /// Whether the format has no place for the totals of an activity.
    package var holdsOnlySamples: Bool {
        switch self {
        case .fit, .tcx, .csv: false
        case .gpx, .kml, .geojson: true
        }
    }

    /// The name of the format for users.
    package var title: String {
        switch self {
        case .fit, .gpx, .tcx, .kml, .csv: rawValue.uppercased()
        case .geojson: "GeoJSON"
        }
    }
}

/// Metadata of the host that writes an export.
package struct ExportMetadata: Equatable, Sendable {
    /// A number for this device, not 0, for people: several may share it. Nil in a file that does not tell its origin.
    package var serialNumber: UInt32?
    /// The uuid of this device; nil in a file that does not tell its origin.
    package var device: UUID?
    /// Local time minus UTC at the start of the recording, in seconds.
    package var localOffset: Int
    /// The time of writing; nil if no clock is known.
    package var written: UTC?

    package init(serialNumber: UInt32?, device: UUID? = nil, localOffset: Int = 0, written: UTC? = nil) {
        self.serialNumber = serialNumber
        self.device = device
        self.localOffset = localOffset
        self.written = written
    }
}

extension ExportMetadata {
    /// Without what names the device.
    package var anonymous: ExportMetadata {
        ExportMetadata(serialNumber: nil, localOffset: localOffset, written: written)
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
    /// Seconds whose cadence, power, temperature or balance is lost.
    package var cadences = 0
    package var powers = 0
    package var temperatures = 0
    package var balances = 0

    package init() {}
}

extension ExportFormat {
    /// Returns the name of a recording's file: its start in UTC and the sport, as in `2026-03-01-0730-run.fit`, or
    /// `undated-17-run.fit` if no clock was known.
    ///
    /// UTC makes names sort by time, equal on every host, and unique when the clocks go back.
    ///
    /// - Parameter number: distinguishes files with the same name; 1 adds nothing.
    package func name(of recording: RecordedActivity, number: Int = 1) -> String {
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let time = recording.started.fields
        var name: String
        if recording.isTimeUncertain || !(1000...9999).contains(time.year) {
            name = "undated-\(recording.id ?? 0)"
        } else {
            name = "\(time.year)-\(digits(time.month))-\(digits(time.day))-\(digits(time.hour))\(digits(time.minute))"
        }
        name += "-" + recording.sport.rawValue
        if number > 1 { name += "-\(number)" }
        return name + "." + rawValue
    }
}

extension ExportFormat {
    /// The start of an undated recording in a file; nil for a format that allows files without times.
    package var startOfUndated: UTC? {
        switch self {
        case .gpx, .geojson, .csv: nil
        case .tcx, .kml: UTC(milliseconds: 0)
        case .fit: UTC(milliseconds: (Fit.firstTime + Fit.epoch) * 1000)
        }
    }

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
