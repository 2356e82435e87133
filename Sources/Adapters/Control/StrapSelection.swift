import Domain
import Sensors

/// The user's choice of straps.
package enum StrapSelection: Equatable, Sendable {
    /// Known straps, otherwise discovered ones.
    case auto
    case off
    /// An entry of the setting `straps`; it replaces the other entries or is added to them.
    case strap(String, isAdded: Bool)

    /// - Throws: ``RPCError`` -32004 if the list would become too long. The list is unchanged then.
    package func apply(to list: inout StrapStore) throws(RPCError) {
        switch self {
        case .auto: list.ours = []
        case .off: break
        case .strap(let strap, isAdded: false): list.ours = [strap]
        case .strap(let strap, isAdded: true):
            let isThere = list.ours.contains { StrapMatcher($0) == StrapMatcher(strap) }
            guard isThere || list.ours.count < SettingChange.strapLimit else {
                throw .invalidValue("strap", "there are \(SettingChange.strapLimit) straps already: forget one first")
            }
            if !isThere { list.ours.append(strap) }
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
            ours = []
            remembered = []
            keys = []
            return
        }
        let pattern = StrapMatcher(strap)
        let forgotten = remembered.filter { pattern?.matches($0.address, name: $0.name) ?? false }
        let kept = ours.filter { entry in
            guard let meant = StrapMatcher(entry) else { return false }
            return meant != pattern && !forgotten.contains { meant.matches($0.address, name: $0.name) }
        }
        let unpaired = keys.filter { key in
            pattern?.matches(key.device, name: nil) ?? false || forgotten.contains { $0.address == key.device }
        }
        guard kept.count < ours.count || !forgotten.isEmpty || !unpaired.isEmpty else {
            throw .notFound("strap", "no known strap has this address or name")
        }
        ours = kept
        remembered.removeAll { forgotten.contains($0) }
        keys.removeAll { unpaired.contains($0) }
    }
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
                throw .invalidParameters(name, "\(name) goes with a strap, not with \(strap)")
            }
            return strap == "auto" ? .auto : .off
        }
        guard let value = members["address_type"] else { return .strap(strap, isAdded: isAdded) }
        guard let type = value.string.flatMap(LEAddress.Kind.init) else {
            throw .invalidValue("address_type", "address_type must be public or random")
        }
        guard let address = BluetoothAddress(strap) else {
            throw .invalidValue("address_type", "address_type goes with an address")
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
