package import Domain

extension State {
    /// A board after its start: nothing is connected, no run.
    package static func idle(at now: Instant) -> State {
        State(
            at: now, heart: HeartRateStatus(link: LinkStatus(.disconnected, reason: .searching)),
            gpsd: LinkStatus(.disconnected, reason: .notRunning), bluetooth: BluetoothStatus(backend: .off),
            recorder: RecorderStatus(state: .off), ticks: TickStats())
    }

    /// A run of this length without other values.
    package static func active(elapsedMilliseconds: Int64) -> State {
        var state = idle(at: Instant(milliseconds: 1_000_000 + elapsedMilliseconds))
        state.run = .active
        var total = Totals()
        total.elapsedMilliseconds = elapsedMilliseconds
        state.activity = Activity(id: 1, sport: .run, total: total, lap: total, lapNumber: 1)
        return state
    }

    /// The STATE example of docs/protocol.md.
    package static var example: State {
        let now = Instant(milliseconds: 123_456_700)
        var total = Totals()
        total.elapsedMilliseconds = 12_300
        total.movingMilliseconds = 12_300
        total.distanceMetres = 41.23
        total.maximumSpeed = 3.6
        total.averageHeartRate = 131.2
        total.maximumHeartRate = 141
        var lap = total
        lap.maximumSpeed = nil
        lap.maximumHeartRate = nil
        var state = State(
            at: now, time: UTC(milliseconds: 1_772_350_212_300), clock: .system, run: .active,
            activity: Activity(id: 17, sport: .run, total: total, pace: 0.3124, speed: 3.2, lap: lap, lapNumber: 1),
            heart: HeartRateStatus(
                link: LinkStatus(
                    .connected, address: BluetoothAddress("A0:9E:1A:00:00:01"),
                    name: SanitizedText("Polar H10 00000001")),
                beatsPerMinute: Timestamped(140, at: now - .milliseconds(312)), contact: true, batteryPercent: 80,
                zone: 3,
                zoneFraction: 0.475),
            position: Timestamped(
                Position(
                    coordinate: Coordinate(latitude: 52.5, longitude: 13.4), altitude: 34.1, accuracy: 4.1, speed: 2.9,
                    track: 87.0, mode: 3, satellites: 9),
                at: now - .milliseconds(180)),
            gpsd: LinkStatus(.connected, name: SanitizedText("/dev/ttyACM0")),
            bluetooth: BluetoothStatus(backend: .kernel, adapter: BluetoothAddress("00:1A:7D:DA:71:13")),
            recorder: RecorderStatus(
                state: .writing, behindMilliseconds: 0, syncedMillisecondsAgo: 800, freeMebibytes: 20_113),
            ticks: TickStats(),
            faults: [
                Fault(
                    name: .recorderStalled, since: Instant(milliseconds: 123_450_000),
                    message: "the disk completes no writes, keeping up to 10 min in memory")
            ])
        state.ticks.worst = .microseconds(400)
        return state
    }
}

extension ActivitySummary {
    /// An activity with all totals.
    package static var example: ActivitySummary {
        var total = Totals()
        total.elapsedMilliseconds = 1_800_100
        total.movingMilliseconds = 1_790_000
        total.distanceMetres = 5012.345
        total.averageHeartRate = 148.5
        total.maximumHeartRate = 171
        return ActivitySummary(
            id: 17, sport: .run, isOpen: false, started: UTC(milliseconds: 1_772_350_200_000),
            ended: UTC(milliseconds: 1_772_352_060_000), total: total, totalMilliseconds: 1_860_000, laps: 6, gaps: 1,
            isDemo: true)
    }
}

/// Parses hexadecimal digits, two for each byte, with optional spaces. Traps on other characters.
package func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.map { digit -> UInt8 in
        guard let value = digit.hexDigitValue else { preconditionFailure("\(digit) is not a hexadecimal digit") }
        return UInt8(value)
    }
    precondition(digits.count.isMultiple(of: 2), "odd number of digits in \(text)")
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

extension HeartRateMeasurement {
    /// A value of a strap that is worn.
    package static let worn = HeartRateMeasurement(beatsPerMinute: 67, contact: true, rrIntervals: [882])

    /// A value of a strap that is not worn.
    package static let unworn = HeartRateMeasurement(beatsPerMinute: 0, contact: false)
}

extension WeatherObservation {
    package static let inRain = try? WeatherObservation(
        station: SanitizedText("EDDB")!, observed: UTC(milliseconds: 1_772_342_400_000), distance: 12_400,
        direction: .from(240), windSpeed: 5.14, gust: 9.3, temperature: -1.5, humidity: 89, pressure: 101_300,
        conditions: SanitizedText("-RA BR"), isStale: true)
}

extension WeatherObservation {
    /// An observation of EDDB, which is 12.4 km away: 9 °C, 5.14 m/s from 240° and light rain, unless stated otherwise.
    package static func sample(
        observed: UTC, direction: Direction? = .from(240), windSpeed: Double? = 5.14, gust: Double? = nil,
        temperature: Double? = 9, humidity: Double? = 89, conditions: String? = "-RA BR", isStale: Bool = false
    ) throws(ParseError) -> WeatherObservation {
        try WeatherObservation(
            station: SanitizedText("EDDB")!, observed: observed, distance: 12_400, direction: direction,
            windSpeed: windSpeed, gust: gust, temperature: temperature, humidity: humidity,
            conditions: conditions.flatMap { SanitizedText($0) }, isStale: isStale)
    }
}

extension WindStatus {
    package static let example = {
        var wind = WindStatus(station: SanitizedText("EDDB")!, distance: 12_400, age: 600)
        (wind.speed, wind.from, wind.headwind, wind.crosswind, wind.relative) = (6.036, 240, 5.227, -3.018, -30)
        return wind
    }()
}

extension SunStatus {
    package static let example = SunStatus(
        phase: .day, dawn: UTC(milliseconds: 1_772_342_410_500), rise: UTC(milliseconds: 1_772_344_400_000),
        set: UTC(milliseconds: 1_772_383_953_123), dusk: UTC(milliseconds: 1_772_385_954_000), lightLeft: 1800)
}
