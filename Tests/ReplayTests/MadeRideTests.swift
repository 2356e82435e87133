import Domain
import Formats
import Foundation
import Pipeline
import Sensors
import TestKit
import Testing

/// An indoor ride of an hour, from the bytes of its notifications to the file. Other code has made the ride and computed
/// its figures, and readers that are not ours read the file.
@Suite struct MadeRideTests {
    private static let powerMeter = SensorID.bluetooth(LEAddress(BluetoothAddress(value: 0xC000_0000_0001), .random))
    private static let speedSensor = SensorID.bluetooth(LEAddress(BluetoothAddress(value: 0xC000_0000_0002), .random))

    @Test(arguments: 1...3)
    func figuresOfTheFileAreThoseOfTheRide(seed: Int) throws {
        let lines = try Checker("made_ride")([String(seed), "3600"]).split(separator: "\n")
        let figures = try #require(lines.last).split(separator: " ").compactMap { Double($0) }
        try #require(lines.count == 3601 && figures.count == 5)
        let (average, normalized, maximum, joules, metres) = (
            figures[0], figures[1], figures[2], figures[3], figures[4]
        )

        let made = try Self.record(lines.dropLast())
        let total = made.recording.total
        #expect(abs(try #require(total.averagePower) - average) < 0.5)
        #expect(abs(try #require(total.normalizedPower) - normalized) < 0.5)
        #expect(total.maximumPower == Int(maximum))
        #expect(abs(try #require(total.workJoules) - joules) < joules * 0.001)
        #expect(abs(total.distanceMetres - metres) < metres * 0.001)

        let directory = TemporaryDirectory()
        let path = directory("ride.fit")
        try Data(FitFile.export(made.recording, made.rows)).write(to: URL(filePath: path))
        let check = try Checker("check_fit")
        #expect(try check(["valid", path]) == "")
        // Both readers find the averages of the records in the session. One line lists the devices, others complain.
        let complaints = try check(["totals", path]).split(separator: "\n").dropFirst()
        #expect(complaints == [])
        let read = try FitFile([UInt8](Data(contentsOf: URL(filePath: path)))).recording.sourceTotals
        #expect(abs(try #require(read?.averagePower) - average) <= 0.5)
        #expect(abs(try #require(read?.normalizedPower) - normalized) <= 0.5)
        #expect(abs(try #require(read?.distanceMetres) - metres) < metres * 0.001)
    }

    /// Records the ride by the pipeline, with the notifications in the middle of each second.
    private static func record(
        _ seconds: some Sequence<Substring>
    ) throws -> (recording: RecordedActivity, rows: [RecordingRow]) {
        var settings = Settings()
        settings.wheelMillimetres = 2105
        var now = Instant(milliseconds: 1_000_000)
        var pipeline = Pipeline(settings: settings, isDemo: false, at: now)
        var (effects, builder, rows) = (Effects(), RecordingBuilder(), [RecordingRow]())
        func flush() {
            builder.ingest(effects.outputs, seconds: effects.seconds, zones: nil)
            rows += builder.drainRows()
            effects.removeAll()
        }
        func receive(_ input: Input) {
            pipeline.step(.input(input), at: now, into: &effects)
            flush()
        }
        receive(.systemClock(UTC(milliseconds: 1_800_000_000_000), isSynchronised: true))
        receive(.sensor(SensorStatus(powerMeter, kinds: [.cyclingPower], link: LinkStatus(.connected))))
        receive(.sensor(SensorStatus(speedSensor, kinds: [.cyclingSpeedCadence], link: LinkStatus(.connected))))
        _ = try pipeline.step(.start(.ride, indoor: true), at: now, into: &effects)
        for second in seconds {
            let notifications = second.split(separator: " ").map(bytes)
            let (power, speed) = (notifications[0], notifications[1])
            now += .milliseconds(500)
            receive(.measurement(powerMeter, .power(try CyclingPowerMeasurement(power.span))))
            receive(.measurement(speedSensor, .speedCadence(try CyclingSpeedCadenceMeasurement(speed.span))))
            now += .milliseconds(500)
            pipeline.step(.time, at: now, into: &effects)
            flush()
        }
        _ = try pipeline.step(.stop, at: now, into: &effects)
        flush()
        return (try #require(builder.recording), rows)
    }

    private static func bytes(_ hexadecimal: Substring) -> [UInt8] {
        let digits = Array(hexadecimal)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    }
}
