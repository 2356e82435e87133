import Domain
import Outputs
package import Sensors

/// What is kept of straps from one start of the daemon to the next, until there is a journal.
package struct StrapList: Equatable, Sendable {
    /// No strap is to be used.
    package var isOff = false
    /// The setting `straps`.
    package var ours: [String] = []
    /// The straps that gave a beat, the last used first.
    package var remembered: [RememberedStrap] = []

    package init() {}

    /// The longest text of a list, in bytes.
    static let lengthLimit = 64 * 1024

    /// The list as JSON, one line.
    var text: [UInt8] {
        var line = LineWriter(capacity: 1024)
        line.object { line in
            line.member("version", 1)
            line.member("off", isOff)
            line.array("straps") { for strap in ours { $0.value(strap) } }
            line.array("remembered") { line in
                for strap in remembered {
                    line.object { line in
                        line.member("address", strap.address.address)
                        line.member("address_type", strap.address.type.rawValue)
                        line.member("name", strap.name?.text)
                        line.member("serial_number", strap.serialNumber?.text)
                        line.member("wide", strap.isWide)
                    }
                }
            }
        }
        line.newline()
        return line.bytes
    }

    /// Reads what ``text`` wrote; nil for anything else. Members that are not known are passed over.
    init?(_ text: [UInt8]) {
        guard let json = try? JSON(parsing: text), json["version"]?.integer == 1, let isOff = json["off"]?.bool,
            let ours = json["straps"]?.array, ours.count <= SettingChange.strapLimit,
            let remembered = json["remembered"]?.array, remembered.count <= StrapChoice.memoryLimit
        else { return nil }
        self.isOff = isOff
        for strap in ours {
            guard let strap = strap.string, SettingChange.isStrap(strap) else { return nil }
            self.ours.append(strap)
        }
        for strap in remembered {
            guard let strap = RememberedStrap(strap) else { return nil }
            self.remembered.append(strap)
        }
    }
}

extension RememberedStrap {
    fileprivate init?(_ json: JSON) {
        guard let address = json["address"]?.string.flatMap({ DeviceAddress($0) }),
            let type = json["address_type"]?.string.flatMap(TypedAddress.Kind.init), let isWide = json["wide"]?.bool
        else { return nil }
        self.init(
            address: TypedAddress(address, type), name: json["name"]?.string.flatMap { ForeignText($0) },
            serialNumber: json["serial_number"]?.string.flatMap { ForeignText($0) }, isWide: isWide)
    }
}
