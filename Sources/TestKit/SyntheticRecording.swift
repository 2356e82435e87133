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
        var strap = RecordingSensor([.heartRate])
        strap.name = SanitizedText("Polar H10 00000001")
        strap.serialNumber = SanitizedText("12345")
        strap.batteryPercent = 80
        recording.sensors = [strap]
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

    /// A ride of twelve minutes with two laps, power, cadence, balance and temperature, of four sensors.
    package static func ride(seed: UInt64) -> SyntheticRecording {
        var made = SyntheticRecording(seed: seed)
        made.recording.sport = .ride
        made.begin(.command)
        made.run(seconds: 400)
        made.lap(.command)
        made.pause(milliseconds: 30_000, .auto, .auto)
        made.run(seconds: 320)
        made.end(.command)
        made.addEffort()
        return made
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

    private mutating func addEffort() {
        var meter = RecordingSensor([.cyclingSpeedCadence, .cyclingPower])
        meter.name = SanitizedText("Assioma 17287L")
        meter.manufacturer = SanitizedText("Favero Electronics")
        meter.model = SanitizedText("DUO")
        meter.serialNumber = SanitizedText("17287")
        meter.firmware = SanitizedText("4.25")
        meter.batteryPercent = 64
        var trainer = RecordingSensor([.fitnessMachine])
        trainer.model = SanitizedText("KICKR")
        var barometer = RecordingSensor([.environment])
        barometer.name = SanitizedText("bmp280")
        recording.sensors += [meter, trainer, barometer]
        var second = 0
        for index in rows.indices {
            guard case .sample(var sample) = rows[index] else { continue }
            second += 1
            sample.temperature = -3 + second / 200
            sample.cadence = nil
            // Absent for ten seconds, coasting for twenty.
            if !(200..<210).contains(second) {
                let isCoasting = (300..<320).contains(second)
                sample.power = isCoasting ? 0 : 180 + second % 90 + Int(random.uniform() * 60)
                sample.cadence = isCoasting ? 0 : 80 + second % 17
                sample.leftBalance = isCoasting ? nil : 47 + second % 6
            }
            rows[index] = .sample(sample)
        }
        recording.total = Self.effort(recording.total, 0, recording.totalMilliseconds, samples)
        for index in recording.laps.indices {
            let lap = recording.laps[index]
            recording.laps[index].figures = Self.effort(lap.figures, lap.beganAt, lap.endedAt, samples)
        }
    }

    package var samples: [RecordingSample] {
        rows.compactMap { if case .sample(let sample) = $0 { sample } else { nil } }
    }

    /// The totals of the samples after a moment and until another one, by their definitions.
    private static func effort(_ totals: Totals, _ from: Int64, _ to: Int64, _ samples: [RecordingSample]) -> Totals {
        var totals = totals
        var fourthPowers: [Double] = []
        for (index, sample) in samples.enumerated() where sample.at > from && sample.at <= to {
            let last = samples[max(index - 29, 0)...index].compactMap(\.power)
            if last.count == 30 {
                let average = Double(last.reduce(0, +)) / 30
                fourthPowers.append(average * average * average * average)
            }
        }
        let inside = samples.filter { $0.at > from && $0.at <= to }
        let powers = inside.compactMap(\.power)
        let cadences = inside.compactMap(\.cadence).filter { $0 > 0 }
        totals.workJoules = Double(powers.reduce(0, +))
        totals.averagePower = Double(powers.reduce(0, +)) / Double(powers.count)
        totals.maximumPower = powers.max()
        let mean = fourthPowers.reduce(0, +) / Double(fourthPowers.count)
        totals.normalizedPower = mean.squareRoot().squareRoot()
        totals.averageCadence = Double(cadences.reduce(0, +)) / Double(cadences.count)
        totals.maximumCadence = cadences.max().map { Double($0) }
        return totals
    }
}
