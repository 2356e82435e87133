package import Domain

/// One thing to be asked of a GATT server, in as many requests as it takes.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, part G, section 4.
package enum GattProcedure: Equatable, Sendable {
    /// Agrees on the largest PDU. Once a connection.
    case exchangeMTU
    /// The first primary service of a type.
    case findService(AttributeUUID)
    /// The characteristics of a service, whose handles are given.
    case discoverCharacteristics(ClosedRange<UInt16>)
    /// The descriptors of a characteristic, whose handles after its value are given.
    case discoverDescriptors(ClosedRange<UInt16>)
    /// A value, whole: where it fills a PDU, the rest is asked for.
    case read(handle: UInt16)
    /// The first value of a type, whole, wherever it stands.
    case readByType(AttributeUUID)
    /// A value, which must fit into one PDU.
    case write(handle: UInt16, value: [UInt8])

    /// Turns a characteristic's notifications or indications on, by its Client Characteristic Configuration descriptor.
    package static func subscribe(_ subscription: Subscription, descriptor: UInt16) -> GattProcedure {
        var value: [UInt8] = []
        value.append(uint16: subscription.rawValue)
        return .write(handle: descriptor, value: value)
    }

    package enum Subscription: UInt16, Sendable {
        case none = 0
        /// Values that are not confirmed.
        case notifications = 1
        /// Values of which each is confirmed before the next.
        case indications = 2
    }

    /// What a procedure found.
    package enum Finding: Equatable, Sendable {
        /// Bytes of the largest PDU.
        case mtu(Int)
        /// The service's handles; nil where there is none of the type.
        case service(ClosedRange<UInt16>?)
        /// In the order of their handles.
        case characteristics([Characteristic])
        /// In the order of their handles.
        case descriptors([Descriptor])
        case value([UInt8])
        case written
    }

    /// Why a procedure found nothing.
    package enum Failure: Error, Equatable, Sendable {
        case refused(AttributeError)
        /// The answer was nonsense, said where.
        case malformed(ParseError)
        /// No answer in 30 s; nothing more can be asked on this connection.
        case timedOut
        /// The value to be written does not fit into a PDU.
        case tooLong
        /// Too many procedures are waiting.
        case queueFull
    }
}

/// A value that a service has, and where it stands.
package struct Characteristic: Equatable, Sendable {
    /// Of the declaration; the value comes after it.
    package var handle: UInt16
    /// Bit 1 read, 2 write without answer, 3 write, 4 notify, 5 indicate.
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
