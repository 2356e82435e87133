import Domain
import Foundation
import Pipeline
import TestKit
import Testing

private let folder = ReferenceFile.collection.appending(path: "rr")
private let hasFiles = FileManager.default.fileExists(atPath: folder.appending(path: "truth.json").path)

/// The figures of RR series that others published, and of beats with labels.
@Suite(.enabled(if: hasFiles, "needs the RR series in ../shared/data/rr"))
struct VariabilityReferenceTests {
    private static func lines(_ name: String) throws -> [String] {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8).split(whereSeparator: \.isNewline)
            .map(String.init)
    }

    private static func series(_ name: String) throws -> [Double] {
        try lines(name + ".rr.txt").compactMap(Double.init)
    }

    @Test func figuresAreThoseOfTheTruth() throws {
        let data = try Data(contentsOf: folder.appending(path: "truth.json"))
        let truth = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
        #expect(truth.count >= 5)
        for (name, expected) in truth {
            guard let series = try? Self.series(name), series.count == expected["n"] as? Int else { continue }
            var sums = VariabilitySums()
            var before: Double?
            for interval in series {
                sums.count(interval, after: before)
                before = interval
            }
            let figures = sums.figures(fewest: 2)
            for (key, value) in [
                ("mean_nn", figures.meanInterval), ("sdnn_ddof1", figures.sdnn), ("rmssd", figures.rmssd),
                ("pnn50_over_Nminus1", figures.pnn50),
            ] {
                let number = try #require(expected[key] as? Double, "\(name) \(key)")
                #expect(abs(try #require(value) - number) < 0.01, "\(name) \(key)")
            }
            guard let number = expected["dfa_alpha1_fatmaxxer_v1"] as? Double else { continue }
            var analysis = FluctuationAnalysis()
            let alpha = analysis.alpha1(of: series)
            #expect(abs(try #require(alpha) - number) < 0.01, "\(name)")
        }
    }

    /// FatMaxxer's own test: 193 beats.
    @Test func exponentIsTheKnownAnswer() throws {
        var analysis = FluctuationAnalysis()
        let alpha = analysis.alpha1(of: try Self.series("fatmaxxer-kat-193beats"))
        #expect(abs(try #require(alpha) - 1.550_317_330_957_320_8) < 1e-9)
    }

    /// A beat is abnormal if its interval touches one that has another label than N.
    @Test func artefactsAreFoundAndNormalBeatsKept() throws {
        var (abnormal, found) = (0, 0)
        for (name, rmssd) in [("mitdb-100", 27.5), ("nsr2db-nsr001-2h", nil)] as [(String, Double?)] {
            var (falseAlarms, count) = (0, 0)
            var filter = BeatFilter()
            var sums = VariabilitySums()
            var before: Double?
            for line in try Self.lines(name + ".annot.csv").dropFirst() {
                let parts = line.split(separator: ",", omittingEmptySubsequences: false)
                let interval = try #require(Double(parts[1]))
                let isNormal = parts[2] == "N" && parts[3] == "N"
                let isGood = filter.judge(interval)
                count += 1
                if isNormal, !isGood { falseAlarms += 1 }
                if !isNormal {
                    abnormal += 1
                    if !isGood { found += 1 }
                }
                if isGood { sums.count(interval, after: before) }
                before = isGood ? interval : nil
            }
            #expect(Double(falseAlarms) <= 0.005 * Double(count), "\(name): \(falseAlarms) of \(count)")
            guard let rmssd else { continue }
            #expect(abs(try #require(sums.figures(fewest: 2).rmssd) / rmssd - 1) < 0.15)
        }
        #expect(abnormal == 74 && Double(found) >= 0.93 * Double(abnormal), "\(found) of \(abnormal)")
    }

    /// The exponent that an app logged in a run, at each change of its value.
    @Test func windowsOfARunHaveTheExponentsOfAnApp() throws {
        let name = "FatMaxOptimiser.20210606_161059"
        let beats: [(at: Int64, interval: Double)] = try Self.lines(name + ".rr.csv").dropFirst().compactMap {
            let parts = $0.split(separator: ",")
            guard parts.count > 1, let at = Int64(parts[0]), let interval = Double(parts[1]) else { return nil }
            return (at, interval)
        }
        let begin = try #require(beats.first?.at)
        var meter = VariabilityMeter()
        var newest = 0
        var (last, differences) = ("", [Double]())
        for line in try Self.lines(name + ".features.csv").dropFirst() {
            let parts = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard let at = Int64(parts[0]), let expected = Double(parts[4]) else { continue }
            while newest < beats.count, beats[newest].at <= at {
                let units = UInt16((beats[newest].interval * 1.024).rounded())
                meter.receive([units], until: Instant(milliseconds: beats[newest].at), gap: false)
                newest += 1
            }
            defer { last = parts[4] }
            guard parts[4] != last, at - begin > 120_000, let alpha = meter.figures?.alpha1 else { continue }
            differences.append(abs(alpha - expected))
        }
        differences.sort()
        try #require(differences.count > 250)
        #expect(differences[differences.count / 2] <= 0.06, "\(differences[differences.count / 2])")
        #expect(differences[differences.count * 9 / 10] <= 0.12, "\(differences[differences.count * 9 / 10])")
    }
}
