package import Domain
import Formats
import Pipeline

/// A value that the journal and sensors.json store as a word. The words are on users' disks and outlive releases: they
/// never change, even if the wire's word changes.
package protocol JournalToken: CaseIterable {
    /// The stored word, different for each case.
    var token: String { get }
}

extension JournalToken {
    /// Nil if this release does not know the word.
    package init?(token: String) {
        guard let value = Self.allCases.first(where: { $0.token == token }) else { return nil }
        self = value
    }
}

extension LinkState: JournalToken {
    package var token: String {
        switch self {
        case .disconnected: "disconnected"
        case .connecting: "connecting"
        case .connected: "connected"
        }
    }
}

extension LinkReason: JournalToken {
    package var token: String {
        switch self {
        case .off: "off"
        case .noBluetooth: "no-bluetooth"
        case .noAdapter: "no-adapter"
        case .adapterOff: "adapter-off"
        case .adapterBlocked: "adapter-blocked"
        case .noPermission: "no-permission"
        case .searching: "searching"
        case .ambiguous: "choose"
        case .outOfRange: "out-of-range"
        // Earlier releases stored this word for ``offBody`` and ``backoff``.
        case .offBody: "resting"
        case .backoff: "backoff"
        case .silent: "silent"
        case .parametersRefused: "parameters-refused"
        case .inUse: "elsewhere"
        case .needsPairing: "needs-pairing"
        case .adapterFull: "adapter-full"
        case .notRunning: "not-running"
        case .refused: "refused"
        case .noDevice: "no-device"
        case .noFix: "no-fix"
        }
    }
}

extension BluetoothStatus.Backend: JournalToken {
    package var token: String {
        switch self {
        case .off: "off"
        case .unix: "unix"
        case .kernel: "kernel"
        case .bluetoothd: "bluetoothd"
        }
    }
}

extension HeartRateQuality: JournalToken {
    package var token: String {
        switch self {
        case .good: "good"
        case .zero: "zero"
        case .noContact: "no contact"
        case .outOfRange: "out of range"
        case .frozen: "frozen"
        }
    }
}

extension SensorKind: JournalToken {
    package var token: String {
        switch self {
        case .heartRate: "heart-rate"
        case .cyclingSpeedCadence: "speed-cadence"
        case .cyclingPower: "power"
        case .runningSpeedCadence: "foot-pod"
        case .fitnessMachine: "fitness-machine"
        case .environment: "environment"
        case .radar: "radar"
        case .gears: "gears"
        case .eBike: "e-bike"
        case .muscleOxygen: "muscle-oxygen"
        case .bodyTemperature: "body-temperature"
        case .fields: "fields"
        }
    }
}

extension ClockSource: JournalToken {
    package var token: String {
        switch self {
        case .system: "system"
        case .receiver: "receiver"
        case .rtc: "rtc"
        case .unset: "unset"
        }
    }
}

extension FaultName: JournalToken {
    package var token: String {
        switch self {
        case .batteryEmpty: "battery empty"
        case .batteryLow: "battery low"
        case .inUse: "elsewhere"
        case .clockUnset: "clock unset"
        case .eventFlood: "event flood"
        case .deviceCopied: "device-copied"
        case .exportFailed: "export failed"
        case .strapFlood: "flood"
        case .gpsdFlood: "gpsd flood"
        case .needsPairing: "needs-pairing"
        case .noPermission: "no-permission"
        case .parametersRefused: "parameters-refused"
        case .positionRejected: "position refused"
        case .recorderFailed: "recorder failed"
        case .recorderStalled: "recorder stalled"
        case .supervisionTimeout: "supervision-timeout"
        case .underVoltage: "under-voltage"
        }
    }
}

extension FixRejection: JournalToken {
    package var token: String {
        switch self {
        case .noFix: "no fix"
        case .noPosition: "no position"
        case .time: "time"
        case .accuracy: "accuracy"
        case .speed: "speed"
        }
    }
}

extension RecorderStatus.State: JournalToken {
    package var token: String {
        switch self {
        case .off: "off"
        case .writing: "writing"
        case .stalled: "stalled"
        case .failed: "failed"
        }
    }
}

extension Event.Freshness: JournalToken {
    package var token: String {
        switch self {
        case .fresh: "fresh"
        case .stale: "stale"
        case .absent: "absent"
        }
    }
}

extension Event.Trigger: JournalToken {
    package var token: String {
        switch self {
        case .command: "command"
        case .auto: "auto"
        case .distance: "distance"
        case .time: "time"
        }
    }
}

extension RecordingRow.TimerTrigger: JournalToken {
    package var token: String {
        switch self {
        case .command: "command"
        case .auto: "auto"
        case .outage: "outage"
        }
    }
}

extension AutoStopReason: JournalToken {
    package var token: String {
        switch self {
        case .forgotten: "forgotten"
        case .power: "power"
        }
    }
}

extension Outage.Rule: JournalToken {
    package var token: String {
        switch self {
        case .paused: "paused"
        case .continued: "continued"
        }
    }
}

extension Sport: JournalToken {
    package var token: String {
        switch self {
        case .run: "run"
        case .walk: "walk"
        case .hike: "hike"
        case .ride: "ride"
        case .other: "other"
        }
    }
}

extension Sex: JournalToken {
    package var token: String {
        switch self {
        case .female: "female"
        case .male: "male"
        }
    }
}

extension AscentSource: JournalToken {
    package var token: String {
        switch self {
        case .barometer: "barometer"
        case .receiver: "receiver"
        }
    }
}

extension SettingKey: JournalToken {
    package var token: String {
        switch self {
        case .metric: "metric"
        case .twelveHourClock: "twelve_hour_clock"
        case .useHeartRateZones: "use_heart_rate_zones"
        case .sport: "sport"
        case .autoLapMetres: "auto_lap_m"
        case .autoLapSeconds: "auto_lap_s"
        case .autoStopMinutes: "auto_stop_minutes"
        case .autoPause: "auto_pause"
        case .sensors: "straps"
        case .zones: "zones"
        case .maxHeartRate: "max_heart_rate"
        case .restingHeartRate: "resting_heart_rate"
        case .age: "age"
        case .sex: "sex"
        case .weightKilograms: "weight_kg"
        case .ftp: "ftp"
        case .powerZones: "power_zones"
        case .wheelMillimetres: "wheel_mm"
        case .stridePermille: "stride_permille"
        case .climbScore: "climb_score"
        case .climbLaps: "climb_laps"
        case .recordAllSensors: "record_all_sensors"
        case .alerts: "alerts"
        case .workout: "workout"
        case .screens: "screens"
        }
    }
}

extension ExportFormat: JournalToken {
    package var token: String {
        switch self {
        case .fit: "fit"
        case .gpx: "gpx"
        case .tcx: "tcx"
        case .geojson: "geojson"
        case .kml: "kml"
        case .csv: "csv"
        }
    }
}

extension LEAddress.Kind: JournalToken {
    package var token: String {
        switch self {
        case .public: "public"
        case .random: "random"
        }
    }
}

/// The words are those of the FIT profile, which do not change.
extension CoursePointKind: JournalToken {
    package var token: String { rawValue }
}
