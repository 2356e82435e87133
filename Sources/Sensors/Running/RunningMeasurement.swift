package import Domain

extension RunningMeasurement {
    /// Reads one value of the RSC Measurement characteristic (UUID 0x2A53).
    ///
    /// Layout, little-endian, optional fields in this order:
    ///
    ///     offset  size  field           present when
    ///     0       1     flags           always
    ///     1       2     speed           always
    ///     3       1     cadence         always
    ///     .       2     stride length   flag bit 0
    ///     .       4     total distance  flag bit 1
    ///
    /// Flag bit 2 is running, not walking. The other flags are reserved and ignored, and so are bytes after the last
    /// field.
    ///
    /// Source: Bluetooth SIG, Running Speed and Cadence Service 1.0, section 3.1.
    ///
    /// - Throws: ``ParseError`` with the offset of the first missing byte.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        var offset = 0
        let flags = try value.takeUInt8(&offset)
        let speed = try value.takeUInt16(&offset)
        let cadence = try value.takeUInt8(&offset)
        self.init(rawSpeed: speed, cadence: cadence, isRunning: flags & 0x04 != 0)
        if flags & 0x01 != 0 { strideCentimetres = try value.takeUInt16(&offset) }
        if flags & 0x02 != 0 { totalDecimetres = try value.takeUInt32(&offset) }
    }
}

extension AttributeUUID {
    package static let runningSpeedCadenceService = AttributeUUID(0x1814)
    package static let runningSpeedCadenceMeasurement = AttributeUUID(0x2A53)
}
