import Domain
import Pipeline
import Simulation
import TestKit
import Testing

/// An auto-stopped run, recorded and replayed.
@Suite struct AutoStopReplayTests {
    /// Returns a demo run whose devices fall silent or lie still at a random time.
    private func run(seed: UInt64, isPunctual: Bool) throws -> LiveRun {
        let start = Instant(milliseconds: 3_600_000)
        var settings = Settings()
        settings.useHeartRateZones = true
        settings.zones = try Zones([100, 120, 140, 160, 180])
        settings.autoLapSeconds = 20
        settings.autoStopMinutes = 1
        var live = LiveRun(
            Pipeline(settings: settings, isDemo: false, lastActivity: 16, at: start), at: start, seed: seed)
        live.isPunctual = isPunctual
        var simulated = SimulatedRun(
            seed: seed, startedAt: start, utc: UTC(milliseconds: LiveRun.offset + start.milliseconds))
        live.wait(until: start + .seconds(2))
        live.perform(.start(.run, indoor: false))
        let silent = start + .milliseconds(Int64.random(in: 3000...140_000, using: &live.random))
        while simulated.nextAt < silent {
            for input in simulated.advance(to: simulated.nextAt) { live.receive(input.value, at: input.measuredAt) }
        }
        if seed.isMultiple(of: 4) { live.perform(.pause) }
        let place = live.engine.state(at: live.now).position?.value.coordinate
        while live.runState != .idle {
            let now = live.now + .milliseconds(Int64.random(in: 200...1500, using: &live.random))
            live.wait(until: now)
            guard let place, seed.isMultiple(of: 2) else { continue }
            live.receive(
                .fix(
                    Fix(
                        arrivedAt: now, mode: 3, latitude: place.latitude, longitude: place.longitude, accuracy: 5,
                        speed: 0.1)), at: now)
        }
        return live
    }

    @Test(arguments: 1...24 as ClosedRange<UInt64>, [true, false])
    func replayClosesTheRunAtTheSameInstant(seed: UInt64, isPunctual: Bool) throws {
        let live = try run(seed: seed, isPunctual: isPunctual)
        let again = try Rerecorded(live.entries)
        #expect(live.entries.last?.kind == .ended(.forgotten))
        #expect(again.replay.pipeline.runState == .idle)
        let isStop = { (event: Event) in if case .stop = event.kind { true } else { false } }
        #expect(live.events.count(where: isStop) == 1)
        #expect(live.events.first(where: isStop) == again.events.first(where: isStop))
        #expect(live.recordingBuilder.recording == again.recordingBuilder.recording)
        if isPunctual {
            #expect(live.states.filter { $0.run != .idle } == again.states.filter { $0.run != .idle })
        }
    }

    /// A stop by hand at the last sign of life gives the same activity.
    @Test(arguments: 1...24 as ClosedRange<UInt64>)
    func autoStoppedRunEqualsAStopAtItsLastSignOfLife(seed: UInt64) throws {
        let live = try run(seed: seed, isPunctual: true)
        let end = try #require(live.events.last { if case .stop = $0.kind { true } else { false } })
        let place = try #require(live.entries.lastIndex { $0.at <= end.at })
        let stopped = try Rerecorded(live.entries[...place] + [InputLogEntry(at: end.at, .command(.stop))])
        #expect(stopped.events.last == end)
        var recording = stopped.recordingBuilder.recording
        recording?.sensors = live.recordingBuilder.recording?.sensors ?? []
        #expect(live.recordingBuilder.recording == recording)
        var rows = live.rows
        for (index, row) in rows.enumerated().reversed() {
            // Rows that were drained before the end was known.
            if live.cuts.contains(where: { index < $0.count && $0.cut.removes(row) }) { rows.remove(at: index) }
        }
        let ending = { (row: RecordingRow) in
            if case .end(let at, .auto) = row { RecordingRow.end(at: at, .command) } else { row }
        }
        #expect(rows.map(ending) == stopped.rows.map(ending))
        #expect(end.at < live.now - .seconds(59))
    }
}
