package import Domain
package import JSONCoding
import Sensors

/// A new value of a setting, checked except against the other settings.
package struct SettingChange: Equatable, Sendable {
    package let key: SettingKey
    /// Has the new value of ``key``; everything else in it is a default.
    package private(set) var values = Settings()

    /// The longest list of sensors.
    package static let sensorLimit = 16

    /// - Parameter set: sets the property of `key` to a valid value.
    package init(_ key: SettingKey, _ set: (inout Settings) -> Void) {
        self.key = key
        set(&values)
    }

    /// - Throws: ``RPCError`` -32004, whose field is the setting; one line for each error in the value.
    package init(_ key: SettingKey, _ value: JSON) throws(RPCError) {
        let field = key.rawValue
        self.key = key
        switch key.kind {
        case .flag(let property): values[keyPath: property] = try value.bool(field: field)
        case .optionalFlag(let property):
            values[keyPath: property] = value == .null ? nil : try value.bool(field: field)
        case .number(let property, let range): values[keyPath: property] = try value.integer(in: range, field: field)
        case .sport: values.sport = try Sport(value, field: field)
        case .sex: values.sex = try Self.sex(value)
        case .sports(let property): values[keyPath: property] = try Self.sports(value, field: field)
        case .sensors: values.sensors = try Self.sensors(value)
        case .zones: values.zones = try Self.zones(value)
        case .powerZones: values.powerZones = try Self.powerZones(value)
        case .alerts: values.alerts = try Self.alerts(value)
        case .workout: values.workout = try Self.workout(value)
        case .screens: values.screens = try Screens(value)
        }
    }

    /// Changes the settings, or leaves them unchanged.
    ///
    /// - Throws: ``RPCError`` -32004 if the new value conflicts with another setting.
    package func apply(to settings: inout Settings) throws(RPCError) {
        var changed = settings
        changed.adopt(key, from: values)
        let isAutoLap = key == .autoLapMetres || key == .autoLapSeconds
        if isAutoLap, changed.autoLapMetres > 0, changed.autoLapSeconds > 0 {
            let (other, value) =
                key == .autoLapMetres
                ? (SettingKey.autoLapSeconds, settings.autoLapSeconds) : (.autoLapMetres, settings.autoLapMetres)
            throw .invalidValue(
                key.rawValue,
                "only one of auto_lap_m and auto_lap_s can be on: set \(other.rawValue), which is \(value), to 0 first")
        }
        let isHeartRate = key == .maxHeartRate || key == .restingHeartRate
        if isHeartRate, changed.restingHeartRate > 0, changed.maxHeartRate > 0,
            changed.restingHeartRate >= changed.maxHeartRate
        {
            throw .invalidValue(
                key.rawValue,
                "resting_heart_rate (\(changed.restingHeartRate)) must be below max_heart_rate (\(changed.maxHeartRate))"
            )
        }
        for (measured, value) in [
            (SettingKey.wheelMillimetres, changed.wheelMillimetres), (.stridePermille, changed.stridePermille),
        ] where key == measured && (1..<500).contains(value) {
            throw .invalidValue(key.rawValue, "\(key.rawValue) must be at least 500, or 0 if it is unknown")
        }
        settings = changed
    }

    /// Some sports, in their order, each once.
    private static func sports(_ value: JSON, field: String) throws(RPCError) -> [Sport] {
        let sports = value.array?.compactMap { $0.string.flatMap(Sport.init(rawValue:)) }
        guard let sports, sports.count == value.array?.count, sports.count <= Sport.allCases.count else {
            let known = Sport.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue(field, "\(field) must be a list of some of \(known)")
        }
        return Sport.allCases.filter(sports.contains)
    }

    private static func sex(_ value: JSON) throws(RPCError) -> Sex? {
        if value == .null { return nil }
        guard let sex = value.string.flatMap(Sex.init(rawValue:)) else {
            let known = Sex.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue(SettingKey.sex.rawValue, "sex must be one of \(known), or null")
        }
        return sex
    }

    private static func sensors(_ value: JSON) throws(RPCError) -> [String] {
        let field = SettingKey.sensors.rawValue
        guard let elements = value.array else { throw .invalidValue(field, "sensors must be a list of strings") }
        guard elements.count <= sensorLimit else {
            throw .invalidValue(field, "sensors must be at most \(sensorLimit)")
        }
        var sensors: [String] = []
        for element in elements {
            guard let sensor = element.string, isSensor(sensor) else {
                throw .invalidValue(
                    field, "sensors[\(sensors.count)] must be a string of 1 to 64 characters without control characters"
                )
            }
            guard !reservedSensors.contains(sensor) else {
                throw .invalidValue(field, "\(sensor) is no name of a sensor: sensor.use takes auto and off")
            }
            sensors.append(sensor)
        }
        return sensors
    }

    /// Words for any and for no sensor, which stand alone, and name none. A list that an older release stored may have them.
    package static let reservedSensors: Set = ["auto", "off", "none"]

    /// Whether a text names a sensor: an address, a name or the end of a name.
    package static func isSensor(_ text: String) -> Bool {
        SanitizedText(text)?.text == text && SensorMatcher(text) != nil
    }

    private static func alerts(_ value: JSON) throws(RPCError) -> [Alert] {
        let field = SettingKey.alerts.rawValue
        let alerts = try elements(value, of: field, limit: Alert.Kind.allCases.count, Alert.init, Alert.rule)
        for (index, alert) in alerts.enumerated() where alerts[..<index].contains(where: { $0.kind == alert.kind }) {
            throw .invalidValue(field, "alerts[\(index)] is a second alert of \(alert.kind.rawValue)")
        }
        return alerts
    }

    private static func workout(_ value: JSON) throws(RPCError) -> [WorkoutStep] {
        try elements(
            value, of: SettingKey.workout.rawValue, limit: WorkoutStep.countLimit, WorkoutStep.init,
            WorkoutStep.rule)
    }

    /// The elements of a list of strings.
    ///
    /// - Parameter rule: what a string that is no element should be.
    private static func elements<Element>(
        _ value: JSON, of field: String, limit: Int, _ parse: (String) -> Element?,
        _ rule: (String) -> String
    ) throws(RPCError) -> [Element] {
        guard let strings = value.array, strings.count <= limit else {
            throw .invalidValue(field, "\(field) must be a list of at most \(limit) strings")
        }
        var elements: [Element] = []
        for string in strings {
            guard let element = string.string.flatMap(parse) else {
                let shown = string.string.flatMap { SanitizedText($0)?.text } ?? ""
                throw .invalidValue(field, "\(field)[\(elements.count)] '\(shown)' must be \(rule(shown))")
            }
            elements.append(element)
        }
        return elements
    }

    private static func powerZones(_ value: JSON) throws(RPCError) -> PowerZones? {
        if value == .null { return nil }
        let bottoms = (value.array ?? []).compactMap(\.integer)
        guard bottoms.count == value.array?.count, let zones = PowerZones(bottoms) else {
            throw .invalidValue(
                SettingKey.powerZones.rawValue,
                "power_zones must be six integers from 1 to 4000, each above the one before, or null")
        }
        return zones
    }

    private static func zones(_ value: JSON) throws(RPCError) -> Zones? {
        if value == .null { return nil }
        let field = SettingKey.zones.rawValue
        let bottoms = (value.array ?? []).compactMap(\.integer)
        guard bottoms.count == 5, value.array?.count == 5 else {
            throw .invalidValue(field, "zones must be five integers, or null")
        }
        do throws(Zones.Invalid) {
            return try Zones(bottoms)
        } catch {
            throw .invalidValue(field, error.lines.joined(separator: "\n"))
        }
    }
}

// Values of any setting or parameter.
extension JSON {
    func bool(field: String) throws(RPCError) -> Bool {
        guard let bool else { throw .invalidValue(field, "\(field) must be true or false") }
        return bool
    }

    func integer(in range: ClosedRange<Int>, field: String) throws(RPCError) -> Int {
        guard let integer, range.contains(integer) else {
            throw .invalidValue(field, "\(field) must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return integer
    }
}

extension Sport {
    init(_ value: JSON, field: String) throws(RPCError) {
        guard let sport = value.string.flatMap(Sport.init(rawValue:)) else {
            let known = Sport.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalidValue(field, "\(field) must be one of \(known)")
        }
        self = sport
    }
}
