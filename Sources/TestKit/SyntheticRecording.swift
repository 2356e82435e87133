package import Domain

/// A synthetic recording, built second by second, with every kind of row.
package struct SyntheticRecording {
    package private(set) var recording: RecordedActivity
    package private(set) var rows: [RecordingRow] = []

    private var random: SeededRandom
    private var now: Int64 = 0
    private var elapsed: Int64 = 0
    private var metres = 0.0
    private var hearts: [Int] = []
    private var lapBegan: (at: Int64, elapsed: Int64, metres: Double) = (0, 0, 0)

    /// A run that starts on 2026-03-01 at 07:30:12.3.
    package init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        recording = RecordedActivity(sport: .run, started: UTC(milliseconds: 1_772_350_212_300))
        var strap = RecordingStrap()
        strap.name = SanitizedText("Polar H10 00000001")
        strap.serialNumber = SanitizedText("12345")
        strap.batteryPercent = 80
        recording.strap = strap
    }

    /// Ten minutes with two pauses, three laps and a gap in the position.
    package static func run(seed: UInt64) throws -> SyntheticRecording {
        var recording = SyntheticRecording(seed: seed)
        recording.begin(.command)
        recording.run(seconds: 200)
        recording.pause(milliseconds: 12_345, .auto, .auto)
        recording.run(seconds: 100, hasPosition: false)
        recording.lap(.command)
        recording.run(seconds: 150)
        recording.pause(milliseconds: 60_600, .command, .outage)
        recording.run(seconds: 50)
        recording.lap(.distance)
        recording.run(seconds: 99, part: 700)
        recording.end(.command)
        recording.recording.zones = try Zones([100, 120, 140, 160, 180])
        recording.recording.zoneMilliseconds = [1000, 2000, 597_000, 0, 0, 0]
        return recording
    }

    package mutating func begin(_ trigger: RecordingRow.TimerTrigger) {
        rows.append(.begin(at: now, trigger))
    }

    package mutating func end(_ trigger: RecordingRow.TimerTrigger) {
        closeLap(nil)
        rows.append(.end(at: now, trigger))
        recording.totalMilliseconds = now
        recording.total.elapsedMilliseconds = elapsed
        recording.total.distanceMetres = metres
        recording.total.averageHeartRate = hearts.isEmpty ? nil : Double(hearts.reduce(0, +)) / Double(hearts.count)
        recording.total.maximumHeartRate = zip(hearts, hearts.dropFirst()).map { min($0, $1) }.max()
        recording.total.maximumSpeed = 3.456
    }

    package mutating func pause(
        milliseconds: Int64, _ before: RecordingRow.TimerTrigger, _ after: RecordingRow.TimerTrigger
    ) {
        rows.append(.end(at: now, before))
        now += milliseconds
        rows.append(.begin(at: now, after))
    }

    package mutating func lap(_ trigger: Event.Trigger) {
        rows.append(.lap(at: now, trigger))
        closeLap(trigger)
    }

    /// - Parameter part: the milliseconds after the last whole second.
    package mutating func run(seconds: Int, hasPosition: Bool = true, part: Int64 = 0) {
        for _ in 0..<seconds {
            let step = 1000 - elapsed % 1000
            now += step
            elapsed += step
            metres += 2.5 + random.uniform()
            var sample = RecordingSample(at: now, elapsedMilliseconds: elapsed)
            sample.distanceMetres = metres
            sample.speed = 3 + random.normal() / 10
            sample.heartRate = 140 + Int(random.uniform() * 20)
            hearts.append(sample.heartRate ?? 0)
            sample.cadence = 85
            if hasPosition {
                sample.coordinate = Coordinate(
                    latitude: 52.5 + metres * 8.9e-6, longitude: -179.9999 + random.normal() * 1e-5)
                sample.altitude = 34 + random.normal()
            }
            rows.append(.sample(sample))
            let beats = (0..<Int(random.uniform() * 7)).map { _ in UInt16(400 + random.uniform() * 100) }
            if !beats.isEmpty { rows.append(.beats(at: now, rr: beats, gap: false)) }
        }
        now += part
        elapsed += part
    }

    private mutating func closeLap(_ trigger: Event.Trigger?) {
        var figures = Totals()
        figures.elapsedMilliseconds = elapsed - lapBegan.elapsed
        figures.distanceMetres = metres - lapBegan.metres
        figures.averageHeartRate = 150.2
        figures.maximumHeartRate = 159
        recording.laps.append(RecordingLap(trigger: trigger, beganAt: lapBegan.at, endedAt: now, figures: figures))
        lapBegan = (now, elapsed, metres)
    }
}
