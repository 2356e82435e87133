import Domain
import Testing
import Weather

/// Reports of the whole world, against NOAA's own decoder.
@Suite struct NOAATests {
    private enum Column: String, CaseIterable {
        case direction, speed, gust, visibility, temperature, dewPoint, pressure
    }

    /// What NOAA's decoder does not read or reads wrongly.
    private static func reason(_ column: Column, _ report: Substring) -> String? {
        let words = report.split(separator: " ")
        switch column {
        case .direction, .speed, .gust:
            // "///05KT", "280//KT", "32020G//KT"
            if words.contains(where: { $0.hasSuffix("KT") && $0.contains("//") }) {
                return "a wind with a missing part"
            }
        case .visibility:
            if words.contains(where: { $0.hasSuffix("NDV") }) { return "NDV" }
        case .temperature, .dewPoint:
            // "27///", "///22"
            if words.contains(where: { $0.count == 5 && $0.contains("///") }) { return "one of the two is missing" }
        case .pressure: break
        }
        return others.first { report.hasPrefix($0.key) }?.value
    }

    private static let others = [
        "KWDG 231120Z": "miles behind a space", "KWDG 222350Z": "miles behind a space",
        "KWDG 221850Z": "miles behind a space", "KL35 230035Z": "NOAA reads 4 1/4 of V274 1/4SM",
        "LIRQ 180750Z": "NOAA reads nothing behind R05/0500/",
        "OPLA 180725Z": "two pressures in one word", "OPRN 180700Z": "two pressures in one word",
        "OPPS 180700Z": "NOAA reads Q1020.5 as 1020.4",
        "MZBZ 221900Z": "A2994 Q1013: the first of two pressures is ours",
        "OEPS 221858Z": "tenths before a $: NOAA reads another report's",
    ]

    /// Misprints that NOAA's decoder reads and ours does not.
    private static let misprints = [
        "KEKS 220235Z", "MGPB 231100Z", "ETAR 230035Z", "HTIB 230000Z", "OPNH 180700Z", "WALL 180730Z",
    ]

    @Test func `Every figure is NOAA's, but for listed misprints and what NOAA does not read`() throws {
        var compared: [Column: Int] = [:]
        var unlike: [Column: Int] = [:]
        var rejected: [Substring] = []
        var count = 0
        for line in try lines(of: "noaa.csv.gz").dropFirst() {
            let cells = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
            let text = cells[8]
            let time = try date(String(cells[0]))
            count += 1
            guard let report = try? metar(String(text), receivedAt: time) else {
                rejected.append(text)
                continue
            }
            if report.time != time { Issue.record("\(text): \(report.time)") }
            let wind = report.conditions.wind
            let isKnown = wind?.fromDegrees != nil || wind?.isVariable == true || wind?.metresPerSecond != nil
            let ours: [Column: (Double?, Double)] = [
                // NOAA writes 0 for calm and variable winds.
                .direction: (wind?.fromDegrees.map(Double.init) ?? (isKnown ? 0 : nil), 0),
                .speed: (wind?.metresPerSecond.map { $0 / knot }, 0.6),
                .gust: (wind?.gustMetresPerSecond.map { $0 / knot }, 0.6),
                .visibility: (report.conditions.visibility.map { $0.metres / mile }, 0.01),
                .temperature: (report.celsius, 0.01), .dewPoint: (report.dewPointCelsius, 0.01),
                .pressure: (report.hectopascals.map { $0 / 33.8639 }, 0.01),
            ]
            let theirs: [Column: Substring] = [
                .direction: cells[1], .speed: cells[2], .gust: cells[3], .visibility: cells[4], .temperature: cells[5],
                .dewPoint: cells[6], .pressure: cells[7],
            ]
            for column in Column.allCases {
                guard let (figure, tolerance) = ours[column], let cell = theirs[column] else { continue }
                let expected = Double(cell)
                if expected == nil, figure == nil { continue }
                let allowance = tolerance + (column == .visibility ? (expected ?? 0) * 0.005 : 0)
                if isNear(figure, expected, within: allowance) {
                    compared[column, default: 0] += 1
                } else if Self.reason(column, text) == nil {
                    compared[column, default: 0] += 1
                    unlike[column, default: 0] += 1
                    let isMisprint = Self.misprints.contains { text.hasPrefix($0) }
                    #expect(isMisprint, "\(column): \(figure.map(\.description) ?? "none"), NOAA \(cell): \(text)")
                }
            }
        }
        #expect(count == 23_770)
        // Sondes of an aircraft and cut reports: neither CAVOK nor MPS nor AUTO nor slashes are a reason.
        #expect(rejected.count == 7)
        #expect(rejected.allSatisfy { $0.hasPrefix("UTO8 ") || $0 == "SCBA 221900Z " || $0.hasPrefix("KNMT 1218 ") })
        for column in Column.allCases {
            let total = try #require(compared[column])
            #expect(total > (column == .gust ? 2500 : 21_000), "\(column)")
            #expect(
                Double(unlike[column] ?? 0) <= 0.001 * Double(total), "\(column): \(unlike[column] ?? 0) of \(total)")
        }
    }
}
