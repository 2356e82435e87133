import Domain
import Formats
import JSONCoding
import Pipeline
import TestKit
import Testing
import Wire

/// An activity survives its way through an upload, and the reader believes nothing.
@Suite struct UploadTests {
    private func lines(_ rows: [RecordingRow], _ recording: RecordedActivity) -> [[UInt8]] {
        var data = JSONWriter()
        data.activityUploadHeader()
        for row in rows { data.uploadLine(row) }
        data.uploadEnd(recording, rows: rows.count)
        return data.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    @Test(
        arguments: ReferenceFile.all(in: "gpx_tcx", ".gpx", ".tcx") + ReferenceFile.all(in: "fit", ".fit")
            + ReferenceFile.all(in: "kml", ".kml"))
    func importedFilesSurviveAnUpload(file: ReferenceFile) throws {
        // A file that no import accepts is none of this test.
        guard let read = try? ReadFile(try file.bytes()) else { return }
        var distance = FileDistance(
            read.recording, isStated: read.samples.contains { $0.distanceMetres != nil })
        let rows = read.rows.map { distance.ingest($0) }
        var recording = read.recording
        distance.finish(&recording)
        var reader = ActivityUploadReader()
        var received: [RecordingRow] = []
        for line in lines(rows, recording) {
            if let row = try reader.read(line) { received.append(row) }
        }
        #expect(received == rows)
        #expect(try reader.finish() == recording)
        #expect(reader.gaps == rows.count { if case .segment = $0 { true } else { false } })
    }

    @Test func everyKindOfRowSurvivesAnUpload() throws {
        var sample = RecordingSample(at: 1000, elapsedMilliseconds: 999)
        sample.coordinate = Coordinate(latitude: -89.123456789012, longitude: 180)
        sample.altitude = -430.5
        sample.temperature = -127
        let rows: [RecordingRow] = [
            .begin(at: 0, .outage), .beats(at: 0, rr: [0, 512, 65_535], gap: true), .sample(sample),
            .segment(at: 1000), .end(at: 2000, .auto), .lap(at: 2000, .time), .begin(at: 3000, .command),
            .lap(at: 3000, .distance), .end(at: 3000, .command),
        ]
        var recording = RecordedActivity(sport: .hike, started: UTC(milliseconds: -1))
        recording.isIndoor = true
        recording.isTimeUncertain = true
        recording.name = SanitizedText("\"<名>\\")
        recording.totalMilliseconds = 3000
        recording.laps = [
            RecordingLap(trigger: .time, beganAt: 0, endedAt: 2000, figures: Totals()),
            RecordingLap(trigger: nil, beganAt: 2000, endedAt: 3000, figures: Totals()),
        ]
        recording.sourceTotals = SourceTotals()
        var reader = ActivityUploadReader()
        let received = try lines(rows, recording).compactMap { try reader.read($0) }
        #expect(received == rows)
        #expect(try reader.finish() == recording)
        #expect(reader.gaps == 1)
    }

    /// RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64IsThatOfTheStandard(text: String, encoded: String) {
        #expect(String(decoding: Base64.encode(text.utf8), as: UTF8.self) == encoded)
        #expect(Base64.decode(encoded.utf8) == Array(text.utf8))
    }

    @Test func base64SurvivesAllLengths() {
        for count in 0..<200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zg===", "====", "Z===", "Zh==", "Zm9=", "Zg==Zg==", "Zm9v\n", "Zm 9", "Zm-_"])
    func otherTextIsNotBase64(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }
}
