package import Domain

/// Writes a recording as a FIT activity, as devices do: what the file is, who wrote it, the timer's events, a record each second, the
/// beats and the laps where they happened, and the sums at the end.
///
/// The header tells how long the file is, and the output may be a pipe: the rows are read twice, and counted the first time.
package enum FitExport {
    /// About how much is handed over at a time.
    private static let pieceSize = 16_384

    /// - Throws: what `rows` and `sink` throw.
    package static func write(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> ExportLoss {
        var size = 0
        try pass(recording, rows: rows, origin: origin) { size += $0.count }
        var checksum = Fit.Checksum()
        let header = FitWriter.header(dataSize: size)
        for byte in header { checksum.add(byte) }
        try sink(header.span)
        let activity = try pass(recording, rows: rows, origin: origin) { bytes in
            for index in bytes.indices { checksum.add(bytes[index]) }
            try sink(bytes)
        }
        try sink([UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)].span)
        return activity.loss
    }

    @discardableResult
    private static func pass(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> FitActivity {
        var activity = FitActivity(recording, origin: origin)
        activity.begin()
        try rows.each { row in
            activity.append(row)
            if activity.writer.bytes.count >= pieceSize {
                try sink(activity.writer.bytes.span)
                activity.writer.clear()
            }
        }
        activity.end()
        try sink(activity.writer.bytes.span)
        activity.writer.clear()
        return activity
    }
}

/// The seconds of a file, which has no parts of them.
///
/// The second of a moment is the whole active seconds before it and the paused time before it, rounded: so the active seconds between
/// the timer's events add up to the active time, to the second, however many pauses there were.
struct FitClock {
    private let start: Int64
    private var isRunning = false
    /// A moment, and the active time up to it; both in milliseconds.
    private var at: Int64 = 0
    private var active: Int64 = 0
    /// Time stamps never go back.
    private var newest: Int64 = 0

    init(started: UTC) {
        start = max((started.milliseconds + 500).flooredDivision(by: 1000) - Fit.epoch, Fit.firstTime)
        newest = second(of: 0)
    }

    /// The time stamp of a moment at or after the last one that was told.
    func second(of moment: Int64) -> Int64 {
        let active = active + (isRunning ? max(moment - at, 0) : 0)
        // Ticks and the moments of a pause may differ by the part of a tick.
        let seconds = start + (active + 100) / 1000 + max(moment - active + 500, 0) / 1000
        return min(max(seconds, newest), Fit.lastTime)
    }

    mutating func began(at moment: Int64) -> Int64 {
        go(to: moment)
        isRunning = true
        return newest
    }

    mutating func ended(at moment: Int64) -> Int64 {
        go(to: moment)
        isRunning = false
        return newest
    }

    mutating func sampled(_ sample: RecordingSample) -> Int64 {
        at = max(at, sample.at)
        active = sample.elapsedMilliseconds
        newest = second(of: at)
        return newest
    }

    private mutating func go(to moment: Int64) {
        newest = second(of: moment)
        if isRunning { active += max(moment - at, 0) }
        at = max(at, moment)
    }
}
