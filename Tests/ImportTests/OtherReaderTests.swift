import Domain
import Formats
import Foundation
import TestKit
import Testing

/// Our exports are valid for their schemas, and other programs read the same data from them.
@Suite struct OtherReaderTests {
    /// A position as another program read it.
    private struct Point {
        var time: Int64
        var longitude: Double?
        var latitude: Double?
        var altitude: Double?
        var heartRate: Int?

        init(time: Int64, longitude: Double?, latitude: Double?, altitude: Double?, heartRate: Int?) {
            self.time = time
            self.longitude = longitude
            self.latitude = latitude
            self.altitude = altitude
            self.heartRate = heartRate
        }

        /// A line of `read_files.py`.
        init(line: Substring) {
            let fields = line.split(separator: " ")
            self.init(
                time: Int64(fields[0]) ?? 0, longitude: Double(fields[1]), latitude: Double(fields[2]),
                altitude: Double(fields[3]), heartRate: Int(fields[4]))
        }
    }

    private struct Source: CustomTestStringConvertible {
        var name: String
        var recording: Domain.RecordedActivity
        var rows: [RecordingRow]
        var testDescription: String { name }

        /// Read once, because many tests use them.
        static let all: [Source] = {
            guard let made = try? SyntheticRecording.withEverything(seed: 11) else { return [] }
            let ride = SyntheticRecording.ride(seed: 11)
            return [
                Source(name: "a made ride", recording: ride.recording, rows: ride.rows),
                Source(name: "a made run", recording: made.recording, rows: made.rows),
                Source(
                    name: "a made run without positions", recording: made.recording,
                    rows: made.rows.map { $0.withoutPosition }),
            ]
                + ReferenceFile.recordings(in: "gpx_tcx", ".gpx", ".tcx").compactMap { file in
                    guard let read = try? ReadFile(try file.bytes()) else { return nil }
                    return Source(name: file.name, recording: read.recording, rows: read.rows)
                }
        }()
    }

    @Test func allSourceFilesAreRead() {
        #expect(Source.all.count == 3 + ReferenceFile.recordings(in: "gpx_tcx", ".gpx", ".tcx").count)
        // A test with files as its arguments passes without any. These are all the folders and suffixes of such tests.
        for (folder, suffix) in [
            ("fit", ".fit"), ("fit/robustness", ".fit"), ("replay", ".records.csv"), ("gpx_tcx", ".gpx"),
            ("gpx_tcx", ".tcx"), ("gpx_tcx/negative", ".gpx"), ("gpx_tcx/negative", ".tcx"), ("kml", "track.kml"),
            ("kml", "linestring.kml"),
        ] {
            #expect(ReferenceFile.all(in: folder, suffix).contains { $0.isInTree }, "\(folder) has no \(suffix)")
        }
    }

    /// The schemas' licences are unknown, so they are not in the repository.
    private static let schemas = ReferenceFile.collection.appending(path: "xsd")
    private static let hasSchemas = FileManager.default.fileExists(atPath: schemas.path)

    @Test(arguments: Source.all)
    private func exportsAreWellFormed(source: Source) throws {
        let directory = TemporaryDirectory()
        for format in [ExportFormat.gpx, .tcx, .kml] {
            let path = directory("run." + format.rawValue)
            try Data(try WrittenFile(format, source.recording, source.rows).bytes).write(to: URL(filePath: path))
            try Tool.run("xmllint", "--noout", "--nonet", path)
        }
    }

    @Test(.enabled(if: hasSchemas, "needs the schemas in ../shared/data/xsd"), arguments: Source.all)
    private func exportsAreValidForTheirSchemas(source: Source) throws {
        let (recording, rows) = (source.recording, source.rows)
        let directory = TemporaryDirectory()
        for (format, schema) in [(ExportFormat.gpx, "all-gpx.xsd"), (.tcx, "all-tcx.xsd"), (.kml, "kml22gx.xsd")] {
            let path = directory("run." + format.rawValue)
            try Data(try WrittenFile(format, recording, rows).bytes).write(to: URL(filePath: path))
            let schema = Self.schemas.appending(path: schema).path
            try Tool.run("xmllint", "--noout", "--nonet", "--schema", schema, path)
        }
    }

    @Test(
        .enabled(if: hasSchemas, "needs the schemas in ../shared/data/xsd"),
        arguments: ReferenceFile.all(in: "gpx_tcx/negative", ".gpx", ".tcx"))
    func schemaCheckerRejectsInvalidFiles(file: ReferenceFile) throws {
        let directory = TemporaryDirectory()
        let path = directory("file.xml")
        try Data(try file.bytes()).write(to: URL(filePath: path))
        let schema = Self.schemas.appending(path: file.isTCX ? "all-tcx.xsd" : "all-gpx.xsd").path
        #expect(throws: Tool.Failure.self) { try Tool.run("xmllint", "--noout", "--nonet", "--schema", schema, path) }
    }

    @Test(arguments: Source.all, [ExportFormat.gpx, .tcx, .kml])
    private func gpsbabelReadsTheSamePoints(source: Source, format: ExportFormat) throws {
        let (recording, rows) = (source.recording, source.rows)
        let directory = TemporaryDirectory()
        let path = directory("run." + format.rawValue)
        try Data(try WrittenFile(format, recording, rows).bytes).write(to: URL(filePath: path))
        let kind = format == .tcx ? "gtrnctr" : format.rawValue
        let csv = try Tool.run(
            "gpsbabel", "-t", "-i", kind, "-f", path, "-o", "unicsv,utc=0,format=n,prec=7", "-F", "-")
        let points = try Self.points(unicsv: String(decoding: csv.output, as: UTF8.self))
        // It prints altitudes with one decimal, and reads no heart rates from KML.
        try Self.expect(points, recording, rows.samples.filter { $0.coordinate != nil }, metres: 0.051, format: format)
    }

    @Test(arguments: [ExportFormat.geojson, .kml, .csv])
    func pythonReadersReadTheSamePoints(format: ExportFormat) throws {
        let directory = TemporaryDirectory()
        var paths: [String] = []
        var lonePositions: [Int] = []
        for (index, source) in Source.all.enumerated() {
            let file = try WrittenFile(format, source.recording, source.rows)
            paths.append(directory("\(index).\(format.rawValue)"))
            lonePositions.append(file.loss.lonePositions)
            try Data(file.bytes).write(to: URL(filePath: paths[index]))
        }
        let script = Checkout.path("Tests/Files/read_files.py")
        let output = try Tool.run([Checkout.python, "-B", script] + paths).output
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n")
        let files = lines.split(separator: "file", omittingEmptySubsequences: false).dropFirst()
        try #require(files.count == Source.all.count)
        for ((source, lines), lone) in zip(zip(Source.all, files), lonePositions) {
            let kept = source.rows.samples.filter { format == .csv || $0.coordinate != nil }
            let points = lines.filter { !$0.hasPrefix("rr") }.map(Point.init(line:))
            #expect(points.count == kept.count - lone, "\(source)")
            if lone == 0 { try Self.expect(points, source.recording, kept, metres: 0.00051, format: format) }
            guard format == .csv else { continue }
            let beats = source.rows.flatMap { if case .beats(_, let rr, _) = $0 { rr } else { [UInt16]() } }
            let readBeats = lines.filter { $0.hasPrefix("rr ") }.compactMap { Double($0.dropFirst(3)) }
            #expect(readBeats.map { UInt16(($0 * 1.024).rounded()) } == beats)
        }
    }

    private static func expect(
        _ points: [Point], _ recording: Domain.RecordedActivity, _ samples: [RecordingSample], metres: Double,
        format: ExportFormat
    ) throws {
        try #require(points.count == samples.count)
        let different = samples.indices.first { index in
            let (sample, point) = (samples[index], points[index])
            let hasHeartRate = format != .kml
            return recording.started.milliseconds + sample.at != point.time
                || !isNear(sample.coordinate?.latitude, point.latitude, 1.01e-7)
                || !isNear(sample.coordinate?.longitude, point.longitude, 1.01e-7)
                || !isNear(sample.altitude, point.altitude, metres)
                || (hasHeartRate && sample.heartRate != point.heartRate)
        }
        #expect(different.map { "\(samples[$0]) was read as \(points[$0])" } == nil)
    }

    private static func isNear(_ one: Double?, _ other: Double?, _ bound: Double) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return abs(one - other) <= bound
    }

    private static func points(unicsv: String) throws -> [Point] {
        let lines = unicsv.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        guard let head = lines.first else { return [] }
        func field(_ name: String, _ line: [String]) -> String? {
            head.firstIndex(of: name).flatMap { line.indices.contains($0) && !line[$0].isEmpty ? line[$0] : nil }
        }
        return lines.dropFirst().map { line in
            let text = (field("Date", line) ?? "").replacing("/", with: "-") + "T" + (field("Time", line) ?? "") + "Z"
            return Point(
                time: UTC(iso8601: text)?.milliseconds ?? 0, longitude: field("Longitude", line).flatMap(Double.init),
                latitude: field("Latitude", line).flatMap(Double.init),
                altitude: field("Altitude", line).flatMap(Double.init),
                heartRate: field("Heartrate", line).flatMap(Int.init))
        }
    }
}

extension RecordingRow {
    fileprivate var withoutPosition: RecordingRow {
        guard case .sample(var sample) = self else { return self }
        sample.coordinate = nil
        return .sample(sample)
    }
}
