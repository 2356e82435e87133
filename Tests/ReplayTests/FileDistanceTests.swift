import Domain
import Formats
import Foundation
import Import
import Pipeline
import TestKit
import Testing

/// The imported distance of device files and damaged files.
@Suite struct FileDistanceTests {
    private static let stated =
        ReferenceFile.all(in: "fit", ".fit")
        + ReferenceFile.recordings(in: "gpx_tcx", ".tcx").filter { !$0.isCompressed }
    private static let tracks =
        stated + ReferenceFile.recordings(in: "gpx_tcx", ".gpx").filter { !$0.isCompressed }
        + ReferenceFile.all(in: "kml", "track.kml")
    /// Courses, and places and lines without times.
    private static let others =
        ReferenceFile.all(in: "courses", ".fit", ".gpx", ".tcx")
        + ReferenceFile.all(in: "kml", ".kml").filter { !$0.name.hasSuffix("track.kml") }

    @Test(arguments: others)
    func aFileWithoutAnActivityIsRejected(file: ReferenceFile) {
        #expect(throws: FileError.self) { try ImportedFile(Data(contentsOf: file.url)) }
    }

    @Test(arguments: stated)
    func deviceFileKeepsItsStatedDistance(file: ReferenceFile) throws {
        let imported = try ImportedFile(Data(contentsOf: file.url))
        try #require(imported.isStated)
        #expect(imported.judgedRows == imported.rows)
        #expect(imported.judged == imported.recording)
        #expect(imported.distance.notCounted == (0, 0, 0))
    }

    /// A replay counts the distance that a file states, as the import does, also where it is too fast for the sport.
    @Test(arguments: stated)
    func statedDistanceEqualsThatOfItsReplay(file: ReferenceFile) throws {
        let imported = try ImportedFile(Data(contentsOf: file.url))
        for sport in [imported.recording.sport, .walk] {
            var recording = imported.recording
            recording.sport = sport
            var distance = FileDistance(recording, isStated: true)
            for row in imported.rows { _ = distance.ingest(row) }
            let replayed = Replayed(recording, imported.rows).metres
            distance.finish(&recording)
            #expect(abs(recording.total.distanceMetres - replayed) < 0.02)
        }
    }

    /// The imported distance of a track equals that of its replay, bit for bit.
    @Test(arguments: tracks)
    func trackDistanceEqualsThatOfItsReplay(file: ReferenceFile) throws {
        let imported = try ImportedFile(Data(contentsOf: file.url))
        try #require(!imported.recording.isIndoor)
        for sport in [imported.recording.sport, .walk] {
            var recording = imported.recording
            recording.sport = sport
            let rows = imported.rows.map { $0.withoutDistance }
            #expect(TrackDistance.of(recording, rows) == Replayed(recording, rows).metres)
        }
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func randomTrackDistanceEqualsThatOfItsReplay(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var rows: [RecordingRow] = [.begin(at: 0, .command)]
        var at: Int64 = 0
        var north = 0.0
        for _ in 0..<300 {
            at += Int64([100, 700, 1000, 1000, 3000, 12_000, 400_000, 2_000_000][Int(random.next() % 8)])
            north += random.normal() * (random.uniform() < 0.05 ? 5000 : 10)
            var sample = RecordingSample(at: at, elapsedMilliseconds: at)
            sample.coordinate = Coordinate(latitude: 52 + north / 111_000, longitude: 13)
            sample.speed = random.uniform() < 0.5 ? nil : random.uniform() * 5
            rows.append(.sample(sample))
            guard random.uniform() < 0.05 else { continue }
            let pause = Int64(random.uniform() * 20_000)
            rows += [.end(at: at + pause / 3, .command), .begin(at: at + pause, .command)]
            at += pause
        }
        rows.append(.end(at: at + Int64(random.uniform() * 2000), .command))
        let sport = Sport.allCases[Int(seed % 5)]
        var recording = Domain.RecordedActivity(sport: sport, started: UTC(milliseconds: 1_772_350_212_300))
        recording.laps = [RecordingLap(trigger: nil, beganAt: 0, endedAt: at, figures: Totals())]
        #expect(TrackDistance.of(recording, rows) == Replayed(recording, rows).metres)
    }

    // MARK: Impossible tracks

    private static func gpx(_ points: [(seconds: Int, latitude: Double)], type: String = "cycling") -> String {
        let text = points.map { seconds, latitude in
            let time = UTC(milliseconds: 1_772_350_212_000 + Int64(seconds) * 1000).text
            return #"<trkpt lat="\#(latitude)" lon="13"><time>\#(time)</time></trkpt>"#
        }
        return #"<gpx version="1.1"><trk><type>\#(type)</type><trkseg>\#(text.joined())</trkseg></trk></gpx>"#
    }

    @Test func trackThatAlternatesBetweenTwoPlacesHasNoDistance() throws {
        let imported = try ImportedFile(Data(Self.gpx((0..<300).map { ($0, $0 % 2 == 0 ? 52 : 53) }).utf8))
        #expect(imported.judged.total.distanceMetres == 0)
        #expect(imported.judged.laps.map(\.figures.distanceMetres) == [0])
        #expect(imported.distance.notCounted == (0, 150, 0))
        #expect(imported.judgedRows == imported.rows)
    }

    /// Without elapsed time there is no distance.
    @Test func pointsOfASingleTimeHaveNoDistance() throws {
        let points = (0..<100).map { ($0 < 99 ? 0 : 1, 52 + Double($0) / 10_000) }
        let imported = try ImportedFile(Data(Self.gpx(points).utf8))
        #expect(imported.judged.total.distanceMetres == 0)
        #expect(imported.distance.notCounted == (0, 1, 98))
    }

    /// A lap of 20 km in 5 s by a glitch, then a correct one.
    @Test func jumpInTheStatedDistanceIsNotCounted() throws {
        func point(_ second: Int, _ metres: Int) -> String {
            let time = UTC(milliseconds: 1_772_350_212_000 + Int64(second) * 1000).text
            return "<Trackpoint><Time>\(time)</Time><DistanceMeters>\(metres)</DistanceMeters></Trackpoint>"
        }
        func lap(_ seconds: Range<Int>, _ metres: (Int) -> Int) -> String {
            let start = UTC(milliseconds: 1_772_350_212_000 + Int64(seconds.lowerBound) * 1000).text
            return """
                <Lap StartTime="\(start)"><TotalTimeSeconds>\(seconds.count)</TotalTimeSeconds>
                <DistanceMeters>\(metres(seconds.upperBound) - metres(seconds.lowerBound))</DistanceMeters>
                <Track>\(seconds.map { point($0, metres($0)) }.joined())</Track></Lap>
                """
        }
        let file = """
            <TrainingCenterDatabase><Activities><Activity Sport="Running"><Id>2026-03-01T07:30:12Z</Id>
            \(lap(0..<100) { $0 * 3 + ($0 >= 50 ? 20_000 : 0) })\(lap(100..<200) { $0 * 3 + 20_000 })
            </Activity></Activities></TrainingCenterDatabase>
            """
        let imported = try ImportedFile(Data(file.utf8))
        // 198 steps of 3 m.
        #expect(imported.judged.total.distanceMetres == 594)
        let laps = imported.judged.laps.map(\.figures.distanceMetres)
        #expect(laps.count == 2 && laps[0] + laps[1] == 594)
        #expect(imported.judgedRows.samples.last?.distanceMetres == 594)
        #expect(imported.distance.notCounted == (20_003, 0, 0))
        #expect(imported.judged.sourceTotals?.distanceMetres == 20_600)
    }

    @Test func distanceOfLapsWithoutATrackIsLimited() throws {
        func lap(_ start: String, _ metres: Int) -> String {
            """
            <Lap StartTime="2026-03-01T07:\(start):12Z"><TotalTimeSeconds>600</TotalTimeSeconds>
            <DistanceMeters>\(metres)</DistanceMeters></Lap>
            """
        }
        let file = """
            <TrainingCenterDatabase><Activities><Activity Sport="Running"><Id>2026-03-01T07:30:12Z</Id>
            \(lap("30", 2000))\(lap("40", 33_000_000))\(lap("50", 1500))
            </Activity></Activities></TrainingCenterDatabase>
            """
        let imported = try ImportedFile(Data(file.utf8))
        #expect(imported.judged.laps.map(\.figures.distanceMetres) == [2000, 0, 1500])
        #expect(imported.judged.total.distanceMetres == 3500)
        #expect(imported.judged.sourceTotals?.distanceMetres == 33_003_500)
    }
}

/// A file, imported in two passes.
private struct ImportedFile {
    var recording: Domain.RecordedActivity
    var rows: [RecordingRow]
    var isStated: Bool
    var judged: Domain.RecordedActivity
    var judgedRows: [RecordingRow]
    var distance: FileDistance

    init(_ data: Data) throws {
        var reader = FileImport()
        var rows: [RecordingRow] = []
        try reader.feed([UInt8](data).span) { rows.append($0) }
        recording = try reader.finish { rows.append($0) }.recording
        self.rows = rows
        isStated = rows.samples.contains { $0.distanceMetres != nil }
        distance = FileDistance(recording, isStated: isStated)
        judgedRows = []
        for row in rows { judgedRows.append(distance.ingest(row)) }
        judged = recording
        distance.finish(&judged)
    }
}

extension TrackDistance {
    fileprivate static func of(_ recording: Domain.RecordedActivity, _ rows: [RecordingRow]) -> Double {
        var track = TrackDistance(recording)
        for row in rows { track.ingest(row) }
        track.finish()
        return track.metres
    }
}

/// The final distance of a replay of the rows.
private struct Replayed {
    var metres = 0.0

    init(_ recording: Domain.RecordedActivity, _ rows: [RecordingRow]) {
        var entries = RecordingReplaySource(recording, sport: nil)
        var replay = Replay(entries.snapshot, every: .seconds(60))
        var metres = 0.0
        func take(_ entry: InputLogEntry) {
            replay.apply(entry) { _, effects in
                for case .event(let event) in effects.outputs {
                    if case .stop(let summary) = event.kind { metres = summary.total.distanceMetres }
                }
            }
        }
        for row in rows { entries.ingest(row, take) }
        entries.finish(take)
        self.metres = metres
    }
}

extension [RecordingRow] {
    fileprivate var samples: [RecordingSample] {
        compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }
}

extension UTC {
    /// The form of GPX and TCX.
    fileprivate var text: String {
        let fields = fields
        func digits(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }
        let date = "\(fields.year)-\(digits(fields.month))-\(digits(fields.day))"
        return date + "T\(digits(fields.hour)):\(digits(fields.minute)):\(digits(fields.second))Z"
    }
}

extension RecordingRow {
    fileprivate var withoutDistance: RecordingRow {
        guard case .sample(var sample) = self else { return self }
        sample.distanceMetres = nil
        return .sample(sample)
    }
}
