import Domain
import Foundation
import Pipeline
import TestKit
import Testing

/// The figures of device files beside the device's own. `PACED_WRITE_PAGES=1` writes the table of docs/accuracy.md.
@Suite struct AccuracyTests {
    private static let files = ReferenceFile.all(in: "fit", ".fit")
    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/accuracy.md")
    private static let begin = "<!-- make accuracy writes the table below. -->\n\n"
    private static let end = "\n<!-- end -->"

    @Test func figuresAreNearTheDevices() throws {
        let figures = try Self.files.compactMap { try AccuracyFigures($0) }
        try #require(!figures.isEmpty)
        for row in figures {
            let sparse = row.interval > 1.5
            // docs/accuracy.md has the reasons of the exceptions.
            let bound = row.name.hasPrefix("walk") ? 0.05 : sparse ? 0.015 : 0.01
            if let error = row.distanceError, !Self.exceptions.contains(row.name) {
                #expect(abs(error) <= bound, "\(row.name): distance \(error)")
            }
            if let (device, ours) = row.averageHeartRate { #expect(abs(device - ours) <= 1.5, "\(row.name): \(ours)") }
            if let error = row.zoneError { #expect(error <= max(2, 0.003 * row.timer), "\(row.name): zones \(error)") }
        }
        let distances = figures.compactMap { $0.distanceError.map(abs) }.sorted()
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

/// A row of the table.
private struct AccuracyFigures {
    var name: String
    /// Seconds between records.
    var interval: Double
    /// Metres, by the device and by our filter from its positions.
    var distance: (device: Double, ours: Double)?
    /// Seconds.
    var timer: Double
    var active: Double
    var ascent: (device: Double, ours: Double)?
    var averageHeartRate: (device: Double, ours: Double)?
    var maximumHeartRate: (device: Int, ours: Int)?
    /// The largest error of a zone in seconds; nil without the device's zones.
    var zoneError: Double?

    var distanceError: Double? { distance.map { $0.ours / $0.device - 1 } }

    /// Nil for a file without an activity.
    init?(_ file: ReferenceFile) throws {
        name = file.name.replacing(".fit", with: "")
        guard let read = try? ImportedRows(file) else { return nil }
        let samples = read.rows.compactMap { row in if case .sample(let sample) = row { sample } else { nil } }
        guard samples.count > 60 else { return nil }
        let recording = read.recording()
        let stated = recording.sourceTotals
        timer = Double(stated?.elapsedMilliseconds ?? recording.total.elapsedMilliseconds) / 1000
        active = Double(recording.total.elapsedMilliseconds) / 1000
        interval = active / Double(samples.count)
        if let device = stated?.distanceMetres, device > 0, samples.contains(where: { $0.coordinate != nil }) {
            var track = TrackDistance(read.header)
            for row in read.rows { track.ingest(row) }
            track.finish()
            distance = (device, track.metres)
        }
        if let device = stated?.ascentMetres, device > 0, let ours = recording.total.ascent { ascent = (device, ours) }
        if let device = stated?.averageHeartRate, let ours = recording.total.averageHeartRate {
            averageHeartRate = (device, ours)
        }
        if let device = stated?.maximumHeartRate, let ours = recording.total.maximumHeartRate {
            maximumHeartRate = (device, ours)
        }
        // The owner of this file has cut it: its timer and its zones are those of the whole walk.
        if name == "walk-fr55-0.7km" {
            timer = active
        } else {
            zoneError = Self.zoneError(name, read.rows)
        }
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
        | file | distance, device m | ours | error | timer, device s | ours | ascent, device m | ours | error | \
        average heart rate | maximum | worst zone |
        |---|---|---|---|---|---|---|---|---|---|---|---|

        """

    var line: String {
        func whole(_ value: Double?) -> String { value.map { String(Int($0.rounded())) } ?? "" }
        func percent(_ pair: (device: Double, ours: Double)?) -> String {
            pair.map { String(format: "%+.2f %%", ($0.ours / $0.device - 1) * 100) } ?? ""
        }
        let heart = averageHeartRate.map { "\(whole($0.device)), \(whole($0.ours))" } ?? ""
        let highest = maximumHeartRate.map { "\($0.device), \($0.ours)" } ?? ""
        let cells = [
            name, whole(distance?.device), whole(distance?.ours), percent(distance), whole(timer), whole(active),
            whole(ascent?.device), whole(ascent?.ours),
            ascent.map { String(format: "%+.0f m", $0.ours - $0.device) } ?? "",
            heart, highest, zoneError.map { String(format: "%.0f s", $0) } ?? "",
        ]
        return "| " + cells.joined(separator: " | ") + " |\n"
    }
}
