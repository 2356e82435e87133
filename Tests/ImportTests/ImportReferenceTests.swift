import Domain
import Formats
import Foundation
import TestKit
import Testing

/// Our importers find the same as independent tools in files of others.
@Suite struct ImportReferenceTests {
    private struct Truth: Decodable {
        struct Lap: Decodable {}

        var points: Int
        var segments: Int
        var eleN: Int
        var eleMin: Double?
        var eleMax: Double?
        var hrN: Int
        var hrMean: Double?
        var hrMax: Double?
        var tFirst: String?
        var tLast: String?
        var deviceLaps: [Lap]?
        var deviceTotalDistanceM: Double?
        var deviceTotalTimeS: Double?
    }

    @Test(arguments: ReferenceFile.recordings(in: "gpx_tcx", ".gpx", ".tcx"))
    func importedFilesMatchIndependentTools(file: ReferenceFile) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let all = try decoder.decode(
            [String: Truth].self,
            from: Data(contentsOf: file.url.deletingLastPathComponent().appending(path: "truth.json")))
        let truth = try #require(all[file.name.replacing(".gz", with: "")])
        let read = try ReadFile(try file.bytes())
        let lost = ["points without time", "points with an earlier time", "points too far ahead in time"]
            .reduce(0) { $0 + read.skipped[$1] }
        #expect(read.samples.count + lost == truth.points)
        let rates = read.samples.compactMap(\.heartRate).map(Double.init)
        let altitudes = read.samples.compactMap(\.altitude)
        if lost == 0 {
            #expect(rates.count == truth.hrN)
            #expect(rates.max() == truth.hrMax)
            #expect(altitudes.count == truth.eleN)
            #expect(altitudes.min() == truth.eleMin)
            #expect(altitudes.max() == truth.eleMax)
            if let mean = truth.hrMean { #expect(abs(rates.reduce(0, +) / Double(rates.count) - mean) < 0.01) }
            let ends = [read.samples.first, read.samples.last].map { sample in
                sample.map { read.recording.started.milliseconds + $0.at }
            }
            let expected = [truth.tFirst, truth.tLast].map { text in text.flatMap { UTC(iso8601: $0)?.milliseconds } }
            #expect(ends == expected)
        }
        guard file.isTCX else { return }
        #expect(read.recording.laps.count == truth.deviceLaps?.count)
        let claim = try #require(read.recording.sourceTotals)
        #expect(abs(Double(claim.elapsedMilliseconds ?? 0) / 1000 - (truth.deviceTotalTimeS ?? 0)) < 0.06)
        #expect(abs((claim.distanceMetres ?? 0) - (truth.deviceTotalDistanceM ?? 0)) < 0.06)
        // The distance summed over the points is near the device's total.
        let total = read.recording.total
        #expect(abs(total.distanceMetres - (claim.distanceMetres ?? 0)) <= max(0.01 * total.distanceMetres, 160))
    }
}
