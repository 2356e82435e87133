package import Domain

/// One entry of the setting `sensors`, which matches one sensor or several.
///
///     A0:9E:1A:00:00:01            an address, of either type
///     F6:01:02:03:04:05/random     an address and its type, public or random
///     Polar H10 9AD13824           a name
///     9AD13824                     the end of a name, as it is printed on the sensor
package enum SensorMatcher: Equatable, Sendable {
    case address(BluetoothAddress, LEAddress.Kind?)
    /// A name or its end, in lower case.
    case name(String)

    /// Nil if the text is empty or consists of spaces.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if let address = BluetoothAddress(text) {
            self = .address(address, nil)
        } else if parts.count == 2, let address = BluetoothAddress(parts[0]),
            let type = LEAddress.Kind(rawValue: parts[1].lowercased())
        {
            self = .address(address, type)
        } else {
            let name = Self.comparable(text)
            if name.isEmpty { return nil }
            self = .name(name)
        }
    }

    /// Whether the entry matches a sensor with this address and name.
    package func matches(_ address: LEAddress, name: SanitizedText?) -> Bool {
        switch self {
        case .address(let own, let type): own == address.address && (type ?? address.type) == address.type
        case .name(let own): name.map { Self.comparable($0.text).hasSuffix(own) } ?? false
        }
    }

    /// Returns the name in lower case, without the spaces with which some sensors pad it.
    private static func comparable(_ name: some StringProtocol) -> String {
        var rest = name.lowercased()[...]
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
