package import Domain

extension HeartRateMeasurement {
    /// Reads one value of the Heart Rate Measurement characteristic (UUID 0x2A37).
    ///
    /// Layout, little-endian, optional fields in this order:
    ///
    ///     offset  size  field            present when
    ///     0       1     flags            always
    ///     1       1|2   heart rate       always; 2 bytes when flag bit 0 is set
    ///     .       2     energy expended  flag bit 3
    ///     .       2×n   RR intervals     flag bit 4; oldest first, to the end of the value
    ///
    /// Flag bit 1 is skin contact; it is valid if bit 2 is set. The other bits are reserved and ignored. Half an RR
    /// interval at the end is dropped, and so is an interval of 0, which is no beat. A value with bit 4 and no interval
    /// has no new beat.
    ///
    /// Source: Bluetooth SIG, Heart Rate Service 1.0, section 3.1.
    ///
    /// - Throws: ``ParseError`` with the offset of the first error.
    package init(_ value: Span<UInt8>) throws(ParseError) {
        guard !value.isEmpty else { throw ParseError(at: 0, expected: "flags") }
        let flags = value[0]
        var offset = 1
        let beatsPerMinute: UInt16
        if flags & 0x01 != 0 {
            beatsPerMinute = try value.uint16(at: offset)
            offset += 2
        } else {
            guard value.count > 1 else { throw ParseError(at: 1, expected: "a heart rate") }
            beatsPerMinute = UInt16(value[1])
            offset += 1
        }
        var energy: UInt16?
        if flags & 0x08 != 0 {
            energy = try value.uint16(at: offset)
            offset += 2
        }
        var intervals: [UInt16] = []
        if flags & 0x10 != 0 {
            intervals.reserveCapacity((value.count - offset) / 2)
            while offset + 2 <= value.count {
                let interval = try value.uint16(at: offset)
                if interval > 0 { intervals.append(interval) }
                offset += 2
            }
        }
        self.init(
            beatsPerMinute: beatsPerMinute, contact: flags & 0x04 != 0 ? flags & 0x02 != 0 : nil,
            energyKilojoules: energy, rrIntervals: intervals)
    }
}
