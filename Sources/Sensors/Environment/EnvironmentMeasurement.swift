package import Domain

extension EnvironmentMeasurement {
    /// The types of the characteristics that are read.
    package static let types: [AttributeUUID] = [.pressure, .temperature, .humidity]

    /// Reads one value of a characteristic in ``types``: pressure (UUID 0x2A6D, 4 bytes), temperature (0x2A6E, 2 bytes,
    /// signed) or humidity (0x2A6F, 2 bytes). Bytes after the value are ignored. A value that means "not known" or is
    /// outside the range is nil. Of any other type all values are nil.
    ///
    /// Source: Bluetooth SIG, Environmental Sensing Service 1.0, section 3.1; GATT Specification Supplement, Pressure,
    /// Temperature and Humidity.
    ///
    /// - Throws: ``ParseError`` if a byte is missing.
    package init(_ value: Span<UInt8>, of type: AttributeUUID) throws(ParseError) {
        self.init()
        switch type {
        case .pressure:
            decipascals = try value.uint32(at: 0)
        case .temperature:
            let temperature = Int16(bitPattern: try value.uint16(at: 0))
            centidegrees = temperature >= -27315 ? temperature : nil
        case .humidity:
            let humidity = try value.uint16(at: 0)
            rawHumidity = humidity <= 10_000 ? humidity : nil
        default: break
        }
    }
}

extension AttributeUUID {
    package static let environmentService = AttributeUUID(0x181A)
    package static let pressure = AttributeUUID(0x2A6D)
    package static let temperature = AttributeUUID(0x2A6E)
    package static let humidity = AttributeUUID(0x2A6F)
}
