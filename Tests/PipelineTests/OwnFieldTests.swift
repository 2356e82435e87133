import Domain
import Pipeline
import TestKit
import Testing

/// A run with sensors of other programs.
private struct Stage {
    static let moxy = SensorID.external(ExternalSensorName("moxy")!)
    static let other = SensorID.external(ExternalSensorName("other")!)

    var run: ScriptedRun

    init(recordAll: Bool = false) throws {
        var settings = Settings()
        settings.recordAllSensors = recordAll
        run = ScriptedRun()
        run.receive(.setting(.recordAllSensors, settings))
    }

    mutating func connect(_ id: SensorID, _ kinds: [SensorKind], fields: [OwnField] = []) {
        var status = SensorStatus(id, kinds: kinds, link: LinkStatus(.connected, name: SanitizedText("Moxy")))
        status.fields = fields
        run.receive(.sensor(status))
    }

    mutating func measure(_ id: SensorID, _ kind: SensorKind, _ values: Double?...) {
        run.receive(.measurement(id, .values(kind, OwnFieldValues(values))))
    }

    var fields: OwnFieldStatus { run.pipeline.state(at: run.now).ownFields }
    var names: [String] { fields.fields.map(\.name.description) }
}

@Suite struct OwnFieldTests {
    @Test func valuesAverageOverLapAndRun() throws {
        var stage = try Stage()
        stage.connect(Stage.moxy, [.muscleOxygen])
        stage.measure(Stage.moxy, .muscleOxygen, 60, 12)
        #expect(stage.names == ["smo2", "thb"] && stage.fields.values[0] == 60)
        try stage.run.begin()
        for value in [60.0, 60, 70, 70] {
            stage.measure(Stage.moxy, .muscleOxygen, value, nil)
            stage.run.wait(.seconds(1))
            if value == 60, stage.fields.averages[0] != nil, stage.run.activity?.total.elapsedMilliseconds == 2000 {
                try stage.run.perform(.lap)
            }
        }
        #expect(stage.names == ["smo2", "thb"])
        #expect(stage.fields.values[0] == 70 && stage.fields.values[1] == nil)
        #expect(stage.fields.averages[0] == 65 && stage.fields.lapAverages[0] == 70)
        #expect(stage.fields.averages[1] == nil)
    }

    @Test func oldValueIsUnknownAndKeepsItsPlace() throws {
        var stage = try Stage()
        stage.connect(Stage.moxy, [.gears, .bodyTemperature])
        try stage.run.begin()
        stage.measure(Stage.moxy, .gears, 1, 5)
        stage.measure(Stage.moxy, .bodyTemperature, 37.5)
        stage.run.wait(.seconds(11))
        #expect(stage.names == ["front_gear", "rear_gear", "core_temperature"])
        #expect(stage.fields.values == OwnFieldValues([nil, nil, 37.5]))
        stage.run.wait(.seconds(50))
        #expect(stage.fields.values == OwnFieldValues())
    }

    @Test func sensorOfTheSameKindTakesThePlaceOfOneThatHasGone() throws {
        var stage = try Stage()
        stage.connect(Stage.moxy, [.muscleOxygen])
        stage.connect(Stage.other, [.muscleOxygen])
        try stage.run.begin()
        stage.measure(Stage.moxy, .muscleOxygen, 60)
        stage.measure(Stage.other, .muscleOxygen, 40)
        #expect(stage.names == ["smo2"] && stage.fields.values[0] == 60)
        stage.run.receive(.sensorRemoved(Stage.moxy))
        stage.measure(Stage.other, .muscleOxygen, 40)
        #expect(stage.names == ["smo2"] && stage.fields.values[0] == 40)
    }

    @Test func allSensorsAreRecordedIfTheUserWantsIt() throws {
        var stage = try Stage(recordAll: true)
        for id in [Stage.moxy, Stage.other] { stage.connect(id, [.muscleOxygen, .cyclingPower]) }
        try stage.run.begin(.ride)
        for (id, value) in [(Stage.moxy, 60.0), (Stage.other, 40)] {
            stage.measure(id, .muscleOxygen, value)
            stage.run.receive(.measurement(id, .power(CyclingPowerMeasurement(watts: Int16(value) * 4))))
        }
        stage.run.wait(.seconds(1))
        #expect(stage.names == ["smo2", "smo2_2", "power_2"])
        #expect(stage.fields.values == OwnFieldValues([60, 40, 160]))
        #expect(stage.fields.fields[2].title.text == "Power 2" && stage.fields.fields[2].nativeField == nil)
    }

    @Test func activityHasAtMost16() throws {
        var stage = try Stage()
        for number in 0..<3 {
            let id = SensorID.external(ExternalSensorName("many-\(number)")!)
            let fields = (0..<8).map { index in
                OwnField(OwnFieldName("field_\(number)_\(index)")!, title: SanitizedText("Field")!)
            }
            stage.connect(id, [.fields], fields: fields)
            stage.run.receive(.measurement(id, .values(.fields, OwnFieldValues((0..<8).map { Double($0) }))))
        }
        try stage.run.begin()
        stage.run.wait(.seconds(1))
        #expect(stage.names.count == 16 && stage.names.last == "field_1_7")
    }

    @Test func replayGivesTheSameFieldsAndMarks() throws {
        var stage = try Stage(recordAll: true)
        stage.connect(Stage.moxy, [.muscleOxygen])
        stage.measure(Stage.moxy, .muscleOxygen, 60, 12)
        var replay = Replay(stage.run.pipeline.snapshot)
        replay.apply(InputLogEntry(at: stage.run.now, .command(.start(.run, indoor: false))))
        try stage.run.begin()
        for value in 0..<30 {
            let values = OwnFieldValues([50 + Double(value) / 3])
            replay.apply(
                InputLogEntry(at: stage.run.now, .input(.measurement(Stage.moxy, .values(.muscleOxygen, values)))))
            stage.run.receive(.measurement(Stage.moxy, .values(.muscleOxygen, values)))
            stage.run.wait(.milliseconds(700))
            if value % 10 == 5 {
                let mark = RunCommand.mark(.water, SanitizedText("Spring"))
                try stage.run.perform(mark)
                replay.apply(InputLogEntry(at: stage.run.now, .command(mark)))
            }
        }
        replay.advance(to: stage.run.now)
        #expect(replay.pipeline.state(at: stage.run.now).ownFields == stage.fields)
        #expect(stage.fields.averages[0] != nil)
    }
}

@Suite struct MarkTests {
    private func marks(_ run: ScriptedRun) -> [(mark: RecordedMark, number: Int)] {
        run.events.compactMap { if case .mark(let mark, let number) = $0.kind { (mark, number) } else { nil } }
    }

    @Test func markHasPlaceTimeAndDistance() throws {
        var run = ScriptedRun()
        #expect(throws: CommandRejection(command: "mark", state: .idle)) { try run.perform(.mark(.generic, nil)) }
        try run.begin()
        run.run(seconds: 30, speed: 3)
        try run.perform(.mark(.water, SanitizedText("Spring")))
        let (mark, number) = try #require(marks(run).first)
        #expect(number == 1 && mark.kind == .water && mark.text?.text == "Spring")
        #expect(mark.elapsedMilliseconds == run.activity?.total.elapsedMilliseconds)
        #expect(mark.coordinate != nil && mark.distanceMetres > 50)
        try run.perform(.pause)
        try run.perform(.mark(.generic, nil))
        #expect(marks(run).last?.number == 2)
    }

    @Test func marksEndAtTheirLimit() throws {
        var run = ScriptedRun()
        try run.begin()
        for _ in 0..<RecordedMark.limit { try run.perform(.mark(.generic, nil)) }
        #expect(throws: CommandRejection(command: "mark", state: .active, .tooManyMarks)) {
            try run.perform(.mark(.generic, nil))
        }
    }
}
