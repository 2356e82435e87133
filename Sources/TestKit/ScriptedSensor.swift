package import Domain
package import Sensors

/// A GATT server with the given services, each with characteristics that notify. It records the requests.
package struct ScriptedSensor: Sendable {
    private struct Attribute: Sendable {
        let handle: UInt16
        let type: AttributeUUID
        let value: [UInt8]
    }

    private var attributes: [Attribute] = []
    private var ends: [UInt16: UInt16] = [:]
    package private(set) var requests: [[UInt8]] = []
    /// The handles of values whose notifications are on.
    package private(set) var subscribed: Set<UInt16> = []
    private var values: [AttributeUUID: UInt16] = [:]
    /// The values that can be read by their type.
    package var readable: [AttributeUUID: [UInt8]] = [:]
    /// The values that were written, except subscriptions.
    package private(set) var written: [[UInt8]] = []
    /// The values whose configuration is 2.
    package private(set) var indicated: Set<UInt16> = []

    /// - Parameter services: each with its characteristics, in the order of their handles, which begin with 0x0010.
    package init(_ services: [(service: AttributeUUID, characteristics: [AttributeUUID])]) {
        var handle: UInt16 = 0x10
        for (service, characteristics) in services {
            let start = handle
            attributes.append(Attribute(handle: handle, type: .primaryService, value: service.bytes))
            for type in characteristics {
                let properties: UInt8 = 0x10
                let value = handle + 2
                let declaration = [properties, UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] + type.bytes
                attributes.append(Attribute(handle: handle + 1, type: .characteristic, value: declaration))
                attributes.append(Attribute(handle: value, type: type, value: []))
                attributes.append(
                    Attribute(handle: handle + 3, type: .clientCharacteristicConfiguration, value: [0, 0]))
                values[type] = value
                handle += 3
            }
            ends[start] = handle
            handle += 1
        }
    }

    /// The sensor of these kinds, with all their characteristics.
    package init(_ kinds: [SensorKind]) {
        self.init(kinds.compactMap { kind in kind.service.map { ($0, kind.characteristics) } })
    }

    /// The notification of a value; nil while it is off, or if the sensor lacks the characteristic.
    package func notification(_ value: [UInt8], of type: AttributeUUID) -> [UInt8]? {
        guard let handle = values[type], subscribed.contains(handle) else { return nil }
        return [0x1B, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] + value
    }

    /// The indication of a value; nil while it is off.
    package func indication(_ value: [UInt8], of type: AttributeUUID) -> [UInt8]? {
        guard let handle = values[type], indicated.contains(handle) else { return nil }
        return [0x1D, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] + value
    }

    package mutating func answer(to pdu: [UInt8]) -> [UInt8] {
        requests.append(pdu)
        let notFound: [UInt8] = [0x01, pdu[0], pdu[1], pdu[2], 0x0A]
        let first = UInt16(pdu[1]) | UInt16(pdu[2]) << 8
        let last = pdu.count > 4 ? UInt16(pdu[3]) | UInt16(pdu[4]) << 8 : first
        switch pdu[0] {
        case 0x02: return [0x03, 23, 0]
        case 0x06:
            let wanted = Array(pdu.dropFirst(7))
            guard
                let service = attributes.first(where: {
                    $0.type == .primaryService && $0.value == wanted && $0.handle >= first
                }), let end = ends[service.handle]
            else { return notFound }
            return [0x07] + Self.bytes(service.handle) + Self.bytes(end)
        case 0x08 where pdu.suffix(2) == AttributeUUID.characteristic.bytes[...]:
            let found = attributes.filter { $0.type == .characteristic && (first...last).contains($0.handle) }
            guard let size = found.first?.value.count else { return notFound }
            // One response has values of one size, and fits into the smallest PDU.
            let fitting = found.prefix { $0.value.count == size }.prefix(max(21 / (size + 2), 1))
            return [0x09, UInt8(size + 2)] + fitting.flatMap { Self.bytes($0.handle) + $0.value }
        case 0x04:
            let found = attributes.filter { (first...last).contains($0.handle) }
            guard let one = found.first(where: { $0.type == .clientCharacteristicConfiguration }) else {
                return notFound
            }
            return [0x05, 1] + Self.bytes(one.handle) + one.type.bytes
        case 0x08:
            guard let value = readable.first(where: { $0.key.bytes == Array(pdu.dropFirst(5)) })?.value else {
                return notFound
            }
            return [0x09, UInt8(value.count + 2), 1, 0] + value
        case 0x12 where values.values.contains(first):
            written.append(Array(pdu.dropFirst(3)))
            return [0x13]
        case 0x12:
            subscribed.insert(first - 1)
            if pdu.dropFirst(3) == [2, 0] { indicated.insert(first - 1) }
            return [0x13]
        default: return notFound
        }
    }

    private static func bytes(_ value: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)]
    }
}
