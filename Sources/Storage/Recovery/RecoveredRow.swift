import Domain
import Pipeline

/// A plausible row of a damaged journal: its values have the right types, are finite, and are in range.
///
/// A flipped bit that gives another plausible value is not detected: the file has no checksums.
struct RecoveredRow {
    enum Content {
        case row(RecordingRow)
        case entry(InputLogEntry)
    }

    var place: UInt32
    /// Milliseconds since the start of the activity.
    var at: Int64
    var content: Content

    /// The longest plausible activity, in milliseconds: 366 days.
    static let longest: Int64 = 366 * 86_400_000
    /// The plausible boot times, in nanoseconds: ten years.
    static let bootRange = -longestBoot...longestBoot
    private static let longestBoot: Int64 = 3_652 * 86_400_000_000_000
    /// The plausible times of day, in milliseconds: up to the year 2200.
    static let timeRange: ClosedRange<Int64> = 0...7_258_118_400_000
    /// How long before the start an entry may be, because of backdating and the receiver's clock, in milliseconds.
    private static let earliest: Int64 = -600_000
    /// The most RR intervals of a notification.
    private static let intervalLimit = 64

    /// - Parameter parts: the parts of the activity, which give the clock of its entries.
    /// - Returns: Nil if the row is not plausible.
    init?(_ cell: DamagedDatabase.Cell, of table: DamagedJournal.Table, place: UInt32, parts: [BootSegment]) {
        self.place = place
        if table == .record {
            let columns = StoredColumns(values: cell.values[1...])
            guard let row = JournalRows.row(columns), Self.isPossible(row) else { return nil }
            at = row.at
            content = .row(row)
            return
        }
        guard let part = parts.last(where: { $0.place <= Int(place) }) ?? parts.first,
            let entry = Self.entry(cell, of: table), Self.bootRange.contains(entry.at.nanoseconds),
            Self.isPossible(entry)
        else { return nil }
        at = part.beginsAt + (entry.at.nanoseconds - part.at.nanoseconds) / 1_000_000
        guard (Self.earliest...Self.longest).contains(at) else { return nil }
        content = .entry(entry)
    }

    private static func entry(_ cell: DamagedDatabase.Cell, of table: DamagedJournal.Table) -> InputLogEntry? {
        let columns = StoredColumns(values: cell.values[...])
        guard columns.integer(1) != nil else { return nil }
        switch table {
        case .location:
            guard columns.integer(2) != nil, columns.integer(5) != nil else { return nil }
            return JournalReader.location(columns)
        case .heart:
            guard columns.integer(2) != nil, columns.bytes(5) != nil else { return nil }
            return JournalReader.heart(columns)
        case .input: return try? JournalReader.input(columns)
        case .record, .activity, .part, .lap, .sensor, .export: return nil
        }
    }

    private static func isPossible(_ entry: InputLogEntry) -> Bool {
        switch entry.kind {
        case .input(.fix(let fix)):
            bootRange.contains(fix.arrivedAt.nanoseconds)
                && (fix.time.map { timeRange.contains($0.milliseconds) } ?? true) && isNil(fix.latitude, or: 90)
                && isNil(fix.longitude, or: 180) && isNil(fix.altitude, or: 1e9)
                && isNil(fix.accuracy, or: 1e9) && isNil(fix.speed, or: 1e9) && isNil(fix.track, or: 1e9)
                && isNil(fix.verticalAccuracy, or: 1e9)
        case .input(.heart(let heart)): heart.rrIntervals.count <= intervalLimit
        default: true
        }
    }

    private static func isPossible(_ row: RecordingRow) -> Bool {
        guard (0...longest).contains(row.at) else { return false }
        switch row {
        case .begin, .end, .lap, .segment: return true
        case .autoPause(let at, let elapsed), .autoResume(let at, let elapsed): return (0...at + 1000).contains(elapsed)
        case .beats(_, let rr, _): return rr.count <= intervalLimit
        case .sample(let sample):
            let coordinate = sample.coordinate
            return (0...sample.at + 1000).contains(sample.elapsedMilliseconds)
                && isNil(sample.distanceMetres, or: 1e9) && isNil(coordinate?.latitude, or: 90)
                && isNil(coordinate?.longitude, or: 180) && isNil(sample.altitude, or: 1e9)
                && isNil(sample.speed, or: 1e9) && isNil(sample.heartRate, in: 1...240)
                && isNil(sample.cadence, in: 0...254) && isNil(sample.power, in: 0...65_534)
                && isNil(sample.temperature, in: -127...126) && isNil(sample.leftBalance, in: 0...100)
                && isNil(sample.ascent, or: 1e6) && isNil(sample.descent, or: 1e6) && isNil(sample.grade, or: 1e6)
                && isNil(sample.verticalSpeed, or: 1e4)
                && sample.fields.allSatisfy { isNil($0, or: OwnField.magnitudeLimit) }
        }
    }

    private static func isNil(_ value: Double?, or most: Double) -> Bool {
        value.map { abs($0) <= most } ?? true
    }

    private static func isNil(_ value: Int?, in range: ClosedRange<Int>) -> Bool {
        value.map(range.contains) ?? true
    }
}

extension [RecoveredRow] {
    /// The longest subsequence of rows whose moments do not decrease, none before `earliest`. A wrong
    /// moment costs one row.
    func inOrder(from earliest: Int64) -> [RecoveredRow] {
        // `ends[n]` is the row with the smallest moment that can end such a subsequence of n + 1 rows.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: count)
        for (index, row) in enumerated() where row.at >= earliest {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if self[ends[middle]].at <= row.at { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var kept: [RecoveredRow] = []
        var index = ends.last ?? -1
        while index >= 0 {
            kept.append(self[index])
            index = previous[index]
        }
        return kept.reversed()
    }
}
