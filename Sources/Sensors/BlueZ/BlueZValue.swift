import Domain

/// A property value of a D-Bus object, limited to the types used here. A property of another type counts as missing.
package enum BlueZValue: Equatable, Sendable {
    case flag(Bool)
    case number(Int)
    /// A string or an object path.
    case text(String)
    case texts([String])
    case bytes([UInt8])

    var flag: Bool? {
        if case .flag(let value) = self { value } else { nil }
    }

    var number: Int? {
        if case .number(let value) = self { value } else { nil }
    }

    func number(in range: ClosedRange<Int>) -> Int? {
        number.flatMap { range.contains($0) ? $0 : nil }
    }

    var deviceAddress: BluetoothAddress? {
        text.flatMap { BluetoothAddress($0) }
    }

    var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    var texts: [String]? {
        if case .texts(let value) = self { value } else { nil }
    }

    var bytes: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }
}

/// The D-Bus interfaces used here.
package enum BlueZInterface: String, Sendable {
    case adapter = "org.bluez.Adapter1"
    case device = "org.bluez.Device1"
    case characteristic = "org.bluez.GattCharacteristic1"
    case battery = "org.bluez.Battery1"
}

/// One interface of one object with all its properties, or those that have changed.
package struct BlueZInterfaceUpdate: Equatable, Sendable {
    package var path: String
    package var interface: BlueZInterface
    package var properties: [String: BlueZValue]
    /// The properties that no longer exist.
    package var invalidated: [String]

    package init(
        _ path: String, _ interface: BlueZInterface, _ properties: [String: BlueZValue], invalidated: [String] = []
    ) {
        self.path = path
        self.interface = interface
        self.properties = properties
        self.invalidated = invalidated
    }

    /// Returns the change of a property. Nil if it is missing or cannot be parsed; nil inside if it no longer exists.
    func change<Value>(of name: String, _ read: (BlueZValue) -> Value?) -> Value?? {
        if let value = properties[name] { return read(value).map { .some($0) } }
        return invalidated.contains(name) ? .some(nil) : nil
    }
}
