import Console
import Domain
import JSONCoding
import Testing

struct WorkoutStepWordsTests {
    @Test(arguments: [
        ("10 min zone 2 # Warm-up", "10 min · Heart-rate zone 2 · Warm-up"),
        ("600 s zone 2..3", "10 min · Heart-rate zone 2–3"),
        ("90.500 s cadence 80..90", "1 min 30.5 s · Cadence 80–90 rpm"), ("1.5h", "1 h 30 min"), ("90s", "1 min 30 s"),
        ("1000 m pace 4:00..4:15 /km", "1 km · Pace 4:00–4:15 /km"),
        ("400 m pace ..4:15 /km", "400 m · Pace 4:15 or faster /km"),
        ("1 mi speed 25..35km/h", "1 mi · Speed 25–35 km/h"), ("1.5 km power ..280", "1.5 km · Power at most 280 W"),
        ("lap heart_rate 120..", "Until the next lap · Heart rate at least 120 bpm"),
        ("lap pace 6:00.. /mi # Cool #2", "Until the next lap · Pace 6:00 or slower /mi · Cool #2"),
        ("5 min power_zone 3", "5 min · Power zone 3"), ("3 laps of the lake", "3 laps of the lake"),
    ])
    func stepIsShownInWords(text: String, words: String) throws {
        #expect(WorkoutStep.words(of: text) == words)
        var view = try Views.view(Views.run)
        view.received(
            event: try JSON(parsing: #"{"event":"workout","steps":6,"step":2,"text":"\#(text)"}"#.utf8),
            isReplayed: false)
        #expect(view.banner == .text("Step 2 of 6: " + words))
    }

    @Test func helpOfTheWorkoutNamesTheSetting() {
        #expect(CommandHelp.text(of: "workout").contains("settings set workout"))
    }
}
