import Domain

/// The layout of the data messages of one local type, until the next definition of that type.
///
/// Layout, after the message's first byte:
///
///     offset  size  field
///     1       1     reserved
///     2       1     architecture: 0 little-endian, 1 big-endian
///     3       2     number of the message
///     5       1     n, the count of fields
///     6       3×n   number, size in bytes and base type of each field
///     .       1     m, the count of developer fields, if the first byte announces them
///     .       3×m   number, size and developer of each
///
/// Source: Garmin FIT SDK, FIT protocol, definition message.
package struct FitDefinition {
    struct Field {
        var number: Fit.Field
        /// The offset of its first byte in the data message.
        var offset: Int
        var size: Int
        /// Nil for an unknown base type: the field is ignored.
        var type: Fit.BaseType?
    }

    struct DeveloperField {
        var number: Fit.Field
        /// The index of its developer in the file.
        var developer: UInt8
        var offset: Int
        var size: Int
    }

    package let message: UInt16
    let isBigEndian: Bool
    private(set) var fields: [Field] = []
    private(set) var developerFields: [DeveloperField] = []
    /// The profile's fields of a record that become own fields.
    private(set) var ownFields: [Fit.Field] = []
    /// The fields of a record that are not imported.
    private(set) var skippedFields: [Field] = []
    /// The size of a data message in bytes, with its first byte.
    let size: Int

    /// Reads a whole definition message.
    ///
    /// - Throws: ``ParseError`` for an unknown architecture.
    init(_ bytes: [UInt8]) throws(ParseError) {
        guard bytes[2] <= 1 else { throw ParseError(at: 2, expected: "an architecture of 0 or 1") }
        isBigEndian = bytes[2] == 1
        message = isBigEndian ? UInt16(bytes[3]) << 8 | UInt16(bytes[4]) : UInt16(bytes[4]) << 8 | UInt16(bytes[3])
        var end = 1
        for index in 0..<Int(bytes[5]) {
            let place = 6 + 3 * index
            let size = Int(bytes[place + 1])
            fields.append(
                Field(
                    number: bytes[place], offset: end, size: size, type: Fit.BaseType(rawValue: bytes[place + 2])))
            end += size
        }
        let place = 6 + 3 * Int(bytes[5])
        let count = place < bytes.count ? Int(bytes[place]) : 0
        for start in (0..<count).map({ place + 1 + 3 * $0 }) {
            let size = Int(bytes[start + 1])
            developerFields.append(
                DeveloperField(number: bytes[start], developer: bytes[start + 2], offset: end, size: size))
            end += size
        }
        size = end
        if message == Fit.Message.record.rawValue {
            ownFields = fields.map(\.number).filter(FitOwnFields.profileNumbers.contains)
            skippedFields = fields.filter {
                !FitValues.imported.contains($0.number) && !FitOwnFields.profileNumbers.contains($0.number)
            }
        }
    }

    /// The size of a definition of which `bytes` are the beginning. Nil if more bytes are needed to compute it.
    static func size(of bytes: [UInt8]) -> Int? {
        guard bytes.count >= 6 else { return nil }
        let size = 6 + 3 * Int(bytes[5])
        guard bytes[0] & Fit.Bit.developerFields != 0 else { return size }
        guard bytes.count > size else { return nil }
        return size + 1 + 3 * Int(bytes[size])
    }
}

/// A data message. A field without a valid value is nil.
package struct FitMessage {
    package let definition: FitDefinition
    let bytes: [UInt8]
    /// The time from a compressed timestamp in the first byte, in seconds since the epoch of FIT.
    let compressedTime: Int64?

    /// The time of the message.
    var time: Int64? {
        compressedTime ?? self[Fit.timestamp]
    }

    /// A field's number, or the first number of an array.
    package subscript(number: Fit.Field) -> Int64? {
        guard let field = field(number), let type = field.type, field.size >= type.size else { return nil }
        return value(at: field.offset, type)
    }

    /// Returns the valid numbers of an array.
    func values(_ number: Fit.Field) -> [Int64] {
        guard let field = field(number), let type = field.type else { return [] }
        return (0..<field.size / type.size).compactMap { value(at: field.offset + $0 * type.size, type) }
    }

    func text(_ number: Fit.Field) -> SanitizedText? {
        guard let field = field(number), field.type == .text else { return nil }
        return SanitizedText(bytes[field.offset..<field.offset + field.size].prefix { $0 != 0 })
    }

    /// The bytes of a field; empty if the message does not have it.
    func bytes(of number: Fit.Field) -> ArraySlice<UInt8> {
        field(number).map { bytes[$0.offset..<$0.offset + $0.size] } ?? []
    }

    private func field(_ number: Fit.Field) -> FitDefinition.Field? {
        definition.fields.first { $0.number == number }
    }

    private func bits(at offset: Int, size: Int) -> UInt64 {
        var bits: UInt64 = 0
        for index in 0..<size {
            let place = definition.isBigEndian ? size - 1 - index : index
            bits |= UInt64(bytes[offset + place]) << UInt64(8 * index)
        }
        return bits
    }

    fileprivate func value(at offset: Int, _ type: Fit.BaseType) -> Int64? {
        switch type {
        case .text, .bytes, .float32, .float64: return nil
        default: break
        }
        let bits = bits(at: offset, size: type.size)
        guard bits != type.invalid else { return nil }
        let unused = UInt64(64 - 8 * type.size)
        let value = type.isSigned ? Int64(bitPattern: bits << unused) >> Int64(unused) : Int64(exactly: bits)
        // No imported field needs more than four bytes, and sums of such numbers never overflow.
        return value.flatMap { $0.magnitude <= UInt32.max ? $0 : nil }
    }
}

extension FitMessage {
    /// The number of a type at an offset, a floating-point one too; nil if it is invalid.
    func number(at offset: Int, _ type: Fit.BaseType) -> Double? {
        switch type {
        case .float32:
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits(at: offset, size: 4)))
            return value.isFinite ? Double(value) : nil
        case .float64:
            let value = Double(bitPattern: bits(at: offset, size: 8))
            return value.isFinite ? value : nil
        default: return value(at: offset, type).map { Double($0) }
        }
    }

    /// Returns a field's number if it is in the range.
    func integer(_ number: Fit.Field, in range: ClosedRange<Int64>) -> Int? {
        self[number].flatMap { range.contains($0) ? Int($0) : nil }
    }

    /// Whether a field has a valid value.
    func holds(_ field: FitDefinition.Field) -> Bool {
        guard let type = field.type, type != .text, type != .bytes, field.size >= type.size else { return true }
        return value(at: field.offset, type) != nil
    }
}
