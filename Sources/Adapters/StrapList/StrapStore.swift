import Domain
import Outputs
package import Sensors

/// What is known of straps from one start of the daemon to the next.
///
/// What people have said stands in the journal with the other settings; only lists of earlier releases have it. The rest has a file of
/// its own, because keys are nobody's to read.
package struct StrapStore: Equatable, Sendable {
    /// No strap is to be used.
    package var isOff = false
    /// The setting `straps`.
    package var ours: [String] = []
    /// The straps that gave a beat, the last used first.
    package var remembered: [KnownStrap] = []
    /// The keys of straps that have paired over the kernel's Bluetooth: bluetoothd keeps its own.
    package var keys: [LongTermKey] = []

    package init() {}

    /// A list of an earlier release has what is a setting now.
    package var saysWhatPeopleWant: Bool {
        isOff || !ours.isEmpty
    }

    /// Adds the straps and keys of another list; what this one says of a strap stays.
    package mutating func add(_ other: StrapStore) {
        remembered += other.remembered.filter { strap in !remembered.contains { $0.address == strap.address } }
        remembered = Array(remembered.prefix(StrapSelector.memoryLimit))
        keys += other.keys.filter { key in !keys.contains { $0.adapter == key.adapter && $0.device == key.device } }
        keys = Array(keys.prefix(LongTermKey.limit))
    }

    /// The longest text of a list, in bytes.
    static let lengthLimit = 64 * 1024

    /// The list as JSON, one line.
    var text: [UInt8] {
        var line = JSONWriter(capacity: 1024)
        line.object { line in
            line.member("version", 1)
            line.array("remembered") { line in
                for strap in remembered {
                    line.object { line in
                        line.member("address", strap.address.address)
                        line.member("address_type", strap.address.type.token)
                        line.member("name", strap.name?.text)
                        line.member("serial_number", strap.serialNumber?.text)
                        line.member("wide", strap.isWide)
                    }
                }
            }
            line.array("keys") { line in
                for key in keys {
                    line.object { line in
                        line.member("adapter", key.adapter)
                        line.member("address", key.device.address)
                        line.member("address_type", key.device.type.token)
                        line.member("key", key.hexadecimal)
                    }
                }
            }
        }
        line.newline()
        return line.bytes
    }

    /// Reads what ``text`` wrote; nil for anything else. Members that are not known are passed over.
    init?(_ text: [UInt8]) {
        guard let json = try? JSON(parsing: text), json["version"]?.integer == 1,
            let isOff = (json["off"] ?? .bool(false)).bool, let ours = (json["straps"] ?? .array([])).array,
            ours.count <= SettingChange.strapLimit, let remembered = json["remembered"]?.array,
            remembered.count <= StrapSelector.memoryLimit
        else { return nil }
        self.isOff = isOff
        for strap in ours {
            guard let strap = strap.string, SettingChange.isStrap(strap) else { return nil }
            self.ours.append(strap)
        }
        for strap in remembered {
            guard let strap = KnownStrap(strap) else { return nil }
            self.remembered.append(strap)
        }
        // Lists of earlier releases have none.
        guard let keys = json["keys"] else { return }
        guard let keys = keys.array, keys.count <= LongTermKey.limit else { return nil }
        for key in keys {
            guard let key = LongTermKey(key) else { return nil }
            self.keys.append(key)
        }
    }
}

extension LongTermKey {
    fileprivate init?(_ json: JSON) {
        guard let adapter = json["adapter"]?.string.flatMap({ BluetoothAddress($0) }),
            let address = json["address"]?.string.flatMap({ BluetoothAddress($0) }),
            let type = json["address_type"]?.string.flatMap(LEAddress.Kind.init(token:)),
            let text = json["key"]?.string
        else { return nil }
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count == 2 * Self.size else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        self.init(adapter: adapter, device: LEAddress(address, type), bytes)
    }

    /// Two digits a byte.
    fileprivate var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension KnownStrap {
    fileprivate init?(_ json: JSON) {
        guard let address = json["address"]?.string.flatMap({ BluetoothAddress($0) }),
            let type = json["address_type"]?.string.flatMap(LEAddress.Kind.init(token:)),
            let isWide = json["wide"]?.bool
        else { return nil }
        self.init(
            address: LEAddress(address, type), name: json["name"]?.string.flatMap { SanitizedText($0) },
            serialNumber: json["serial_number"]?.string.flatMap { SanitizedText($0) }, isWide: isWide)
    }
}
