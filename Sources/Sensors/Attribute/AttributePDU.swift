package import Domain

/// One PDU of the Attribute Protocol that a peer sent; each PDU is one datagram.
///
///     opcode  parameters, little-endian
///     01      request opcode u8, handle u16, error u8
///     02, 03  MTU u16
///     05      1, (handle u16, UUID 2 bytes)…  or  2, (handle u16, UUID 16 bytes)…
///     07      (first handle u16, last handle u16)…
///     09      size of an item u8, (handle u16, value)…
///     0B, 0D  value
///     13      none
///     1B, 1D  handle u16, value
///
/// Opcodes that are not listed are only classified: bit 6 marks a command; without it the even opcodes are requests,
/// except the confirmation 1E.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, part F, sections 3.3 and 3.4.
package enum AttributePDU: Equatable, Sendable {
    case refusal(of: UInt8, handle: UInt16, AttributeError)
    case mtuRequest(UInt16)
    case mtu(UInt16)
    case information([Descriptor])
    case services([ClosedRange<UInt16>])
    case values([AttributeValue])
    case value([UInt8])
    case part([UInt8])
    case written
    case notification(AttributeValue)
    case indication(AttributeValue)
    case otherRequest(UInt8)
    /// Commands, confirmations, and responses to requests that this client never sends.
    case other(UInt8)

    static let refusalOpcode: UInt8 = 0x01
    static let notificationOpcode: UInt8 = 0x1B
    static let indicationOpcode: UInt8 = 0x1D

    /// Reads one datagram.
    ///
    /// - Throws: ``ParseError``.
    package init(_ bytes: Span<UInt8>) throws(ParseError) {
        guard !bytes.isEmpty else { throw ParseError(at: 0, expected: "an opcode") }
        switch bytes[0] {
        case Self.refusalOpcode:
            guard bytes.count >= 5 else { throw ParseError(at: bytes.count, expected: "an error of five bytes") }
            self = .refusal(of: bytes[1], handle: try bytes.uint16(at: 2), AttributeError(rawValue: bytes[4]))
        case 0x02: self = .mtuRequest(try bytes.uint16(at: 1))
        case 0x03: self = .mtu(try bytes.uint16(at: 1))
        case 0x05: self = .information(try Self.information(bytes))
        case 0x07: self = .services(try Self.services(bytes))
        case 0x09: self = .values(try Self.values(bytes))
        case 0x0B: self = .value(bytes.bytes(from: 1))
        case 0x0D: self = .part(bytes.bytes(from: 1))
        case 0x13: self = .written
        case Self.notificationOpcode: self = .notification(try AttributeValue(bytes.extracting(1...)))
        case Self.indicationOpcode: self = .indication(try AttributeValue(bytes.extracting(1...)))
        case let opcode where Self.isRequest(opcode): self = .otherRequest(opcode)
        case let opcode: self = .other(opcode)
        }
    }

    static func isRequest(_ opcode: UInt8) -> Bool {
        opcode & 0x41 == 0 && opcode != 0x1E && opcode != 0
    }

    /// The opcode of the request that a datagram answers. Nil if it answers no request of this client.
    static func requestOpcode(answeredBy bytes: Span<UInt8>) -> UInt8? {
        guard !bytes.isEmpty else { return nil }
        return switch bytes[0] {
        case refusalOpcode: bytes.count >= 2 ? bytes[1] : nil
        case 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x13: bytes[0] - 1
        default: nil
        }
    }

    /// Whether a response carries handles, so that it cannot answer two different requests.
    static func namesHandles(_ opcode: UInt8) -> Bool {
        opcode == 0x05 || opcode == 0x09
    }

    private static func information(_ bytes: Span<UInt8>) throws(ParseError) -> [Descriptor] {
        guard bytes.count >= 2, bytes[1] == 1 || bytes[1] == 2 else {
            throw ParseError(at: 1, expected: "the format 1 or 2")
        }
        let size = bytes[1] == 1 ? 4 : 18
        var found: [Descriptor] = []
        for offset in try items(in: bytes, from: 2, size: size) {
            let type = try AttributeUUID(bytes.extracting(offset + 2..<offset + size))
            found.append(Descriptor(handle: try bytes.uint16(at: offset), type: type))
        }
        return found
    }

    private static func services(_ bytes: Span<UInt8>) throws(ParseError) -> [ClosedRange<UInt16>] {
        var found: [ClosedRange<UInt16>] = []
        for offset in try items(in: bytes, from: 1, size: 4) {
            let (first, last) = (try bytes.uint16(at: offset), try bytes.uint16(at: offset + 2))
            guard first > 0, first <= last else { throw ParseError(at: offset, expected: "handles that rise from 1") }
            found.append(first...last)
        }
        return found
    }

    private static func values(_ bytes: Span<UInt8>) throws(ParseError) -> [AttributeValue] {
        guard bytes.count >= 2, bytes[1] >= 2 else { throw ParseError(at: 1, expected: "items of two bytes or more") }
        var found: [AttributeValue] = []
        let size = Int(bytes[1])
        for offset in try items(in: bytes, from: 2, size: size) {
            found.append(try AttributeValue(bytes.extracting(offset..<offset + size)))
        }
        return found
    }

    /// Returns the offsets of at least one item; the items must fill the PDU.
    private static func items(
        in bytes: Span<UInt8>, from start: Int, size: Int
    ) throws(ParseError) -> StrideTo<Int> {
        guard bytes.count > start, (bytes.count - start).isMultiple(of: size) else {
            throw ParseError(at: bytes.count, expected: "whole items")
        }
        return stride(from: start, to: bytes.count, by: size)
    }
}

/// A handle with its value.
package struct AttributeValue: Equatable, Sendable {
    package var handle: UInt16
    package var value: [UInt8]

    package init(handle: UInt16, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    /// Reads a handle; the rest of the bytes are the value.
    fileprivate init(_ bytes: Span<UInt8>) throws(ParseError) {
        handle = try bytes.uint16(at: 0)
        value = bytes.bytes(from: 2)
    }
}

/// A descriptor of a characteristic.
package struct Descriptor: Equatable, Sendable {
    package var handle: UInt16
    package var type: AttributeUUID

    package init(handle: UInt16, type: AttributeUUID) {
        self.handle = handle
        self.type = type
    }
}
