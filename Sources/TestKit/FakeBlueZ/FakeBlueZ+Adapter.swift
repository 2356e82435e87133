import Domain
package import Linux

/// The adapter, discoveries and agents.
extension FakeBlueZ {
    private static let interface = "org.bluez.Adapter1"

    package var isPowered: Bool {
        property("Powered", of: Self.adapter, Self.interface)?.bool == true
    }

    package var isDiscovering: Bool { !discoverers.isEmpty }

    func addAdapter() {
        add(
            Self.adapter, Self.interface,
            [
                "Address": .string(Self.adapterAddress), "AddressType": .string("public"), "Name": .string("board"),
                "Alias": .string("board"), "Powered": .bool(isPoweredAtStart), "Discovering": .bool(false),
                "Pairable": .bool(false), "UUIDs": .array(of: "s", []),
            ])
    }

    /// Switches the adapter on or off.
    package func power(_ isOn: Bool) {
        guard isOn != isPowered else { return }
        if !isOn {
            discoverers = [:]
            for index in straps.indices where straps[index].isConnected { drop(index) }
        }
        change(Self.adapter, Self.interface, ["Powered": .bool(isOn), "Discovering": .bool(false)])
    }

    /// Removes the adapter with all its devices.
    package func unplug() {
        discoverers = [:]
        for index in straps.indices { straps[index].disconnect() }
        remove(Self.adapter)
    }

    package func plug() {
        addAdapter()
    }

    func set(_ request: BusRequest) {
        let arguments = request.message.arguments
        guard request.message.path == Self.adapter, arguments.count == 3, arguments[1].text == "Powered",
            let isOn = arguments[2].bool
        else { return request.fail(BusError("org.freedesktop.DBus.Error.PropertyReadOnly")) }
        if isOn, isBlocked { return request.fail(BusError("org.bluez.Error.Blocked", "Blocked through rfkill")) }
        try? request.reply()
        power(isOn)
    }

    func adapterCalled(_ request: BusRequest) {
        let peer = request.message.sender
        switch request.message.member {
        case "SetDiscoveryFilter":
            filters[peer] = request.message.arguments.first?["UUIDs"]?.elements.compactMap(\.text) ?? []
            if discoverers[peer] != nil { discoverers[peer] = filters[peer] }
            try? request.reply()
        case "StartDiscovery":
            guard isPowered else { return request.fail(BusError("org.bluez.Error.NotReady", "Resource Not Ready")) }
            guard discoverers[peer] == nil else {
                return request.fail(BusError("org.bluez.Error.InProgress", "Operation already in progress"))
            }
            try? request.reply()
            discoverers[peer] = filters[peer] ?? []
            discoveryChanged()
            if discoverers.count == 1 { hear() }
        case "StopDiscovery":
            guard discoverers.removeValue(forKey: peer) != nil else {
                return request.fail(BusError("org.bluez.Error.Failed", "No discovery started"))
            }
            try? request.reply()
            discoveryChanged()
        case "RemoveDevice":
            let path = request.message.arguments.first?.text
            guard let index = straps.firstIndex(where: { $0.path == path }), objects[straps[index].path] != nil else {
                return request.fail(BusError("org.bluez.Error.DoesNotExist", "Does Not Exist"))
            }
            forget(index)
            try? request.reply()
        default: request.fail(BusError(BusError.unknownMethod, "No such method"))
        }
    }

    func discoveryChanged() {
        if property("Discovering", of: Self.adapter, Self.interface)?.bool != isDiscovering {
            change(Self.adapter, Self.interface, ["Discovering": .bool(isDiscovering)])
        }
    }

    /// While a peer discovers, publishes each advertising strap periodically.
    private func hear() {
        after(airTime) { [unowned self] in
            guard isDiscovering else { return }
            for (index, strap) in straps.enumerated() where strap.isAdvertising && !strap.isConnected && isWanted(strap)
            {
                if objects[strap.path] == nil {
                    add(index)
                } else {
                    change(strap.path, "org.bluez.Device1", ["RSSI": .int16(strap.rssi)])
                }
            }
            hear()
        }
    }

    private func isWanted(_ strap: FakeBlueZStrap) -> Bool {
        discoverers.values.contains { uuids in
            uuids.isEmpty || strap.advertisesService && uuids.contains { $0.lowercased() == bluetoothUUID("180d") }
        }
    }

    // MARK: Agents

    func agentManagerCalled(_ request: BusRequest) {
        let peer = request.message.sender
        guard let path = request.message.arguments.first?.text else {
            return request.fail(BusError("org.bluez.Error.InvalidArguments", "Invalid arguments in method call"))
        }
        switch request.message.member {
        case "RegisterAgent" where agents[peer] == nil:
            agents[peer] = path
            try? request.reply()
        case "RegisterAgent": request.fail(BusError("org.bluez.Error.AlreadyExists", "Already Exists"))
        case "UnregisterAgent" where agents[peer] == path:
            agents[peer] = nil
            try? request.reply()
        case "UnregisterAgent": request.fail(BusError("org.bluez.Error.DoesNotExist", "Does Not Exist"))
        case "RequestDefaultAgent":
            defaultAgents.append(peer)
            try? request.reply()
        default: request.fail(BusError(BusError.unknownMethod, "No such method"))
        }
    }

    /// Whether an agent is registered.
    package var hasAgent: Bool { !agents.isEmpty }

    /// Calls an agent's method as pairing does: the agent of a peer, or any. Without an agent,
    /// nothing is called and `answered` does not run; the real bluetoothd rejects the pairing.
    package func ask(
        _ member: String, about device: String, _ arguments: [BusValue] = [], of peer: String? = nil,
        answered: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        guard let peer = peer ?? agents.keys.first, let path = agents[peer], let bus else { return }
        requestCount += 1
        keep(
            bus.call(
                peer, path, "org.bluez.Agent1", member, [.objectPath(device)] + arguments, timeout: .seconds(30),
                answered: answered), as: "question \(requestCount)")
    }
}
