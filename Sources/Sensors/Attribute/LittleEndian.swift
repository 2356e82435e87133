import Domain

extension Span<UInt8> {
    /// One byte.
    ///
    /// - Throws: ``ParseError`` if it is missing.
    func uint8(at offset: Int) throws(ParseError) -> UInt8 {
        guard offset < count else { throw ParseError(at: count, expected: "a byte") }
        return self[offset]
    }

    /// Two bytes, least significant first.
    ///
    /// - Throws: ``ParseError`` if one is missing.
    func uint16(at offset: Int) throws(ParseError) -> UInt16 {
        guard offset + 2 <= count else { throw ParseError(at: count, expected: "two bytes") }
        return UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
    }

    /// Four bytes, least significant first.
    ///
    /// - Throws: ``ParseError`` if one is missing.
    func uint32(at offset: Int) throws(ParseError) -> UInt32 {
        UInt32(try uint16(at: offset)) | UInt32(try uint16(at: offset + 2)) << 16
    }

    /// Reads one byte and advances the offset beyond it; so do the others below with theirs.
    ///
    /// - Throws: ``ParseError`` if a byte is missing.
    func takeUInt8(_ offset: inout Int) throws(ParseError) -> UInt8 {
        let value = try uint8(at: offset)
        offset += 1
        return value
    }

    func takeUInt16(_ offset: inout Int) throws(ParseError) -> UInt16 {
        let value = try uint16(at: offset)
        offset += 2
        return value
    }

    func takeInt16(_ offset: inout Int) throws(ParseError) -> Int16 {
        Int16(bitPattern: try takeUInt16(&offset))
    }

    func takeUInt24(_ offset: inout Int) throws(ParseError) -> UInt32 {
        UInt32(try takeUInt16(&offset)) | UInt32(try takeUInt8(&offset)) << 16
    }

    func takeUInt32(_ offset: inout Int) throws(ParseError) -> UInt32 {
        let value = try uint32(at: offset)
        offset += 4
        return value
    }

    /// A copy of the bytes from `offset` to the end.
    func bytes(from offset: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        guard offset < count else { return bytes }
        bytes.reserveCapacity(count - offset)
        for index in offset..<count { bytes.append(self[index]) }
        return bytes
    }
}

extension [UInt8] {
    /// Appends two bytes, least significant first.
    mutating func append(uint16 value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(value >> 8))
    }
}
