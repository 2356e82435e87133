import Domain

/// Reads the fields of a message in the wire format of protocol buffers, one after the other. Groups are skipped.
///
/// Source: protobuf.dev/programming-guides/encoding.
struct ProtobufReader: Sendable {
    enum Value: Equatable, Sendable {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        /// The place of a string or a message in the bytes.
        case bytes(Range<Int>)
    }

    struct Field: Equatable, Sendable {
        var number: Int
        var value: Value
    }

    private static let depthLimit = 100

    private let bytes: [UInt8]
    private let end: Int
    private var position: Int

    /// - Parameter range: the place of the message in `bytes`.
    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// The next field; nil at the end of the message.
    ///
    /// - Throws: ``ParseError`` with an offset in the bytes, if the message is cut or is none.
    mutating func next() throws(ParseError) -> Field? {
        /// The numbers of the groups around the position.
        var groups: [Int] = []
        while position < end {
            let start = position
            let tag = try varint()
            guard tag <= UInt64(UInt32.max), tag >> 3 > 0 else { throw ParseError(at: start, expected: "a field") }
            let number = Int(tag >> 3)
            switch tag & 7 {
            case 3:
                guard groups.count < Self.depthLimit else { throw ParseError(at: start, expected: "fewer groups") }
                groups.append(number)
            case 4:
                guard groups.popLast() == number else { throw ParseError(at: start, expected: "a field") }
            default:
                let value = try value(ofType: tag & 7, at: start)
                if groups.isEmpty { return Field(number: number, value: value) }
            }
        }
        guard groups.isEmpty else { throw ParseError(at: end, expected: "the end of a group") }
        return nil
    }

    private mutating func value(ofType type: UInt64, at start: Int) throws(ParseError) -> Value {
        switch type {
        case 0: return .varint(try varint())
        case 1: return .fixed64(try fixed(8))
        case 5: return .fixed32(UInt32(truncatingIfNeeded: try fixed(4)))
        case 2:
            let start = position
            let length = try varint()
            guard length <= UInt64(end - position) else { throw ParseError(at: start, expected: "a length that fits") }
            defer { position += Int(length) }
            return .bytes(position..<position + Int(length))
        default: throw ParseError(at: start, expected: "a field")
        }
    }

    private mutating func varint() throws(ParseError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard position < end else { throw ParseError(at: end, expected: "more bytes") }
            let byte = bytes[position]
            // The tenth byte has the highest bit only.
            guard shift < 63 || byte <= 1 else { throw ParseError(at: position, expected: "a number of 64 bits") }
            position += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw ParseError(at: position, expected: "a number of 64 bits")
    }

    /// A little-endian number.
    private mutating func fixed(_ count: Int) throws(ParseError) -> UInt64 {
        guard end - position >= count else { throw ParseError(at: end, expected: "more bytes") }
        defer { position += count }
        return bytes[position..<position + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
