import Domain
import Formats
import Foundation
import Import
import Pipeline
import TestKit
import Testing

/// Ascent of device files against the device's own. Bounds and constants: docs/accuracy.md.
@Suite struct AscentTests {
    private static let files = ReferenceFile.all(in: "fit", ".fit")

    /// Files whose device has counted an ascent.
    private static func stated() throws -> [ImportedRows] {
        try files.compactMap { try ImportedRows($0) }.filter { $0.stated >= 1 && $0.hasAltitude }
    }

    private static func median(_ sorted: [Double]) -> Double {
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// Within 15 % or 10 m on four of five files, and the median within 6 %.
    @Test func ascentByABarometerIsNearTheDevices() throws {
        let files = try Self.stated()
        let errors = files.map { $0.recording().total.ascent! - $0.stated }
        let good = files.indices.count { abs(errors[$0]) <= max(0.15 * files[$0].stated, 10) }
        #expect(good * 5 >= files.count * 4, "\(good) of \(files.count)")
        guard files.count > 5 else { return }
        let relative = files.indices.map { abs(errors[$0]) / files[$0].stated }.sorted()
        #expect(Self.median(relative) <= 0.06)
        #expect(files.allSatisfy { $0.recording().total.ascentSource == .barometer })
    }

    /// A walk with a watch that lists its receiver, and no barometer.
    @Test func fileOfADeviceWithoutABarometerCountsByTheReceiver() throws {
        guard let file = Self.files.first(where: { $0.name.hasPrefix("walk-fr55") }) else { return }
        let total = try ImportedRows(file).recording().total
        #expect(total.ascentSource == .receiver)
        #expect(try #require(total.ascent) < 20)
    }

    @Test func ascentByAReceiverIsNearTheDevices() throws {
        let files = try Self.stated()
        guard files.count > 5 else { return }
        var errors: [Double] = []
        for file in files {
            for seed in 1...20 as ClosedRange<UInt64> {
                let total = file.recording(noise: seed).total
                #expect(total.ascentSource == .receiver)
                errors.append(abs(total.ascent! - file.stated) / file.stated)
            }
        }
        let median = Self.median(errors.sorted())
        #expect(median <= 0.25, "\(median)")
    }

    @Test func flatHourHasLittleAscentByAReceiver() {
        let ascents = (1...20 as ClosedRange<UInt64>).map { ImportedRows.flatHour(seed: $0).total.ascent! }.sorted()
        #expect(ascents[10] <= 40 && ascents[19] <= 80)
    }

    /// A replay of the rows has the climb of the import.
    @Test func replayHasTheClimbOfTheImport() throws {
        let file = try #require(try Self.stated().first)
        var rows: [RecordingRow] = []
        let recording = file.recording { rows.append($0) }
        var source = RecordingReplaySource(recording, sport: nil)
        var replay = Replay(source.snapshot, every: .seconds(60))
        var summary: ActivitySummary?
        func take(_ entry: InputLogEntry) {
            replay.apply(entry) { _, effects in
                for case .event(let event) in effects.outputs {
                    if case .stop(let stopped) = event.kind { summary = stopped }
                }
            }
        }
        for row in rows { source.ingest(row, take) }
        source.finish(take)
        let total = try #require(summary).total
        // The last 5 s, which the end of the timer adds, are in no row.
        #expect(abs(total.ascent! - recording.total.ascent!) < 2)
        #expect(abs(total.descent! - recording.total.descent!) < 2)
        let laps = recording.laps.reduce(0) { $0 + ($1.figures.ascent ?? 0) }
        #expect(abs(laps - recording.total.ascent!) < 0.01)
    }
}
