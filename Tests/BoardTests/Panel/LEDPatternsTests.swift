import Board
import Domain
import TestKit
import Testing

struct LEDPatternsTests {
    private static let four: [PanelLight: [String]] = [
        .searching: ["blue"], .ready: ["green"], .recording: ["white"], .fault: ["red"],
    ]

    /// The LED's state per tenth of a second: `1` on, `.` off. It is updated only at its deadlines.
    private static func film(_ name: String, _ lights: LEDPatterns, tenths: Int, from start: Instant) -> String {
        var lights = lights
        var film = ""
        var lit = lights.isLit(name, at: start)
        var deadline = lights.deadline(after: start)
        for tenth in 0..<tenths {
            let now = start + .milliseconds(100 * tenth)
            while let due = deadline, due <= now {
                lights.tick(at: due)
                lit = lights.isLit(name, at: due)
                deadline = lights.deadline(after: due)
            }
            film += lit ? "1" : "."
        }
        return film
    }

    private static func lights(
        _ names: [PanelLight: [String]], _ run: RunState?, isSearching: Bool = false, hasFaults: Bool = false
    ) -> LEDPatterns {
        let clock = ManualClock()
        var lights = LEDPatterns(names, at: clock.now)
        lights.update(run.map { PanelStatus(run: $0, isSearching: isSearching, hasFaults: hasFaults) }, at: clock.now)
        return lights
    }

    private static let slow = "1111111111.........."
    private static let even = "11111.....11111....."
    private static let fast = "1.1.1.1.1.1.1.1.1.1."
    private static let flash = "1..................."
    private static let on = "11111111111111111111"
    private static let dark = "...................."

    @Test(
        arguments: [
            (nil, false, false, [dark, dark, dark, fast]),
            (.idle, true, false, [slow, dark, dark, dark]),
            (.idle, false, false, [dark, on, dark, dark]),
            (.idle, false, true, [dark, on, dark, fast]),
            (.active, false, false, [dark, dark, on, dark]),
            (.active, true, false, [slow, dark, on, dark]),
            (.paused, false, false, [dark, dark, even, dark]),
            (.paused, true, true, [slow, dark, even, fast]),
        ] as [(RunState?, Bool, Bool, [String])])
    func fourLEDsShowFourStates(run: RunState?, isSearching: Bool, hasFaults: Bool, films: [String]) {
        let lights = Self.lights(Self.four, run, isSearching: isSearching, hasFaults: hasFaults)
        #expect(
            ["blue", "green", "white", "red"].map {
                Self.film($0, lights, tenths: 20, from: ManualClock().now)
            } == films)
    }

    @Test(
        arguments: [
            (nil, false, false, fast),
            (.idle, true, false, slow),
            (.idle, false, false, flash),
            (.active, false, false, on),
            (.active, true, false, on),
            (.paused, false, false, even),
            (.active, false, true, fast),
        ] as [(RunState?, Bool, Bool, String)], PanelLight.allCases)
    func singleLEDShowsAllStates(_ status: (RunState?, Bool, Bool, String), named: PanelLight) {
        let lights = Self.lights([named: ["ACT"]], status.0, isSearching: status.1, hasFaults: status.2)
        #expect(Self.film("ACT", lights, tenths: 20, from: ManualClock().now) == status.3)
    }

    @Test func ledWithTwoStatesShowsTheFirst() {
        let names: [PanelLight: [String]] = [.searching: ["a"], .ready: ["a"], .recording: ["b"], .fault: ["b"]]
        let start = ManualClock().now
        #expect(Self.film("a", Self.lights(names, .idle), tenths: 20, from: start) == Self.on)
        #expect(Self.film("a", Self.lights(names, .idle, isSearching: true), tenths: 20, from: start) == Self.slow)
        #expect(Self.film("b", Self.lights(names, .active), tenths: 20, from: start) == Self.on)
        #expect(Self.film("b", Self.lights(names, .active, hasFaults: true), tenths: 20, from: start) == Self.fast)
        #expect(Self.film("a", Self.lights(names, nil), tenths: 20, from: start) == Self.dark)
    }

    @Test func rejectedCommandFlashesTheFaultLEDThreeTimes() {
        var clock = ManualClock()
        var lights = Self.lights(Self.four, .idle)
        lights.rejected(at: clock.advance(by: .milliseconds(730)))
        #expect(Self.film("red", lights, tenths: 12, from: clock.now) == "1.1.1.......")
        #expect(Self.film("green", lights, tenths: 12, from: clock.now) == "111111111111")
    }

    @Test func acceptedCommandTurnsTheLEDOffBriefly() {
        var clock = ManualClock()
        var lights = Self.lights(Self.four, .active)
        lights.accepted(.active, at: clock.advance(by: .seconds(3)))
        #expect(Self.film("white", lights, tenths: 6, from: clock.now) == "..1111")
        lights.accepted(.paused, at: clock.advance(by: .seconds(3)))
        #expect(Self.film("white", lights, tenths: 12, from: clock.now) == "..11111.....")
        lights.accepted(.idle, at: clock.advance(by: .seconds(3)))
        #expect(Self.film("white", lights, tenths: 4, from: clock.now) == "....")
        #expect(Self.film("green", lights, tenths: 4, from: clock.now) == "1111")
    }

    @Test func blinkingIsNotDisturbedByUpdates() {
        var clock = ManualClock()
        var lights = Self.lights(Self.four, .paused)
        for _ in 0..<33 {
            lights.update(
                PanelStatus(run: .paused, isSearching: false, hasFaults: false),
                at: clock.advance(by: .milliseconds(70)))
        }
        #expect(Self.film("white", lights, tenths: 10, from: ManualClock().now + .seconds(3)) == "11111.....")
    }

    @Test func steadyLEDsHaveNoDeadline() {
        let now = ManualClock().now
        #expect(Self.lights(Self.four, .active).deadline(after: now) == nil)
        #expect(Self.lights([:], nil).deadline(after: now) == nil)
        #expect(Self.lights(Self.four, nil).deadline(after: now) == now + .milliseconds(100))
    }

    @Test func alertFlashesForTwoSecondsOverAnythingElse() {
        let clock = ManualClock()
        let names: [PanelLight: [String]] = [.alert: ["blue"], .fault: ["red"], .recording: ["white", "blue"]]
        var lights = Self.lights(names, .active, hasFaults: true)
        lights.alerted(at: clock.now)
        let film = Self.film("blue", lights, tenths: 30, from: clock.now)
        #expect(film == String(repeating: "11.1.", count: 4) + "1111111111")
        #expect(Self.film("red", lights, tenths: 20, from: clock.now) == Self.fast)
        #expect(Self.film("white", lights, tenths: 20, from: clock.now) == Self.on)
    }
}
