import Domain
import Foundation
import Sensors
import TestKit
import Testing

/// Recordings of receivers through the real gpsd, libgps and the merger of epochs.
@Suite struct GpsdLogTests {
    /// One TPV as parsed by Foundation, for comparison.
    struct Report {
        var time: String?
        var hasPosition: Bool

        init?(_ line: String) {
            guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                object["class"] as? String == "TPV"
            else { return nil }
            time = object["time"] as? String
            hasPosition = (object["mode"] as? Int ?? 0) >= 2 && object["lat"] != nil && object["lon"] != nil
        }
    }

    /// - Parameter epochs: the distinct times with a position in the JSON of a gpsd of 2026; 3.22 has one more or less.
    @Test(
        "Every epoch of a recording is one fix",
        arguments: [
            ("gpsd/telit-he910.log", 186), ("gpsd/sirf2.log", 615), ("gpsd/bu303-nofix.log", 0),
            ("gpsd/nmea-fuzzy-cases.log", 14), ("gpsd/humminbird-M37.log", 31), ("replay/run-fenix2-9km.nmea", 2834),
        ])
    func everyEpochOfARecordingIsOneFix(name: String, epochs: Int) throws {
        let json = try GpsdLog(name).json()
        let reports = json.compactMap(Report.init)
        var moments: [String] = []
        for report in reports where report.time != nil && report.time != moments.last && report.hasPosition {
            moments.append(report.time ?? "")
        }
        let fixes = GpsdLog.fixes(json: json).map(\.1)
        let positions = fixes.filter { $0.hasPosition && $0.time != nil }
        #expect(positions.count == moments.count)
        #expect((epochs - 1...epochs + 1).contains(moments.count))
        #expect(fixes.count { $0.time == nil } == reports.count { $0.time == nil })
        #expect(zip(fixes, fixes.dropFirst()).allSatisfy { $0.arrivedAt <= $1.arrivedAt })
    }

    /// In these recordings, of a gpsd that sends more reports than 3.22, times repeat half a second later.
    @Test(
        "Epochs with many or late reports are one fix each",
        arguments: [("gpsd/telit-he910.log", 187), ("gpsd/ublox-neo-m8l.log", 189), ("gpsd/humminbird-M37.log", 31)])
    func manyReportsOfAnEpochAreOneFix(name: String, epochs: Int) throws {
        let fixes = GpsdLog.fixes(json: try GpsdLog(name).recordedJSON()).map(\.1)
        #expect(fixes.count { $0.time != nil } == epochs)
    }
}
