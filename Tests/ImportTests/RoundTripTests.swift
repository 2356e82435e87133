import Domain
import Formats
import TestKit
import Testing

/// Our importers read our exports, equal to the last decimal of the format.
@Suite struct RoundTripTests {
    private static let readable: [ExportFormat] = [.gpx, .tcx, .kml]

    @Test(arguments: readable, [1, 2, 3] as [UInt64])
    func exportedValuesAreImportedUnchanged(format: ExportFormat, seed: UInt64) throws {
        let (recording, rows) = try SyntheticRecording.withEverything(seed: seed)
        let written = try WrittenFile(format, recording, rows)
        let read = try ReadFile(written.bytes)
        #expect(read.recording.name == recording.name)
        #expect(read.recording.sport == .run)
        #expect(read.skipped.entries.filter { !Self.isOurOwn($0.name.text) } == [])
        let kept = rows.samples.filter { format == .tcx || $0.coordinate != nil }
        #expect(kept.count == (format == .tcx ? 599 : 499))
        try #require(read.samples.count == kept.count)
        #expect(written.loss.secondsWithoutPosition == rows.samples.count - kept.count)
        let began = recording.started.milliseconds
        let readBegan = read.recording.started.milliseconds
        let different = kept.indices.first { index in
            var ours = kept[index]
            ours.at += began - readBegan
            ours.elapsedMilliseconds = read.samples[index].elapsedMilliseconds
            return !Self.isSame(.sample(ours), .sample(read.samples[index]), in: format)
        }
        #expect(different.map { "\(kept[$0]) became \(read.samples[$0])" } == nil)
        let beats = rows.reduce(0) { if case .beats(_, let rr, _) = $1 { $0 + rr.count } else { $0 } }
        #expect(written.loss.beats == beats)
    }

    @Test func tcxKeepsLapsPausesAndTotals() throws {
        let (recording, rows) = try SyntheticRecording.withEverything(seed: 4)
        let read = try ReadFile(try WrittenFile(.tcx, recording, rows).bytes)
        #expect(read.recording.started == recording.started)
        #expect(read.rows.turns == (pauses: 2, laps: 2))
        #expect(read.recording.laps.map(\.trigger) == [.command, .distance, nil])
        #expect(read.recording.laps.map(\.beganAt) == recording.laps.map(\.beganAt))
        #expect(read.recording.sourceTotals?.elapsedMilliseconds == recording.total.elapsedMilliseconds)
        #expect(abs((read.recording.sourceTotals?.distanceMetres ?? 0) - recording.total.distanceMetres) < 0.002)
        #expect(read.recording.sourceTotals?.maximumHeartRate == 159)
        #expect(read.recording.sourceTotals?.creator?.text == "paced")
        // Active time is known from point to point: the seconds of a pause or of the end are incomplete.
        #expect((-3000...0).contains(read.recording.total.elapsedMilliseconds - recording.total.elapsedMilliseconds))
    }

    /// Power, cadence and temperature of a ride, as far as the format has them, and the totals of its laps.
    @Test(arguments: readable)
    func formatKeepsTheEffortOfARide(format: ExportFormat) throws {
        let made = SyntheticRecording.ride(seed: 6)
        let written = try WrittenFile(format, made.recording, made.rows)
        let read = try ReadFile(written.bytes)
        let samples = made.rows.samples
        #expect(read.samples.map(\.power) == samples.map(\.power))
        #expect(read.samples.map(\.cadence) == samples.map(\.cadence))
        #expect(format == .tcx || read.samples.map(\.temperature) == samples.map(\.temperature))
        #expect(written.loss.balances == samples.count { $0.leftBalance != nil })
        let (total, expected) = (read.recording.total, made.recording.total)
        #expect(total.maximumPower == expected.maximumPower && total.maximumCadence == expected.maximumCadence)
        #expect(Self.isNear(total.averagePower, expected.averagePower, 0.5))
        #expect(Self.isNear(total.normalizedPower, expected.normalizedPower, 0.5))
        #expect(Self.isNear(total.averageCadence, expected.averageCadence, 0.1))
        guard format == .tcx else { return }
        #expect(read.recording.laps.map(\.figures.maximumPower) == made.recording.laps.map(\.figures.maximumPower))
        #expect(read.recording.sourceTotals?.maximumPower == expected.maximumPower)
        #expect(Self.isNear(read.recording.sourceTotals?.averagePower, expected.averagePower, 1))
    }

    @Test func cadenceOnFootIsThatOfOneFootInFilesAndOfBothInTotals() throws {
        let (recording, rows) = try SyntheticRecording.withEverything(seed: 4)
        for format in [ExportFormat.fit, .tcx] {
            let read = try ReadFile(try WrittenFile(format, recording, rows).bytes)
            #expect(read.samples.allSatisfy { $0.cadence == 85 })
            #expect(read.recording.total.averageCadence == 170 && read.recording.total.maximumCadence == 170)
            #expect(read.recording.laps.allSatisfy { $0.figures.averageCadence == 170 })
            var changed = read.recording
            changed.changeSport(to: .ride)
            #expect(changed.total.averageCadence == 85 && changed.laps[0].figures.maximumCadence == 85)
        }
    }

    /// Whole kilocalories, whose sum over the laps is that of the activity.
    @Test(arguments: [ExportFormat.fit, .tcx]) func filesKeepTheEnergy(format: ExportFormat) throws {
        var (recording, rows) = try SyntheticRecording.withEverything(seed: 4)
        try #require(recording.laps.count == 3)
        for (index, energy) in [100.6, 0.25, 61.4].enumerated() {
            recording.laps[index].figures.energyKilocalories = energy
        }
        recording.total.energyKilocalories = 162.25
        let read = try ReadFile(try WrittenFile(format, recording, rows).bytes)
        #expect(read.recording.laps.map(\.figures.energyKilocalories) == [101, 0, 61])
        #expect(read.recording.total.energyKilocalories == 162)
        #expect(read.recording.sourceTotals?.energyKilocalories == 162)
        let again = try ReadFile(try WrittenFile(format, read.recording, read.rows).bytes)
        #expect(again.recording.laps.map(\.figures.energyKilocalories) == [101, 0, 61])
        #expect(again.recording.sourceTotals?.energyKilocalories == 162)
    }

    /// TCX requires the element: 0 is written for unknown, and read as unknown.
    @Test(arguments: [ExportFormat.fit, .tcx]) func unknownEnergyStaysUnknown(format: ExportFormat) throws {
        let (recording, rows) = try SyntheticRecording.withEverything(seed: 4)
        let read = try ReadFile(try WrittenFile(format, recording, rows).bytes)
        #expect(read.recording.total.energyKilocalories == nil)
        #expect(read.recording.sourceTotals?.energyKilocalories == nil)
        #expect(read.recording.laps.allSatisfy { $0.figures.energyKilocalories == nil })
    }

    @Test(arguments: readable)
    func secondRoundTripChangesNothing(format: ExportFormat) throws {
        let (recording, rows) = try SyntheticRecording.withEverything(seed: 5)
        let first = try ReadFile(try WrittenFile(format, recording, rows).bytes)
        try Self.expectSame(format, first)
        let second = try ReadFile(try WrittenFile(format, first.recording, first.rows).bytes)
        let third = try ReadFile(try WrittenFile(format, second.recording, second.rows).bytes)
        #expect(second.rows == third.rows)
        #expect(
            try WrittenFile(format, second.recording, second.rows).text
                == WrittenFile(format, third.recording, third.rows).text)
    }

    @Test(arguments: ReferenceFile.recordings(in: "gpx_tcx", ".gpx", ".tcx"))
    func vendorFileSurvivesExportAndImport(file: ReferenceFile) throws {
        try Self.expectSame(file.isTCX ? .tcx : .gpx, try ReadFile(try file.bytes()))
    }

    @Test(arguments: ReferenceFile.all(in: "kml", "track.kml"))
    func kmlTrackSurvivesExportAndImport(file: ReferenceFile) throws {
        try Self.expectSame(.kml, try ReadFile(try file.bytes()))
    }

    /// Exporting and importing again changes nothing.
    static func expectSame(_ format: ExportFormat, _ first: ReadFile) throws {
        let written = try WrittenFile(format, first.recording, first.rows)
        let second = try ReadFile(written.bytes)
        #expect(second.recording.started == first.recording.started)
        #expect(second.recording.name == first.recording.name)
        #expect(second.recording.sport == first.recording.sport)
        #expect(second.recording.total.elapsedMilliseconds == first.recording.total.elapsedMilliseconds)
        #expect(second.rows.turns == first.rows.turns)
        try #require(second.rows.count == first.rows.count)
        let different = first.rows.indices.first { !isSame(first.rows[$0], second.rows[$0], in: format) }
        #expect(different.map { "\(first.rows[$0]) became \(second.rows[$0])" } == nil)
        let totals = (first.recording.total, second.recording.total)
        #expect(totals.0.averageHeartRate == totals.1.averageHeartRate)
        #expect(totals.0.maximumHeartRate == totals.1.maximumHeartRate)
        #expect(format != .tcx || Self.isNear(totals.0.distanceMetres, totals.1.distanceMetres, 0.00051))
        #expect(format != .tcx || second.recording.sourceTotals?.elapsedMilliseconds == totals.0.elapsedMilliseconds)
        #expect(
            second.recording.laps.map(\.endedAt)
                == (format == .tcx ? first.recording.laps.map(\.endedAt) : [second.recording.totalMilliseconds]))
    }

    /// Equal as far as the format stores it.
    private static func isSame(_ one: RecordingRow, _ other: RecordingRow, in format: ExportFormat) -> Bool {
        guard case .sample(let one) = one, case .sample(let other) = other else { return one == other }
        return one.at == other.at && one.elapsedMilliseconds == other.elapsedMilliseconds
            && isNear(one.coordinate?.latitude, other.coordinate?.latitude, 0.51e-7)
            && isNear(one.coordinate?.longitude, other.coordinate?.longitude, 0.51e-7)
            && isNear(one.altitude, other.altitude, 0.00051) && one.heartRate == other.heartRate
            && one.cadence == other.cadence && one.power == other.power
            && (format == .tcx || one.temperature == other.temperature)
            && (format == .gpx || isNear(one.speed, other.speed, 0.00051))
            && (format != .tcx || isNear(one.distanceMetres, other.distanceMetres, 0.00051))
    }

    private static func isNear(_ one: Double?, _ other: Double?, _ bound: Double) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) <= bound
    }

    /// Elements that we write for other programs and do not read.
    private static func isOurOwn(_ name: String) -> Bool {
        ["metadata", "Intensity", "UnitId", "ProductID", "Version"].contains(name)
    }
}
