package import Domain

/// A procedure of GATT, performed in one or more requests.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, part G, section 4.
package enum GattProcedure: Equatable, Sendable {
    /// Agrees on the largest PDU; at most once a connection.
    case exchangeMTU
    /// Finds the first primary service of a type.
    case findService(AttributeUUID)
    /// Finds the characteristics of a service, given its handles.
    case discoverCharacteristics(ClosedRange<UInt16>)
    /// Finds the descriptors of a characteristic, given the handles after its value.
    case discoverDescriptors(ClosedRange<UInt16>)
    /// Reads a whole value: if it fills a PDU, the rest is requested too.
    case read(handle: UInt16)
    /// Reads the first value of a type, whole, at any handle.
    case readByType(AttributeUUID)
    /// Writes a value that fits into one PDU.
    case write(handle: UInt16, value: [UInt8])

    /// Returns the write to a Client Characteristic Configuration descriptor that sets notifications or indications.
    package static func subscribe(_ subscription: Subscription, descriptor: UInt16) -> GattProcedure {
        var value: [UInt8] = []
        value.append(uint16: subscription.rawValue)
        return .write(handle: descriptor, value: value)
    }

    package enum Subscription: UInt16, Sendable {
        case none = 0
        /// Unconfirmed values.
        case notifications = 1
        /// Values that are confirmed one by one.
        case indications = 2
    }

    /// The result of a procedure.
    package enum Finding: Equatable, Sendable {
        /// The largest PDU in bytes.
        case mtu(Int)
        /// The service's handles. Nil if the server has no service of the type.
        case service(ClosedRange<UInt16>?)
        /// In the order of their handles.
        case characteristics([Characteristic])
        /// In the order of their handles.
        case descriptors([Descriptor])
        case value([UInt8])
        case written
    }

    /// Why a procedure failed.
    package enum Failure: Error, Equatable, Sendable {
        case refused(AttributeError)
        /// The response could not be parsed.
        case malformed(ParseError)
        /// No response in 30 s; no request may be sent on this connection any more.
        case timedOut
        /// The value does not fit into a PDU.
        case tooLong
        case queueFull
    }
}

/// A characteristic of a service, with its handles.
package struct Characteristic: Equatable, Sendable {
    /// The handle of the declaration; the value follows it.
    package var handle: UInt16
    /// Bit 1 read, 2 write without response, 3 write, 4 notify, 5 indicate.
    package var properties: UInt8
    package var valueHandle: UInt16
    package var type: AttributeUUID

    package init(handle: UInt16, properties: UInt8, valueHandle: UInt16, type: AttributeUUID) {
        self.handle = handle
        self.properties = properties
        self.valueHandle = valueHandle
        self.type = type
    }
}
