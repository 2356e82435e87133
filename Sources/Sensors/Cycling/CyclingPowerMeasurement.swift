package import Domain

extension CyclingPowerMeasurement {
    /// Reads one value of the Cycling Power Measurement characteristic (UUID 0x2A63).
    ///
    /// Layout, little-endian, optional fields in this order:
    ///
    ///     offset  size  field                    present when
    ///     0       2     flags                    always
    ///     2       2     power, signed            always
    ///     .       1     pedal power balance      flag bit 0; of the left pedal when bit 1 is set
    ///     .       2     accumulated torque       flag bit 2; of the crank when bit 3 is set
    ///     .       4+2   wheel revolutions, time  flag bit 4
    ///     .       2+2   crank revolutions, time  flag bit 5
    ///     .       2+2   largest, smallest force  flag bit 6; signed
    ///     .       2+2   largest, smallest torque flag bit 7; signed
    ///     .       3     angles of these          flag bit 8; 12 bits each, that of the largest first
    ///     .       2     top dead spot angle      flag bit 9
    ///     .       2     bottom dead spot angle   flag bit 10
    ///     .       2     accumulated energy       flag bit 11
    ///
    /// Flag bit 12 asks for a zero offset. The other flags are reserved and ignored, and so are bytes after the last
    /// field. A balance over 100 % is no value.
    ///
    /// Source: Bluetooth SIG, Cycling Power Service 1.1, section 3.2.
    ///
    /// - Throws: ``ParseError`` with the offset of the first missing byte.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        var offset = 0
        let flags = try value.takeUInt16(&offset)
        self.init(watts: try value.takeInt16(&offset))
        isBalanceOfLeft = flags & 0x0002 != 0
        isTorqueOfCrank = flags & 0x0008 != 0
        needsOffsetCompensation = flags & 0x1000 != 0
        if flags & 0x0001 != 0 {
            let balance = try value.takeUInt8(&offset)
            self.balance = balance <= 200 ? balance : nil
        }
        if flags & 0x0004 != 0 { accumulatedTorque = try value.takeUInt16(&offset) }
        if flags & 0x0010 != 0 { wheel = try RevolutionCount(wheel: value, &offset) }
        if flags & 0x0020 != 0 { crank = try RevolutionCount(crank: value, &offset) }
        if flags & 0x0040 != 0 { force = try Extremes(value, &offset) }
        if flags & 0x0080 != 0 { torque = try Extremes(value, &offset) }
        if flags & 0x0100 != 0 {
            let angles = try value.takeUInt24(&offset)
            angle = Extremes(maximum: Int16(angles & 0xFFF), minimum: Int16(angles >> 12))
        }
        if flags & 0x0200 != 0 { topDeadSpotAngle = try value.takeUInt16(&offset) }
        if flags & 0x0400 != 0 { bottomDeadSpotAngle = try value.takeUInt16(&offset) }
        if flags & 0x0800 != 0 { energyKilojoules = try value.takeUInt16(&offset) }
    }
}

extension CyclingPowerMeasurement.Extremes {
    fileprivate init(_ value: Span<UInt8>, _ offset: inout Int) throws(ParseError) {
        self.init(maximum: try value.takeInt16(&offset), minimum: try value.takeInt16(&offset))
    }
}

extension AttributeUUID {
    package static let cyclingPowerService = AttributeUUID(0x1818)
    package static let cyclingPowerMeasurement = AttributeUUID(0x2A63)
    package static let cyclingPowerFeature = AttributeUUID(0x2A65)
    package static let cyclingPowerControlPoint = AttributeUUID(0x2A66)
}
