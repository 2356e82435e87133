import Domain
import TestKit
import Testing
import Weather

/// A file of reports in `Tests/Data/metar`.
func lines(of name: String) throws -> [Substring] {
    let file = try #require(ReferenceFile.all(in: "metar", ".csv").first { $0.name == name && $0.isInTree })
    return String(decoding: try file.bytes(), as: UTF8.self).split(separator: "\n")
}

/// 2026-03-15 12:00 UTC.
let now = UTC(milliseconds: UTC(year: 2026, month: 3, day: 15).milliseconds + 12 * 3_600_000)

func metar(_ report: String, receivedAt time: UTC = now) throws -> Metar {
    try Metar(Array(report.utf8), receivedAt: time)
}

func taf(_ report: String, receivedAt time: UTC = now) throws -> Taf {
    try Taf(Array(report.utf8), receivedAt: time)
}

func date(_ text: String) throws -> UTC {
    try #require(UTC(iso8601: text))
}

/// An error, as a report line of `pacectl` has it.
func failure(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return "\(error)"
    }
}

let knot = 1852.0 / 3600
let mile = 1609.344
let foot = 0.3048

func isNear(_ one: Double?, _ other: Double?, within tolerance: Double = 1e-9) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return abs(one - other) <= tolerance
}
