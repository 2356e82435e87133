import Domain
import Foundation
import Pipeline
import TestKit
import Testing

/// The figures of the files of devices and programs beside their own. `PACED_WRITE_PAGES=1` writes the table of
/// docs/accuracy.md.
@Suite struct AccuracyTests {
    private static let files =
        ReferenceFile.all(in: "fit", ".fit") + ReferenceFile.recordings(in: "gpx_tcx", ".tcx", ".gpx")
    private static let page = Checkout.root.appending(path: "docs/accuracy.md")
    private static let begin = "<!-- make accuracy writes the table below. -->\n\n"
    private static let end = "\n<!-- end -->"

    @Test func figuresAreNearTheDevices() throws {
        let figures = try Self.files.compactMap { try AccuracyFigures($0) }
        try #require(!figures.isEmpty)
        for row in figures {
            let sparse = row.interval > 1.5
            // docs/accuracy.md has the reasons of the exceptions.
            let bound = row.name.hasPrefix("walk") ? 0.05 : sparse ? 0.015 : 0.01
            if let error = row.distance.error, !Self.exceptions.contains(row.name) {
                #expect(abs(error) <= bound, "\(row.name): distance \(error)")
            }
            if let error = row.moving.error { #expect(abs(error) <= 0.01, "\(row.name): moving time \(error)") }
            if let device = row.averageHeartRate.device, let ours = row.averageHeartRate.ours {
                #expect(abs(device - ours) <= 1.5, "\(row.name): \(ours)")
            }
            if let error = row.zoneError {
                #expect(error <= max(2, 0.003 * (row.timer.device ?? 0)), "\(row.name): zones \(error)")
            }
        }
        let distances = figures.compactMap { $0.distance.error.map(abs) }.sorted()
        if figures.count > 5 { #expect(distances[distances.count / 2] <= 0.003, "\(distances)") }
        guard ProcessInfo.processInfo.environment["PACED_WRITE_PAGES"] != nil else { return }
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let head = try #require(text.range(of: Self.begin))
        let tail = try #require(text.range(of: Self.end))
        let table = AccuracyFigures.head + figures.map(\.line).joined()
        try (text[..<head.upperBound] + table + text[tail.lowerBound...]).write(
            to: Self.page, atomically: true, encoding: .utf8)
    }

    private static let exceptions = ["run-fr920xt-7km-hrzones"]
}

/// A figure of a device, and ours; nil if it is unknown.
private struct FigurePair {
    var device: Double?
    var ours: Double?

    /// The relative error.
    var error: Double? { device.flatMap { device in ours.map { $0 / device - 1 } } }
}

/// A row of the table.
private struct AccuracyFigures {
    var name: String
    /// Seconds between records.
    var interval: Double
    /// Metres, by the device and by our filter from its positions.
    var distance = FigurePair()
    /// Seconds: the device's timer and our active time.
    var timer = FigurePair()
    /// Seconds: the timer of a device that pauses automatically, and the moving time of a run on its track.
    var moving = FigurePair()
    var ascent = FigurePair()
    var averageHeartRate = FigurePair()
    var maximumHeartRate = FigurePair()
    /// The largest error of a zone in seconds; nil without the device's zones.
    var zoneError: Double?

    /// Nil for a file without an activity of a minute.
    init?(_ file: ReferenceFile) throws {
        name = file.name.replacing(".gz", with: "").replacing(".fit", with: "")
        guard let read = try? ImportedRows(file) else { return nil }
        let samples = read.rows.compactMap { row in if case .sample(let sample) = row { sample } else { nil } }
        let recording = read.recording()
        let stated = recording.sourceTotals
        let active = Double(recording.total.elapsedMilliseconds) / 1000
        guard samples.count > 60, active > 60 else { return nil }
        timer = FigurePair(device: (stated?.elapsedMilliseconds).map { Double($0) / 1000 }, ours: active)
        interval = active / Double(samples.count)
        let span = Double((samples.last?.at ?? 0) - (samples.first?.at ?? 0)) / 1000
        measureTrack(read, seconds: span, device: stated?.distanceMetres)
        ascent = FigurePair(device: stated?.ascentMetres, ours: recording.total.ascent)
        averageHeartRate = FigurePair(device: stated?.averageHeartRate, ours: recording.total.averageHeartRate)
        maximumHeartRate = FigurePair(
            device: (stated?.maximumHeartRate).map { Double($0) },
            ours: recording.total.maximumHeartRate.map { Double($0) })
        // The owner of this file has cut it: its timer and its zones are those of the whole walk.
        if name == "walk-fr55-0.7km" {
            timer.device = nil
        } else {
            zoneError = Self.zoneError(name, read.rows)
        }
    }

    /// Computes the distance and the moving time, if most of the seconds have a position.
    private mutating func measureTrack(_ read: ImportedRows, seconds: Double, device metres: Double?) {
        let filled = FilledTrack(read.rows)
        guard Double(filled.fixes.count) > 0.9 * seconds else { return }
        var track = TrackDistance(read.header)
        for row in read.rows { track.ingest(row) }
        track.finish()
        distance = FigurePair(device: metres.flatMap { $0 > 0 ? $0 : nil }, ours: track.metres)
        var settings = Settings()
        settings.autoPause = [read.header.sport]
        let pausesAutomatically = read.rows.contains { row in
            if case .end(_, .auto) = row { true } else { false }
        }
        moving = FigurePair(
            device: pausesAutomatically ? timer.device : nil,
            ours: Rerun(filled.fixes, sport: read.header.sport, settings).movingSeconds)
    }

    /// Compares the time in zones with that of the device, from the collection's list of what the devices state.
    private static func zoneError(_ name: String, _ rows: [RecordingRow]) -> Double? {
        let list = ReferenceFile.collection.appending(path: "fit/truth.json")
        guard let data = try? Data(contentsOf: list),
            let all = try? JSONSerialization.jsonObject(with: data) as? [String: [String: Any]],
            let messages = all[name]?["time_in_zone"] as? [[String: Any]],
            let message = messages.first(where: { $0["reference_mesg"] as? String == "session" }),
            let times = message["time_in_hr_zone"] as? [Double],
            let bounds = (message["hr_zone_high_boundary"] as? [Double])
        else { return nil }
        var ours = [Double](repeating: 0, count: bounds.count + 1)
        var last: RecordingSample?
        for row in rows {
            guard case .sample(let sample) = row else {
                if case .end = row { last = nil }
                continue
            }
            if let last, let rate = last.heartRate {
                let zone = bounds.firstIndex { Double(rate) < $0 } ?? bounds.count
                ours[zone] += min(Double(sample.elapsedMilliseconds - last.elapsedMilliseconds) / 1000, 5)
            }
            last = sample
        }
        return zip(ours, times).map { abs($0 - $1) }.max()
    }

    static let head = """
        | file | distance, device m | ours | error | timer, device s | ours | moving | error | ascent, device m | ours \
        | error | average heart rate | maximum | worst zone |
        |---|---|---|---|---|---|---|---|---|---|---|---|---|---|

        """

    var line: String {
        func whole(_ value: Double?) -> String { value.map { String(Int($0.rounded())) } ?? "" }
        func percent(_ error: Double?) -> String { error.map { String(format: "%+.2f %%", $0 * 100) } ?? "" }
        func both(_ pair: FigurePair) -> String {
            pair.ours == nil ? "" : "\(pair.device.map { whole($0) } ?? "–"), \(whole(pair.ours))"
        }
        let climb = ascent.device.flatMap { device in ascent.ours.map { String(format: "%+.0f m", $0 - device) } }
        let cells = [
            name, whole(distance.device), whole(distance.ours), percent(distance.error), whole(timer.device),
            whole(timer.ours), whole(moving.ours), percent(moving.error), whole(ascent.device), whole(ascent.ours),
            climb ?? "", both(averageHeartRate), both(maximumHeartRate),
            zoneError.map { String(format: "%.0f s", $0) } ?? "",
        ]
        return "| " + cells.joined(separator: " | ") + " |\n"
    }
}
