package import Domain

/// An HCI Disconnection Complete event. It has the exact reason, which the kernel's other interfaces merge.
///
/// Layout, little-endian: packet type 04, event 05, length 04, status u8, connection handle u16, reason u8.
///
/// Source: Bluetooth Core Specification 5.4, volume 4, part E, section 7.7.5.
package struct HCIDisconnectionComplete: Equatable, Sendable {
    package var handle: UInt16
    /// An error code of volume 1, part F.
    package var reason: UInt8

    /// Reads one packet of an HCI socket.
    ///
    /// - Throws: ``ParseError``, also for other events and for a disconnection that failed.
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
