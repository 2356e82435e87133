import Board
import Console
import Domain
import JSONCoding
import Testing

struct StatusTextTests {
    @Test func reportShowsAllFieldsOfARun() throws {
        let state = try Views.view(Views.run, (#""faults":[]"#, #""faults":[{"fault":"x","message":"all is wrong"}]"#))
            .state!
        #expect(
            StatusText(metric: true).report(state) == """
                Running, activity 17
                  Time      27:12, moving 26:50
                  Distance  5.03 km, 42 m up
                  Pace      5:12 min/km, average 5:24 min/km
                  Lap 3     3:12, 0.60 km
                  Heart     148 bpm, Zone 2, average 141, highest 163
                  Strap     Polar H10 00000001 connected, battery 80 %
                  Position  52.50000 13.40000, 34 m high, ±4 m, 9 satellites
                  gpsd      connected, /dev/ttyACM0
                  Fault     all is wrong

                """)
    }

    @Test func automaticPauseIsInTheTitleOfTheReportAndOfTheScreen() throws {
        let view = try Views.view(Views.run, (#""sport":"run","#, #""sport":"run","auto_paused":true,"#))
        let state = try #require(view.state)
        #expect(StatusText(metric: true).report(state).hasPrefix("Auto-paused, activity 17\n"))
        #expect(StatusText(metric: true).line(state).hasPrefix("Auto-paused  "))
        let paused = try Views.view(Views.run, (#""run":"active""#, #""run":"paused""#)).state
        #expect(try StatusText(metric: true).report(#require(paused)).hasPrefix("Paused, "))
    }

    @Test(arguments: [
        (#"{"battery_percent":62,"charging":true}"#, "62 %, charging"), (#"{"battery_percent":3}"#, "3 %"),
    ])
    func batteryOfTheBoardIsReported(power: String, words: String) throws {
        let state = try Views.view(Views.run, (#""recorder""#, #""power":\#(power),"recorder""#)).state!
        #expect(StatusText(metric: true).report(state).contains("\n  Battery   \(words)\n"))
    }

    @Test(arguments: [
        (#"{"state":"day","light_left_s":34201,"set":"2026-03-01T16:52:33.123Z"}"#, "9:30:01 left, sunset "),
        (#"{"state":"day","rise":"2026-05-01T00:52:33.123Z","set":"2026-05-01T22:52:33.123Z"}"#, "no dusk, sunset "),
        (#"{"state":"twilight","light_left_s":90}"#, "1:30 left, twilight\n"),
        (#"{"state":"night","light_left_s":0,"rise":"2026-03-01T06:52:33.123Z"}"#, "dark\n"),
        (#"{"state":"night","light_left_s":0,"rise":"2126-03-01T06:52:33.123Z"}"#, "dark, sunrise "),
        (#"{"state":"polar-day"}"#, "polar day\n"), (#"{"state":"polar-night","light_left_s":0}"#, "polar night\n"),
    ])
    func lightIsReported(sun: String, words: String) throws {
        var state = try Views.view(Views.run).state!
        state.sun = SunStatus(try JSON(parsing: sun.utf8))
        #expect(StatusText(metric: true).report(state).contains("\n  Light     \(words)"))
    }

    @Test func idleReportShowsTheLinks() throws {
        #expect(
            StatusText(metric: false).report(try Views.view(Views.idle).state!) == """
                Ready
                  Strap     no HR monitor connected (searching)
                  Position  not known
                  gpsd      gpsd is not running

                """)
    }

    @Test func lineSummarizesTheState() throws {
        #expect(
            StatusText(metric: true).line(try Views.view(Views.run).state!)
                == "Running  27:12  5.03 km  5:12 min/km  148 bpm, Zone 2")
        #expect(
            StatusText(metric: false).line(
                try Views.view(Views.run, (#""stale":false,"contact""#, #""stale":true,"contact""#)).state!)
                == "Running  27:12  3.13 mi  8:22 min/mi  148 bpm, Zone 2, 0 s old")
        #expect(
            StatusText(metric: true).line(try Views.view(Views.idle).state!)
                == "Ready  no HR monitor connected (searching)  gpsd is not running")
    }

    @Test func shortTimesHaveAUnitOnlyInTheReport() throws {
        let state = try Views.view(Views.run, (#""elapsed_ms":1632300"#, #""elapsed_ms":12300"#)).state!
        #expect(StatusText(metric: true).report(state).contains("Time      12.3 s, moving 26:50"))
        #expect(
            StatusText(metric: true).summary(state.total, averagePace: nil, .run)
                == "5.03 km, in 12.3 s, 141 bpm on average, 163 bpm at most")
        #expect(StatusText(metric: true).line(state).hasPrefix("Running  12.3  5.03 km"))
    }

    @Test func heightsAreInFeetBesideMiles() throws {
        let state = try Views.view(Views.run).state!
        let report = StatusText(metric: false).report(state)
        #expect(report.contains("3.13 mi, 136 ft up"))
        #expect(report.contains("112 ft high, ±13 ft"))
        #expect(StatusText.positionInShort(state, metric: false).hasSuffix("±13 ft"))
        #expect(StatusText(metric: true).report(state).contains("34 m high, ±4 m"))
    }

    @Test func demoSaysThatItsLossOfThePositionIsPlanned() throws {
        let view = try Views.view(
            Views.idle,
            (
                #""link":"disconnected","reason":"not-running""#,
                #""link":"connecting","reason":"no-fix","device":"simulated""#
            ))
        #expect(StatusText.positionProblem(view.state!) == "no GPS: the demo's tunnel")
    }

    @Test(arguments: [
        ("connecting", "no-fix", "no GPS fix"), ("connecting", "", "GPS connecting…"), ("connected", "", "no position"),
        ("disconnected", "no-device", "gpsd has no receiver"), ("disconnected", "sunspots", "no GPS: sunspots"),
    ])
    func missingPositionHasAReason(_ link: String, _ reason: String, _ text: String) throws {
        let view = try Views.view(
            Views.idle, (#""link":"disconnected","reason":"not-running""#, #""link":"\#(link)","reason":"\#(reason)""#))
        #expect(StatusText.positionProblem(view.state!) == text)
    }

    @Test(arguments: [
        ("disconnected", "searching", "kernel", "no HR monitor connected (searching)"),
        ("disconnected", "adapter-off", "kernel", "Bluetooth disabled (the adapter is off)"),
        ("disconnected", "off", "off", "sensors are switched off"),
        ("disconnected", "off", "kernel", "sensors are switched off"),
        ("disconnected", "moon-phase", "kernel", "no HR monitor connected (moon-phase)"),
        ("disconnected", #"\u001b[2J"#, "kernel", "no HR monitor connected (\u{FFFD}[2J)"),
        ("connecting", "", "off", "connecting strap…"),
        ("connected", "", "off", "strap connected"),
    ])
    func strapLinkIsShownInTheAppsWords(_ link: String, _ reason: String, _ way: String, _ text: String) throws {
        let view = try Views.view(
            Views.idle, (#""link":"disconnected","reason":"searching""#, #""link":"\#(link)","reason":"\#(reason)""#),
            (#""backend":"kernel""#, #""backend":"\#(way)""#))
        #expect(StatusText.heartLink(view.state!) == text)
    }

    @Test func startSaysThatItCouldNotGoBackAsFar() {
        #expect(Invocation.shortfall(of: .seconds(90), reached: .milliseconds(90_040)) == "")
        #expect(Invocation.shortfall(of: .zero, reached: .milliseconds(40)) == "")
        #expect(
            Invocation.shortfall(of: .seconds(90), reached: .milliseconds(45_040))
                == " It began 45 s ago, and not 90 s: a run begins neither before the end of the last one nor before the "
                + "start of paced.")
    }
}
