package import Domain
package import Pipeline
package import Storage

/// A run whose entries and rows are functions of their index: a test need not store them to verify a journal.
package struct SyntheticRun: Sendable {
    package let activity: Int
    package let start: Instant
    /// The time between two steps. Each step has an entry and a row.
    package let step: Duration
    package let uuid: UUID?

    package init(
        activity: Int = 1, start: Instant = Instant(milliseconds: 1_000_000), step: Duration = .milliseconds(500),
        uuid: UUID? = nil
    ) {
        self.uuid = uuid
        self.activity = activity
        self.start = start
        self.step = step
    }

    package static let began = UTC(milliseconds: 1_772_350_212_300)

    package var recording: RecordedActivity {
        var recording = RecordedActivity(sport: .run, started: Self.began)
        recording.id = activity
        recording.uuid = uuid
        return recording
    }

    package var part: BootSegment {
        BootSegment(bootID: "boot", at: start)
    }

    package func moment(_ place: Int) -> Instant {
        Instant(nanoseconds: start.nanoseconds + Int64(place) * step.wholeNanoseconds)
    }

    private func milliseconds(_ place: Int) -> Int64 {
        (moment(place) - start).wholeMilliseconds
    }

    /// A fix and a notification alternate; each two hundredth entry is a battery level.
    package func entry(_ place: Int) -> InputLogEntry {
        let at = moment(place)
        if place % 200 == 100 { return InputLogEntry(at: at, .input(.battery(percent: place / 200 % 100))) }
        if place.isMultiple(of: 2) {
            let fix = Fix(
                arrivedAt: at - .milliseconds(3),
                time: UTC(milliseconds: Self.began.milliseconds + milliseconds(place)),
                device: SanitizedText("/dev/ttyACM0"), mode: 3, latitude: 52.5 + Double(place) * 1.35e-5,
                longitude: 13.4 - Double(place % 7) / 3e6, altitude: 34.1 + Double(place % 50) / 7,
                accuracy: 4.1 + Double(place % 5) / 3, speed: 3 + Double(place % 9) / 11,
                track: Double(place % 360) / 3,
                satellites: 9 + place % 3)
            return InputLogEntry(at: at, .input(.fix(fix)), refusal: place % 50 == 0 ? .accuracy : nil)
        }
        let measurement = HeartRateMeasurement(
            beatsPerMinute: UInt16(140 + place % 17), contact: true, rrIntervals: Self.intervals(place))
        return InputLogEntry(at: at, .input(.heart(measurement)))
    }

    /// The timer's start, then samples and beats in turn.
    package func row(_ place: Int) -> RecordingRow {
        let at = milliseconds(place)
        if place == 0 { return .begin(at: 0, .command) }
        if !place.isMultiple(of: 2) { return .beats(at: at, rr: Self.intervals(place), gap: place % 100 == 1) }
        var sample = RecordingSample(at: at, elapsedMilliseconds: at)
        sample.distanceMetres = Double(place) * 1.5
        sample.coordinate = Coordinate(latitude: 52.5 + Double(place) * 1.35e-5, longitude: 13.4)
        sample.altitude = 34.1 + Double(place % 50) / 7
        sample.speed = 3 + Double(place % 9) / 11
        sample.heartRate = 140 + place % 17
        return .sample(sample)
    }

    private static func intervals(_ place: Int) -> [UInt16] {
        (0..<2 + place % 2).map { UInt16(420 + place % 37 + $0) }
    }

    /// The recording after a number of steps.
    package func recording(after steps: Int) -> RecordedActivity {
        var recording = recording
        recording.totalMilliseconds = milliseconds(steps)
        recording.total.elapsedMilliseconds = recording.totalMilliseconds
        recording.total.distanceMetres = Double(steps) * 1.5
        return recording
    }
}
