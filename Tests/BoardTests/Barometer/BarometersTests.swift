import Board
import Domain
import Testing

@Suite struct BarometersTests {
    private let fake = FakeBarometers()

    private func read() -> Barometers.Reading? {
        var barometers = fake.barometers
        return barometers.read()
    }

    @Test func boardWithoutABarometerHasNothingToRead() throws {
        #expect(!fake.barometers.isAnyPresent && read() == nil)
        var nowhere = Barometers(directory: "/nowhere")
        #expect(!nowhere.isAnyPresent && nowhere.read() == nil)
        // An accelerometer and a trigger.
        try fake.write(0, ["name": "adxl345\n", "in_accel_x_raw": "12\n"])
        try fake.write(1, ["name": "adc\n", "in_temp_input": "20000\n"])
        #expect(!fake.barometers.isAnyPresent && read() == nil)
    }

    /// The values that the driver bmp280 of Linux 6.1 gives for the example of the chip's data sheet.
    @Test func processedValuesAreConverted() throws {
        try fake.write(0, ["name": "bmp280\n", "in_pressure_input": "100.653253906\n", "in_temp_input": "25080\n"])
        let reading = try #require(read())
        #expect(reading.device.text == "bmp280 (iio:device0)")
        #expect(reading.measurement == EnvironmentMeasurement(decipascals: 1_006_533, centidegrees: 2508))
        try fake.write(0, ["in_temp_input": "-4\n", "in_humidityrelative_input": "48125\n"])
        #expect(
            read()?.measurement
                == EnvironmentMeasurement(decipascals: 1_006_533, centidegrees: 0, rawHumidity: 4813))
    }

    /// The scale of the driver st_pressure for an LPS25H: 4096 digits are 1 hPa.
    @Test func rawValuesAreScaledAfterTheOffset() throws {
        try fake.write(
            3,
            [
                "in_pressure_raw": "4149903\n", "in_pressure_scale": "0.000024414\n", "in_temp_raw": "-8400\n",
                "in_temp_scale": "2.083333\n", "in_temp_offset": "20400.000000\n",
            ])
        let reading = try #require(read())
        #expect(reading.device.text == "(iio:device3)")
        #expect(reading.measurement == EnvironmentMeasurement(decipascals: 1_013_157, centidegrees: 2500))
    }

    @Test(arguments: [
        ("", "is not a number"), ("\n", "is not a number"), ("nan\n", "is not a number"), ("inf", "is not a number"),
        ("0x64\n", "is not a number"), ("1e2\n", "is not a number"), ("100.6 kPa\n", "is not a number"),
        ("100.6\n100.6\n", "is not a number"), ("-", "is not a number"), ("1.2.3", "is not a number"),
        ("\u{0}100", "is not a number"), ("29.999\n", "not between"), ("120.001\n", "not between"),
        ("0", "not between"),
        ("-100\n", "not between"), (String(repeating: "9", count: 60), "not between"),
        (String(repeating: "1", count: 65), "more than 64 bytes"),
        (String(repeating: "1", count: 100_000), "more than 64 bytes"),
    ])
    func invalidPressureIsRejected(text: String, problem: String) throws {
        try fake.write(0, ["name": "bmp280\n", "in_pressure_input": text])
        #expect(read()?.problem?.contains(problem) == true)
        #expect(fake.barometers.isAnyPresent)
    }

    @Test(arguments: ["30\n", "120.000000000\n", "101.325"])
    func pressureAtTheLimitsIsValid(text: String) throws {
        try fake.write(0, ["in_pressure_input": text])
        #expect(read()?.measurement != nil)
    }

    @Test func rawPressureWithoutAScaleIsRejected() throws {
        try fake.write(0, ["in_pressure_raw": "100\n"])
        #expect(read()?.problem == "in_pressure_raw has no scale")
        try fake.write(0, ["in_pressure_scale": "garbage\n"])
        #expect(read()?.problem == "in_pressure_scale is not a number")
    }

    @Test(arguments: ["", "warm", "-90001", "100001", "1e3"])
    func invalidTemperatureLeavesThePressure(text: String) throws {
        try fake.write(0, ["in_pressure_input": "100", "in_temp_input": text, "in_humidityrelative_input": "100001"])
        #expect(read()?.measurement == EnvironmentMeasurement(decipascals: 1_000_000))
    }

    @Test func unreadableFileIsReportedWithItsCause() throws {
        try fake.write(0, ["name": "bmp280\n"])
        try fake.makeDirectory(0, "in_pressure_input")
        #expect(read()?.problem?.hasPrefix("in_pressure_input cannot be read: ") == true)
    }

    @Test func firstOfSeveralByNumberIsRead() throws {
        try fake.write(10, ["name": "ms5611\n", "in_pressure_input": "99\n"])
        try fake.write(2, ["name": "bmp280\n", "in_pressure_input": "100\n"])
        try fake.write(1, ["name": "adxl345\n", "in_accel_x_raw": "12\n"])
        let reading = try #require(read())
        #expect(reading.device.number == 2 && reading.others.map(\.text) == ["ms5611 (iio:device10)"])
    }

    /// A differential sensor has a pressure too, and its values are no air pressure.
    @Test func deviceWithoutAValidPressureIsPassedOver() throws {
        try fake.write(0, ["name": "abp060mg\n", "in_pressure_input": "0.5\n"])
        #expect(read()?.device.number == 0 && read()?.problem != nil)
        try fake.write(1, ["name": "bmp280\n", "in_pressure_input": "100\n"])
        #expect(read()?.device.number == 1 && read()?.others.map(\.number) == [0])
    }

    @Test func anotherDeviceIsReadAfterFiveFailures() throws {
        var barometers = fake.barometers
        try fake.write(0, ["in_pressure_input": "100\n"])
        try fake.write(1, ["in_pressure_input": "99\n"])
        #expect(barometers.read()?.device.number == 0)
        try fake.write(0, ["in_pressure_input": "0\n"])
        for _ in 1...5 { #expect(barometers.read()?.problem != nil) }
        #expect(barometers.read()?.device.number == 1)
        // It keeps the one that works.
        try fake.write(0, ["in_pressure_input": "100\n"])
        #expect(barometers.read()?.device.number == 1)
    }

    @Test func deviceThatIsGoneIsReplacedAtOnce() throws {
        var barometers = fake.barometers
        try fake.write(0, ["in_pressure_input": "100\n"])
        try fake.write(1, ["in_pressure_input": "99\n"])
        #expect(barometers.read()?.device.number == 0)
        try fake.remove(0)
        #expect(barometers.read()?.device.number == 1)
        try fake.remove(1)
        #expect(barometers.read() == nil)
    }

    /// Without arguments the kernel's own directory is read.
    @Test func realMachineIsReadWithoutATrap() {
        var machine = Barometers()
        let pressure = machine.read()?.measurement?.decipascals
        #expect(pressure.map { (300_000...1_200_000).contains($0) } ?? true)
    }
}
