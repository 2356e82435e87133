import Domain
import Pipeline
import TestKit
import Testing

private let start = Instant(milliseconds: 1_000_000)

private func event(_ milliseconds: Int64, _ kind: Event.Kind) -> Output {
    .event(
        Event(
            at: start + .milliseconds(milliseconds), time: UTC(milliseconds: 1_800_000_000_000), activity: 17,
            kind: kind))
}

private func second(_ elapsed: Int64, at milliseconds: Int64) -> State {
    var state = State.active(elapsedMilliseconds: elapsed)
    state.at = start + .milliseconds(milliseconds)
    return state
}

private func sample(_ elapsed: Int64, at: Int64) -> RecordingRow {
    var sample = RecordingSample(at: at, elapsedMilliseconds: elapsed)
    sample.distanceMetres = 0
    return .sample(sample)
}

private func rows(_ outputs: [Output], _ seconds: [State] = []) -> [RecordingRow] {
    var recordingBuilder = RecordingBuilder()
    recordingBuilder.ingest([event(0, .start(.run))], seconds: [], zones: nil)
    recordingBuilder.ingest(outputs, seconds: seconds, zones: nil)
    return recordingBuilder.drainRows()
}

@Test func lapFollowsItsLastSecondAndASegmentPrecedesItsFirst() {
    let gap = event(2000, .gap(.position, seconds: 130, metres: 90, counted: true))
    let lap = event(2000, .lap(Totals(), number: 1, .time))
    #expect(
        rows([gap, lap], [second(1000, at: 1000), second(2000, at: 2000), second(3000, at: 3000)]) == [
            .begin(at: 0, .command), sample(1000, at: 1000), .segment(at: 2000), sample(2000, at: 2000),
            .lap(at: 2000, .time), sample(3000, at: 3000),
        ])
}

@Test(arguments: [
    (119.0, 90.0, true, false), (120, 90, true, true), (60, 999, true, false), (60, 1000, true, true),
    (15, 500, false, true),
])
func longWideOrUncountedGapStartsASegment(seconds: Double, metres: Double, counted: Bool, isSegment: Bool) {
    let written = rows([event(5000, .gap(.position, seconds: seconds, metres: metres, counted: counted))])
    #expect(written.contains(.segment(at: 5000)) == isSegment)
}

@Test func jumpStartsASegmentExceptInAPause() {
    var fix = AcceptedFix(
        at: start + .milliseconds(4700), time: nil, receiverTime: nil, device: nil,
        position: State.example.position!.value, isJump: true)
    #expect(rows([.fix(fix)]) == [.begin(at: 0, .command), .segment(at: 4700)])
    let pause = event(3000, .pause(elapsedMilliseconds: 3000, distanceMetres: 0, .auto))
    #expect(rows([pause, .fix(fix)]) == [.begin(at: 0, .command), .end(at: 3000, .auto)])
    fix.isJump = false
    #expect(rows([.fix(fix)]) == [.begin(at: 0, .command)])
}

@Test func beatsOfAPauseAreRecordedAndThoseAfterTheEndAreNot() {
    func heart(_ milliseconds: Int64) -> Output {
        .heart(
            HeartRateSample(
                at: start + .milliseconds(milliseconds), time: nil, measurement: .worn, quality: .good, gap: false,
                beatAt: nil))
    }
    let pause = event(3000, .pause(elapsedMilliseconds: 3000, distanceMetres: 0, .auto))
    let written = rows([heart(2500), pause, heart(4000), event(5000, .stop(.example)), heart(6000)])
    #expect(
        written == [
            .begin(at: 0, .command), .beats(at: 2500, rr: [882], gap: false), .end(at: 3000, .auto),
            .beats(at: 4000, rr: [882], gap: false),
        ])
}

@Test func outageStopsTheTimer() {
    let gap = event(50_200, .gap(.restart, seconds: 40, metres: nil, counted: false))
    let resumed = event(50_200, .start(.run, resumed: true))
    #expect(
        rows([gap, resumed], [second(10_000, at: 10_000)]) == [
            .begin(at: 0, .command), sample(10_000, at: 10_000), .end(at: 10_200, .outage),
            .begin(at: 50_200, .outage),
        ])
    let pause = event(9000, .pause(elapsedMilliseconds: 9000, distanceMetres: 0, .command))
    let counted = event(50_200, .gap(.restart, seconds: 40, metres: nil, counted: true))
    #expect(rows([counted, resumed]) == [.begin(at: 0, .command)])
    #expect(rows([pause, gap, resumed]) == [.begin(at: 0, .command), .end(at: 9000, .command)])
}

@Test func sampleAfterAHoleHasTheLastWholeSecond() {
    #expect(rows([], [second(45_300, at: 45_340)]) == [.begin(at: 0, .command), sample(45_000, at: 45_040)])
}

@Test func staleValuesAreOmittedFromASample() throws {
    var state = State.example
    state.at = start + .seconds(12)
    state.activity?.total.elapsedMilliseconds = 12_000
    var recordingBuilder = RecordingBuilder()
    let zones = try Zones([100, 120, 140, 160, 180])
    recordingBuilder.ingest([event(0, .start(.run))], seconds: [state], zones: zones)
    state.activity?.total.elapsedMilliseconds = 13_000
    state.at += .seconds(1)
    state.positionIsStale = true
    state.heart.isStale = true
    recordingBuilder.ingest([], seconds: [state], zones: zones)
    let samples = recordingBuilder.drainRows().compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    #expect(samples.map(\.heartRate) == [140, nil])
    #expect(samples.map(\.coordinate) == [Coordinate(latitude: 52.5, longitude: 13.4), nil])
    #expect(samples.map(\.altitude) == [34.1, nil])
    #expect(samples.map(\.distanceMetres) == [41.23, 41.23])
    let recording = try #require(recordingBuilder.recording)
    #expect(recording.zoneMilliseconds == [0, 0, 0, 1000, 0, 0])
    #expect(recording.zones == zones)
    #expect(recording.strap?.name == SanitizedText("Polar H10 00000001"))
    #expect(recording.strap?.batteryPercent == 80)
}

/// States of a ride or a run with a strap, a power meter and a radar, one a second.
private func sensorStates(_ sport: Sport, _ change: (inout State, Int) -> Void) -> RecordingBuilder {
    var builder = RecordingBuilder()
    builder.ingest([event(0, .start(sport))], seconds: [], zones: nil)
    for second in 1...10 {
        var state = State.active(elapsedMilliseconds: Int64(second) * 1000)
        state.at = start + .seconds(second)
        state.activity?.sport = sport
        for (index, (kinds, name)) in [
            ([SensorKind.heartRate], "Polar H10"), ([.cyclingSpeedCadence, .cyclingPower], "Assioma"),
            ([.radar], "Varia"),
        ].enumerated() {
            let address = BluetoothAddress(value: 0xA09E_1A00_0001 + UInt64(index))
            let link = LinkStatus(.connected, address: address, name: SanitizedText(name))
            var sensor = SensorStatus(.bluetooth(LEAddress(address, .public)), kinds: kinds, link: link)
            sensor.batteryPercent = 90 - index
            sensor.manufacturer = index == 1 ? SanitizedText("Favero") : nil
            state.sensors.append(sensor)
        }
        change(&state, second)
        builder.ingest([], seconds: [state], zones: nil)
    }
    return builder
}

@Test func sampleHasTheValuesOfTheSensorsAndZeroIsNotAbsent() {
    var builder = sensorStates(.ride) { state, second in
        state.activity?.power = second == 3 ? -7 : second == 4 ? 0 : second > 8 ? nil : 249.6
        state.activity?.cadence = second == 4 ? 0 : second > 8 ? nil : 85.4
        state.activity?.leftBalance = second == 5 ? nil : 49.4
        state.readings[1].temperature = second == 2 ? nil : -3.4
    }
    let samples = builder.drainRows().compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    #expect(samples.map(\.power) == [250, 250, 0, 0, 250, 250, 250, 250, nil, nil])
    #expect(samples.map(\.cadence) == [85, 85, 85, 0, 85, 85, 85, 85, nil, nil])
    #expect(samples.map(\.leftBalance)[3...5] == [49, nil, 49])
    #expect(samples.map(\.temperature)[0...2] == [-3, nil, -3])
}

@Test func sampleOnFootHasTheCadenceOfOneFoot() {
    var builder = sensorStates(.run) { state, _ in state.activity?.cadence = 171 }
    let samples = builder.drainRows().compactMap { if case .sample(let sample) = $0 { sample.cadence } else { nil } }
    #expect(samples == Array(repeating: 86, count: 10))
}

/// The radar sends nothing; the meter stops and loses its battery level with its link.
@Test func recordingHasTheSensorsThatSentValues() {
    let builder = sensorStates(.ride) { state, second in
        if second > 1 { state.readings[1].measuredAt = start + .seconds(min(second, 4)) }
        if second > 5 { state.sensors[1].batteryPercent = nil }
        if second > 5 { state.heart.beatsPerMinute = Timestamped(130, at: state.at) }
        state.heart.link = state.sensors[0].link
        state.heart.batteryPercent = 80
        if second > 8 { state.sensors.remove(at: 0) }
    }
    let sensors = builder.recording?.sensors ?? []
    #expect(sensors.map(\.name?.text) == ["Assioma", "Polar H10"])
    #expect(sensors.map(\.kinds) == [[.cyclingSpeedCadence, .cyclingPower], [.heartRate]])
    #expect(sensors.map(\.batteryPercent) == [89, 80])
    #expect(sensors.map(\.manufacturer?.text) == ["Favero", nil])
    #expect(builder.recording?.strap?.name?.text == "Polar H10")
}

@Test func strapWithMostOfTheBeatsIsTheFirst() {
    let builder = sensorStates(.run) { state, second in
        state.heart.beatsPerMinute = Timestamped(130, at: state.at)
        let address = BluetoothAddress(value: second < 4 ? 1 : 2)
        state.heart.link = LinkStatus(.connected, address: address, name: SanitizedText(second < 4 ? "one" : "two"))
    }
    #expect(builder.recording?.sensors.map(\.name?.text) == ["two", "one"])
    #expect(builder.recording?.strap?.name?.text == "two")
}

@Test func discardedActivityGivesNoRecording() {
    var recordingBuilder = RecordingBuilder()
    recordingBuilder.ingest([event(0, .start(.run)), event(5000, .discard(.example))], seconds: [], zones: nil)
    #expect(recordingBuilder.recording == nil)
}

@Test func activityWithoutAClockIsTimedAtItsEnd() {
    var recordingBuilder = RecordingBuilder()
    recordingBuilder.ingest(
        [.event(Event(at: start, time: nil, activity: 17, kind: .start(.run)))], seconds: [], zones: nil)
    #expect(recordingBuilder.recording?.isTimeUncertain == true)
    var summary = ActivitySummary.example
    recordingBuilder.ingest([event(5000, .stop(summary))], seconds: [], zones: nil)
    #expect(recordingBuilder.recording?.isTimeUncertain == false)
    #expect(recordingBuilder.recording?.started == summary.started)
    summary.started = nil
    recordingBuilder.ingest([event(0, .start(.run)), event(5000, .stop(summary))], seconds: [], zones: nil)
    #expect(recordingBuilder.recording?.isTimeUncertain == true)
}
