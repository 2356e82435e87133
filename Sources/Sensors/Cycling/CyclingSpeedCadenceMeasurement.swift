package import Domain

extension CyclingSpeedCadenceMeasurement {
    /// Reads one value of the CSC Measurement characteristic (UUID 0x2A5B).
    ///
    /// Layout, little-endian, optional fields in this order:
    ///
    ///     offset  size  field              present when
    ///     0       1     flags              always
    ///     .       4     wheel revolutions  flag bit 0
    ///     .       2     wheel event time   flag bit 0
    ///     .       2     crank revolutions  flag bit 1
    ///     .       2     crank event time   flag bit 1
    ///
    /// The other flags are reserved and ignored, and so are bytes after the last field.
    ///
    /// Source: Bluetooth SIG, Cycling Speed and Cadence Service 1.0, section 3.1.
    ///
    /// - Throws: ``ParseError`` with the offset of the first missing byte.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        var offset = 0
        let flags = try value.takeUInt8(&offset)
        self.init()
        if flags & 0x01 != 0 { wheel = try RevolutionCount(wheel: value, &offset) }
        if flags & 0x02 != 0 { crank = try RevolutionCount(crank: value, &offset) }
    }
}

extension RevolutionCount {
    /// Reads 4 bytes of wheel revolutions and 2 of the event time.
    init(wheel value: Span<UInt8>, _ offset: inout Int) throws(ParseError) {
        self.init(revolutions: try value.takeUInt32(&offset), eventTime: try value.takeUInt16(&offset))
    }

    /// Reads 2 bytes of crank revolutions and 2 of the event time.
    init(crank value: Span<UInt8>, _ offset: inout Int) throws(ParseError) {
        self.init(revolutions: UInt32(try value.takeUInt16(&offset)), eventTime: try value.takeUInt16(&offset))
    }
}

/// What a speed or cadence sensor can measure: the CSC Feature characteristic (UUID 0x2A5C).
///
/// Source: Bluetooth SIG, Cycling Speed and Cadence Service 1.0, section 3.2.
package struct CyclingSpeedCadenceFeatures: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let wheel = Self(rawValue: 1 << 0)
    package static let crank = Self(rawValue: 1 << 1)

    /// Reads one characteristic value.
    ///
    /// - Throws: ``ParseError`` if a byte is missing.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        rawValue = try value.uint16(at: 0)
    }
}

extension AttributeUUID {
    package static let cyclingSpeedCadenceService = AttributeUUID(0x1816)
    package static let cyclingSpeedCadenceMeasurement = AttributeUUID(0x2A5B)
    package static let cyclingSpeedCadenceFeature = AttributeUUID(0x2A5C)
}
