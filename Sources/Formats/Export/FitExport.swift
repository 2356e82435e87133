package import Domain

/// Writes a recording as a FIT activity in the order that devices use: file, creator, timer events, a record each
/// second, beats and laps where they occurred, and the totals at the end.
///
/// The header contains the file's size, and the output may be a pipe: the rows are read twice, the first time to count.
package enum FitExport {
    /// The approximate size of a piece.
    private static let pieceSize = 16_384

    /// - Throws: The errors of `rows` and `sink`.
    package static func write(
        _ recording: RecordedActivity, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> ExportLoss {
        var size = 0
        let pauses = try AutoPauses(recording, rows)
        let counted = try pass(recording, pauses, rows: rows, origin: origin) { size += $0.count }
        var checksum = Fit.Checksum()
        let header = FitWriter.header(
            dataSize: size, hasDeveloperFields: counted.writer.hasDeveloperFields)
        for byte in header { checksum.add(byte) }
        try sink(header.span)
        let activity = try pass(recording, pauses, rows: rows, origin: origin) { bytes in
            for index in bytes.indices { checksum.add(bytes[index]) }
            try sink(bytes)
        }
        try sink([UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)].span)
        return activity.loss
    }

    private static func pass(
        _ recording: RecordedActivity, _ pauses: AutoPauses, rows: some RecordingRows, origin: ExportMetadata,
        into sink: (Span<UInt8>) throws -> Void
    ) throws -> FitActivity {
        var activity = FitActivity(recording, pauses: pauses, origin: origin)
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

/// The automatic pauses of a recording, whose rows follow their beginnings and ends.
struct AutoPauses {
    /// Begins and ends by turns, in milliseconds of active time, rising.
    private(set) var edges: [Int64] = []

    /// The most pauses; the others are left out.
    private static let limit = 10_000

    init(_ recording: RecordedActivity, _ rows: some RecordingRows) throws {
        guard recording.total.autoPausedMilliseconds ?? 0 > 0 else { return }
        try rows.each { row in
            guard edges.count < 2 * Self.limit else { return }
            switch row {
            case .autoPause(_, let elapsed): if edges.count.isMultiple(of: 2) { append(elapsed) }
            case .autoResume(_, let elapsed): if !edges.count.isMultiple(of: 2) { append(elapsed) }
            case .begin, .end, .sample, .beats, .lap, .segment: break
            }
        }
    }

    private mutating func append(_ elapsed: Int64) {
        edges.append(max(elapsed, edges.last ?? 0))
    }
}

extension Totals {
    /// Active time without automatic pauses: the timer of a device that stops in them.
    var timerMilliseconds: Int64 {
        max(elapsedMilliseconds - (autoPausedMilliseconds ?? 0), 0)
    }
}

/// Assigns the moments of a recording to the whole seconds of a FIT file.
///
/// A timestamp is the sum of the active seconds before it, rounded down, and the paused time before it, rounded. So the
/// active seconds between timer events add up to the active time, with any number of pauses.
struct FitClock {
    private let start: Int64
    private var isRunning = false
    /// A moment and the active time until then, in milliseconds.
    private var at: Int64 = 0
    private(set) var active: Int64 = 0
    /// The newest timestamp; timestamps never go back.
    private var newest: Int64 = 0

    init(started: UTC) {
        start = Self.second(of: started)
        newest = second(of: 0)
    }

    /// Returns the timestamp of a time of day, at least ``Fit/firstTime``.
    static func second(of time: UTC) -> Int64 {
        max((time.milliseconds + 500).flooredDivision(by: 1000) - Fit.epoch, Fit.firstTime)
    }

    /// Returns the timestamp of a moment that is not before the latest one.
    func second(of moment: Int64) -> Int64 {
        let active = active + (isRunning ? max(moment - at, 0) : 0)
        // Ticks and the moments of a pause may differ by a part of a tick.
        let seconds = start + (active + 100) / 1000 + max(moment - active + 500, 0) / 1000
        return min(max(seconds, newest), Fit.lastTime)
    }

    /// Returns the timestamp of an active time that is not before the latest one, since the timer last started.
    mutating func second(ofActive elapsed: Int64) -> Int64 {
        let seconds = start + (elapsed + 100) / 1000 + max(at - active + 500, 0) / 1000
        newest = min(max(seconds, newest), Fit.lastTime)
        return newest
    }

    mutating func began(at moment: Int64) -> Int64 {
        advance(to: moment)
        isRunning = true
        return newest
    }

    mutating func ended(at moment: Int64) -> Int64 {
        advance(to: moment)
        isRunning = false
        return newest
    }

    mutating func sampled(_ sample: RecordingSample) -> Int64 {
        at = max(at, sample.at)
        active = sample.elapsedMilliseconds
        newest = second(of: at)
        return newest
    }

    private mutating func advance(to moment: Int64) {
        newest = second(of: moment)
        if isRunning { active += max(moment - at, 0) }
        at = max(at, moment)
    }
}
