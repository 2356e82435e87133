package import Domain

/// A command of the kernel's Bluetooth management interface.
///
/// Layout, little-endian: opcode u16, adapter index u16 (0xFFFF for none), length u16, parameters of that length.
///
/// Source: BlueZ, doc/mgmt-api.txt.
package enum MgmtCommand: Equatable, Sendable {
    case readIndexList
    case readInformation(index: UInt16)
    case setPowered(index: UInt16)
    case setLowEnergy(index: UInt16)
    /// Sets whether devices that pair are bonded.
    case setBondable(index: UInt16, Bool)
    /// Loads these keys and discards all others.
    case loadKeys(index: UInt16, [LongTermKey])
    case disconnect(index: UInt16, LEAddress)
    case readConnections(index: UInt16)
    /// Sets the IO capability to DisplayYesNo: the kernel then asks this program before it accepts a pairing.
    case setCapability(index: UInt16)
    /// Connects and pairs with the capability NoInputNoOutput; the reply comes when that is done.
    case pair(index: UInt16, LEAddress)
    case cancelPairing(index: UInt16, LEAddress)
    /// Forgets the keys of a device, which stays connected.
    case unpair(index: UInt16, LEAddress)
    /// Answers a pairing question, with the seven address bytes of the question.
    case answer(index: UInt16, PairingQuestion, [UInt8], isYes: Bool)
    case startDiscovery(index: UInt16)
    case stopDiscovery(index: UInt16)
    /// Loads the parameters for these devices; discards those of all others that the kernel does not connect
    /// automatically.
    case loadParameters(index: UInt16, [LEAddress: ConnectionParameters])
    /// Sets the default parameters of connections and the duty of scans.
    case setDefaults(index: UInt16, ConnectionParameters, ScanDutyPolicy.Duty)

    static let pairOpcode: UInt16 = 0x0019

    /// The index of commands without an adapter.
    package static let noIndex: UInt16 = 0xFFFF

    /// The address types of a discovery: Low Energy public and random.
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
            .loadParameters(let index, _), .setDefaults(let index, _, _), .setBondable(let index, _),
            .loadKeys(let index, _), .setCapability(let index), .pair(let index, _), .cancelPairing(let index, _),
            .unpair(let index, _), .answer(let index, _, _, _):
            index
        }
    }

    /// The whole packet.
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
        // DisplayYesNo.
        case .setCapability: [1]
        case .pair(_, let device): device.managementBytes + [3]
        case .unpair(_, let device): device.managementBytes + [0]
        case .answer(_, _, let device, _): device
        case .loadKeys(_, let keys): Self.list(keys)
        case .startDiscovery, .stopDiscovery: [Self.discoveryType]
        case .loadParameters(_, let devices):
            [UInt8(devices.count), 0]
                + devices.map { $0.managementBytes + $1.bytes }.sorted { $0.lexicographicallyPrecedes($1) }.joined()
        case .setDefaults(_, let parameters, let duty): Self.defaults(parameters, duty)
        }
    }

    /// The number of keys u16, and for each the device's address and the bytes of the key.
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
            // For discoveries, and for pending connections.
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

/// The parameters of a Low Energy connection.
package struct ConnectionParameters: Equatable, Sendable {
    /// Bounds of the connection interval, in units of 1.25 ms.
    package var minimumInterval: UInt16
    package var maximumInterval: UInt16
    /// The number of connection events that the device may skip.
    package var latency: UInt16
    /// The silence after which the link is lost, in units of 10 ms.
    package var supervisionTimeout: UInt16

    /// 30 to 50 ms, the kernel's default, with 5 s instead of 420 ms, because the body can block the signal longer.
    package static let usual = ConnectionParameters(
        minimumInterval: 24, maximumInterval: 40, latency: 0, supervisionTimeout: 500)

    /// 30 to 500 ms and 6 s, for devices that request slow connections and disconnect if they are refused.
    package static let wide = ConnectionParameters(
        minimumInterval: 24, maximumInterval: 400, latency: 0, supervisionTimeout: 600)

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for value in [minimumInterval, maximumInterval, latency, supervisionTimeout] { bytes.append(uint16: value) }
        return bytes
    }
}

extension ScanDutyPolicy.Duty {
    /// Returns a duration in units of 0.625 ms.
    fileprivate static func units(_ duration: Duration) -> UInt16 {
        UInt16(clamping: duration.wholeNanoseconds / 625_000)
    }
}

extension LEAddress {
    /// Six address bytes, the last printed one first, and the type.
    var managementBytes: [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) } + [type == .public ? 1 : 2]
    }
}
