package import Domain

/// The end of a connection as the adapter told it: the reason that the kernel's other interfaces fold together.
///
/// Layout, little-endian: packet type 04, event 05, length 04, status u8, handle of the connection u16, reason u8.
///
/// Source: Bluetooth Core Specification 5.4, volume 4, part E, section 7.7.5.
package struct HCIDisconnectionComplete: Equatable, Sendable {
    package var handle: UInt16
    /// An error code of the specification's volume 1, part F.
    package var reason: UInt8

    /// Reads one packet of an HCI socket.
    ///
    /// - Throws: ``ParseError`` for another event too, and for a disconnection that did not succeed.
    package init(_ bytes: Span<UInt8>) throws(ParseError) {
        for (offset, value) in [0x04, 0x05, 0x04, 0x00].enumerated() {
            guard try bytes.uint8(at: offset) == UInt8(value) else {
                throw ParseError(at: offset, expected: "a Disconnection Complete that succeeded")
            }
        }
        handle = try bytes.uint16(at: 4) & 0x0FFF
        reason = try bytes.uint8(at: 6)
    }
}
