import Domain
import JSONCoding
import Sensors

/// The user's choice of straps.
package enum StrapSelection: Equatable, Sendable {
    /// Known straps, otherwise discovered ones.
    case auto
    case off
    /// An entry of the setting `straps`; it replaces the other entries or is added to them.
    case strap(String, isAdded: Bool)
}

extension ControlRequest.Parameters {
    /// The duration of a scan in seconds.
    func seconds() throws(RPCError) -> Int {
        guard let value = members["seconds"] else { return 10 }
        return try value.integer(in: 1...60, field: "seconds")
    }

    func strapUse() throws(RPCError) -> StrapSelection {
        guard let strap = try strap() else { throw .invalidParameters("strap", "strap is missing") }
        let isAdded = try members["add"]?.bool(field: "add") ?? false
        if strap == "auto" || strap == "off" {
            for name in ["add", "address_type"] where members[name] != nil {
                throw .invalidParameters(name, "\(name) cannot be combined with strap \(strap)")
            }
            return strap == "auto" ? .auto : .off
        }
        guard let value = members["address_type"] else { return .strap(strap, isAdded: isAdded) }
        guard let type = value.string.flatMap(LEAddress.Kind.init) else {
            throw .invalidValue("address_type", "address_type must be public or random")
        }
        guard let address = BluetoothAddress(strap) else {
            throw .invalidValue("address_type", "address_type needs strap to be an address")
        }
        return .strap(LEAddress(address, type).description, isAdded: isAdded)
    }

    func strapToPair() throws(RPCError) -> String {
        guard let strap = try strap() else { throw .invalidParameters("strap", "strap is missing") }
        return strap
    }

    func strap() throws(RPCError) -> String? {
        guard let value = members["strap"] else { return nil }
        guard let strap = value.string, SettingChange.isStrap(strap) else {
            throw .invalidValue(
                "strap", "strap must be an address, a name or the end of a name, of at most 64 characters")
        }
        return strap
    }
}
