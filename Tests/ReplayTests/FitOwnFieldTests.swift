import Domain
import Formats
import TestKit
import Testing

@Suite struct FitOwnFieldTests {
    private func made() throws -> (recording: RecordedActivity, rows: [RecordingRow]) {
        let made = try SyntheticRecording.run(seed: 7)
        var (recording, rows) = (made.recording, made.rows)
        recording.fields = [
            OwnField(
                OwnFieldName("saddle_angle")!, title: SanitizedText("Saddle Angle")!, unit: SanitizedText("°"),
                decimals: 2),
            SensorKind.muscleOxygen.fields[0].field,
        ]
        for index in rows.indices {
            guard case .sample(var sample) = rows[index] else { continue }
            let third = Double(sample.elapsedMilliseconds) / 3
            sample.fields = [third, index.isMultiple(of: 5) ? nil : 60 + third / 1e6]
            rows[index] = .sample(sample)
        }
        for (at, kind, text) in [(61_000, CoursePointKind.water, "Spring"), (300_000, .generic, nil)] {
            recording.marks.append(
                RecordedMark(
                    kind, text: text.flatMap { SanitizedText($0) }, at: Int64(at), elapsedMilliseconds: Int64(at),
                    distanceMetres: 123.45, coordinate: Coordinate(latitude: 52.5, longitude: 13.25)))
        }
        return (recording, rows)
    }

    @Test func exportAndImportKeepEachValueToTheBit() throws {
        let (recording, rows) = try made()
        let read = try FitFile(FitFile.export(recording, rows))
        #expect(read.recording.fields == recording.fields)
        #expect(read.skipped["developer field"] == 0)
        let written = rows.compactMap { if case .sample(let sample) = $0 { sample.fields } else { nil as [Double?]? } }
        #expect(read.samples.count > 500)
        for (one, other) in zip(written, read.samples) {
            #expect(
                (0..<2).allSatisfy { index in one[index] == (index < other.fields.count ? other.fields[index] : nil) })
        }
    }

    @Test func marksComeBackFromTheirCoursePoints() throws {
        let (recording, rows) = try made()
        let marks = try FitFile(FitFile.export(recording, rows)).recording.marks
        #expect(marks.map(\.kind) == [.water, .generic] && marks.map(\.text?.text) == ["Spring", nil])
        #expect(marks.map(\.distanceMetres) == [123.45, 123.45])
        // A timestamp has whole seconds.
        #expect(zip(marks, recording.marks).allSatisfy { abs($0.at - $1.at) <= 1000 })
        #expect(marks.allSatisfy { $0.coordinate.map { abs($0.latitude - 52.5) < 1e-6 } ?? false })
    }

    @Test func fieldsOfTheProfileAndOfAppsAreKept() throws {
        var messages = [MadeFit.fileID]
        messages.append(
            (
                .fieldDescription,
                [
                    .uint8(Fit.FieldDescription.developer, 3), .uint8(Fit.FieldDescription.number, 9),
                    .uint8(Fit.FieldDescription.baseType, Int64(Fit.BaseType.uint16.rawValue)),
                    .text(Fit.FieldDescription.name, "Heart Rate"), .text(Fit.FieldDescription.units, "bpm"),
                ]
            ))
        for second in 0..<10 {
            messages.append(
                MadeFit.record(Int64(second), metres: Double(second), .uint16(57, 675), .uint16(139, 3812)))
        }
        let read = try FitFile(MadeFit(messages).bytes)
        // The app has sent no value.
        #expect(read.recording.fields.map(\.name.description) == ["smo2", "core_temperature"])
        #expect(read.samples.allSatisfy { $0.fields == [67.5, 38.12] })
    }
}
