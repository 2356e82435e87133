import Domain
import Pipeline
import TestKit
import Testing

/// Returns the events and states of a replay of a recording's rows.
private func replay(
    _ recording: RecordedActivity, _ rows: [RecordingRow], sport: Sport? = nil
) -> (events: [Event], states: [State]) {
    var entries = RecordingReplaySource(recording, sport: sport)
    var replay = Replay(entries.snapshot)
    var events: [Event] = []
    var states: [State] = []
    func take(_ entry: InputLogEntry) {
        replay.apply(entry) { _, effects in
            for case .event(let event) in effects.outputs { events.append(event) }
            if let (state, _) = effects.state { states.append(state) }
        }
    }
    for row in rows { entries.ingest(row, take) }
    entries.finish(take)
    return (events, states)
}

private func summary(_ events: [Event]) throws -> ActivitySummary {
    guard case .stop(let summary) = events.last?.kind else { throw CommandRejection(command: "stop", state: .idle) }
    return summary
}

/// Returns a track to the north at 3 m/s, with a sample each second.
private func samples(_ seconds: ClosedRange<Int64>, from at: Int64 = 0) -> [RecordingRow] {
    seconds.map { second in
        var sample = RecordingSample(at: at + second * 1000, elapsedMilliseconds: second * 1000)
        sample.coordinate = Coordinate(latitude: 52.5 + Double(second) * 3 / 111_267, longitude: 13.4)
        sample.heartRate = 140 + Int(second % 3)
        return .sample(sample)
    }
}

private func run(laps ends: [Int64]) -> RecordedActivity {
    var recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 1_772_350_212_300))
    recording.laps = ends.enumerated().map { index, end in
        RecordingLap(trigger: .command, beganAt: index == 0 ? 0 : ends[index - 1], endedAt: end, figures: Totals())
    }
    return recording
}

struct RecordingReplaySourceTests {
    /// The figures are those of the rows; the sensor of a recording adds no distance.
    @Test(arguments: [(Sport.ride, 90.0), (.run, 180)])
    func powerAndCadenceAreThoseOfTheRows(sport: Sport, cadence: Double) throws {
        var recording = run(laps: [60_000])
        recording.sport = sport
        let rows = samples(0...60).map { row in
            guard case .sample(var sample) = row else { return row }
            sample.power = sample.at < 30_500 ? 150 : 250
            sample.cadence = 90
            sample.temperature = 21
            return .sample(sample)
        }
        let (events, states) = replay(
            recording, [.begin(at: 0, .command)] + rows + [.end(at: 60_000, .command)])
        let total = try summary(events).total
        #expect(try #require(total.averagePower) == 200)
        #expect(total.maximumPower == 250)
        #expect(total.averageCadence == cadence)
        #expect(abs(total.distanceMetres - 180) < 12)
        #expect(states.contains { DataField.temperature.value(in: $0) == 21 })
        #expect(!events.contains { if case .source = $0.kind { true } else { false } })
    }

    @Test func timerAndDistanceMatchTheTrack() throws {
        let rows =
            [.begin(at: 0, .command)] + samples(0...60) + [.end(at: 60_000, .auto), .begin(at: 90_000, .command)]
            + samples(61...100, from: 30_000) + [.end(at: 130_000, .command)]
        let (events, states) = replay(run(laps: [130_000]), rows)
        let summary = try summary(events)
        #expect(summary.started == UTC(milliseconds: 1_772_350_212_300))
        #expect(summary.total.elapsedMilliseconds == 100_000)
        #expect(summary.totalMilliseconds == 130_000)
        #expect(abs(summary.total.distanceMetres - 297) < 12)
        #expect(events.filter { [.pause].contains($0.kind.word) }.map(\.time?.milliseconds) == [1_772_350_272_300])
        #expect(states.contains { $0.heart.beatsPerMinute?.value == 141 })
        #expect(states.last?.run == .idle)
    }

    @Test func lapsOfTheRecordingAreReplayed() throws {
        let rows = [.begin(at: 0, .command)] + samples(0...60) + [.end(at: 60_000, .command)]
        let (events, _) = replay(run(laps: [20_000, 45_000, 60_000]), rows)
        let laps = events.compactMap { event in
            if case .lap(let figures, let number, _) = event.kind { (number, figures.elapsedMilliseconds) } else { nil }
        }
        #expect(laps.map(\.0) == [1, 2])
        #expect(laps.map(\.1) == [20_000, 25_000])
        #expect(try summary(events).laps == 3)
    }

    @Test func lapThatEndsInAPauseEndsBeforeIt() throws {
        let rows =
            [.begin(at: 0, .command)] + samples(0...20) + [.end(at: 20_000, .command), .begin(at: 40_000, .command)]
            + samples(21...30, from: 20_000) + [.end(at: 50_000, .command)]
        let (events, _) = replay(run(laps: [30_000, 50_000]), rows)
        #expect(events.map(\.kind.word).filter { $0 != .other } == [.start, .lap, .pause, .resume, .stop])
        let lap = events.compactMap { if case .lap(let figures, _, _) = $0.kind { figures } else { nil } }.first
        #expect(lap?.elapsedMilliseconds == 20_000)
        #expect(try summary(events).total.elapsedMilliseconds == 30_000)
    }

    @Test func givenSportAppliesOnlyIfTheFileHasNone() throws {
        var recording = run(laps: [])
        let rows = [RecordingRow.begin(at: 0, .command), .end(at: 1000, .command)]
        #expect(try summary(replay(recording, rows, sport: .hike).events).sport == .run)
        recording.sport = .other
        #expect(try summary(replay(recording, rows, sport: .hike).events).sport == .hike)
        #expect(try summary(replay(recording, rows).events).sport == .other)
    }

    @Test func yearsBetweenTwoRowsEmitFewStates() throws {
        let years: Int64 = 40 * 365 * 86_400_000
        for middle in [[], [RecordingRow.end(at: 5000, .command), .begin(at: years, .command)]] {
            let rows =
                [.begin(at: 0, .command)] + samples(0...5) + middle + samples(6...10, from: years)
                + [.end(at: years + 10_000, .command)]
            let (events, states) = replay(run(laps: []), rows)
            #expect(states.count < 200)
            #expect(try summary(events).totalMilliseconds == years + 10_000)
        }
    }

    @Test func timesBeyondTheRangeOfInstantEndTheRun() throws {
        let ages: Int64 = 9999 * 365 * 86_400_000
        let rows =
            [.begin(at: 0, .command)] + samples(0...5) + samples(6...10, from: ages)
            + [.end(at: ages + 10_000, .command), .begin(at: 2 * ages, .command), .end(at: 3 * ages, .command)]
        let (events, states) = replay(run(laps: [ages, 3 * ages]), rows)
        #expect(states.count < 300)
        #expect(try summary(events).totalMilliseconds < ages)
    }

    @Test func intervalsJoinTheHeartRateOfTheirSecond() {
        let rows: [RecordingRow] =
            [.begin(at: 0, .command), .beats(at: 400, rr: [400, 420], gap: false)] + samples(1...1)
            + [.end(at: 1000, .command)]
        var entries = RecordingReplaySource(run(laps: []), sport: nil)
        var measurements: [HeartRateMeasurement] = []
        for row in rows {
            entries.ingest(row) { entry in
                if case .input(.heart(let measurement)) = entry.kind { measurements.append(measurement) }
            }
        }
        #expect(measurements == [HeartRateMeasurement(beatsPerMinute: 141, rrIntervals: [400, 420])])
    }

    /// Samples are at the times of ticks, as in most files.
    @Test func firstAndLastSecondOfEachPartCount() throws {
        let rows =
            [.begin(at: 0, .command)] + samples(0...3) + [.end(at: 3000, .command), .begin(at: 9000, .command)]
            + samples(4...7, from: 5000) + [.end(at: 12_000, .command)]
        let total = try summary(replay(run(laps: []), rows).events).total
        #expect(abs(total.distanceMetres - 18) < 0.01, "all but the step of the pause")
    }
}

private enum Word {
    case start, pause, resume, lap, stop, other
}

extension Event.Kind {
    fileprivate var word: Word {
        switch self {
        case .start: .start
        case .pause: .pause
        case .resume: .resume
        case .lap: .lap
        case .stop: .stop
        default: .other
        }
    }
}
