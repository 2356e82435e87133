/// The error code of an Error Response.
///
/// Source: Bluetooth Core Specification 5.4, volume 3, part F, table 3.4.
package struct AttributeError: RawRepresentable, Error, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let invalidHandle = AttributeError(rawValue: 0x01)
    package static let invalidPDU = AttributeError(rawValue: 0x04)
    package static let insufficientAuthentication = AttributeError(rawValue: 0x05)
    package static let requestNotSupported = AttributeError(rawValue: 0x06)
    package static let insufficientAuthorization = AttributeError(rawValue: 0x08)
    package static let attributeNotFound = AttributeError(rawValue: 0x0A)
    package static let insufficientKeySize = AttributeError(rawValue: 0x0C)
    package static let insufficientEncryption = AttributeError(rawValue: 0x0F)

    /// Whether pairing may lift the error.
    package var asksForPairing: Bool {
        switch self {
        case .insufficientAuthentication, .insufficientAuthorization, .insufficientKeySize, .insufficientEncryption:
            true
        default: false
        }
    }
}
