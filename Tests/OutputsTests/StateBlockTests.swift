import Domain
import JSONCoding
import TestKit
import Testing
import Wire

@Suite struct StateBlockTests {
    private static let settings = {
        var settings = Settings()
        settings.useHeartRateZones = true
        settings.zones = try! Zones([100, 120, 140, 160, 180])
        return settings
    }()

    private func lines(_ state: State, _ settings: Settings = Self.settings) -> StateLines {
        var lines = StateLines(settings: settings)
        lines.encode(state, sequence: 7)
        return lines
    }

    private func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test func lineWithoutBlocksIsTheStateLine() {
        var writer = JSONWriter()
        writer.stateLine(.example, sequence: 7)
        var lines = lines(.example)
        #expect(lines.line(with: []) == writer.bytes)
        _ = lines.line(with: [.fields, .lap, .zones])
        #expect(lines.line(with: []) == writer.bytes)
    }

    @Test func blocksFollowTheMembersInAFixedOrder() throws {
        var lines = lines(.example)
        let plain = text(lines.line(with: []))
        let all = text(lines.line(with: [.zones, .lap, .fields]))
        #expect(all.hasPrefix(plain.dropLast(2) + #","blocks":{"fields":{"time":12.3,"#))
        #expect(all.hasSuffix("]}}}\n"))
        let blocks = try #require(try JSON(parsing: all.utf8)["blocks"])
        #expect(blocks["lap"]?["number"] == .integer(1))
        #expect(blocks["zones"]?["lowest_bpm"]?.array?.count == 5)
        #expect(all.contains(#/"blocks":\{"fields":\{.*\},"lap":\{.*\},"zones":\{/#))
    }

    @Test func eachSetHasItsBlocksOnly() throws {
        var lines = lines(.example)
        for (set, names) in [
            (StateBlocks.fields, ["fields"]), (.zones, ["zones"]), ([.fields, .lap], ["fields", "lap"]),
        ] {
            let line = try JSON(parsing: lines.line(with: set))
            guard case .object(let blocks)? = line["blocks"] else {
                Issue.record("no blocks")
                continue
            }
            #expect(blocks.keys.sorted() == names)
        }
    }

    @Test func nextStateReplacesTheBlocks() {
        var lines = lines(.example)
        let first = lines.line(with: .fields)
        var state = State.example
        state.activity?.total.elapsedMilliseconds += 100
        lines.encode(state, sequence: 8)
        #expect(text(first).contains(#""fields":{"time":12.3,"#))
        #expect(text(lines.line(with: .fields)).contains(#""fields":{"time":12.4,"#))
    }

    @Test func idleStateHasNoLapAndUnsetZonesHaveNoBlock() {
        var lines = lines(.idle(at: Instant(milliseconds: 5)), Settings())
        #expect(
            text(lines.line(with: [.fields, .lap, .zones])).hasSuffix(#""faults":[],"blocks":{"fields":{}}}"# + "\n"))
    }

    @Test func everyFieldWithAValueIsWritten() throws {
        var state = State.example
        state.power = PowerStatus(batteryPercent: 62)
        state.heart.percentOfMaximum = 74.5
        state.heart.percentOfReserve = 65
        state.activity?.lap.maximumHeartRate = 141
        var lines = lines(state)
        let fields = try #require(try JSON(parsing: lines.line(with: .fields))["blocks"]?["fields"])
        for field in DataField.allCases { #expect(fields[field.rawValue] != nil, "\(field.rawValue)") }
        #expect(fields["time_of_day"] == .string("2026-03-01T07:30:12.300Z"))
        #expect(fields["pace"]?.number == 0.3124)
        #expect(fields["speed_3s"]?.number == 3.2)
        #expect(fields["heart_rate_percent_max"]?.number == 74.5)
    }

    /// Every text as long as it may be, and every number with as many digits as it can have.
    @Test func longestLineIsUnder8KiB() {
        var state = State.example
        let name = SanitizedText(String(repeating: "\u{1F6B4}", count: SanitizedText.characterLimit))
        state.heart.link.name = name
        state.gpsd.name = name
        var total = Totals()
        total.elapsedMilliseconds = 10_000_000_000_100
        total.movingMilliseconds = 10_000_000_000_100
        total.distanceMetres = 123_456_789_012.34
        total.maximumSpeed = 123_456.78
        total.averageHeartRate = 255
        total.maximumHeartRate = 255
        state.activity = Activity(
            id: .max, sport: .other, total: total, pace: 3.5999, speed: 123_456.78, lap: total, lapNumber: 1_000_000)
        state.activity?.lastLap = total
        state.faults = FaultName.allCases.map {
            Fault(name: $0, since: state.at, message: String(repeating: "m", count: 200))
        }
        var lines = lines(state)
        #expect(lines.line(with: [.fields, .lap, .zones]).count < 8192)
    }
}
