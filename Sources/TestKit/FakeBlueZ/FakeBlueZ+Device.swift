import Domain
import Glibc
import Linux
import Sensors

/// Straps: connections, services and values.
extension FakeBlueZ {
    private static let device = "org.bluez.Device1"
    private static let characteristic = "org.bluez.GattCharacteristic1"

    /// Changes a strap's properties.
    package func change(strap index: Int = 0, _ body: (inout FakeBlueZStrap) -> Void) {
        body(&straps[index])
    }

    /// Adds the device's objects when it is discovered, or again after its removal.
    func add(_ index: Int) {
        let strap = straps[index]
        let services = strap.advertisesService ? ["180d", "180f"].map { BusValue.string(bluetoothUUID($0)) } : []
        add(
            strap.path, Self.device,
            [
                "Address": .string(strap.address), "AddressType": .string(strap.addressType),
                "Name": .string(strap.name), "Alias": .string(strap.name), "RSSI": .int16(strap.rssi),
                "Adapter": .objectPath(Self.adapter), "Connected": .bool(false), "ServicesResolved": .bool(false),
                "Paired": .bool(strap.isPaired), "Trusted": .bool(false), "Blocked": .bool(false),
                "UUIDs": .array(of: "s", services),
            ])
    }

    /// Removes the device, as bluetoothd does with temporary devices after a while.
    package func forget(_ index: Int = 0) {
        straps[index].reset()
        straps[index].isPaired = false
        remove(straps[index].path)
    }

    /// Breaks the connection. The service objects stay, as with the real bluetoothd.
    package func drop(_ index: Int = 0) {
        guard straps[index].isConnected else { return }
        straps[index].disconnect()
        let strap = straps[index]
        change(strap.heartRate, Self.characteristic, ["Notifying": .bool(false), "NotifyAcquired": .bool(false)])
        change(strap.path, Self.device, ["ServicesResolved": .bool(false)])
        change(strap.path, Self.device, ["Connected": .bool(false)])
    }

    func deviceCalled(_ request: BusRequest) {
        guard let index = straps.firstIndex(where: { $0.path == request.message.path }) else { return }
        switch request.message.member {
        case "Connect":
            guard isPowered else { return request.fail(BusError("org.bluez.Error.NotReady", "Resource Not Ready")) }
            if straps[index].isConnected { return (try? request.reply()) ?? () }
            after(airTime) { [unowned self] in
                guard straps[index].isAdvertising, objects[straps[index].path] != nil else {
                    return request.fail(BusError("org.bluez.Error.Failed", "le-connection-abort-by-local"))
                }
                connected(index)
                try? request.reply()
            }
        case "Disconnect":
            guard straps[index].isConnected else {
                return request.fail(BusError("org.bluez.Error.NotConnected", "Not Connected"))
            }
            try? request.reply()
            drop(index)
        case "Pair": pair(index, request)
        case "CancelPairing": request.fail(BusError("org.bluez.Error.DoesNotExist", "Does Not Exist"))
        default: request.fail(BusError(BusError.unknownMethod, "No such method"))
        }
    }

    /// Connects a strap, as any other client could.
    package func connect(_ index: Int = 0) {
        if !straps[index].isConnected { connected(index) }
    }

    func connected(_ index: Int) {
        straps[index].isConnected = true
        straps[index].connections += 1
        straps[index].link += 1
        let (strap, link) = (straps[index], straps[index].link)
        if strap.isToldConnected { change(strap.path, Self.device, ["Connected": .bool(true)]) }
        func later(_ delay: Duration, _ body: @escaping () -> Void) {
            after(delay) { [unowned self] in if straps[index].link == link { body() } }
        }
        let resolved = { [unowned self] in change(strap.path, Self.device, ["ServicesResolved": .bool(true)]) }
        if strap.isLeftConnected {
            guard leavesResolved else { return }
            addServices(index)
            return resolved()
        }
        switch strap.services {
        case .usual:
            later(airTime) { [unowned self] in
                addServices(index)
                resolved()
            }
        case .late(let delay):
            later(airTime, resolved)
            later(airTime + delay) { [unowned self] in addServices(index) }
        case .absent: later(airTime, resolved)
        case .unresolved: break
        }
    }

    private func addServices(_ index: Int) {
        let strap = straps[index]
        addService(strap, strap.service, "180d")
        add(strap, strap.heartRate, in: strap.service, "2a37", ["notify"], strap.cachedValue)
        add(strap, strap.location, in: strap.service, "2a38", ["read"], [1])
        if strap.battery != nil {
            addService(strap, strap.batteryService, "180f")
            add(strap, strap.batteryLevel, in: strap.batteryService, "2a19", ["read", "notify"], [])
        }
        if let model = strap.model {
            addService(strap, strap.information, "180a")
            for (handle, number) in [("char001f", "2a29"), ("char0021", "2a24")] {
                add(strap, strap.information + "/" + handle, in: strap.information, number, ["read"], Array(model.utf8))
            }
        }
    }

    private func addService(_ strap: FakeBlueZStrap, _ path: String, _ number: String) {
        guard objects[path] == nil else { return }
        add(
            path, "org.bluez.GattService1",
            [
                "UUID": .string(bluetoothUUID(number)), "Primary": .bool(true), "Device": .objectPath(strap.path),
                "Includes": .array(of: "o", []),
            ])
    }

    private func add(
        _ strap: FakeBlueZStrap, _ path: String, in service: String, _ number: String, _ flags: [String],
        _ value: [UInt8]
    ) {
        guard objects[path] == nil else { return }
        var properties: Properties = [
            "UUID": .string(bluetoothUUID(number)), "Service": .objectPath(service), "Value": .bytes(value),
            "Flags": .array(of: "s", flags.map { .string($0) }), "Notifying": .bool(false),
        ]
        if number == "2a37", strap.channel != .none { properties["NotifyAcquired"] = .bool(false) }
        add(path, Self.characteristic, properties)
    }

    /// Publishes the charge as bluetoothd's battery plugin does.
    package func notifyBattery(_ percent: UInt8, of index: Int = 0) {
        let path = straps[index].path
        if objects[path]?["org.bluez.Battery1"] == nil {
            add(path, "org.bluez.Battery1", ["Percentage": .byte(percent)])
        } else {
            change(path, "org.bluez.Battery1", ["Percentage": .byte(percent)])
        }
    }

    // MARK: Values

    func characteristicCalled(_ request: BusRequest) {
        let path = request.message.path
        guard let index = straps.firstIndex(where: { path.hasPrefix($0.path + "/") }) else { return }
        guard straps[index].isConnected else {
            return request.fail(BusError("org.bluez.Error.Failed", "Not connected"))
        }
        if straps[index].needsPairing, !straps[index].isPaired {
            return request.fail(BusError("org.bluez.Error.NotPermitted", "Not paired"))
        }
        let peer = request.message.sender
        onHangUp(of: index)
        switch request.message.member {
        case "ReadValue":
            let isBattery = path == straps[index].batteryLevel
            let value =
                isBattery ? [straps[index].battery ?? 0] : property("Value", of: path, Self.characteristic)?.bytes
            try? request.reply([.bytes(value ?? [])])
        case "AcquireNotify" where path == straps[index].heartRate: acquire(index, request)
        case "StartNotify" where straps[index].acquired != nil || straps[index].isKept:
            request.fail(BusError("org.bluez.Error.NotPermitted", "Notify acquired"))
        case "StartNotify" where !straps[index].agrees: leave(request)
        case "StartNotify":
            try? request.reply()
            guard path == straps[index].heartRate else { return }
            straps[index].subscribers.insert(peer)
            change(path, Self.characteristic, ["Notifying": .bool(true)])
            beat(index)
        case "StopNotify":
            try? request.reply()
            release(index, of: peer)
        default: request.fail(BusError("org.bluez.Error.NotSupported", "Operation is not supported"))
        }
    }

    /// Ends the subscription of a peer.
    func release(_ index: Int, of peer: String) {
        if let acquired = straps[index].acquired, acquired.peer == peer {
            close(acquired.end)
            straps[index].acquired = nil
        }
        straps[index].subscribers.remove(peer)
    }

    /// Ends the subscription of a peer that has closed its end.
    private func onHangUp(of index: Int) {
        guard let acquired = straps[index].acquired else { return }
        var descriptor = pollfd(fd: acquired.end, events: 0, revents: 0)
        poll(&descriptor, 1, 0)
        // A channel that is not a socket cannot deliver values.
        guard descriptor.revents != 0 || !straps[index].channel.isSocket else { return }
        release(index, of: acquired.peer)
        change(straps[index].heartRate, Self.characteristic, ["NotifyAcquired": .bool(false)])
    }

    private func acquire(_ index: Int, _ request: BusRequest) {
        guard straps[index].acquired == nil, straps[index].subscribers.isEmpty, !straps[index].isKept else {
            return request.fail(BusError("org.bluez.Error.NotPermitted", "Notify acquired"))
        }
        guard straps[index].agrees else {
            straps[index].isKept = true
            return leave(request)
        }
        let strap = straps[index]
        guard let (near, far) = strap.channel.ends() else {
            return request.fail(BusError("org.bluez.Error.NotSupported", "Operation is not supported"))
        }
        straps[index].acquired = (request.message.sender, near)
        try? request.reply([.descriptor(BusDescriptor(FileDescriptor(owning: far))), .uint16(247)])
        change(strap.heartRate, Self.characteristic, ["NotifyAcquired": .bool(true)])
        beat(index)
    }

    /// Sends a value, and more while the connection and a subscription last.
    private func beat(_ index: Int) {
        let link = straps[index].link
        after(beatPeriod) { [unowned self] in
            let strap = straps[index]
            guard strap.link == link, strap.sent < strap.silentAfter ?? .max else { return }
            // Contact, 16-bit RR intervals in 1/1024 s.
            guard send([0x16, strap.beatsPerMinute, 0x72, 0x03], of: index) else { return }
            beat(index)
        }
    }

    /// Sends bytes, valid or not, as a heart-rate value; returns false if there is no subscriber.
    @discardableResult
    package func send(_ value: [UInt8], of index: Int = 0) -> Bool {
        let strap = straps[index]
        if let acquired = strap.acquired {
            let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
            if Glibc.send(acquired.end, value, value.count, flags) < 0, errno == EPIPE || errno == ECONNRESET {
                close(acquired.end)
                straps[index].acquired = nil
                change(strap.heartRate, Self.characteristic, ["NotifyAcquired": .bool(false)])
                return false
            }
        } else if !strap.subscribers.isEmpty {
            change(strap.heartRate, Self.characteristic, ["Value": .bytes(value)])
        } else {
            return false
        }
        straps[index].sent += 1
        return true
    }

    // MARK: Pairing

    private func pair(_ index: Int, _ request: BusRequest) {
        let strap = straps[index]
        if strap.isPaired { return request.fail(BusError("org.bluez.Error.AlreadyExists", "Already Exists")) }
        guard agents[request.message.sender] != nil else {
            return request.fail(BusError("org.bluez.Error.AuthenticationFailed", "Authentication Failed"))
        }
        if !strap.isConnected { connected(index) }
        ask("RequestAuthorization", about: strap.path, of: request.message.sender) { [unowned self] answer in
            guard case .success = answer else {
                return request.fail(BusError("org.bluez.Error.AuthenticationRejected", "Authentication Rejected"))
            }
            straps[index].isPaired = true
            change(strap.path, Self.device, ["Paired": .bool(true)])
            try? request.reply()
        }
    }
}

extension FakeBlueZStrap.Channel {
    fileprivate var isSocket: Bool { self == .socket || self == .stream }

    /// The strap's end and the client's end; nil if there is no channel.
    fileprivate func ends() -> (near: Int32, far: Int32)? {
        var ends: [Int32] = [-1, -1]
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        switch self {
        case .socket:
            return socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | flags, 0, &ends) == 0 ? pair(ends) : nil
        case .stream: return socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0, &ends) == 0 ? pair(ends) : nil
        case .pipe:
            guard Glibc.pipe(&ends) == 0 else { return nil }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (ends[1], ends[0])
        case .file: return (open("/dev/null", O_WRONLY | O_CLOEXEC), open("/etc/passwd", O_RDONLY | O_CLOEXEC))
        case .null: return (open("/dev/null", O_WRONLY | O_CLOEXEC), open("/dev/null", O_RDONLY | O_CLOEXEC))
        case .none: return nil
        }
    }

    private func pair(_ ends: [Int32]) -> (near: Int32, far: Int32) { (ends[0], ends[1]) }
}
