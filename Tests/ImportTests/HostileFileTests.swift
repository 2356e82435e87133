import Domain
import Formats
import Foundation
import Pipeline
import TestKit
import Testing
import Wire

/// Malicious and damaged files.
@Suite struct HostileFileTests {
    @Test func depthTagsTextAndNamesAreLimited() throws {
        let deep = "<gpx>" + String(repeating: "<a>", count: 100)
        #expect(Self.error(deep) == "line 1, column 195: elements are nested more than 64 deep")

        let names = "<gpx>" + (0..<2000).map { "<n\($0)/>" }.joined()
        #expect(Self.error(names)?.hasSuffix("more than 1024 different names of elements and attributes") == true)
        let attributes = "<gpx>" + (0..<2000).map { "<a n\($0)=''/>" }.joined()
        #expect(Self.error(attributes)?.hasSuffix("more than 1024 different names of elements and attributes") == true)

        for token in ["<gpx a='", "<gpx><!-- ", "<gpx><?a "] {
            let error = Self.error(token + String(repeating: "x", count: 1_000_000))
            #expect(
                error?.hasSuffix("a tag or a comment has more than 262144 bytes") == true, "\(token): \(error ?? "")")
        }

        // Text may have any length: the excess is not kept.
        let long = String(repeating: "1", count: 1_000_000)
        let file = try ReadFile(
            """
            <gpx><trk><name>\(long)</name><desc>\(long)</desc><trkseg><trkpt lat="1" lon="1"><ele>\(long)</ele>
            <time>2026-03-01T07:30:10Z</time></trkpt></trkseg></trk></gpx>
            """)
        #expect(file.recording.name?.text.count == 64)
        #expect(file.samples.first?.altitude == nil)
        #expect(file.skipped["unreadable ele"] == 1)
    }

    @Test func pointsOfAKMLTrackAreLimited() {
        let track = String(repeating: "<when>2026-03-01T07:30:10Z</when>", count: KMLTrack.pointLimit + 1)
        let error = Self.error("<kml><Document><Placemark><Track>" + track)
        #expect(error?.hasSuffix("the track has more than 200000 points") == true)
    }

    @Test func moreThan10000LapsAreRejected() {
        let laps = String(repeating: "<Lap StartTime='2026-03-01T07:30:10Z'/>", count: 10_001)
        let error = Self.error("<TrainingCenterDatabase><Activities><Activity>" + laps)
        #expect(error?.hasSuffix("more than 10000 laps") == true)
    }

    @Test func countedElementNamesAreLimited() throws {
        let more = (0..<100).map { "<n\($0)>1</n\($0)>" }.joined()
        let file = try ReadFile(
            """
            <gpx><trk><trkseg><trkpt lat="1" lon="1"><time>2026-03-01T07:30:10Z</time>\(more)</trkpt></trkseg></trk></gpx>
            """)
        #expect(file.skipped.entries.count == 64)
        #expect(file.skipped.others == 36)
    }

    @Test func hostileNamesAreSanitized() throws {
        let error = Self.error("<\u{202E}gpx/>")
        #expect(error == "line 1, column 2: not well-formed (invalid token)")
        let file = try ReadFile(
            """
            <gpx creator="\u{202E}a&#x9b;"><trk><trkseg><trkpt lat="1" lon="1"><time>2026-03-01T07:30:10Z</time></trkpt></trkseg></trk></gpx>
            """)
        #expect(file.recording.sourceTotals?.creator?.text == "\u{FFFD}a\u{FFFD}")
    }

    /// Whatever is read is valid; otherwise the error is a `FileError`.
    @Test(arguments: [ExportFormat.gpx, .tcx, .kml], 1...4 as ClosedRange<UInt64>)
    func damagedFileIsReadOrRejected(format: ExportFormat, seed: UInt64) throws {
        var numbers = SeededRandom(seed: seed)
        var made = SyntheticRecording(seed: seed)
        made.begin(.command)
        made.run(seconds: 5)
        made.pause(milliseconds: 9000, .auto, .auto)
        made.lap(.command)
        made.run(seconds: 5)
        made.end(.command)
        let bytes = try WrittenFile(format, made.recording, made.rows).bytes
        var refused = 0
        for _ in 0..<500 {
            let harmed = Self.harm(bytes, &numbers)
            do {
                let file = try ReadFile(harmed, pieces: Int.random(in: 1...5000, using: &numbers))
                Self.expectGood(file)
                // It can be exported, whatever it holds.
                for format in [ExportFormat.gpx, .tcx, .geojson, .kml, .csv] {
                    _ = try WrittenFile(format, file.recording, file.rows)
                }
            } catch let error as FileError {
                #expect(!error.reason.isEmpty)
                refused += 1
            }
        }
        #expect((50..<500).contains(refused))
    }

    @Test(arguments: ReferenceFile.all(in: "gpx_tcx/negative", ".gpx", ".tcx"))
    func invalidFilesAreReadAsFarAsPossible(file: ReferenceFile) throws {
        let points = [
            "gpxpy-no-creator.gpx": 296, "opentracks-gpx11_with_speed_no_namespace.gpx": 3,
            "opentracks-legacy_gpx_pause_resume.gpx": 4, "tcxreader-mapmyride-float-calories.tcx.gz": 3112,
            "togeojson-Friday-Evening-Run.gpx": 17, "togeojson-bad.tcx": 4,
            "togeojson-empty_ele.gpx": 2, "togeojson-strava.gpx": 3, "togeojson-tour_hr.tcx": 465,
            "togeojson-unique_trkpt.gpx": 1,
        ]
        if let count = points[file.name] {
            let read = try ReadFile(try file.bytes())
            Self.expectGood(read)
            let leftOut = ["points without time", "points with an earlier time", "points too far ahead in time"]
            #expect(read.samples.count + leftOut.reduce(0) { $0 + read.skipped[$1] } == count, "\(read.skipped)")
        } else {
            #expect(
                FileImportTests.error(of: try file.bytes()) == "no point has both a time and a position")
        }
    }

    private static func error(_ text: String) -> String? {
        FileImportTests.error(of: Array(text.utf8))
    }

    /// Checks that rows are in order, samples occur only while the timer runs, and values are in range.
    private static func expectGood(_ file: ReadFile) {
        var now: Int64 = 0
        var elapsed: Int64 = 0
        var isRunning = false
        var isGood = true
        for row in file.rows {
            isGood = isGood && row.at >= now
            now = row.at
            switch row {
            case .begin:
                isGood = isGood && !isRunning
                isRunning = true
            case .end:
                isGood = isGood && isRunning
                isRunning = false
            case .sample(let sample):
                isGood = isGood && isRunning && sample.elapsedMilliseconds >= elapsed
                isGood = isGood && (1...240).contains(sample.heartRate ?? 1) && (0...254).contains(sample.cadence ?? 0)
                isGood = isGood && (sample.coordinate?.latitude.magnitude ?? 0) <= 90
                elapsed = sample.elapsedMilliseconds
            case .lap, .autoPause, .autoResume: isGood = isGood && isRunning
            case .beats, .segment: break
            }
        }
        #expect(isGood && !isRunning)
        #expect(now == file.recording.totalMilliseconds)
        #expect(elapsed <= file.recording.total.elapsedMilliseconds)
        let laps = file.recording.laps
        #expect(laps.last?.endedAt == now)
        #expect(laps.reduce(0) { $0 + $1.figures.elapsedMilliseconds } == file.recording.total.elapsedMilliseconds)
    }

    private static func harm(_ bytes: [UInt8], _ numbers: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        // The head of a file is long; half of the damage is done behind it.
        let start = Bool.random(using: &numbers) ? 0 : bytes.count / 4
        for _ in 0..<Int.random(in: 1...3, using: &numbers) {
            let place = Int.random(in: start..<max(bytes.count, start + 1), using: &numbers)
            guard place < bytes.count else { break }
            let end = min(place + Int.random(in: 0..<200, using: &numbers), bytes.count)
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            case 1: bytes[place] = UInt8.random(in: 0x20..<0x7F, using: &numbers)
            case 2, 3: bytes[place] = "0123456789-.eZ:<>/&\"".utf8.randomElement(using: &numbers) ?? 0
            case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 5: bytes.removeSubrange(place..<end)
            case 6: bytes.insert(UInt8.random(in: 0x30..<0x3A, using: &numbers), at: place)
            default: bytes.removeSubrange(end...)
            }
        }
        return bytes
    }
}
