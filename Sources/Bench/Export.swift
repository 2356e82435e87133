import Domain
import Formats
import Glibc
import Linux

/// Ten hours of a run, generated second by second without storing it.
private struct TenHours: RecordingRows {
    static let seconds = 36_000

    static var recording: RecordedActivity {
        var recording = RecordedActivity(sport: .run, started: UTC(year: 2026, month: 3, day: 1))
        recording.totalMilliseconds = Int64(seconds) * 1000
        recording.total.elapsedMilliseconds = recording.totalMilliseconds
        recording.total.distanceMetres = Double(seconds) * 3
        return recording
    }

    func each(in moments: ClosedRange<Int64>, _ body: (RecordingRow) throws -> Void) throws {
        try body(.begin(at: 0, .command))
        for second in 1...Self.seconds {
            let at = Int64(second) * 1000
            var sample = RecordingSample(at: at, elapsedMilliseconds: at)
            sample.distanceMetres = Double(second) * 3
            sample.coordinate = Coordinate(latitude: 52.5 + Double(second) * 2.7e-5, longitude: 13.4)
            sample.altitude = 34.2
            sample.speed = 3
            sample.heartRate = 140 + second % 20
            try body(.sample(sample))
            try body(.beats(at: at, rr: [UInt16(380 + second % 50)], gap: false))
        }
        try body(.end(at: Int64(Self.seconds) * 1000, .command))
    }
}

/// Measures the export of ten hours with a beat each second.
func measureExport() throws -> Measurement {
    var bytes = 0
    return try Measurement("FIT of ten hours", rounds: 5, passes: 1) {
        bytes = 0
    } pass: {
        _ = try ExportFormat.fit.write(
            TenHours.recording, rows: TenHours(), origin: ExportMetadata(serialNumber: 1)
        ) { bytes += $0.count }
    }
}

/// The peak resident memory of the process, in KiB.
func peakKibibytes() -> Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return usage.ru_maxrss
}
