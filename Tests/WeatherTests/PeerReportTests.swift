import Domain
import JSONCoding
import TestKit
import Testing
import Weather

/// Reports of other decoders' tests, and the figures on which these agree.
@Suite struct PeerReportTests {
    @Test func `All but two of metaf's reports are decoded, and nearly all of their words`() throws {
        var failures: Set<String> = []
        var unread = 0
        var count = 0
        for line in try lines(of: "metaf.csv.gz") {
            let cells = line.split(separator: ",", maxSplits: 2)
            let noon = try date(cells[1] + "T12:00:00Z")
            count += 1
            do {
                if cells[0] == "METAR" {
                    unread += try metar(String(cells[2]), receivedAt: noon).unread.count
                } else {
                    unread += try taf(String(cells[2]), receivedAt: noon).unread.count
                }
            } catch {
                failures.insert("\(cells[2].prefix(30)): \(error)")
            }
        }
        #expect(count == 845)
        // They say that there is nothing to decode.
        #expect(
            failures == [
                "METAR CYSY NIL=: expected the day and the time at byte 11",
                "TAF CYCA 111938Z 1120/1208 FCS: expected a wind, a visibility or another group of a forecast at byte 27",
            ])
        #expect(unread <= 50)
    }

    /// Two of the three do not read tenths, which differ by 0.7 °C once.
    @Test func `All figures on which two of three decoders agree are ours`() throws {
        let file = try #require(ReferenceFile.all(in: "metar", "metar_consensus.json").first { $0.isInTree })
        let entries = try #require(try JSON(parsing: try file.bytes()).array)
        #expect(entries.count == 46)
        var figures = 0
        for entry in entries {
            let text = try #require(entry["raw"]?.string)
            let report = try metar(text)
            let wind = report.conditions.wind
            let time = report.time.fields
            let ours: [(String, Double?, Double)] = [
                ("wspd_kt", wind?.metresPerSecond.map { $0 / knot }, 0.6),
                ("gust_kt", wind?.gustMetresPerSecond.map { $0 / knot }, 0.6),
                ("vis_m", report.conditions.visibility?.metres, 0.02 * (report.conditions.visibility?.metres ?? 0)),
                ("temp_c", report.celsius, text.contains(" 22/22 ") && text.contains(" T0227") ? 0.7 : 0.6),
                ("dew_c", report.dewPointCelsius, 0.6), ("press_hpa", report.hectopascals, 1),
                // A calm has no direction.
                ("wdir", wind?.fromDegrees.map(Double.init) ?? (wind?.metresPerSecond == 0 ? 0 : nil), 0),
            ]
            for (name, figure, tolerance) in ours where entry["disagree"]?[name] == nil {
                figures += 1
                #expect(isNear(figure, entry["truth"]?[name]?.number, within: tolerance + 1e-9), "\(name): \(text)")
            }
            let moment = try #require(entry["truth"]?["day_hhmm"]?.string)
            #expect(entry["truth"]?["station"]?.string == report.station, "\(text)")
            #expect(Int(moment) == (time.day * 100 + time.hour) * 100 + time.minute, "\(text)")
        }
        #expect(figures > 300)
    }
}
