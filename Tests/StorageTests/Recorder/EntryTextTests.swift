import Domain
import JSONCoding
import JournalCoding
import Pipeline
import TestKit
import Testing

@Test(arguments: 1...200 as ClosedRange<UInt64>)
func entrySurvivesEncodingAndDecoding(seed: UInt64) throws {
    var entries = RandomEntries(seed: seed)
    for kind in 0..<RandomEntries.kinds {
        let entry = entries.next(kind: kind).kind
        var writer = JSONWriter()
        writer.entry(entry)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(!text.contains("\n"))
        #expect(try InputLogEntry.Kind(name: entry.name, json: JSON(parsing: writer.bytes)) == entry, "\(text)")
    }
}

/// Snapshots in journals of earlier versions lack later additions.
@Test func snapshotOfAnEarlierVersionDecodes() throws {
    var entries = RandomEntries(seed: 1)
    let all = (0..<RandomEntries.kinds).map { entries.next(kind: $0) }
    let entry = try #require(all.first { $0.kind.name == "beginning" })
    guard case .snapshot(var beginning) = entry.kind else {
        Issue.record("\(entry.kind) is no snapshot")
        return
    }
    var writer = JSONWriter()
    writer.entry(entry.kind)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    let old = text.replacing(#","lead":\#(beginning.filter.lead.wholeNanoseconds)"#, with: "")
    #expect(old != text)
    beginning.filter.lead = .zero
    #expect(try InputLogEntry.Kind(name: "beginning", json: JSON(parsing: old.utf8)) == .snapshot(beginning))
}

@Test(arguments: 1...50 as ClosedRange<UInt64>)
func entryShiftsToAnotherClockAndBack(seed: UInt64) throws {
    var entries = RandomEntries(seed: seed)
    let shift = Duration.milliseconds(1_234_567)
    for kind in 0..<RandomEntries.kinds {
        let entry = entries.next(kind: kind)
        let shifted = entry.shifted(by: shift)
        #expect(shifted.at == entry.at + shift)
        #expect(shifted.shifted(by: .zero - shift) == entry)
        if case .snapshot(let beginning) = entry.kind, case .snapshot(let moved) = shifted.kind {
            #expect(moved.nextSecond == beginning.nextSecond + shift)
            #expect(moved.newest?.arrivedAt == beginning.newest.map { $0.arrivedAt + shift })
            #expect(moved.clock.offset == beginning.clock.offset.map { $0 - 1_234_567 })
        }
    }
}

/// A run of release 0.1.0, in which the fields of its only screen were changed.
@Test func entryOfFormerComponentsIsOneOfScreens() throws {
    let settings =
        #"{"sport":"hike","components":[{"name":"Pace","position":0,"visible":true,"#
        + #""title_visible":false,"size":40,"colour":"mint"}]}"#
    let kind = try InputLogEntry.Kind(
        name: "setting", json: JSON(parsing: #"{"key":"components","settings":\#(settings)}"#.utf8))
    guard case .input(.setting(let key, let changed)) = kind else {
        Issue.record("\(kind)")
        return
    }
    #expect(key == .screens && changed.sport == .hike)
    #expect(changed.screens[.hike].first == [ScreenField(.pace, titleVisible: false, size: 40, colour: .mint)])
    #expect(changed.screens[.ride].first == [ScreenField(.speed, titleVisible: false, size: 40, colour: .mint)])
}

@Test(arguments: [
    ("fix", #"{"arrived_at":1,"mode":256}"#), ("fix", #"{"mode":3}"#), ("heart", #"{"bpm":70}"#),
    ("heart", #"{"bpm":70,"rr_1024":[65536]}"#), ("battery", #""full""#), ("heart link", #"{"link":"perhaps"}"#),
    ("command", #"{"command":"fly"}"#), ("beginning", "{}"), ("outage", #"{"ns":1}"#), ("slept", "1.5"),
    ("setting", #"{"key":"sport","settings":{}}"#), ("nothing", "1"),
    ("sensor", #"{"id":"board","kinds":["sonar"],"link":"connected"}"#), ("sensor removed", #""roof""#),
    ("measurement", "{}"), ("measurement", #"["board","sonar",1]"#), ("measurement", #"["roof","power",1]"#),
    ("measurement", #"["board","power"]"#), ("measurement", #"["board","power",32768]"#),
    ("measurement", #"["board","foot-pod",1,256]"#), ("measurement", #"["board","radar",1,2]"#),
    ("measurement", #"["board","heart-rate",70,null,null,-1]"#),
])
func malformedEntryIsRejected(name: String, text: String) throws {
    let json = try JSON(parsing: text.utf8)
    #expect(throws: ParseError.self) { try InputLogEntry.Kind(name: name, json: json) }
}
