import Board
import Domain
import Linux
import Testing

/// The thread that reads barometers, and the inputs and log lines that follow.
@Suite struct BarometerMonitorTests {
    private let fake = FakeBarometers()

    /// The reports of a monitor.
    private final class Reports {
        var all: [DeviceReport<Barometers.Reading>] = []

        var pressures: [UInt32] {
            all.compactMap { if case .reading(let reading) = $0 { reading.measurement?.decipascals } else { nil } }
        }

        var unanswered: Int {
            all.count { if case .unanswered = $0 { true } else { false } }
        }
    }

    private func monitor(
        _ loop: EventLoop, _ reports: Reports, timeout: Duration = .seconds(60)
    ) throws -> DeviceMonitor<Barometers> {
        let timing = DeviceMonitor<Barometers>.Timing(
            interval: .milliseconds(20), rest: .milliseconds(50), timeout: timeout)
        return try DeviceMonitor(fake.barometers, thread: "barometer", timing, loop: loop) { reports.all.append($0) }
    }

    private func turn(_ loop: EventLoop, until isDone: () -> Bool) throws {
        let end = Clock.now() + .seconds(60)
        while !isDone(), Clock.now() < end { try loop.runOnce(waiting: .milliseconds(10)) }
        #expect(isDone())
    }

    @Test func barometerThatIsUnpluggedIsFoundAgain() throws {
        let (loop, reports) = (try EventLoop(), Reports())
        let monitor = try monitor(loop, reports)
        try turn(loop) { reports.all == [.absent, .absent] }
        #expect(!monitor.hasThread)
        try fake.write(0, ["in_pressure_input": "100\n"])
        try turn(loop) { reports.pressures.last == 1_000_000 }
        #expect(monitor.hasThread)
        try fake.write(0, ["in_pressure_input": "99.5\n"])
        try turn(loop) { reports.pressures.last == 995_000 }
        try fake.remove(0)
        try turn(loop) { reports.all.last == .absent }
        #expect(!monitor.hasThread)
        try fake.write(1, ["in_pressure_input": "99\n"])
        try turn(loop) { reports.pressures.last == 990_000 }
        monitor.close()
        #expect(!monitor.hasThread)
    }

    /// A FIFO blocks its reader, like a bus that does not reply: it is reported once, the loop continues, and the next
    /// values follow when it answers.
    @Test func barometerThatHangsIsReportedOnceAndDelaysNothing() throws {
        let (loop, reports) = (try EventLoop(), Reports())
        try fake.write(0, ["in_pressure_input": "100\n"])
        let monitor = try monitor(loop, reports, timeout: .milliseconds(100))
        try turn(loop) { !reports.pressures.isEmpty }
        try fake.block(0, "in_pressure_input")
        try turn(loop) { reports.unanswered == 1 }
        let count = reports.all.count
        let end = Clock.now() + .milliseconds(500)
        var longest = Duration.zero
        while Clock.now() < end {
            let start = Clock.now()
            try loop.runOnce(waiting: .milliseconds(10))
            longest = max(longest, Clock.now() - start)
        }
        #expect(reports.all.count == count && longest < .milliseconds(400))
        try fake.unblock(0, "in_pressure_input", "98\n")
        try turn(loop) { reports.pressures.last == 980_000 }
        monitor.close()
    }

    @Test func monitorEndsInTimeWhileABarometerHangs() throws {
        let (loop, reports) = (try EventLoop(), Reports())
        try fake.write(0, ["in_temp_input": "20000\n"])
        try fake.block(0, "in_pressure_input")
        let monitor = try monitor(loop, reports)
        for _ in 0..<5 { try loop.runOnce(waiting: .milliseconds(10)) }
        let start = Clock.now()
        monitor.close(waiting: .milliseconds(50))
        #expect(reports.all.isEmpty && Clock.now() - start < .seconds(5))
        // Lets the thread continue and end.
        try fake.unblock(0, "in_pressure_input", "98\n")
    }

    // MARK: Inputs and log lines

    private func reading(
        _ number: Int, _ pressure: UInt32?, others: [Barometers.Device] = []
    ) -> DeviceReport<Barometers.Reading> {
        var device = Barometers.Device(number: number)
        device.name = SanitizedText("bmp280")
        return .reading(
            Barometers.Reading(
                device: device, others: others,
                result: pressure.map { .success(EnvironmentMeasurement(decipascals: $0)) }
                    ?? .failure(IIOChannels.Problem(text: "in_pressure_input is not a number"))))
    }

    private func measurement(_ pressure: UInt32) -> BarometerReporter.Action {
        .input(.measurement(.board, .environment(EnvironmentMeasurement(decipascals: pressure))))
    }

    private let sensor = BarometerReporter.Action.input(
        .sensor(
            SensorStatus(
                .board, kinds: [.environment], link: LinkStatus(.connected, name: SanitizedText("bmp280")))))

    @Test func barometerIsASensorOfTheBoardFromItsFirstReadingUntilItIsGone() {
        var reporter = BarometerReporter()
        #expect(reporter.received(.absent) == [])
        let found = reporter.received(reading(0, 1_006_533, others: [Barometers.Device(number: 4)]))
        #expect(
            found == [
                .log(.notice, "barometer bmp280 (iio:device0) found: 1006.5 hPa; not used: (iio:device4)"), sensor,
                measurement(1_006_533),
            ])
        #expect(reporter.received(reading(0, 1_006_534)) == [measurement(1_006_534)])
        let gone: [BarometerReporter.Action] = [
            .log(.notice, "barometer bmp280 (iio:device0) is gone"), .input(.sensorRemoved(.board)),
        ]
        #expect(reporter.received(.absent) == gone)
        #expect(reporter.received(.absent) == [])
        #expect(reporter.received(reading(1, 1_000_000)).contains(sensor))
        // Another device in its place is another sensor.
        #expect(reporter.received(reading(2, 990_000)).contains(.input(.sensorRemoved(.board))))
    }

    @Test func rejectedValuesAreLoggedOnceUntilAValidOne() {
        var reporter = BarometerReporter()
        let text =
            "barometer bmp280 (iio:device0) rejected: in_pressure_input is not a number; there is no pressure until its "
            + "next valid value"
        let rejected = reporter.received(reading(0, nil))
        #expect(rejected.suffix(2) == [sensor, .log(.warning, text)])
        #expect(reporter.received(reading(0, nil)) == [])
        let valid: [BarometerReporter.Action] = [
            .log(.notice, "barometer bmp280 (iio:device0) has valid values again"), measurement(1_000_000),
        ]
        #expect(reporter.received(reading(0, 1_000_000)) == valid)
        #expect(reporter.received(reading(0, nil)) == [.log(.warning, text)])
    }

    @Test func barometerThatHangsIsLogged() {
        var reporter = BarometerReporter()
        let text = "has not answered for 5 s; there is no pressure until it does"
        #expect(reporter.received(.unanswered(.milliseconds(5020))) == [.log(.warning, "barometer " + text)])
        #expect(reporter.received(reading(0, 1_000_000)).contains(measurement(1_000_000)))
        #expect(
            reporter.received(.unanswered(.seconds(5)))
                == [.log(.warning, "barometer bmp280 (iio:device0) " + text)])
        #expect(
            reporter.received(reading(0, 1_000_000)) == [
                .log(.notice, "barometer bmp280 (iio:device0) answers again"), measurement(1_000_000),
            ])
    }
}
