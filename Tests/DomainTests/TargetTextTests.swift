import Domain
import Testing

@Suite struct TargetTextTests {
    private func range(_ text: String) -> (low: Double?, high: Double?)? {
        guard case .range(let range)? = Alert(text)?.subject else { return nil }
        return (range.low, range.high)
    }

    @Test func rangesHaveOneEndOrTwo() throws {
        #expect(try #require(range("heart_rate 120..165")) == (120, 165))
        #expect(try #require(range("power ..280")) == (nil, 280))
        #expect(try #require(range("cadence 80..")) == (80, nil))
        #expect(try #require(range("zone 2..3")) == (2, 3))
        #expect(try #require(range("power_zone 4")) == (4, 4))
    }

    @Test func speedsAndPacesHaveUnits() throws {
        #expect(try #require(range("speed 18..36 km/h")) == (5, 10))
        #expect(try #require(range("speed 5..10m/s")) == (5, 10))
        let miles = try #require(range("speed 10..20 mph"))
        #expect(abs(try #require(miles.low) - 4.4704) < 1e-9)
        // The pace is kept as its speed: the slow end is the low one.
        let pace = try #require(range("pace 4:00..5:00 /km"))
        #expect(abs(try #require(pace.low) - 1000.0 / 300) < 1e-9)
        #expect(abs(try #require(pace.high) - 1000.0 / 240) < 1e-9)
        #expect(try #require(range("pace 8:00.. /mi")).low == nil)
    }

    @Test func intervalsHaveUnits() {
        #expect(Alert("distance 1 km")?.subject == .distance(1000))
        #expect(Alert("distance 400m")?.subject == .distance(400))
        #expect(Alert("time 10 min")?.subject == .time(600_000))
        #expect(Alert("time  1.5h")?.text == "time 1.5h")
        #expect(Alert("sensor_lost")?.subject == .sensorLost)
    }

    @Test(arguments: [
        "", "heart", "heart_rate", "heart_rate 120", "heart_rate 165..120", "heart_rate 120..120", "heart_rate ..",
        "heart_rate 20..90", "heart_rate 120..999", "heart_rate 120..165 bpm", "heart_rate 1e2..165", "zone 0",
        "zone 6",
        "zone 3..2", "zone 2.5", "power_zone 8", "speed 20..30", "speed 20..30 knots", "speed nan..30 km/h",
        "pace 4..5 /km", "pace 5:00..4:00 /km", "pace 4:60..5:00 /km", "pace 4:5..5:00 /km", "pace 0:00..5:00 /km",
        "pace 4:00..5:00", "distance", "distance 1", "distance 1 parsec", "distance 10 m", "distance 1e9 km",
        "distance -5 km", "time 5 s", "time 25 h", "sensor_lost now", "position_lost 5", "heart_rate -120..165",
        "distance 99999999999999999999999999999999999999999999999999999999999999 km",
    ])
    func wrongWordsAreNoAlert(text: String) {
        #expect(Alert(text) == nil)
    }

    /// The rule of a quantity states its limits: these words are right, and wrong beyond them.
    @Test(arguments: [
        ("heart_rate 30..250", "heart_rate 29..250", "heart_rate is 30 to 250"),
        ("zone 1..5", "zone 1..6", "zone is 1 to 5"), ("power 1..4000", "power 1..4001", "power is 1 to 4000"),
        ("power_zone 1..7", "power_zone 8", "power_zone is 1 to 7"),
        ("cadence 1..300", "cadence 1..301", "cadence is 1 to 300"),
        ("speed 0.1..60 m/s", "speed 0.1..61 m/s", "speed is 0.1 to 60 m/s"),
        ("pace 1:00..60:00 /km", "pace 0:59..60:00 /km", "pace is 1:00 to 60:00 /km"),
        ("distance 1000 km", "distance 99 m", "distance is 100 m to 1000 km"),
        ("time 24 h", "time 9 s", "time is 10 s to 24 h"),
    ])
    func ruleOfWrongWordsStatesTheLimits(right: String, wrong: String, limits: String) {
        #expect(Alert(right) != nil && Alert(wrong) == nil)
        #expect(Alert.rule(for: wrong).hasSuffix(limits))
        guard !wrong.contains("time"), !wrong.contains("distance") else { return }
        #expect(WorkoutStep("lap \(right)") != nil && WorkoutStep("10 min \(wrong)") == nil)
        #expect(WorkoutStep.rule(for: "10 min \(wrong)").hasSuffix(limits))
    }

    @Test func ruleOfAStepStatesTheLimitsOfItsLength() {
        #expect(WorkoutStep.rule(for: "25 h").hasSuffix("a time is 1 s to 24 h"))
        #expect(WorkoutStep.rule(for: "5 m zone 2").hasSuffix("a distance is 10 m to 1000 km"))
        #expect(WorkoutStep.rule(for: "nonsense").hasPrefix("a length (10 min, 1 km, or lap)"))
        #expect(Alert.rule(for: "nonsense").hasPrefix("heart_rate, zone, power,"))
    }

    @Test func stepsHaveLengthTargetAndName() throws {
        let step = try #require(WorkoutStep("10 min zone 2 # Warm up slowly"))
        #expect(step.length == .time(600_000))
        #expect(step.target == TargetRange(.zone, low: 2, high: 2))
        #expect(step.name == "Warm up slowly")
        #expect(WorkoutStep("1 km pace 4:00..4:15 /km")?.length == .distance(1000))
        #expect(WorkoutStep("lap")?.length == .lap)
        #expect(WorkoutStep("lap #  Cool down")?.text == "lap # Cool down")
        #expect(WorkoutStep("90s power 200..220#")?.name == nil)
    }

    @Test(arguments: [
        "", "10", "min", "0 s", "5 m", "25 h", "2000 km", "lap lap", "10 min zone", "10 min zone 9", "10 min Warm-up",
        "10 min zone 2 zone 3", "lap distance 1 km", "lap # \u{202E}evil", "lap # " + String(repeating: "x", count: 64),
    ])
    func wrongWordsAreNoStep(text: String) {
        #expect(WorkoutStep(text) == nil)
    }

    @Test func hysteresisNeedsMoreThanTheLimit() throws {
        let range = try #require(TargetRange(.heartRate, low: 120, high: 160))
        #expect(range.state(of: 161, before: .within) == .high)
        #expect(range.state(of: 159, before: .high) == .high)
        #expect(range.state(of: 158, before: .high) == .within)
        #expect(range.state(of: 121, before: .low) == .low)
        #expect(range.state(of: 119.5, before: .within) == .low)
        // A range narrower than the hysteresis can be entered too.
        let narrow = try #require(TargetRange(.heartRate, low: 150, high: 151))
        #expect(narrow.state(of: 150.5, before: .high) == .within)
    }
}
