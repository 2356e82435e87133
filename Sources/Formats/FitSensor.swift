import Domain

/// The numbers of sensors in `device_info`.
///
/// Source: Garmin FIT SDK 21.218, profile, `ble_device_type`, `antplus_device_type`, `local_device_type`, `manufacturer`.
enum FitSensor {
    /// The sensors of the board have one number: a barometer.
    static let barometer: Int64 = 4

    /// The number of a kind in Bluetooth Low Energy; nil for a kind that has none.
    static func bluetoothNumber(of kind: SensorKind) -> Int64? {
        switch kind {
        case .heartRate: 1
        case .cyclingPower: 2
        case .cyclingSpeedCadence: 3
        case .runningSpeedCadence: 6
        case .fitnessMachine: 7
        case .environment, .radar, .gears, .eBike, .muscleOxygen, .bodyTemperature, .fields: nil
        }
    }

    /// The kind of a sensor by its source and number; nil for a device that is no known sensor.
    static func kind(source: Int64?, number: Int64?) -> SensorKind? {
        switch (source, number) {
        case (Fit.DeviceInfo.bluetooth, 1), (Fit.DeviceInfo.antplus, 120): .heartRate
        case (Fit.DeviceInfo.bluetooth, 2), (Fit.DeviceInfo.antplus, 11): .cyclingPower
        case (Fit.DeviceInfo.bluetooth, .some(3...5)), (Fit.DeviceInfo.antplus, .some(121...123)): .cyclingSpeedCadence
        case (Fit.DeviceInfo.bluetooth, 6), (Fit.DeviceInfo.antplus, 124): .runningSpeedCadence
        case (Fit.DeviceInfo.bluetooth, 7), (Fit.DeviceInfo.antplus, 17): .fitnessMachine
        case (Fit.DeviceInfo.antplus, 40): .radar
        case (Fit.DeviceInfo.antplus, 12), (Fit.DeviceInfo.antplus, 25), (Fit.DeviceInfo.local, barometer): .environment
        default: nil
        }
    }

    /// Common manufacturers.
    private static let manufacturers: [(number: Int64, name: StaticText)] = [
        (1, "Garmin"), (6, "SRM"), (7, "Quarq"), (9, "Saris"), (23, "Suunto"), (32, "Wahoo Fitness"), (41, "Shimano"),
        (51, "4iiii"), (60, "Rotor"), (69, "Stages Cycling"), (86, "Elite"), (89, "Tacx"), (95, "Stryd"),
        (107, "Magene"), (115, "iGPSPORT"), (123, "Polar Electro"), (135, "Coospo"), (263, "Favero Electronics"),
        (265, "Strava"), (267, "Bryton"), (268, "SRAM"),
    ]

    static func manufacturer(_ number: Int64) -> SanitizedText? {
        manufacturers.first { $0.number == number }.flatMap { SanitizedText($0.name.text) }
    }

    /// The number of the manufacturer whose name a text begins with.
    static func manufacturerNumber(of text: SanitizedText?) -> Int64? {
        guard let text = text?.text.lowercased() else { return nil }
        return manufacturers.first { text.hasPrefix($0.name.text.lowercased()) }?.number
    }

    /// A firmware as `software_version`, in hundredths; nil unless it is a number with two decimals.
    static func version(_ firmware: SanitizedText?) -> Int64? {
        guard let text = firmware?.text, let number = Double(text),
            let version = DecimalFormat.scaled(number, decimals: 2), version >= 0, firmwareText(version) == text
        else { return nil }
        return version
    }

    static func firmwareText(_ version: Int64) -> String? {
        DecimalFormat.text(Double(version) / 100, decimals: 2)
    }

    /// 2 good, 3 ok, 4 low, 5 critical.
    static func batteryStatus(percent: Int) -> Int64 {
        switch percent {
        case 50...: 2
        case 25...: 3
        case 10...: 4
        default: 5
        }
    }
}
