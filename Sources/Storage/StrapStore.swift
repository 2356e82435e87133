import Domain
import JSONCoding
import JournalCoding
package import Sensors
package import Wire

/// The data about straps that survives a restart of the daemon.
///
/// The user's choice of straps is a setting in the journal; only lists of earlier releases contain it. The
/// rest has a separate file, because it holds secret keys.
package struct StrapStore: Equatable, Sendable {
    /// Whether no strap is used. Only read from lists of earlier releases.
    package var isOff = false
    /// The setting `straps`. Only read from lists of earlier releases.
    package var selected: [String] = []
    /// The straps that have sent a beat, the last used first.
    package var remembered: [KnownStrap] = []
    /// The keys of straps paired over the kernel backend. bluetoothd stores its own.
    package var keys: [LongTermKey] = []

    package init() {}

    /// Whether this is a list of an earlier release with a choice that is a setting now.
    package var hasSelection: Bool {
        isOff || !selected.isEmpty
    }

    /// Adds the straps and keys of another list. Existing entries are kept.
    package mutating func add(_ other: StrapStore) {
        remembered += other.remembered.filter { strap in !remembered.contains { $0.address == strap.address } }
        remembered = Array(remembered.prefix(StrapSelector.memoryLimit))
        keys += other.keys.filter { key in !keys.contains { $0.adapter == key.adapter && $0.device == key.device } }
        keys = Array(keys.prefix(LongTermKey.limit))
    }

    /// The maximum size of the file in bytes.
    static let lengthLimit = 64 * 1024

    /// The list as one line of JSON.
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

    /// Parses the format of ``text``. Nil for anything else. Unknown members are ignored.
    init?(_ text: [UInt8]) {
        guard let json = try? JSON(parsing: text), json["version"]?.integer == 1,
            let isOff = (json["off"] ?? .bool(false)).bool, let ours = (json["straps"] ?? .array([])).array,
            ours.count <= SettingChange.strapLimit, let remembered = json["remembered"]?.array,
            remembered.count <= StrapSelector.memoryLimit
        else { return nil }
        self.isOff = isOff
        for strap in ours {
            guard let strap = strap.string, SettingChange.isStrap(strap) else { return nil }
            self.selected.append(strap)
        }
        for strap in remembered {
            guard let strap = KnownStrap(strap) else { return nil }
            self.remembered.append(strap)
        }
        // Lists of earlier releases have no keys.
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

    /// Two digits per byte.
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

extension StrapSelection {
    /// - Throws: ``RPCError`` -32004 if the list would become too long. The list is unchanged then.
    package func apply(to list: inout StrapStore) throws(RPCError) {
        switch self {
        case .auto: list.selected = []
        case .off: break
        case .strap(let strap, isAdded: false): list.selected = [strap]
        case .strap(let strap, isAdded: true):
            let isThere = list.selected.contains { StrapMatcher($0) == StrapMatcher(strap) }
            guard isThere || list.selected.count < SettingChange.strapLimit else {
                throw .invalidValue(
                    "strap", "\(SettingChange.strapLimit) straps are selected, the maximum: forget one first")
            }
            if !isThere { list.selected.append(strap) }
        }
        list.isOff = self == .off
    }
}

extension StrapStore {
    /// Forgets all straps, or those that match a text: known straps, and entries of the setting for them or
    /// for the text.
    ///
    /// - Throws: ``RPCError`` -32003 if nothing matches the text.
    package mutating func forget(_ strap: String?) throws(RPCError) {
        guard let strap else {
            selected = []
            remembered = []
            keys = []
            return
        }
        let pattern = StrapMatcher(strap)
        let forgotten = remembered.filter { pattern?.matches($0.address, name: $0.name) ?? false }
        let kept = selected.filter { entry in
            guard let meant = StrapMatcher(entry) else { return false }
            return meant != pattern && !forgotten.contains { meant.matches($0.address, name: $0.name) }
        }
        let unpaired = keys.filter { key in
            pattern?.matches(key.device, name: nil) ?? false || forgotten.contains { $0.address == key.device }
        }
        guard kept.count < selected.count || !forgotten.isEmpty || !unpaired.isEmpty else {
            throw .notFound("strap", "no known strap has this address or name")
        }
        selected = kept
        remembered.removeAll { forgotten.contains($0) }
        keys.removeAll { unpaired.contains($0) }
    }
}
