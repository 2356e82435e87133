/// A field that is none of paced's own measurements: of another program's sensor, of a second sensor of a kind, or of an app
/// that wrote it into an imported file.
///
/// An activity has at most ``limit`` of them. Its rows have their values in the order of its list.
package struct OwnField: Equatable, Sendable {
    package var name: OwnFieldName
    /// The name for people.
    package var title: SanitizedText
    /// At most ``unitLimit`` characters; nil for a number without a unit.
    package var unit: SanitizedText?
    /// Decimals on screens, 0 to 3. Files have the whole value.
    package var decimals = 0
    package var icon = Icon.gauge
    /// The number of the field of FIT's message `record` that has the same meaning, so that other programs understand it.
    package var nativeField: UInt8?

    package static let limit = 16
    package static let unitLimit = 16
    package static let decimalsRange = 0...3
    /// The most fields that a sensor declares.
    package static let perSensor = 8
    /// Values are smaller than this.
    package static let magnitudeLimit = 1e12

    package enum Icon: String, CaseIterable, Sendable {
        case gauge, angle, battery, bolt, drop, gear, heart, lungs, muscle, pressure, speed, temperature, time, wind
    }

    package init(
        _ name: OwnFieldName, title: SanitizedText, unit: SanitizedText? = nil, decimals: Int = 0,
        icon: Icon = .gauge, nativeField: UInt8? = nil
    ) {
        self.name = name
        self.title = title
        self.unit = unit
        self.decimals = decimals
        self.icon = icon
        self.nativeField = nativeField
    }

    /// The field with a number in its name and its title, for the second sensor of a kind and those after it.
    ///
    /// It has no field of FIT's profile: a reader would take its values for those of the sensor that counts.
    package func numbered(_ number: Int) -> OwnField {
        var field = self
        field.name = name.numbered(number)
        field.title = SanitizedText("\(title.text) \(number)") ?? title
        field.nativeField = nil
        return field
    }
}

/// The name of an own field: 1 to 64 of `a-z`, `0-9` and `_`, a letter first.
package struct OwnFieldName: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package static let lengthLimit = 64
    package static let rule = "1 to 64 of a-z, 0-9 and _, a letter first"
    /// Before the name of an own field in the setting `screens` and among the columns of a track.
    package static let prefix = "own:"

    package init?(_ text: String) {
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isWord, (1...Self.lengthLimit).contains(text.utf8.count), let first = text.utf8.first,
            first >= UInt8(ascii: "a")
        else { return nil }
        description = text
    }

    /// A name made of any text: other characters become `_`. Nil if nothing of the text is left.
    package init?(madeOf text: String) {
        var name = ""
        for byte in text.lowercased().utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if name.isEmpty { name = "field_" }
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default: if !name.isEmpty, name.utf8.last != UInt8(ascii: "_") { name += "_" }
            }
            if name.utf8.count == Self.lengthLimit { break }
        }
        while name.utf8.last == UInt8(ascii: "_") { name.removeLast() }
        self.init(name)
    }

    /// Reads `own:NAME`.
    package init?(prefixed text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        self.init(String(text.dropFirst(Self.prefix.utf8.count)))
    }

    /// The name with a number at its end, shortened to fit.
    package func numbered(_ number: Int) -> OwnFieldName {
        let end = "_\(number)"
        return OwnFieldName(String(description.prefix(Self.lengthLimit - end.utf8.count)) + end) ?? self
    }

    /// Names that have another meaning on the sockets or in a file.
    package static let reserved: Set<String> = Set(
        DataField.allCases.map(\.rawValue) + SensorKind.allCases.flatMap { $0.fields.map(\.field.name.description) }
            + csvColumns)

    /// The columns of a CSV file of an activity.
    package static let csvColumns = [
        "time", "since_start_s", "elapsed_s", "lap", "distance_m", "latitude_deg", "longitude_deg", "altitude_m",
        "speed_mps", "heart_rate_bpm", "cadence_rpm", "power_w", "temperature_c", "ascent_m", "descent_m",
        "grade_percent", "vertical_mps", "rr_ms",
    ]
}

/// Values by the order of their fields; nil: unknown. It allocates nothing.
package struct OwnFieldValues: Equatable, Sendable {
    private var storage = InlineArray<16, Double>(repeating: .nan)

    package init() {}

    package init(_ values: [Double?]) {
        for (index, value) in values.prefix(OwnField.limit).enumerated() { self[index] = value }
    }

    package subscript(index: Int) -> Double? {
        get { storage[index].isNaN ? nil : storage[index] }
        set { storage[index] = newValue ?? .nan }
    }

    package static func == (one: OwnFieldValues, other: OwnFieldValues) -> Bool {
        (0..<OwnField.limit).allSatisfy { one.storage[$0].bitPattern == other.storage[$0].bitPattern }
    }
}

/// The own fields of a moment.
package struct OwnFieldStatus: Equatable, Sendable {
    /// In the order of their first values, at most ``OwnField/limit``.
    package var fields: [OwnField] = []
    /// The sensor of each field.
    package var sensors: [SensorID] = []
    package var values = OwnFieldValues()
    /// Over the active time of the lap in progress and of the activity; nil while idle.
    package var lapAverages = OwnFieldValues()
    package var averages = OwnFieldValues()

    package init() {}
}

extension SensorKind {
    /// A field of a kind whose measurements are such values, and the values that it can have.
    package struct Field: Sendable {
        package let field: OwnField
        package let range: ClosedRange<Double>

        fileprivate init(
            _ name: String, _ title: String, _ unit: String? = nil, _ decimals: Int = 0, _ range: ClosedRange<Double>,
            _ icon: OwnField.Icon, native: UInt8? = nil
        ) {
            field = OwnField(
                OwnFieldName(name)!, title: SanitizedText(title)!, unit: unit.flatMap { SanitizedText($0) },
                decimals: decimals, icon: icon, nativeField: native)
            self.range = range
        }
    }

    /// The fields of a kind that paced knows; empty for ``fields`` and for kinds with measurements of their own.
    package var fields: [Field] {
        switch self {
        case .gears: Self.gearFields
        case .eBike: Self.eBikeFields
        case .muscleOxygen: Self.muscleOxygenFields
        case .bodyTemperature: Self.bodyTemperatureFields
        default: []
        }
    }

    private static let gearFields = [
        Field("front_gear", "Front Gear", nil, 0, 1...20, .gear),
        Field("rear_gear", "Rear Gear", nil, 0, 1...20, .gear),
        Field("front_teeth", "Front Teeth", nil, 0, 1...100, .gear),
        Field("rear_teeth", "Rear Teeth", nil, 0, 1...100, .gear),
    ]
    private static let eBikeFields = [
        Field("assist_level", "Assist", nil, 0, 0...100, .bolt, native: 120),
        Field("bike_battery", "Bike Battery", "%", 0, 0...100, .battery, native: 118),
        Field("motor_power", "Motor Power", "W", 0, 0...5000, .bolt, native: 82),
        Field("bike_range", "Range", "km", 0, 0...1000, .battery, native: 117),
    ]
    private static let muscleOxygenFields = [
        Field("smo2", "SmO2", "%", 1, 0...100, .muscle, native: 57),
        Field("thb", "tHb", "g/dl", 2, 0...50, .drop, native: 54),
    ]
    private static let bodyTemperatureFields = [
        Field("core_temperature", "Core Temp.", "°C", 2, 20...50, .temperature, native: 139),
        Field("skin_temperature", "Skin Temp.", "°C", 2, 0...50, .temperature),
    ]

    /// The kinds whose measurements are values of own fields.
    package var hasFields: Bool {
        switch self {
        case .gears, .eBike, .muscleOxygen, .bodyTemperature, .fields: true
        case .heartRate, .cyclingSpeedCadence, .cyclingPower, .runningSpeedCadence, .fitnessMachine, .environment,
            .radar:
            false
        }
    }
}

/// The means of own fields over the rows in which they have a value.
package struct OwnFieldMeans: Sendable {
    private var sums: [(sum: Double, count: Int)] = []

    package init() {}

    package mutating func add(_ values: [Double?]) {
        while sums.count < values.count { sums.append((0, 0)) }
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            sums[index].sum += value
            sums[index].count += 1
        }
    }

    package var values: [Double?] {
        sums.map { $0.count > 0 ? $0.sum / Double($0.count) : nil }
    }
}

/// The figures of one own field over an activity; nil if no sample has a value.
package struct OwnFieldFigures: Equatable, Sendable {
    package var average: Double?
    package var minimum: Double?
    package var maximum: Double?
    /// In the order of the laps.
    package var lapAverages: [Double?] = []

    package init() {}
}
