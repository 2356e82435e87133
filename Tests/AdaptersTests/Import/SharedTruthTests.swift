import Domain
import Foundation
import Sensors
import Testing

/// What independent tools found in the files of others, we find too.
@Suite struct SharedTruthTests {
    private struct Truth: Decodable {
        struct Lap: Decodable {
            var TotalTimeSeconds: Double?
            var DistanceMeters: Double?
        }

        var points: Int
        var segments: Int
        var ele_n: Int
        var ele_min: Double?
        var ele_max: Double?
        var hr_n: Int
        var hr_mean: Double?
        var hr_max: Double?
        var t_first: String?
        var t_last: String?
        var device_laps: [Lap]?
        var device_total_distance_m: Double?
        var device_total_time_s: Double?
    }

    @Test(arguments: SharedFile.all("gpx_tcx", ".gpx", ".tcx"))
    func whatAFileHoldsIsRead(file: SharedFile) throws {
        let all = try JSONDecoder().decode(
            [String: Truth].self, from: Data(contentsOf: SharedFile.root.appending(path: "gpx_tcx/truth.json")))
        let name = URL(filePath: file.path).lastPathComponent.replacing(".gz", with: "")
        let truth = try #require(all[name])
        let read = try ReadFile(try file.bytes())
        let lost = ["points without time", "points that went back in time", "points that jumped ahead in time"]
            .reduce(0) { $0 + read.leftovers[$1] }
        #expect(read.samples.count + lost == truth.points)
        let rates = read.samples.compactMap(\.heartRate).map(Double.init)
        let altitudes = read.samples.compactMap(\.altitude)
        if lost == 0 {
            #expect(rates.count == truth.hr_n)
            #expect(rates.max() == truth.hr_max)
            #expect(altitudes.count == truth.ele_n)
            #expect(altitudes.min() == truth.ele_min)
            #expect(altitudes.max() == truth.ele_max)
            if let mean = truth.hr_mean { #expect(abs(rates.reduce(0, +) / Double(rates.count) - mean) < 0.01) }
            let ends = [read.samples.first, read.samples.last].map { sample in
                sample.map { read.recording.started.milliseconds + $0.at }
            }
            let expected = [truth.t_first, truth.t_last].map { text in text.flatMap { UTC(iso8601: $0)?.milliseconds } }
            #expect(ends == expected)
        }
        guard file.isTCX else { return }
        #expect(read.recording.laps.count == truth.device_laps?.count)
        let claim = try #require(read.recording.claim)
        #expect(abs(Double(claim.elapsedMilliseconds ?? 0) / 1000 - (truth.device_total_time_s ?? 0)) < 0.06)
        #expect(abs((claim.distanceMetres ?? 0) - (truth.device_total_distance_m ?? 0)) < 0.06)
        // Counted from the points it is near what the device claims.
        let total = read.recording.total
        #expect(abs(total.distanceMetres - (claim.distanceMetres ?? 0)) <= max(0.01 * total.distanceMetres, 160))
    }
}
