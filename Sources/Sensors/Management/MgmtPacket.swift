package import Domain

/// An event of the kernel's Bluetooth management interface, including replies to commands.
///
/// Layout, little-endian: event u16, adapter index u16 (0xFFFF for none), length u16, bytes to the end of the datagram:
///
///     event  name                 bytes
///     0001   command complete     opcode u16, status u8, return value
///     0002   command status       opcode u16, status u8
///     0003   controller error     code u8
///     0004   index added          none
///     0005   index removed        none
///     0006   new settings         settings u32
///     000A   new long term key    store u8, address 7, and 29 bytes of a ``LongTermKey``
///     000B   device connected     address 7, flags u32, length u16, advertising data
///     000C   device disconnected  address 7, reason u8
///     000D   connect failed       address 7, status u8
///     000E   PIN code request     address 7, secure u8
///     000F   confirm request      address 7, hint u8, value u32
///     0010   passkey request      address 7
///     0012   device found         address 7, RSSI s8, flags u32, length u16, advertising data
///     0013   discovering          types u8, on u8
///
/// An address is six bytes, the last printed one first, and a type: 0 BR/EDR, 1 Low Energy public, 2 Low Energy random.
///
/// Source: BlueZ, doc/mgmt-api.txt.
package struct MgmtPacket: Equatable, Sendable {
    package enum Event: Equatable, Sendable {
        /// The end of a command; `reply` is its return value, empty if it failed.
        case answered(opcode: UInt16, MgmtStatus, reply: [UInt8])
        case failing(code: UInt8)
        case added
        case removed
        case settingsChanged(AdapterSettings)
        case connected(LEAddress)
        case disconnected(LEAddress, DisconnectReason)
        case connectFailed(LEAddress, MgmtStatus)
        case found(ScanResult)
        case discovering(Bool)
        /// A new key of 29 bytes to store.
        case agreed(LEAddress, key: [UInt8])
        /// A device wants to pair; `device` is the seven bytes of its address, which may be of BR/EDR.
        case asked(PairingQuestion, device: [UInt8])
        /// An unused event, or one of a BR/EDR device.
        case other(UInt16)
    }

    /// Why a connection ended, as the management interface reports it.
    package enum DisconnectReason: Equatable, Sendable {
        case unknown, timeout, local, remote, authentication, suspend
    }

    static let headerSize = 6

    /// The largest packet that is read; the longest advertisement has 1650 bytes.
    package static let sizeLimit = 4096

    package var index: UInt16
    package var event: Event

    /// Reads one datagram.
    ///
    /// - Throws: ``ParseError``.
    package init(_ bytes: Span<UInt8>) throws(ParseError) {
        let code = try bytes.uint16(at: 0)
        index = try bytes.uint16(at: 2)
        guard try bytes.uint16(at: 4) == bytes.count - Self.headerSize else {
            throw ParseError(at: 4, expected: "the length of what follows")
        }
        switch code {
        case 0x0001, 0x0002:
            let opcode = try bytes.uint16(at: 6)
            let status = MgmtStatus(rawValue: try bytes.uint8(at: 8))
            event = .answered(opcode: opcode, status, reply: code == 1 ? bytes.bytes(from: 9) : [])
        case 0x0003: event = .failing(code: try bytes.uint8(at: 6))
        case 0x0004: event = .added
        case 0x0005: event = .removed
        case 0x0006: event = .settingsChanged(AdapterSettings(rawValue: try bytes.uint32(at: 6)))
        case 0x000A:
            let isToBeKept = try bytes.uint8(at: 6) != 0
            let key = bytes.bytes(from: 14)
            guard key.count == LongTermKey.size else { throw ParseError(at: 14, expected: "the bytes of a key") }
            event = try bytes.typedAddress(at: 7).flatMap { isToBeKept ? .agreed($0, key: key) : nil } ?? .other(code)
        case 0x000B:
            // The advertising data is unused, but must be whole.
            _ = try Self.advertisingData(bytes, at: 17)
            event = try bytes.typedAddress(at: 6).map { .connected($0) } ?? .other(code)
        case 0x000C:
            let cause = Self.cause(try bytes.uint8(at: 13))
            event = try bytes.typedAddress(at: 6).map { .disconnected($0, cause) } ?? .other(code)
        case 0x000D:
            let status = MgmtStatus(rawValue: try bytes.uint8(at: 13))
            event = try bytes.typedAddress(at: 6).map { .connectFailed($0, status) } ?? .other(code)
        case 0x000E: event = .asked(.code, device: try Self.device(bytes))
        case 0x000F: event = .asked(.confirmation, device: try Self.device(bytes))
        case 0x0010: event = .asked(.passkey, device: try Self.device(bytes))
        case 0x0012: event = try Self.scanResult(bytes).map { .found($0) } ?? .other(code)
        case 0x0013: event = .discovering(try bytes.uint8(at: 7) != 0)
        default: event = .other(code)
        }
    }

    private static func cause(_ code: UInt8) -> DisconnectReason {
        switch code {
        case 1: .timeout
        case 2: .local
        case 3: .remote
        case 4: .authentication
        case 5: .suspend
        default: .unknown
        }
    }

    /// Seven address bytes of any type.
    private static func device(_ bytes: Span<UInt8>) throws(ParseError) -> [UInt8] {
        _ = try bytes.uint8(at: 12)
        return Array(bytes.bytes(from: 6).prefix(7))
    }

    private static func scanResult(_ bytes: Span<UInt8>) throws(ParseError) -> ScanResult? {
        let level = Int8(bitPattern: try bytes.uint8(at: 13))
        let data = AdvertisingData(try advertisingData(bytes, at: 18))
        guard let address = try bytes.typedAddress(at: 6) else { return nil }
        // 127 means an unknown signal strength.
        return ScanResult(
            address: address, name: data.name, rssi: level == 127 ? nil : Int(level), services: data.services)
    }

    /// Reads a length u16 and bytes of that length to the end of the packet.
    private static func advertisingData(_ bytes: Span<UInt8>, at offset: Int) throws(ParseError) -> [UInt8] {
        guard Int(try bytes.uint16(at: offset)) == bytes.count - offset - 2 else {
            throw ParseError(at: offset, expected: "the length of the advertising data")
        }
        return bytes.bytes(from: offset + 2)
    }
}

/// A question to the host in a pairing.
package enum PairingQuestion: Equatable, Sendable {
    /// Whether to accept the pairing, or whether both devices show the same number.
    case confirmation
    /// The number that the device shows.
    case passkey
    /// The PIN of BR/EDR.
    case code

    /// The opcodes of the answers.
    var acceptance: UInt16 {
        switch self {
        case .confirmation: 0x001C
        case .passkey: 0x001E
        case .code: 0x0016
        }
    }

    var refusal: UInt16 {
        acceptance + 1
    }
}

/// The status of a command.
package struct MgmtStatus: Equatable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let success = MgmtStatus(rawValue: 0x00)
    package static let unknownCommand = MgmtStatus(rawValue: 0x01)
    package static let notConnected = MgmtStatus(rawValue: 0x02)
    package static let connectFailed = MgmtStatus(rawValue: 0x04)
    package static let timeout = MgmtStatus(rawValue: 0x08)
    package static let busy = MgmtStatus(rawValue: 0x0A)
    package static let rejected = MgmtStatus(rawValue: 0x0B)
    package static let notSupported = MgmtStatus(rawValue: 0x0C)
    package static let disconnected = MgmtStatus(rawValue: 0x0E)
    package static let invalidIndex = MgmtStatus(rawValue: 0x11)
    package static let blocked = MgmtStatus(rawValue: 0x12)
    package static let permissionDenied = MgmtStatus(rawValue: 0x14)
}

/// The settings that an adapter supports, or its current ones.
package struct AdapterSettings: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let powered = AdapterSettings(rawValue: 1 << 0)
    package static let bondable = AdapterSettings(rawValue: 1 << 4)
    package static let lowEnergy = AdapterSettings(rawValue: 1 << 9)
}

extension [UInt8] {
    /// Parses the return value of Get Connections: their number u16, and the address of each.
    func connections(limit: Int) -> [LEAddress] {
        stride(from: 2, to: Swift.min(count, 2 + 7 * limit), by: 7).compactMap {
            (try? span.typedAddress(at: $0)) ?? nil
        }
    }
}

extension Span<UInt8> {
    /// Reads six address bytes and a type. Nil for a BR/EDR device.
    func typedAddress(at offset: Int) throws(ParseError) -> LEAddress? {
        let address = try deviceAddress(at: offset)
        switch try uint8(at: offset + 6) {
        case 0: return nil
        case 1: return LEAddress(address, .public)
        case 2: return LEAddress(address, .random)
        default: throw ParseError(at: offset + 6, expected: "a type of address")
        }
    }

    /// Reads six address bytes, the last printed one first.
    func deviceAddress(at offset: Int) throws(ParseError) -> BluetoothAddress {
        guard offset + 6 <= count else { throw ParseError(at: count, expected: "six bytes of an address") }
        var value: UInt64 = 0
        for index in 0..<6 { value |= UInt64(self[offset + index]) << UInt64(8 * index) }
        return BluetoothAddress(value: value)
    }
}
