import Domain
import Formats
import JSONCoding
import JournalCoding
import Pipeline
import TestKit
import Testing

/// The words stored in the journal and in straps.json. They are on users' disks: words are added, but never change.
struct JournalTokenTests {
    private func expect<Value: JournalToken & Hashable>(
        _ tokens: KeyValuePairs<Value, String>, _ location: SourceLocation = #_sourceLocation
    ) {
        for (value, token) in tokens {
            #expect(value.token == token, sourceLocation: location)
            #expect(Value(token: token) == value, sourceLocation: location)
        }
        #expect(
            Set(tokens.map(\.key)).count == Value.allCases.count, "a case has no word here", sourceLocation: location)
        #expect(Set(tokens.map(\.value)).count == Value.allCases.count, "two have one word", sourceLocation: location)
        #expect(Value(token: "no such word") == nil, sourceLocation: location)
    }

    @Test func tokensOfLinksAreUnchanged() {
        expect([
            LinkState.disconnected: "disconnected", .connecting: "connecting", .connected: "connected",
        ])
        expect([
            LinkReason.off: "off", .noBluetooth: "no-bluetooth", .noAdapter: "no-adapter",
            .adapterOff: "adapter-off", .adapterBlocked: "adapter-blocked", .noPermission: "no-permission",
            .searching: "searching", .ambiguous: "choose", .outOfRange: "out-of-range", .offBody: "resting",
            .backoff: "backoff",
            .silent: "silent", .parametersRefused: "parameters-refused", .inUse: "elsewhere",
            .needsPairing: "needs-pairing", .adapterFull: "adapter-full", .notRunning: "not-running",
            .refused: "refused",
            .noDevice: "no-device", .noFix: "no-fix",
        ])
        expect([BluetoothStatus.Backend.off: "off", .unix: "unix", .kernel: "kernel", .bluetoothd: "bluetoothd"])
        expect([LEAddress.Kind.public: "public", .random: "random"])
    }

    @Test func tokensOfMeasurementsAreUnchanged() {
        expect([
            HeartRateQuality.good: "good", .zero: "zero", .noContact: "no contact", .outOfRange: "out of range",
            .frozen: "frozen",
        ])
        expect([
            FixRejection.noFix: "no fix", .noPosition: "no position", .time: "time", .accuracy: "accuracy",
            .speed: "speed",
        ])
        expect([
            SensorKind.heartRate: "heart-rate", .cyclingSpeedCadence: "speed-cadence", .cyclingPower: "power",
            .runningSpeedCadence: "foot-pod", .fitnessMachine: "fitness-machine", .environment: "environment",
            .radar: "radar", .gears: "gears", .eBike: "e-bike", .muscleOxygen: "muscle-oxygen",
            .bodyTemperature: "body-temperature", .fields: "fields",
        ])
        expect([Event.Freshness.fresh: "fresh", .stale: "stale", .absent: "absent"])
        expect([ClockSource.system: "system", .receiver: "receiver", .rtc: "rtc", .unset: "unset"])
    }

    @Test func tokensOfFaultsAreUnchanged() {
        expect([
            FaultName.batteryEmpty: "battery empty", .batteryLow: "battery low", .inUse: "elsewhere",
            .clockUnset: "clock unset", .deviceCopied: "device-copied", .eventFlood: "event flood",
            .exportFailed: "export failed",
            .strapFlood: "flood", .gpsdFlood: "gpsd flood",
            .needsPairing: "needs-pairing", .noPermission: "no-permission",
            .parametersRefused: "parameters-refused", .positionRejected: "position refused",
            .recorderFailed: "recorder failed", .recorderStalled: "recorder stalled",
            .supervisionTimeout: "supervision-timeout", .underVoltage: "under-voltage",
        ])
        expect([RecorderStatus.State.off: "off", .writing: "writing", .stalled: "stalled", .failed: "failed"])
    }

    @Test func tokensOfActivitiesAreUnchanged() {
        expect([Sport.run: "run", .walk: "walk", .hike: "hike", .ride: "ride", .other: "other"])
        expect([Event.Trigger.command: "command", .auto: "auto", .distance: "distance", .time: "time"])
        expect([RecordingRow.TimerTrigger.command: "command", .auto: "auto", .outage: "outage"])
        expect([AutoStopReason.forgotten: "forgotten", .power: "power"])
        expect([Outage.Rule.paused: "paused", .continued: "continued"])
        expect([
            ExportFormat.fit: "fit", .gpx: "gpx", .tcx: "tcx", .geojson: "geojson", .kml: "kml", .csv: "csv",
        ])
    }

    @Test func tokensOfSettingsAreUnchanged() {
        expect([
            SettingKey.metric: "metric", .twelveHourClock: "twelve_hour_clock",
            .useHeartRateZones: "use_heart_rate_zones", .sport: "sport", .autoLapMetres: "auto_lap_m",
            .autoLapSeconds: "auto_lap_s", .autoStopMinutes: "auto_stop_minutes", .autoPause: "auto_pause",
            .sensors: "straps",
            .maxHeartRate: "max_heart_rate", .restingHeartRate: "resting_heart_rate", .age: "age", .sex: "sex",
            .weightKilograms: "weight_kg",
            .zones: "zones", .ftp: "ftp", .powerZones: "power_zones", .wheelMillimetres: "wheel_mm",
            .stridePermille: "stride_permille", .climbScore: "climb_score", .climbLaps: "climb_laps",
            .recordAllSensors: "record_all_sensors", .alerts: "alerts",
            .workout: "workout", .screens: "screens",
        ])
    }

    /// `screens` is stored with the names of the wire.
    @Test func namesInStoredScreensAreUnchanged() {
        #expect(
            DataField.allCases.map(\.rawValue) == [
                "time", "lap_time", "moving_time", "lap_moving_time", "time_of_day", "distance", "lap_distance", "pace",
                "pace_3s", "lap_pace", "average_pace", "average_moving_pace", "max_pace", "speed", "speed_3s",
                "lap_speed", "average_speed", "average_moving_speed", "max_speed", "heart_rate", "lap_heart_rate",
                "average_heart_rate", "max_heart_rate", "heart_rate_percent_max",
                "heart_rate_percent_reserve", "zone", "time_in_zone", "rmssd", "dfa_alpha1", "respiration_rate",
                "energy", "trimp",
                "power", "power_3s", "power_10s", "lap_power",
                "average_power", "max_power", "normalized_power", "lap_normalized_power", "power_percent_ftp",
                "power_zone", "time_in_power_zone", "power_balance", "work", "cadence", "lap_cadence",
                "average_cadence", "max_cadence", "vehicles", "vehicle_distance", "vehicle_speed", "pressure",
                "temperature", "humidity", "altitude", "ascent", "descent", "lap_ascent", "lap_descent", "grade",
                "grade_adjusted_pace", "average_grade_adjusted_pace", "lap_grade_adjusted_pace",
                "vertical_speed", "laps", "battery", "strap_battery",
                "gps_accuracy", "course_progress", "course_remaining", "off_course", "next_cue_distance",
                "next_cue_time", "arrival", "time_to_end", "course_remaining_ascent", "course_grade",
                "climb_remaining", "climb_remaining_ascent", "climb_average_grade", "climb_grade_ahead",
                "partner_time", "partner_distance", "sunrise", "sunset", "light_left",
                "headwind", "crosswind", "wind_angle",
            ])
        #expect(
            ScreenField.Colour.allCases.map(\.rawValue) == [
                "red", "orange", "yellow", "green", "mint", "teal", "cyan", "blue", "indigo", "purple", "pink", "brown",
                "white", "gray", "black", "primary", "secondary",
            ])
        #expect(AscentSource.allCases.map(\.token) == ["barometer", "receiver"])
        #expect(Sex.allCases.map(\.token) == ["female", "male"])
        #expect(Sport.allCases.map(\.rawValue) == ["run", "walk", "hike", "ride", "other"])
    }

    @Test(arguments: [
        (
            InputLogEntry.Kind.command(.start(.run, indoor: false)),
            #"{"command":"start","sport":"run","indoor":false,"back":0}"#
        ),
        (.command(.toggle), #"{"command":"toggle"}"#), (.command(.pause), #"{"command":"pause"}"#),
        (.command(.resume), #"{"command":"resume"}"#), (.command(.lap), #"{"command":"lap"}"#),
        (.command(.stop), #"{"command":"stop"}"#), (.command(.discard), #"{"command":"discard"}"#),
        (
            .input(.heartLink(LinkStatus(.disconnected, reason: .inUse))),
            #"{"link":"disconnected","reason":"elsewhere"}"#
        ),
        (.input(.bluetooth(BluetoothStatus(backend: .kernel))), #"{"way":"kernel"}"#),
        (
            .input(.raise(.positionRejected, message: "wait")),
            #"{"fault":"position refused","message":"wait"}"#
        ),
        (.input(.clear(.positionRejected)), #""position refused""#),
        (
            .input(.measurement(SensorID("A0:9E:1A:00:00:01/public") ?? .board, .powerOfARide)),
            #"["A0:9E:1A:00:00:01/public","power",250,12345,54321,101,1]"#
        ),
        (.input(.measurement(.board, .environment(.init(centidegrees: -512)))), #"["board","environment",null,-512]"#),
        (.input(.measurement(.board, .radar(RadarThreats()))), #"["board","radar"]"#),
        (.input(.sensorRemoved(.board)), #""board""#), (.input(.weather(nil)), "{}"),
        (
            .input(.weather(.inRain)),
            #"{"station":"EDDB","observed_ms":1772342400000,"distance":12400.0,"wind_from":240.0,"wind":5.14,"gust":9.3,"#
                + #""temperature":-1.5,"humidity":89.0,"pressure":101300.0,"conditions":"-RA BR","stale":true}"#
        ),
        (
            .input(.sensor(SensorStatus(.board, kinds: [.environment], link: LinkStatus(.connected)))),
            #"{"id":"board","kinds":["environment"],"link":"connected"}"#
        ),
        (.ended(.power), #""power""#), (.shutdown, "{}"), (.suspended(.seconds(1)), "1000000000"),
    ])
    func encodedEntriesAreUnchanged(kind: InputLogEntry.Kind, text: String) throws {
        var writer = JSONWriter()
        writer.entry(kind)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        #expect(try InputLogEntry.Kind(name: kind.name, json: JSON(parsing: text.utf8)) == kind)
    }
}

extension SensorMeasurement {
    /// A notification of two-sided pedals at 250 W.
    fileprivate static let powerOfARide: SensorMeasurement = {
        var power = CyclingPowerMeasurement(watts: 250)
        power.crank = RevolutionCount(revolutions: 12_345, eventTime: 54_321)
        power.balance = 101
        power.isBalanceOfLeft = true
        return .power(power)
    }()
}
