package import Domain
import Sensors

/// A fake of the kernel's Bluetooth management channel. It is written
/// from BlueZ's doc/mgmt-api.txt, not from the codec under test.
package struct FakeKernel {
    package struct Adapter {
        package var address: BluetoothAddress
        package var isPowered = false
        package var hasLowEnergy = false
        package var isBlocked = false
        /// The connected devices, seven bytes of address and type each.
        package var connections: [[UInt8]] = []
        package var isDiscovering = false
        package var isBondable = false
        /// The capability of the last Set IO Capability; 3, NoInputNoOutput, is a new adapter's.
        package var capability: UInt8 = 3
        /// The loaded keys, 36 bytes each.
        package var keys: [[UInt8]] = []
        /// The device that is being paired, seven bytes of address and type.
        package var pairing: [UInt8]?

        package init(_ address: BluetoothAddress, isPowered: Bool = false, hasLowEnergy: Bool = false) {
            self.address = address
            self.isPowered = isPowered
            self.hasLowEnergy = hasLowEnergy
        }
    }

    package var adapters: [UInt16: Adapter] = [:]
    /// Whether the client has CAP_NET_ADMIN.
    package var isTrusted = true
    /// The statuses of opcodes that fail.
    package var failures: [UInt16: UInt8] = [:]
    /// Opcodes that are never answered.
    package var ignored: Set<UInt16> = []
    /// The received commands: opcode, index, parameters.
    package private(set) var commands: [(opcode: UInt16, index: UInt16, parameters: [UInt8])] = []

    private static let untrusted: Set<UInt16> = [0x0001, 0x0002, 0x0003, 0x0004, 0x0036, 0x003C, 0x0042]

    package init() {}

    /// The opcodes of the received commands.
    package var opcodes: [UInt16] {
        commands.map(\.opcode)
    }

    package mutating func forgetCommands() {
        commands = []
    }

    /// The events and the response that a command causes.
    package mutating func answers(to packet: [UInt8]) -> [[UInt8]] {
        precondition(packet.count >= 6 && packet.count == 6 + Int(packet[4]) + Int(packet[5]) << 8, "no command")
        let opcode = UInt16(packet[0]) | UInt16(packet[1]) << 8
        let index = UInt16(packet[2]) | UInt16(packet[3]) << 8
        let parameters = Array(packet[6...])
        commands.append((opcode, index, parameters))
        if ignored.contains(opcode) { return [] }
        func failed(_ status: UInt8) -> [[UInt8]] { [Self.event(2, index, bytes(opcode) + [status])] }
        func done(_ reply: [UInt8]) -> [UInt8] { Self.event(1, index, bytes(opcode) + [0] + reply) }
        if let status = failures[opcode] { return failed(status) }
        if !isTrusted, !Self.untrusted.contains(opcode) { return failed(0x14) }
        if opcode == 0x0003 {
            // The newest adapter is first.
            return [done(bytes(UInt16(adapters.count)) + adapters.keys.sorted(by: >).flatMap(bytes))]
        }
        guard let adapter = adapters[index] else { return failed(0x11) }
        switch opcode {
        case 0x0004: return [done(information(of: adapter))]
        case 0x0005 where adapter.isBlocked && parameters == [1]: return failed(0x12)
        case 0x0005:
            adapters[index]?.isPowered = parameters == [1]
            return [done(settings(of: index)), Self.event(6, index, settings(of: index))]
        case 0x000D:
            adapters[index]?.hasLowEnergy = parameters == [1]
            return [done(settings(of: index))]
        case 0x0014:
            let device = Array(parameters.prefix(7))
            guard adapter.connections.contains(device) else { return failed(0x02) }
            adapters[index]?.connections.removeAll { $0 == device }
            return [Self.event(0x0C, index, device + [2]), done(device)]
        case 0x0015:
            return [done(bytes(UInt16(adapter.connections.count)) + adapter.connections.flatMap { $0 })]
        case 0x0023:
            guard adapter.isPowered, adapter.hasLowEnergy else { return failed(0x0B) }
            guard !adapter.isDiscovering else { return failed(0x0A) }
            adapters[index]?.isDiscovering = true
            return [done(parameters), Self.event(0x13, index, parameters + [1])]
        case 0x0024:
            guard adapter.isDiscovering else { return failed(0x0B) }
            adapters[index]?.isDiscovering = false
            return [done(parameters), Self.event(0x13, index, parameters + [0])]
        case 0x0009:
            adapters[index]?.isBondable = parameters == [1]
            return [done(settings(of: index)), Self.event(6, index, settings(of: index))]
        case 0x0013:
            adapters[index]?.keys = stride(from: 2, to: parameters.count, by: 36).map {
                Array(parameters[$0..<$0 + 36])
            }
            return [done([])]
        case 0x0018:
            adapters[index]?.capability = parameters[0]
            return [done([])]
        case 0x0019:
            guard adapter.pairing == nil else { return failed(0x0A) }
            adapters[index]?.pairing = Array(parameters.prefix(7))
            return []
        case 0x001A:
            guard adapter.pairing == parameters else { return failed(0x0D) }
            return [done(parameters)] + endPairing(on: index, status: 0x10)
        case 0x001B:
            let device = Array(parameters.prefix(7))
            guard adapter.keys.contains(where: { $0.starts(with: device) }) else { return failed(0x06) }
            adapters[index]?.keys.removeAll { $0.starts(with: device) }
            return [done(device)]
        default: return [done([])]
        }
    }

    /// Ends the pairing. If the strap has bonded, the event with its key precedes the response.
    package mutating func endPairing(on index: UInt16, status: UInt8 = 0, key: [UInt8]? = nil) -> [[UInt8]] {
        guard let device = adapters[index]?.pairing else { return [] }
        adapters[index]?.pairing = nil
        let isBondable = adapters[index]?.isBondable ?? false
        let news = key.map { Self.event(0x0A, index, [isBondable ? 1 : 0] + device + $0) }
        if isBondable, let key { adapters[index]?.keys.append(device + key) }
        let answer = Self.event(status == 0 ? 1 : 2, index, bytes(0x0019) + [status] + (status == 0 ? device : []))
        return [news, answer].compactMap { $0 }
    }

    // MARK: Events without a command

    package mutating func plug(_ adapter: Adapter, as index: UInt16) -> [UInt8] {
        adapters[index] = adapter
        return Self.event(4, index, [])
    }

    package mutating func unplug(_ index: UInt16) -> [UInt8] {
        adapters[index] = nil
        return Self.event(5, index, [])
    }

    package mutating func switchOff(_ index: UInt16) -> [UInt8] {
        adapters[index]?.isPowered = false
        adapters[index]?.isDiscovering = false
        adapters[index]?.connections = []
        return Self.event(6, index, settings(of: index))
    }

    /// A discovery ends after 10.24 s.
    package mutating func endDiscovery(_ index: UInt16) -> [UInt8] {
        adapters[index]?.isDiscovering = false
        return Self.event(0x13, index, [6, 0])
    }

    package mutating func connect(_ device: [UInt8], to index: UInt16) -> [UInt8] {
        adapters[index]?.connections.append(device)
        return Self.event(0x0B, index, device + [0, 0, 0, 0, 0, 0])
    }

    package mutating func disconnect(_ device: [UInt8], from index: UInt16, reason: UInt8) -> [UInt8] {
        adapters[index]?.connections.removeAll { $0 == device }
        return Self.event(0x0C, index, device + [reason])
    }

    package static func found(
        _ device: [UInt8], rssi: Int8, data: [UInt8], flags: UInt8 = 0, on index: UInt16
    ) -> [UInt8] {
        let length = [UInt8(truncatingIfNeeded: data.count), UInt8(data.count >> 8)]
        return event(0x12, index, device + [UInt8(bitPattern: rssi), flags, 0, 0, 0] + length + data)
    }

    /// The bytes of an event.
    package static func event(_ code: UInt16, _ index: UInt16, _ parameters: [UInt8]) -> [UInt8] {
        [code, index, UInt16(parameters.count)].flatMap(bytes) + parameters
    }

    private func settings(of index: UInt16) -> [UInt8] {
        adapters[index].map(settings) ?? []
    }

    private func settings(of adapter: Adapter) -> [UInt8] {
        [
            0x80 | (adapter.isPowered ? 0x01 : 0) | (adapter.isBondable ? 0x10 : 0), adapter.hasLowEnergy ? 0x02 : 0x00,
            0, 0,
        ]
    }

    private func information(of adapter: Adapter) -> [UInt8] {
        let address = (0..<6).map { UInt8(truncatingIfNeeded: adapter.address.value >> UInt64(8 * $0)) }
        return address + [0x09, 0x02, 0x00, 0xFF, 0xBE, 0x01, 0x00] + settings(of: adapter)
            + Array(repeating: 0, count: 3 + 249 + 11)
    }
}

private func bytes(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
}
