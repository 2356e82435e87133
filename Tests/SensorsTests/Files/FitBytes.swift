import Domain

/// A FIT file built message by message, independent of our writer.
struct FitBytes {
    private(set) var messages: [UInt8] = []

    /// The first timestamp of most files here, 2026-03-01T07:30:12Z, in seconds since the epoch of FIT.
    static let start: UInt32 = 1_141_284_612

    /// Adds the definition of a local type; a field is a number, a size and a base type.
    mutating func define(
        _ local: UInt8, _ message: UInt16, _ fields: [[UInt8]], isBigEndian: Bool = false, developer: [[UInt8]] = []
    ) {
        let number = Self.bytes(of: message, isBigEndian)
        messages += [0x40 | local | (developer.isEmpty ? 0 : 0x20), 0, isBigEndian ? 1 : 0] + number
        messages += [UInt8(fields.count)] + fields.flatMap(\.self)
        if !developer.isEmpty { messages += [UInt8(developer.count)] + developer.flatMap(\.self) }
    }

    mutating func add(_ bytes: [UInt8]) {
        messages += bytes
    }

    /// Returns a file of the given type whose local type 1 is a record and 2 an event.
    static func activity(type: UInt8 = 4, isBigEndian: Bool = false) -> FitBytes {
        var file = FitBytes()
        file.define(0, 0, [[0, 1, 0]], isBigEndian: isBigEndian)
        file.add([0, type])
        // Time, latitude, longitude, heart rate, distance.
        file.define(
            1, 20, [[253, 4, 0x86], [0, 4, 0x85], [1, 4, 0x85], [3, 1, 2], [5, 4, 0x86]], isBigEndian: isBigEndian)
        file.define(2, 21, [[253, 4, 0x86], [0, 1, 0], [1, 1, 0], [3, 4, 0x86]], isBigEndian: isBigEndian)
        return file
    }

    /// Adds a record of local type 1, `second` seconds after the start.
    mutating func record(
        _ second: Int, latitude: Int32 = 626_349_397, longitude: Int32 = -1000, heartRate: UInt8 = 140,
        centimetres: UInt32 = 0, isBigEndian: Bool = false
    ) {
        messages.append(1)
        messages += Self.bytes(of: Self.time(second), isBigEndian) + Self.bytes(of: latitude, isBigEndian)
        messages += Self.bytes(of: longitude, isBigEndian) + [heartRate] + Self.bytes(of: centimetres, isBigEndian)
    }

    /// Adds a timer event of local type 2.
    mutating func timer(_ second: Int, _ type: UInt8, trigger: UInt32 = 0, isBigEndian: Bool = false) {
        messages += [2] + Self.bytes(of: Self.time(second), isBigEndian) + [0, type]
        messages += Self.bytes(of: trigger, isBigEndian)
    }

    /// Adds a lap of local type 3 with its start, duration and trigger.
    mutating func lap(_ second: Int, milliseconds: UInt32, trigger: UInt8) {
        define(3, 19, [[2, 4, 0x86], [7, 4, 0x86], [24, 1, 0], [9, 4, 0x86]])
        messages += [3] + Self.bytes(of: Self.time(second)) + Self.bytes(of: milliseconds) + [trigger]
        messages += Self.bytes(of: UInt32(4200))
    }

    static func time(_ second: Int) -> UInt32 {
        UInt32(Int(start) + second)
    }

    /// Returns the file with its header and checksums.
    func file(headerSize: Int = 14, headerChecksum: [UInt8]? = nil) -> [UInt8] {
        var header = [UInt8(headerSize), 0x20, 0, 0] + Self.bytes(of: UInt32(messages.count)) + Array(".FIT".utf8)
        if headerSize == 14 { header += headerChecksum ?? Self.checksum(header) }
        return header + messages + Self.checksum(header + messages)
    }

    /// CRC-16 with polynomial 0x8005, bit by bit.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var value: UInt16 = 0
        for byte in bytes {
            value ^= UInt16(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1 }
        }
        return Self.bytes(of: value)
    }

    static func bytes(of number: some FixedWidthInteger, _ isBigEndian: Bool = false) -> [UInt8] {
        withUnsafeBytes(of: isBigEndian ? number.bigEndian : number.littleEndian) { Array($0) }
    }
}
