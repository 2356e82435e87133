import Domain
import JSONCoding
import JournalCoding
package import Sensors
package import Wire

/// The data about sensors that survives a restart of the daemon.
///
/// The user's choice is a setting in the journal; only lists of earlier releases contain it. The rest has a separate
/// file, because it holds secret keys.
package struct SensorStore: Equatable, Sendable {
    /// Whether no sensor is used. Only read from lists of earlier releases.
    package var isOff = false
    /// The setting `sensors`, then called `straps`. Only read from lists of earlier releases.
    package var selected: [String] = []
    /// The straps that have sent a beat, the last used first; then the other sensors that have sent a measurement.
    package var remembered: [KnownSensor] = []
    /// The largest number of remembered sensors.
    package static let limit = StrapSelector.memoryLimit + SensorSelector.memoryLimit

    /// The keys of sensors paired over the kernel backend. bluetoothd stores its own.
    package var keys: [LongTermKey] = []

    package init() {}

    /// Whether this is a list of an earlier release with a choice that is a setting now.
    package var hasSelection: Bool {
        isOff || !selected.isEmpty
    }

    /// Adds the sensors and keys of another list. Existing entries are kept.
    package mutating func add(_ other: SensorStore) {
        remembered += other.remembered.filter { sensor in !remembered.contains { $0.address == sensor.address } }
        remembered = Array(remembered.prefix(Self.limit))
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
                for sensor in remembered {
                    line.object { line in
                        line.member("address", sensor.address.address)
                        line.member("address_type", sensor.address.type.token)
                        line.member("name", sensor.name?.text)
                        line.member("serial_number", sensor.serialNumber?.text)
                        line.member("wide", sensor.isWide)
                        // Earlier releases know only straps, and ignore this member.
                        if sensor.kinds != [.heartRate] {
                            line.array("kinds") { line in
                                for kind in SensorKind.allCases where sensor.kinds.contains(kind) {
                                    line.value(kind.rawValue)
                                }
                            }
                        }
                    }
                }
            }
            line.array("keys") { line in
                for key in keys {
                    line.object { line in
                        line.member("adapter", key.adapter)
                        line.member("address", key.device.address)
                        line.member("address_type", key.device.type.token)
                        line.member("key", key.bytes.hexadecimal)
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
            ours.count <= SettingChange.sensorLimit, let remembered = json["remembered"]?.array,
            remembered.count <= Self.limit
        else { return nil }
        self.isOff = isOff
        for sensor in ours {
            guard let sensor = sensor.string, SettingChange.isSensor(sensor) else { return nil }
            self.selected.append(sensor)
        }
        for sensor in remembered {
            guard let sensor = KnownSensor(sensor) else { return nil }
            self.remembered.append(sensor)
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
            let bytes = json["key"]?.string.flatMap([UInt8].init(hexadecimal:)), bytes.count == Self.size
        else { return nil }
        self.init(adapter: adapter, device: LEAddress(address, type), bytes)
    }
}

extension KnownSensor {
    fileprivate init?(_ json: JSON) {
        guard let address = json["address"]?.string.flatMap({ BluetoothAddress($0) }),
            let type = json["address_type"]?.string.flatMap(LEAddress.Kind.init(token:)),
            let isWide = json["wide"]?.bool
        else { return nil }
        self.init(
            address: LEAddress(address, type), name: json["name"]?.string.flatMap { SanitizedText($0) },
            serialNumber: json["serial_number"]?.string.flatMap { SanitizedText($0) }, isWide: isWide)
        guard let kinds = json["kinds"] else { return }
        guard let kinds = kinds.array, !kinds.isEmpty else { return nil }
        // A later release may know more kinds.
        self.kinds = Set(kinds.compactMap { $0.string.flatMap(SensorKind.init(rawValue:)) })
    }
}

extension SensorSelection {
    /// - Throws: ``RPCError`` -32004 if the list would become too long. The list is unchanged then.
    package func apply(to list: inout SensorStore) throws(RPCError) {
        switch self {
        case .auto: list.selected = []
        case .off: break
        case .sensor(let sensor, isAdded: false): list.selected = [sensor]
        case .sensor(let sensor, isAdded: true):
            let isThere = list.selected.contains { SensorMatcher($0) == SensorMatcher(sensor) }
            guard isThere || list.selected.count < SettingChange.sensorLimit else {
                throw .invalidValue(
                    "sensor", "\(SettingChange.sensorLimit) sensors are selected, the maximum: forget one first")
            }
            if !isThere { list.selected.append(sensor) }
        }
        list.isOff = self == .off
    }
}

extension SensorStore {
    /// Forgets all sensors, or those that match a text: known sensors, and entries of the setting for them or
    /// for the text.
    ///
    /// - Throws: ``RPCError`` -32003 if nothing matches the text.
    package mutating func forget(_ sensor: String?) throws(RPCError) {
        guard let sensor else {
            selected = []
            remembered = []
            keys = []
            return
        }
        let pattern = SensorMatcher(sensor)
        let forgotten = remembered.filter { pattern?.matches($0.address, name: $0.name) ?? false }
        let kept = selected.filter { entry in
            guard let meant = SensorMatcher(entry) else { return false }
            return meant != pattern && !forgotten.contains { meant.matches($0.address, name: $0.name) }
        }
        let unpaired = keys.filter { key in
            pattern?.matches(key.device, name: nil) ?? false || forgotten.contains { $0.address == key.device }
        }
        guard kept.count < selected.count || !forgotten.isEmpty || !unpaired.isEmpty else {
            throw .notFound("sensor", "no known sensor has this address or name")
        }
        selected = kept
        remembered.removeAll { forgotten.contains($0) }
        keys.removeAll { unpaired.contains($0) }
    }
}
