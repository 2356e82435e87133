/// A request of the Attribute Protocol: one PDU that the server must answer.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, part F, section 3.4.
package enum AttributeRequest: Equatable, Sendable {
    case exchangeMTU(UInt16)
    /// Asks for the handles and types of all attributes in a range.
    case findInformation(ClosedRange<UInt16>)
    /// Asks for the primary services of one type in a range.
    case findService(ClosedRange<UInt16>, AttributeUUID)
    /// Asks for the values of all attributes of one type in a range.
    case readByType(ClosedRange<UInt16>, AttributeUUID)
    case read(handle: UInt16)
    /// Asks for the part of a value that begins at `offset`.
    case readBlob(handle: UInt16, offset: UInt16)
    case write(handle: UInt16, value: [UInt8])

    package var opcode: UInt8 {
        switch self {
        case .exchangeMTU: 0x02
        case .findInformation: 0x04
        case .findService: 0x06
        case .readByType: 0x08
        case .read: 0x0A
        case .readBlob: 0x0C
        case .write: 0x12
        }
    }

    /// The opcode of the response that is not an Error Response.
    package var answerOpcode: UInt8 {
        opcode + 1
    }

    /// The PDU.
    package var bytes: [UInt8] {
        var bytes = [opcode]
        switch self {
        case .exchangeMTU(let mtu): bytes.append(uint16: mtu)
        case .findInformation(let range): bytes.append(range)
        case .findService(let range, let type):
            bytes.append(range)
            bytes += AttributeUUID.primaryService.bytes
            bytes += type.bytes
        case .readByType(let range, let type):
            bytes.append(range)
            bytes += type.bytes
        case .read(let handle): bytes.append(uint16: handle)
        case .readBlob(let handle, let offset):
            bytes.append(uint16: handle)
            bytes.append(uint16: offset)
        case .write(let handle, let value):
            bytes.append(uint16: handle)
            bytes += value
        }
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ range: ClosedRange<UInt16>) {
        append(uint16: range.lowerBound)
        append(uint16: range.upperBound)
    }
}
