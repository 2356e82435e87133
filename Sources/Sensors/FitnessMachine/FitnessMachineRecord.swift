package import Domain

/// The machines whose data is read. Each has its own characteristic.
package enum FitnessMachine: CaseIterable, Sendable {
    case treadmill, crossTrainer, rower, indoorBike

    /// The type of the characteristic with the machine's data.
    package var data: AttributeUUID {
        switch self {
        case .treadmill: AttributeUUID(0x2ACD)
        case .crossTrainer: AttributeUUID(0x2ACE)
        case .rower: AttributeUUID(0x2AD1)
        case .indoorBike: AttributeUUID(0x2AD2)
        }
    }
}

extension FitnessMachineRecord {
    /// Reads one value of a machine's data characteristic (UUID 0x2ACD, 0x2ACE, 0x2AD1, 0x2AD2).
    ///
    /// Flags, 2 bytes or 3 of a cross trainer, then the fields in the order of their bits, little-endian. Bit 0 (More
    /// Data) is inverted: the fields of that bit are present when it is 0. The other bits are 1 for a present field:
    ///
    ///     bit  treadmill             cross trainer        rower                  indoor bike
    ///     0    speed 2               speed 2              stroke rate 1, count 2  speed 2
    ///     1    average speed 2       average speed 2      average stroke rate 1   average speed 2
    ///     2    distance 3            distance 3           distance 3              cadence 2
    ///     3    inclination 2, ramp 2 steps 2, average 2   pace 2                  average cadence 2
    ///     4    ascent 2, descent 2   strides 2            average pace 2          distance 3
    ///     5    pace 1                ascent 2, descent 2  power 2                 resistance 2
    ///     6    average pace 1        inclination 2,       average power 2         power 2
    ///                                ramp 2
    ///     7    energy 2+2+1          resistance 2         resistance 2            average power 2
    ///     8    heart rate 1          power 2              energy 2+2+1            energy 2+2+1
    ///     9    metabolic 1           average power 2      heart rate 1            heart rate 1
    ///     10   elapsed 2             energy 2+2+1         metabolic 1             metabolic 1
    ///     11   remaining 2           heart rate 1         elapsed 2               elapsed 2
    ///     12   force 2, power 2      metabolic 1          remaining 2             remaining 2
    ///     13                         elapsed 2
    ///
    /// Averages are skipped. Higher bits are ignored, and so are bytes after the last field. A field with its largest
    /// value has no data, and neither has a heart rate of 0.
    ///
    /// Source: Bluetooth SIG, Fitness Machine Service 1.0, sections 4.4, 4.5, 4.8, 4.9 and 4.19; GATT Specification
    /// Supplement.
    ///
    /// - Throws: ``ParseError`` with the offset of the first missing byte.
    package init(_ value: Span<UInt8>, of machine: FitnessMachine) throws(ParseError) {
        self.init()
        var offset = 0
        let flags =
            machine == .crossTrainer ? try value.takeUInt24(&offset) : UInt32(try value.takeUInt16(&offset))
        switch machine {
        case .treadmill: try readTreadmill(value, flags, &offset)
        case .crossTrainer: try readCrossTrainer(value, flags, &offset)
        case .rower: try readRower(value, flags, &offset)
        case .indoorBike: try readIndoorBike(value, flags, &offset)
        }
    }

    private mutating func readTreadmill(
        _ value: Span<UInt8>, _ flags: UInt32, _ offset: inout Int
    ) throws(ParseError) {
        if !flags.has(0) { rawSpeed = try value.takeUInt16(&offset).ifKnown }
        if flags.has(1) { _ = try value.takeUInt16(&offset) }
        if flags.has(2) { totalMetres = try value.takeDistance(&offset) }
        if flags.has(3) { try readInclination(value, &offset) }
        if flags.has(4) { _ = try value.takeUInt32(&offset) }
        if flags.has(5) { _ = try value.takeUInt8(&offset) }
        if flags.has(6) { _ = try value.takeUInt8(&offset) }
        try readTail(value, flags >> 7, &offset)
        if flags.has(11) { _ = try value.takeUInt16(&offset) }
        if flags.has(12) {
            _ = try value.takeUInt16(&offset)
            watts = try value.takeInt16(&offset).ifKnown
        }
    }

    private mutating func readCrossTrainer(
        _ value: Span<UInt8>, _ flags: UInt32, _ offset: inout Int
    ) throws(ParseError) {
        if !flags.has(0) { rawSpeed = try value.takeUInt16(&offset).ifKnown }
        if flags.has(1) { _ = try value.takeUInt16(&offset) }
        if flags.has(2) { totalMetres = try value.takeDistance(&offset) }
        if flags.has(3) {
            cadence = try value.takeUInt16(&offset).ifKnown.map(Double.init)
            _ = try value.takeUInt16(&offset)
        }
        if flags.has(4) { strokeCount = try value.takeUInt16(&offset).ifKnown }
        if flags.has(5) { _ = try value.takeUInt32(&offset) }
        if flags.has(6) { try readInclination(value, &offset) }
        if flags.has(7) { resistance = try value.takeInt16(&offset).ifKnown }
        if flags.has(8) { watts = try value.takeInt16(&offset).ifKnown }
        if flags.has(9) { _ = try value.takeUInt16(&offset) }
        try readTail(value, flags >> 10, &offset)
    }

    private mutating func readRower(
        _ value: Span<UInt8>, _ flags: UInt32, _ offset: inout Int
    ) throws(ParseError) {
        if !flags.has(0) {
            cadence = try value.takeUInt8(&offset).ifKnown.map { Double($0) / 2 }
            strokeCount = try value.takeUInt16(&offset).ifKnown
        }
        if flags.has(1) { _ = try value.takeUInt8(&offset) }
        if flags.has(2) { totalMetres = try value.takeDistance(&offset) }
        if flags.has(3) { pace = try value.takeUInt16(&offset).ifKnown }
        if flags.has(4) { _ = try value.takeUInt16(&offset) }
        if flags.has(5) { watts = try value.takeInt16(&offset).ifKnown }
        if flags.has(6) { _ = try value.takeUInt16(&offset) }
        if flags.has(7) { resistance = try value.takeInt16(&offset).ifKnown }
        try readTail(value, flags >> 8, &offset)
    }

    private mutating func readIndoorBike(
        _ value: Span<UInt8>, _ flags: UInt32, _ offset: inout Int
    ) throws(ParseError) {
        if !flags.has(0) { rawSpeed = try value.takeUInt16(&offset).ifKnown }
        if flags.has(1) { _ = try value.takeUInt16(&offset) }
        if flags.has(2) { cadence = try value.takeUInt16(&offset).ifKnown.map { Double($0) / 2 } }
        if flags.has(3) { _ = try value.takeUInt16(&offset) }
        if flags.has(4) { totalMetres = try value.takeDistance(&offset) }
        if flags.has(5) { resistance = try value.takeInt16(&offset).ifKnown }
        if flags.has(6) { watts = try value.takeInt16(&offset).ifKnown }
        if flags.has(7) { _ = try value.takeUInt16(&offset) }
        try readTail(value, flags >> 8, &offset)
    }

    private mutating func readInclination(_ value: Span<UInt8>, _ offset: inout Int) throws(ParseError) {
        inclination = try value.takeInt16(&offset).ifKnown
        _ = try value.takeUInt16(&offset)
    }

    /// Reads energy, heart rate, metabolic equivalent and elapsed time, which all machines have in this order.
    ///
    /// - Parameter flags: Bit 0 is the energy's.
    private mutating func readTail(
        _ value: Span<UInt8>, _ flags: UInt32, _ offset: inout Int
    ) throws(ParseError) {
        if flags.has(0) {
            kilocalories = try value.takeUInt16(&offset).ifKnown
            _ = try value.takeUInt24(&offset)
        }
        if flags.has(1) {
            let rate = try value.takeUInt8(&offset)
            heartRate = rate == 0 ? nil : rate.ifKnown
        }
        if flags.has(2) { _ = try value.takeUInt8(&offset) }
        if flags.has(3) { elapsedSeconds = try value.takeUInt16(&offset).ifKnown }
    }
}

extension Span<UInt8> {
    fileprivate func takeDistance(_ offset: inout Int) throws(ParseError) -> UInt32? {
        let metres = try takeUInt24(&offset)
        return metres == 0xFF_FFFF ? nil : metres
    }
}

extension FixedWidthInteger {
    /// The value, or nil for the largest one, which means "data not available".
    fileprivate var ifKnown: Self? {
        self == .max ? nil : self
    }

    fileprivate func has(_ bit: Int) -> Bool {
        self & 1 << Self(bit) != 0
    }
}

extension AttributeUUID {
    package static let fitnessMachineService = AttributeUUID(0x1826)
}
