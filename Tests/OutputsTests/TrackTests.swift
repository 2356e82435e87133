import Domain
import Formats
import Foundation
import JSONCoding
import TestKit
import Testing
import Wire

@Suite struct TrackTests {
    private static let samples: [RecordingRow] = (1...600).map { second in
        var sample = RecordingSample(at: Int64(second) * 1000 + 40, elapsedMilliseconds: Int64(second) * 1000)
        sample.distanceMetres = Double(second) * 2.5
        if second != 2 { sample.coordinate = Coordinate(latitude: 52.5, longitude: -13.4 + Double(second) / 1e6) }
        sample.heartRate = second == 3 ? nil : 140
        return .sample(sample)
    }

    private func text(_ track: Track) -> String {
        var line = JSONWriter()
        line.track(track)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    @Test func rowsHaveTheRequestedColumnsWithNullForUnknownValues() throws {
        let request = Track.Request(
            activity: 1, columns: [.usual(.heartRate), .usual(.at), .usual(.longitude), .usual(.distance)])
        let rows = RowList([.begin(at: 0, .command)] + Self.samples.prefix(3) + [.end(at: 3100, .command)])
        #expect(
            text(try Track(request, of: rows))
                == #"{"columns":["bpm","at_ms","longitude","distance_m"],"rows":[[140,1040,-13.399999,2.5],"#
                + #"[140,2040,null,5],[null,3040,-13.399997,7.5]]}"#)
        #expect(
            text(try Track(request, of: RowList([])))
                == #"{"columns":["bpm","at_ms","longitude","distance_m"],"rows":[]}"#)
    }

    @Test func trackHasOneSampleForEachInterval() throws {
        let request = Track.Request(activity: 1, from: 2500, interval: 5000, columns: [.usual(.elapsed)])
        #expect(
            text(try Track(request, of: RowList(Array(Self.samples.prefix(16)))))
                == #"{"columns":["elapsed_ms"],"rows":[[3000],[5000],[10000],[15000]]}"#)
    }

    @Test(arguments: [10, 100, 1000, 5000])
    func pagesHoldEverySampleOnceWithinTheirLimit(limit: Int) throws {
        var (seen, from): ([Int], Int64?) = ([], 0)
        while let start = from {
            let track = try Track(
                Track.Request(activity: 1, from: start, columns: [.usual(.elapsed)]), of: RowList(Self.samples),
                limit: limit)
            let page = text(track)
            #expect(page.utf8.count <= limit + #"{"columns":["elapsed_ms"],"rows":[],"next_ms":600000}"#.utf8.count)
            let object = try JSONSerialization.jsonObject(with: Data(page.utf8)) as? [String: Any]
            seen += (object?["rows"] as? [[Int]])?.flatMap { $0 } ?? []
            #expect(object?["next_ms"] as? Int == track.next.map { Int($0) })
            from = track.next
        }
        #expect(seen == (1...600).map { $0 * 1000 })
    }

    @Test func lapsBeyondTheLimitAreOnTheNextPage() throws {
        var recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 0))
        var figures = Totals()
        figures.elapsedMilliseconds = 1000
        recording.laps = (1...5).map {
            RecordingLap(
                trigger: $0 < 5 ? .time : nil, beganAt: Int64($0 - 1) * 1000, endedAt: Int64($0) * 1000,
                figures: figures)
        }
        recording.zones = try Zones([100, 120, 140, 160, 180])
        recording.zoneMilliseconds = [0, 1, 2, 3, 4, 5]
        func laps(_ range: ClosedRange<Int>) -> String {
            "["
                + range.map {
                    #"{"number":\#($0),"elapsed_ms":1000,"moving_ms":0,"distance_m":0"#
                        + ($0 < 5 ? #","trigger":"time"}"# : "}")
                }.joined(separator: ",") + "]"
        }
        func answer(from first: Int, limit: Int = .max) -> String {
            var line = JSONWriter()
            line.activity(.example, recording, fromLap: first, limit: limit)
            return String(decoding: line.bytes.drop { $0 != UInt8(ascii: "}") }.dropFirst(2), as: UTF8.self)
        }
        /// The size of the line before the zones, in bytes.
        func whole(_ range: ClosedRange<Int>) -> Int {
            var line = JSONWriter()
            line.activity(.example, RecordedActivity(sport: .run, started: UTC(milliseconds: 0)))
            return line.bytes.count + laps(range).utf8.count - "[]}".utf8.count
        }
        let zones = #","zones":[100,120,140,160,180],"zone_ms":[0,1,2,3,4,5]}"#
        #expect(answer(from: 1) == #""laps":"# + laps(1...5) + zones)
        #expect(answer(from: 4) == #""laps":"# + laps(4...5) + zones)
        #expect(answer(from: 6) == #""laps":[]"# + zones)
        let room = whole(2...4)
        #expect(answer(from: 2, limit: room) == #""laps":"# + laps(2...4) + #","next_lap":5"# + zones)
    }

    @Test func summaryListStaysWithinTheLineLimit() {
        var summary = ActivitySummary.example
        summary.name = SanitizedText(String(repeating: "<\u{303}\u{302}\u{301}", count: 64))
        var line = JSONWriter()
        line.summaries(Array(repeating: summary, count: 100))
        #expect(line.bytes.count <= JSONWriter.listLimit + 1 && line.bytes.count > JSONWriter.listLimit / 2)
        line.clear()
        line.summaries([])
        #expect(line.bytes == Array("[]".utf8))
    }
}

@Suite struct ExportNameTests {
    private var recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 1_772_350_212_300))

    @Test mutating func fileNameHasTheStartAndTheSport() {
        recording.id = 17
        #expect(ExportFormat.fit.name(of: recording) == "2026-03-01-0730-run.fit")
        recording.sport = .hike
        #expect(ExportFormat.geojson.name(of: recording, number: 12) == "2026-03-01-0730-hike-12.geojson")
        recording.isTimeUncertain = true
        #expect(ExportFormat.fit.name(of: recording) == "undated-17-hike.fit")
        recording.isTimeUncertain = false
        recording.started = UTC(milliseconds: -70_000_000_000_000)
        #expect(ExportFormat.fit.name(of: recording, number: 2) == "undated-17-hike-2.fit")
    }
}
