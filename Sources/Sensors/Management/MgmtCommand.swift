package import Domain

/// What is asked of the kernel's Bluetooth over its management channel.
///
/// Layout, little-endian: opcode u16, index of the adapter u16 (0xFFFF for none), length u16, and so many bytes of parameters.
///
/// Source: BlueZ, doc/mgmt-api.txt.
package enum MgmtCommand: Equatable, Sendable {
    case readIndexList
    case readInformation(index: UInt16)
    case setPowered(index: UInt16)
    case setLowEnergy(index: UInt16)
    /// Whether those that pair may stay paired.
    case setBondable(index: UInt16, Bool)
    /// Makes the keys those of all devices, and forgets others.
    case loadKeys(index: UInt16, [LongTermKey])
    case disconnect(index: UInt16, LEAddress)
    case readConnections(index: UInt16)
    /// The host is one that can ask: the kernel then asks us before it lets anybody pair.
    case setCapability(index: UInt16)
    /// Connects and pairs, as a host that can neither show nor ask anything; answered when that is done.
    case pair(index: UInt16, LEAddress)
    case cancelPairing(index: UInt16, LEAddress)
    /// Forgets the keys of a device, which stays connected.
    case unpair(index: UInt16, LEAddress)
    /// An answer to somebody who wants to pair, by the seven bytes of the question.
    case answer(index: UInt16, PairingQuestion, [UInt8], isYes: Bool)
    case startDiscovery(index: UInt16)
    case stopDiscovery(index: UInt16)
    /// Makes the parameters those of one device, and forgets those of all others that are not connected by themselves.
    case loadParameters(index: UInt16, LEAddress, ConnectionParameters)
    /// Makes the parameters those of every connection to come, and the duty that of every search.
    case setDefaults(index: UInt16, ConnectionParameters, ScanDutyPolicy.Duty)

    static let pairOpcode: UInt16 = 0x0019

    /// The index of commands that go to no adapter.
    package static let noIndex: UInt16 = 0xFFFF

    /// Low Energy's two types of address, as a discovery takes them.
    static let discoveryType: UInt8 = 0b110

    package var opcode: UInt16 {
        switch self {
        case .readIndexList: 0x0003
        case .readInformation: 0x0004
        case .setPowered: 0x0005
        case .setBondable: 0x0009
        case .setLowEnergy: 0x000D
        case .loadKeys: 0x0013
        case .disconnect: 0x0014
        case .readConnections: 0x0015
        case .answer(_, let question, _, let isYes): isYes ? question.acceptance : question.refusal
        case .setCapability: 0x0018
        case .pair: Self.pairOpcode
        case .cancelPairing: 0x001A
        case .unpair: 0x001B
        case .startDiscovery: 0x0023
        case .stopDiscovery: 0x0024
        case .loadParameters: 0x0035
        case .setDefaults: 0x004C
        }
    }

    package var index: UInt16 {
        switch self {
        case .readIndexList: Self.noIndex
        case .readInformation(let index), .setPowered(let index), .setLowEnergy(let index), .disconnect(let index, _),
            .readConnections(let index), .startDiscovery(let index), .stopDiscovery(let index),
            .loadParameters(let index, _, _), .setDefaults(let index, _, _), .setBondable(let index, _),
            .loadKeys(let index, _), .setCapability(let index), .pair(let index, _), .cancelPairing(let index, _),
            .unpair(let index, _), .answer(let index, _, _, _):
            index
        }
    }

    /// The packet, whole.
    package var bytes: [UInt8] {
        let parameters = parameters
        var bytes: [UInt8] = []
        bytes.reserveCapacity(MgmtPacket.headerSize + parameters.count)
        bytes.append(uint16: opcode)
        bytes.append(uint16: index)
        bytes.append(uint16: UInt16(parameters.count))
        return bytes + parameters
    }

    private var parameters: [UInt8] {
        switch self {
        case .readIndexList, .readInformation, .readConnections: []
        case .setPowered, .setLowEnergy: [1]
        case .setBondable(_, let isOn): [isOn ? 1 : 0]
        case .disconnect(_, let device), .cancelPairing(_, let device): device.managementBytes
        // A display, and a key for yes and one for no.
        case .setCapability: [1]
        case .pair(_, let device): device.managementBytes + [3]
        case .unpair(_, let device): device.managementBytes + [0]
        case .answer(_, _, let device, _): device
        case .loadKeys(_, let keys): Self.list(keys)
        case .startDiscovery, .stopDiscovery: [Self.discoveryType]
        case .loadParameters(_, let device, let parameters): [1, 0] + device.managementBytes + parameters.bytes
        case .setDefaults(_, let parameters, let duty): Self.defaults(parameters, duty)
        }
    }

    /// How many keys u16, and of each the device and what else there is.
    private static func list(_ keys: [LongTermKey]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(uint16: UInt16(keys.count))
        return bytes + keys.flatMap { $0.device.managementBytes + $0.bytes }
    }

    /// A list of settings, each a type u16, a length u8 and a value.
    private static func defaults(_ parameters: ConnectionParameters, _ duty: ScanDutyPolicy.Duty) -> [UInt8] {
        let interval = ScanDutyPolicy.Duty.units(duty.interval)
        let window = ScanDutyPolicy.Duty.units(duty.window)
        let settings: [(type: UInt16, value: UInt16)] = [
            // For discoveries, and for connections that are waited for.
            (0x0011, interval), (0x0012, window), (0x0015, interval), (0x0016, window),
            (0x0017, parameters.minimumInterval), (0x0018, parameters.maximumInterval),
            (0x0019, parameters.latency), (0x001A, parameters.supervisionTimeout),
        ]
        var bytes: [UInt8] = []
        for setting in settings {
            bytes.append(uint16: setting.type)
            bytes.append(2)
            bytes.append(uint16: setting.value)
        }
        return bytes
    }
}

/// How often a strap is listened to, and for how long it may be silent.
package struct ConnectionParameters: Equatable, Sendable {
    /// Bounds of the time between two events of the connection, in units of 1.25 ms.
    package var minimumInterval: UInt16
    package var maximumInterval: UInt16
    /// How many events the strap may leave out.
    package var latency: UInt16
    /// After so long without a word the connection is lost, in units of 10 ms.
    package var supervisionTimeout: UInt16

    /// 30 to 50 ms as is the kernel's own, and 5 s instead of its 420 ms, which the body's shadow outlasts.
    package static let usual = ConnectionParameters(
        minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 500)

    /// 30 to 500 ms and 6 s, for straps that ask for slow connections and leave when they are refused.
    package static let wide = ConnectionParameters(
        minimumInterval: 24, maximumInterval: 400, latency: 0, supervisionTimeout: 600)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for value in [minimumInterval, maximumInterval, latency, supervisionTimeout] { bytes.append(uint16: value) }
        return bytes
    }
}

extension ScanDutyPolicy.Duty {
    /// In units of 0.625 ms.
    fileprivate static func units(_ duration: Duration) -> UInt16 {
        UInt16(clamping: duration.wholeNanoseconds / 625_000)
    }
}

extension LEAddress {
    /// Six bytes, the last printed one first, and the type.
    var managementBytes: [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) } + [type == .public ? 1 : 2]
    }
}
