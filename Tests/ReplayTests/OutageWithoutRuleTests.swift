import Domain
import Foundation
import JSONCoding
import JournalCoding
import Pipeline
import TestKit
import Testing

/// Entries as the first releases with a journal stored them: their outages have no rule, and are pauses.
@Test func outagesWithoutARuleReplayUnchanged() throws {
    let path = Checkout.root.appending(path: "Tests/Data/replay/outages-without-rule.tsv")
    let entries = try String(contentsOf: path, encoding: .utf8).split(separator: "\n").map { line in
        let cells = line.split(separator: "\t").map(String.init)
        let kind = try InputLogEntry.Kind(name: cells[1], json: JSON(parsing: cells[2].utf8))
        return InputLogEntry(at: Instant(nanoseconds: try #require(Int64(cells[0]))), kind)
    }
    let outages = entries.compactMap { if case .outage(let outage) = $0.kind { outage } else { nil } }
    #expect(outages.map(\.rule) == [.paused, .paused])
    #expect(outages.map(\.duration) == [.milliseconds(290), .seconds(120)])
    let again = try Rerecorded(entries)
    let recording = try #require(again.recordingBuilder.recording)
    #expect(recording.total.elapsedMilliseconds == 54_900)
    #expect(recording.totalMilliseconds == 175_276)
    #expect(recording.total.distanceMetres == 162.5129237921595)
    #expect(again.rows.count == 116)
    let marks = again.rows.filter { row in
        switch row {
        case .begin, .end, .lap: true
        default: false
        }
    }
    #expect(
        marks == [
            .begin(at: 0, .command), .lap(at: 20_000, .command), .end(at: 26_433, .outage),
            .begin(at: 26_723, .outage), .lap(at: 33_290, .distance), .end(at: 43_216, .outage),
            .begin(at: 163_216, .outage), .end(at: 175_276, .command),
        ])
    let gaps = again.events.map(\.kind).filter { if case .gap = $0 { true } else { false } }
    #expect(
        gaps == [
            .gap(.restart, seconds: 0.29, metres: nil, counted: false),
            .gap(.restart, seconds: 120, metres: nil, counted: false),
        ])
}
