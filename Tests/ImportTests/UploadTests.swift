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
        arguments: ReferenceFile.recordings(in: "gpx_tcx", ".gpx", ".tcx") + ReferenceFile.all(in: "fit", ".fit")
            + ReferenceFile.all(in: "kml", ".kml"))
    func importedFilesSurviveAnUpload(file: ReferenceFile) throws {
        // A file that no import accepts is none of this test.
        guard let read = try? ReadFile(try file.bytes()) else { return }
        var distance = FileDistance(
            read.recording, isStated: read.samples.contains { $0.distanceMetres != nil })
        let rows = read.rows.map { distance.ingest($0) }
        var recording = read.recording
        distance.finish(&recording)
        // The rows have the climb that it is for.
        recording.altitudeSource = nil
        var reader = ActivityUploadReader()
        var received: [RecordingRow] = []
        for line in lines(rows, recording) {
            if let row = try reader.read(line) { received.append(row) }
        }
        #expect(received == rows)
        #expect(try reader.finish() == recording)
        #expect(reader.gaps == rows.count { if case .segment = $0 { true } else { false } })
    }

    @Test func rideWithItsSensorsSurvivesAnUpload() throws {
        let made = SyntheticRecording.ride(seed: 7)
        var recording = made.recording
        recording.zones = nil
        recording.zoneMilliseconds = []
        recording.sensors[1].address = BluetoothAddress(value: 0xA09E_1A00_0001)
        recording.total.powerZones = ZoneTimes(milliseconds: [0, 400_000, 320_000])
        recording.total.bestPowers[0] = 291.5
        recording.total.bestPowers[9] = 200
        recording.sourceTotals = SourceTotals()
        recording.sourceTotals?.averagePower = 222.5
        recording.sourceTotals?.maximumPower = 333
        recording.sourceTotals?.normalizedPower = 233
        var reader = ActivityUploadReader()
        #expect(try lines(made.rows, recording).compactMap { try reader.read($0) } == made.rows)
        #expect(try reader.finish() == recording)
    }

    /// Earlier releases have only the strap.
    @Test func strapOfAnEarlierReleaseIsASensor() throws {
        var reader = ActivityUploadReader()
        for line in [
            #"{"format":"paced-activity","version":1}"#, #"{"row":"begin","at_ms":0,"trigger":"command"}"#,
            #"{"row":"end","at_ms":9,"trigger":"command"}"#,
            #"{"row":"lap-totals","began_ms":0,"ended_ms":9,"elapsed_ms":9,"moving_ms":9}"#,
            #"{"row":"activity","rows":2,"sport":"run","started_utc_ms":0,"total_ms":9,"elapsed_ms":9,"moving_ms":9,"#
                + #""strap":{"name":"Polar H10"}}"#,
        ] { _ = try reader.read(line.utf8) }
        let sensors = try reader.finish().sensors
        #expect(sensors.map(\.kinds) == [[.heartRate]] && sensors.first?.name == SanitizedText("Polar H10"))
    }

    @Test(arguments: [
        #""sensors":[{"kinds":["sonar"]}]"#, #""sensors":[{}]"#, #""sensors":{}"#, #""average_power_w":-1"#,
        #""max_power_w":65536"#, #""power_zone_ms":[10]"#, #""power_zone_ms":["a"]"#, #""best_power_w":[65536]"#,
        #""best_power_w":[1,2,3,4,5,6,7,8,9,10,11]"#, #""average_cadence_rpm":1001"#,
    ])
    func impossibleEffortIsRejected(members: String) throws {
        var reader = ActivityUploadReader()
        for line in [
            #"{"format":"paced-activity","version":1}"#, #"{"row":"begin","at_ms":0,"trigger":"command"}"#,
            #"{"row":"end","at_ms":9,"trigger":"command"}"#,
            #"{"row":"lap-totals","began_ms":0,"ended_ms":9,"elapsed_ms":9,"moving_ms":9}"#,
        ] { _ = try reader.read(line.utf8) }
        let last =
            #"{"row":"activity","rows":2,"sport":"run","started_utc_ms":0,"total_ms":9,"elapsed_ms":9,"moving_ms":9,"#
        #expect(throws: ActivityUploadReader.Failure.self) { try reader.read((last + members + "}").utf8) }
    }

    @Test func everyKindOfRowSurvivesAnUpload() throws {
        var sample = RecordingSample(at: 1000, elapsedMilliseconds: 999)
        sample.coordinate = Coordinate(latitude: -89.123456789012, longitude: 180)
        sample.altitude = -430.5
        sample.temperature = -127
        let rows: [RecordingRow] = [
            .begin(at: 0, .outage), .beats(at: 0, rr: [0, 512, 65_535], gap: true), .sample(sample),
            .segment(at: 1000), .end(at: 2000, .auto), .lap(at: 2000, .time), .beats(at: 2500, rr: [700], gap: false),
            .begin(at: 3000, .command), .lap(at: 3000, .distance), .end(at: 3000, .command),
            .beats(at: 3000, rr: [800], gap: false),
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
