import Domain
import Formats
import TestKit
import Testing

/// A track of more than a year contains a wrong time.
@Suite struct LongTrackTests {
    private static let reason =
        "the track lasts from 2026-03-01 to 2027-03-03, longer than a year: correct or remove the points whose time is wrong, "
        + "or split the file"

    private static func failure(of text: String) -> FileError? {
        do {
            _ = try ReadFile(text)
            return nil
        } catch {
            return error as? FileError
        }
    }

    private static func gpx(_ days: [String]) -> String {
        let points = days.map { #"<trkpt lat="52.5" lon="13.4"><time>\#($0)T07:30:10Z</time></trkpt>"# }
        return "<gpx><trk><trkseg>\(points.joined(separator: "\n"))</trkseg></trk></gpx>"
    }

    @Test func trackOfAYearIsRead() throws {
        #expect(Self.failure(of: Self.gpx(["2026-03-01", "2027-03-02"])) == nil)
    }

    @Test func trackLongerThanAYearIsRejectedWithItsRemedy() {
        let days = ["2026-03-01", "2026-03-02", "2027-03-03"]
        #expect(Self.failure(of: Self.gpx(days))?.reason == Self.reason)
        #expect(Self.failure(of: Self.gpx(days + self.days(30)))?.reason == Self.reason)
    }

    /// More points than the reader buffers until it knows that the first one is not an outlier.
    private func days(_ count: Int) -> [String] {
        Array(repeating: "2027-03-03", count: count)
    }

    @Test(arguments: ["2026-03-01T07:30:10Z", "2027-03-03T07:30:10Z"])
    func kmlTrackLongerThanAYearIsRejected(end: String) {
        let file = """
            <kml><Placemark><gx:Track xmlns:gx="urn:x"><when>2026-03-01T07:30:10Z</when><gx:coord>13 52</gx:coord>
            <when>\(end)</when><gx:coord>13 52</gx:coord></gx:Track></Placemark></kml>
            """
        #expect(Self.failure(of: file)?.reason == (end.hasPrefix("2027") ? Self.reason : nil))
    }

    @Test func lapsLongerThanAYearAreRejected() {
        let lap = """
            <Lap StartTime="2026-03-01T07:30:10Z"><TotalTimeSeconds>15897600</TotalTimeSeconds></Lap>
            """
        func file(_ laps: Int) -> String {
            let laps = Array(repeating: lap, count: laps).joined()
            return """
                <TrainingCenterDatabase><Activities><Activity Sport="Running">\(laps)</Activity></Activities>
                </TrainingCenterDatabase>
                """
        }
        #expect(Self.failure(of: file(1)) == nil)
        #expect(Self.failure(of: file(3))?.reason.contains("longer than a year") == true)
    }

    @Test func fitFileLongerThanAYearIsRejectedAtTheMessage() throws {
        var made = SyntheticRecording(seed: 1)
        made.begin(.command)
        made.run(seconds: 30)
        made.pause(milliseconds: 367 * 86_400_000, .command, .command)
        made.run(seconds: 30)
        made.end(.command)
        let bytes = try FitFile.export(made.recording, made.rows)
        let error = #expect(throws: FileError.self) { try FitFile(bytes) }
        #expect(error?.reason.contains("longer than a year: correct or remove the points") == true)
        guard case .byte = error?.place else {
            Issue.record("no place")
            return
        }
    }
}
