/// Identity of a sensor of the list `sensors`.
package enum SensorID: Hashable, Sendable {
    case bluetooth(LEAddress)
    /// The sensors on the board itself, which Linux publishes as IIO devices.
    case board
}

extension SensorID: CustomStringConvertible {
    /// The form on the sockets and in the journal: `A0:9E:1A:00:00:01/public` or `board`.
    package var description: String {
        switch self {
        case .bluetooth(let address): address.description
        case .board: "board"
        }
    }

    /// Nil for anything but a ``description``.
    package init?(_ text: String) {
        if text == "board" {
            self = .board
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
    /// The largest number of sensors in a list: the links of Bluetooth, and the board.
    package static let capacity = 9

    private var storage = InlineArray<9, SensorReading>(repeating: SensorReading())

    package init() {}

    package subscript(index: Int) -> SensorReading {
        get { storage[index] }
        set { storage[index] = newValue }
    }

    package static func == (lhs: SensorReadings, rhs: SensorReadings) -> Bool {
        (0..<capacity).allSatisfy { lhs.storage[$0] == rhs.storage[$0] }
    }
}
