import Console
import Domain
import JSONCoding
import Testing

struct LineTests {
    @Test func membersKeepTheirTextAndOrder() {
        let members = JSONText.members(
            of: #" {"b" : {"x":[1,{"y":2}],"z":"}"} , "a\"\u0062":-1.50e3,"s":"a,b:\"{\\","n":null, "e":[] } "#)
        #expect(members.map(\.name) == ["b", #"a"b"#, "s", "n", "e"])
        #expect(members.map(\.value) == [#"{"x":[1,{"y":2}],"z":"}"}"#, "-1.50e3", #""a,b:\"{\\""#, "null", "[]"])
        #expect(JSONText.members(of: "{}").isEmpty)
        #expect(JSONText.members(of: "[1]").isEmpty)
        #expect(JSONText.members(of: #"{"a":"#).isEmpty)
    }

    @Test(arguments: [
        ("true", "true"), ("[1,\n2]", "[1, 2]"), ("ride", #""ride""#), (#""ride""#, #""ride""#),
        (#"say "x\""#, #""say \"x\\\"""#), ("a\nb\u{1B}", #""a\u000ab\u001b""#), ("null", "null"), ("", #""""#),
    ])
    func typedValueIsJSONOrAString(_ typed: String, _ text: String) throws {
        #expect(JSONText.value(typed: typed) == text)
        _ = try JSON(parsing: text.utf8)
    }

    @Test func stateLineParses() throws {
        let state = try Views.view(Views.run).state!
        #expect(state.run == .active)
        #expect(state.time == UTC(milliseconds: UTC(year: 2026, month: 3, day: 1).milliseconds + 27_012_300))
        #expect(state.activity == 17)
        #expect(state.sport == .run)
        #expect(state.total.elapsedMilliseconds == 1_632_300)
        #expect(state.total.distanceMetres == 5034.2)
        #expect(state.total.averageBPM == 141)
        #expect(state.total.maximumBPM == 163)
        #expect(state.pace == 0.3124)
        #expect(state.lap?.number == 3)
        #expect(state.lap?.figures.averageBPM == 151)
        #expect(state.heart.link == .init(state: .connected, name: "Polar H10 00000001"))
        #expect(state.heart.zone == 2)
        #expect(state.position?.satellites == 9)
        #expect(state.gpsd == .init(state: .connected, name: "/dev/ttyACM0"))
        #expect(state.bluetooth.name == "kernel")
        #expect(state.faults.isEmpty)
    }

    @Test func valuesOutOfRangeAreNil() throws {
        let state = try Views.view(
            Views.run, (#""bpm":148"#, #""bpm":148000"#), (#""battery_percent":80"#, #""battery_percent":-1"#),
            (#""zone":2"#, #""zone":77"#), (#""elapsed_ms":1632300"#, #""elapsed_ms":-5"#),
            (#""zone_fraction":0.489"#, #""zone_fraction":1e300"#), ("2026-03-01", "2026-13-01"),
            (#""distance_m":5034.2"#, #""distance_m":1e300"#), (#""number":3"#, #""number":"three""#)
        ).state!
        #expect(state.heart.bpm == nil)
        #expect(state.heart.batteryPercent == nil)
        #expect(state.heart.zone == nil)
        #expect(state.heart.zoneFraction == 1)
        #expect(state.total.elapsedMilliseconds == nil)
        #expect(state.time == nil)
        #expect(state.lap == nil)
        #expect(StatusText(metric: true).distance(state.total) == "-- km")
    }

    @Test func otherLinesAreNotStates() throws {
        for line in [
            #"{"class":"EVENT","run":"idle"}"#, #"{"class":"STATE"}"#, #"{"class":"STATE","run":"flying"}"#, "7",
        ] {
            #expect(ReceivedState(try JSON(parsing: line.utf8)) == nil)
        }
    }

    @Test(arguments: UInt64(1)...8)
    func damagedLinesDoNotTrap(seed: UInt64) throws {
        var random = SeededBytes(state: seed)
        let valid = Array(Views.run.utf8)
        let printable = Array(#"0123456789-.eaxZ ","#.utf8)
        var (broken, others, states) = (0, 0, 0)
        for count in 0..<2_000 {
            var bytes = valid
            for _ in 0...random.next(below: 4) {
                // Most lines stay JSON if they stay text.
                bytes[random.next(below: bytes.count)] =
                    count.isMultiple(of: 2) ? random.byte() : printable[random.next(below: printable.count)]
            }
            guard let json = try? JSON(parsing: bytes) else {
                broken += 1
                continue
            }
            _ = Settings(line: json)
            let view = WatchModel(state: ReceivedState(json))
            #expect(Screen(size: Size(columns: 80, rows: 24), palette: .many).rows(of: view).count <= 24)
            guard let state = view.state else {
                others += 1
                continue
            }
            states += 1
            #expect(!StatusText(metric: true).report(state).isEmpty)
            #expect(!StatusText(metric: false).line(state).isEmpty)
        }
        #expect(broken > 200 && others > 0 && states > 200, "\(broken) broken, \(others) others, \(states) states")
    }

    @Test func fieldsAndMembersOfLaterReleasesAreIgnored() throws {
        let line = #"""
            {"class":"SETTINGS","metric":true,"twelve_hour_clock":"yes","screens":{"run":[{"fields":["weather",7,
            {"field":"time","size":60,"colour":"ultraviolet","font":1}],"title":"x"}],"swim":[]}}
            """#
        let settings = try #require(Settings(line: try JSON(parsing: line.utf8)))
        #expect(settings.metric == true)
        #expect(!settings.twelveHourClock)
        #expect(settings.screens[.run] == [[ScreenField(.time, size: 60)]])
        #expect(settings.screens.isDefault(for: .ride))
    }

    @Test func protocolOfALaterReleaseIsRejected() throws {
        let line = #"{"class":"VERSION","program":"paced","release":"9.0","protocol":2}"#
        let failure = try #require(Failure(version: try JSON(parsing: line.utf8)))
        #expect(failure.status == .failed)
        #expect(Failure(version: try JSON(parsing: #"{"class":"VERSION","protocol":1}"#.utf8)) == nil)
    }
}

/// Reproducible random bytes (SplitMix64).
private struct SeededBytes {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(bound))
    }

    mutating func byte() -> UInt8 {
        UInt8(next(below: 256))
    }
}
