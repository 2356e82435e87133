/// Identity of a sensor of the list `sensors`.
package enum SensorID: Hashable, Sendable {
    case bluetooth(LEAddress)
    /// The sensors on the board itself, which Linux publishes as IIO devices.
    case board
    /// A sensor of another program, by the name that the program chose.
    case external(ExternalSensorName)
}

/// The name of a sensor of another program: 1 to 32 of `a-z`, `0-9` and `-`. It can be no Bluetooth address.
package struct ExternalSensorName: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    /// `ext:` and the name: ``SensorID/description``, which each STATE has.
    fileprivate let prefixed: String

    package static let lengthLimit = 32
    package static let rule = "1 to 32 of a-z, 0-9 and -"

    package init?(_ text: String) {
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isWord, (1...Self.lengthLimit).contains(text.utf8.count) else { return nil }
        description = text
        prefixed = SensorID.externalPrefix + text
    }
}

extension SensorID: CustomStringConvertible {
    /// The prefix of ``external(_:)`` on the sockets, in the journal and in the setting `sensors`.
    package static let externalPrefix = "ext:"

    /// The form on the sockets and in the journal: `A0:9E:1A:00:00:01/public`, `board` or `ext:stryd`.
    package var description: String {
        switch self {
        case .bluetooth(let address): address.description
        case .board: "board"
        case .external(let name): name.prefixed
        }
    }

    /// Nil for anything but a ``description``.
    package init?(_ text: String) {
        if text == "board" {
            self = .board
            return
        }
        if text.hasPrefix(Self.externalPrefix) {
            guard let name = ExternalSensorName(String(text.dropFirst(Self.externalPrefix.count))) else { return nil }
            self = .external(name)
            return
        }
        let parts = text.split(separator: "/" as Character, omittingEmptySubsequences: false)
        guard parts.count == 2, let address = BluetoothAddress(parts[0]),
            let type = LEAddress.Kind(rawValue: String(parts[1]))
        else { return nil }
        self = .bluetooth(LEAddress(address, type))
    }
}

/// A sensor of the list: what it measures, its link, and its description. Changes rarely.
package struct SensorStatus: Equatable, Sendable {
    package var id: SensorID
    /// The kinds that are known, each once, in the order of `SensorKind.allCases`. A device may have several.
    package var kinds: [SensorKind]
    /// With the name. The board's link is always connected.
    package var link: LinkStatus
    /// 0 to 100.
    package var batteryPercent: Int?
    package var manufacturer: SanitizedText?
    package var model: SanitizedText?
    package var serialNumber: SanitizedText?
    package var firmware: SanitizedText?
    /// What it declares of the kind ``SensorKind/fields``, at most ``OwnField/perSensor``.
    package var fields: [OwnField] = []

    package init(_ id: SensorID, kinds: [SensorKind] = [], link: LinkStatus) {
        self.id = id
        self.kinds = kinds
        self.link = link
    }
}

/// The newest values of one sensor; nil if it has not sent them. Zero and nil differ.
package struct SensorReading: Equatable, Sendable {
    /// When the newest measurement arrived; nil before the first one of a connection.
    package var measuredAt: Instant?
    /// Beats per minute.
    package var heartRate: Int?
    /// Watts; the trainer of a descent may brake with less than 0.
    package var watts: Int?
    /// Revolutions of the crank or steps per minute.
    package var cadence: Double?
    /// Metres per second of the wheel, the foot pod or the machine.
    package var speed: Double?
    /// Pascals.
    package var pressure: Double?
    /// Degrees Celsius.
    package var temperature: Double?
    /// Percent.
    package var humidity: Double?
    /// Vehicles behind; nil if the sensor is no radar.
    package var vehicles: Int?
    /// Distance in metres and speed of approach in metres per second of the nearest vehicle.
    package var vehicleDistance: Int?
    package var vehicleSpeed: Double?

    package init() {}
}

/// One reading for each sensor of a list, by its index. It allocates nothing.
package struct SensorReadings: Equatable, Sendable {
    /// The largest number of sensors in a list: the links of Bluetooth, the board, and those of other programs.
    package static let capacity = 9 + externalCapacity
    /// The largest number of sensors of other programs.
    package static let externalCapacity = 8

    private var storage = InlineArray<17, SensorReading>(repeating: SensorReading())

    package init() {}

    package subscript(index: Int) -> SensorReading {
        get { storage[index] }
        set { storage[index] = newValue }
    }

    package static func == (lhs: SensorReadings, rhs: SensorReadings) -> Bool {
        (0..<capacity).allSatisfy { lhs.storage[$0] == rhs.storage[$0] }
    }
}
