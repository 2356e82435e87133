import Domain
import Testing

/// The golden tables of RunFree, with the corrected mile (1609.344 m) and no pace where RunFree would have trapped.
@Suite struct RunFormatTests {
    @Test(
        arguments: [
            (0, "0.0"), (99, "0.0"), (100, "0.1"), (9_900, "9.9"), (59_900, "59.9"), (60_000, "1:00"), (61_900, "1:01"),
            (599_900, "9:59"), (3_599_900, "59:59"), (3_600_000, "1:00:00"), (36_610_000, "10:10:10"),
            (360_000_000, "100:00:00"),
        ] as [(Int64, String)])
    func elapsedTimeIsFormatted(milliseconds: Int64, text: String) {
        #expect(RunFormat.elapsed(milliseconds: milliseconds) == text)
    }

    @Test(
        arguments: [
            (0, "0.00", "0.00"), (4.9, "0.00", "0.00"), (5.1, "0.01", "0.00"), (10, "0.01", "0.01"),
            (1000, "1.00", "0.62"),
            (1234.5, "1.23", "0.77"), (1609.344, "1.61", "1.00"), (42195, "42.20", "26.22"),
        ] as [(Double, String, String)])
    func distanceIsFormattedInKilometresAndMiles(metres: Double, kilometres: String, miles: String) {
        #expect(RunFormat.distance(metres: metres, metric: true) == kilometres)
        #expect(RunFormat.distance(metres: metres, metric: false) == miles)
    }

    @Test(
        arguments: [
            (20, "4:10", "6:42"), (15, "5:33", "8:56"), (12.5, "6:40", "10:43"), (10, "8:20", "13:24"),
            (5, "16:40", "26:49"),
            (0.1, "833:20", "1341:07"), (0, "--:--", "--:--"),
        ] as [(Double, String, String)])
    func paceIsFormattedPerKilometreAndMile(metres: Double, perKilometre: String, perMile: String) {
        #expect(RunFormat.pace(secondsPerMetre: 5 / metres, metric: true) == perKilometre)
        #expect(RunFormat.pace(secondsPerMetre: 5 / metres, metric: false) == perMile)
    }

    @Test(arguments: [nil, .nan, .infinity, -.infinity, 0, -0.3, .greatestFiniteMagnitude] as [Double?])
    func invalidPaceFormatsAsDashes(pace: Double?) {
        #expect(RunFormat.pace(secondsPerMetre: pace, metric: true) == "--:--")
    }

    @Test(arguments: [.nan, .infinity, 1e300] as [Double])
    func invalidDistanceFormatsAsDashes(metres: Double) {
        #expect(RunFormat.distance(metres: metres, metric: true) == "--")
    }

    @Test func bearingIsADirection() {
        #expect(
            [0, 22.4, 22.6, 180, 337.6, -45, 720].map(RunFormat.compass) == ["N", "N", "NE", "S", "N", "NW", "N"])
    }

    @Test func temperatureIsInWholeDegrees() {
        #expect([-0.4, 21.6].map { RunFormat.temperature(celsius: $0, metric: true) } == ["0 °C", "22 °C"])
        #expect(
            [-40, 0, 37].map { RunFormat.temperature(celsius: $0, metric: false) } == ["-40 °F", "32 °F", "99 °F"])
    }

    @Test func unitsFollowTheMetricSetting() {
        #expect(RunFormat.distanceUnit(metric: true) == "km" && RunFormat.distanceUnit(metric: false) == "mi")
        #expect(RunFormat.paceUnit(metric: true) == "min/km" && RunFormat.paceUnit(metric: false) == "min/mi")
    }
}
