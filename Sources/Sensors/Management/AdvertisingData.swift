package import Domain

/// A device's advertising data and scan response.
///
/// Layout: structures of a length u8, a type u8 and length − 1 bytes. Data after a length that does not fit is ignored:
/// it comes from any device in range.
///
///     type    value
///     02, 03  services of 2 bytes each, some or all of them
///     06, 07  services of 16 bytes each, some or all of them
///     08, 09  name, shortened or whole
///
/// Source: Bluetooth Core Specification Supplement 11, part A, sections 1.1 and 1.2.
package struct AdvertisingData: Equatable, Sendable {
    package private(set) var name: SanitizedText?
    package private(set) var services: [AttributeUUID] = []

    package init(_ bytes: [UInt8]) {
        var hasWholeName = false
        var rest = bytes[...]
        // A length of 0 ends the data; the rest is padding.
        while let length = rest.popFirst(), length > 0, rest.count >= length {
            let value = rest.dropFirst().prefix(Int(length) - 1)
            switch rest.first {
            case 0x02, 0x03: add(services: value, size: 2)
            case 0x06, 0x07: add(services: value, size: 16)
            case 0x08 where !hasWholeName: name = Self.name(value) ?? name
            case 0x09:
                name = Self.name(value) ?? name
                hasWholeName = true
            default: break
            }
            rest = rest.dropFirst(Int(length))
        }
    }

    private mutating func add(services bytes: ArraySlice<UInt8>, size: Int) {
        var rest = bytes
        while rest.count >= size, services.count < ScanResult.serviceLimit {
            if let service = try? AttributeUUID(Array(rest.prefix(size)).span), !services.contains(service) {
                services.append(service)
            }
            rest = rest.dropFirst(size)
        }
    }

    /// Some devices pad their names with NULs.
    private static func name(_ bytes: ArraySlice<UInt8>) -> SanitizedText? {
        SanitizedText(bytes.prefix { $0 != 0 })
    }
}
