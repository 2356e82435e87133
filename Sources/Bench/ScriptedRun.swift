import Domain
import JSONCoding
import Pipeline
import Sensors

/// A steady run: ten ticks, one good fix and one good heart-rate notification each second.
struct ScriptedRun {
    private(set) var now = Instant(milliseconds: 1_000_000)
    private var seconds: Int64 = 0
    private(set) var pipeline: Pipeline
    private(set) var effects = Effects()

    init(_ sport: Sport = .run, recordsAllSensors: Bool = false) throws {
        var settings = Settings()
        settings.useHeartRateZones = true
        settings.zones = try Zones([100, 120, 140, 160, 180])
        settings.autoStopMinutes = 30
        settings.ftp = 250
        settings.recordAllSensors = recordsAllSensors
        pipeline = Pipeline(settings: settings, isDemo: false, at: now)
        receive(.systemClock(Self.start, isSynchronised: true))
        receive(.bluetooth(BluetoothStatus(backend: .unix)))
        receive(
            .heartLink(
                LinkStatus(
                    .connected, address: BluetoothAddress(value: 0xA09E_1A00_0001),
                    name: SanitizedText("Polar H10 00000001")
                )))
        receive(.gpsdLink(LinkStatus(.connected, name: Self.device)))
        receive(.battery(percent: 80))
        _ = try pipeline.step(.start(sport, indoor: false), at: now, into: &effects)
        effects.removeAll()
    }

    static let start = UTC(milliseconds: 1_772_350_212_300)
    static let device = SanitizedText("/dev/ttyACM0")

    /// Advances the clock to the next tick.
    mutating func nextTick() -> Instant {
        now += .milliseconds(100)
        return now
    }

    /// The fix of the next second, 3 m further.
    mutating func nextFix() -> Fix {
        seconds += 1
        return Fix(
            arrivedAt: now, time: UTC(milliseconds: Self.start.milliseconds + seconds * 1000), device: Self.device,
            mode: 3,
            latitude: 52.5 + Double(seconds) * 2.7e-5, longitude: 13.4, altitude: 34.1, accuracy: 4.1, speed: 3,
            track: 0,
            satellites: 9)
    }

    /// The next fix as a TPV line of a receiver with one report for each fix.
    mutating func nextReport() -> [UInt8] {
        let fix = nextFix()
        var report = JSONWriter(capacity: 512)
        report.object { report in
            report.member("class", "TPV")
            report.member("device", fix.device?.text)
            report.member("mode", Int(fix.mode))
            report.member("time", fix.time)
            report.member("lat", fix.latitude, decimals: 7)
            report.member("lon", fix.longitude, decimals: 7)
            report.member("altMSL", fix.altitude, decimals: 1)
            report.member("eph", fix.accuracy, decimals: 1)
            report.member("track", fix.track, decimals: 1)
            report.member("speed", fix.speed, decimals: 1)
        }
        return report.bytes + [0x0D, 0x0A]
    }

    /// Receives a notification: flags, a changing heart rate, one RR interval.
    mutating func receiveNotification() throws {
        let bytes = [0x10, UInt8(140 + seconds % 5), 0xB8, 0x01]
        receive(.heart(try HeartRateMeasurement(bytes.span)))
    }

    mutating func receive(_ input: Input) {
        pipeline.step(.input(input), at: now, into: &effects)
    }

    /// Applies the next tick.
    mutating func tick() {
        pipeline.step(.time, at: nextTick(), into: &effects)
    }

    mutating func discardEffects() {
        effects.removeAll()
    }

    /// Advances by one second and discards the effects.
    mutating func second() throws {
        for _ in 0..<10 { tick() }
        receive(.fix(nextFix()))
        try receiveNotification()
        effects.removeAll()
    }
}
