import Domain

/// A field of a message to write. A field without a value is omitted.
package struct FitField {
    package var number: Fit.Field
    package var type: Fit.BaseType
    package var values: Values

    package enum Values {
        case one(Int64)
        case many([Int64])
        case text([UInt8])
    }

    private init?(_ number: Fit.Field, _ type: Fit.BaseType, _ value: Int64?) {
        // A value outside of the type's range counts as unknown.
        guard let value, FitField.range(of: type).contains(value) else { return nil }
        self.number = number
        self.type = type
        values = .one(value)
    }

    package static func enumeration(_ number: Fit.Field, _ value: Int64?) -> FitField? {
        FitField(number, .enumeration, value)
    }

    package static func int8(_ number: Fit.Field, _ value: Int64?) -> FitField? {
        FitField(number, .int8, value)
    }

    package static func uint8(_ number: Fit.Field, _ value: Int64?) -> FitField? {
        FitField(number, .uint8, value)
    }

    package static func uint16(_ number: Fit.Field, _ value: Int64?) -> FitField? {
        FitField(number, .uint16, value)
    }

    package static func int16(_ number: Fit.Field, _ value: Int64?) -> FitField? {
        FitField(number, .int16, value)
    }

    package static func int32(_ number: Fit.Field, _ value: Int64?) -> FitField? {
        FitField(number, .int32, value)
    }

    package static func uint32(_ number: Fit.Field, _ value: Int64?) -> FitField? {
        FitField(number, .uint32, value)
    }

    package static func uint32z(_ number: Fit.Field, _ value: Int64?) -> FitField? {
        FitField(number, .uint32z, value)
    }

    package static func float64(_ number: Fit.Field, _ value: Double?) -> FitField? {
        guard let value, value.isFinite, var field = FitField(number, .float64, 1) else { return nil }
        field.values = .one(Int64(bitPattern: value.bitPattern))
        return field
    }

    /// Creates an array; a value outside of the type's range becomes invalid.
    ///
    /// - Parameter values: 1 to 63 values.
    package static func array(_ number: Fit.Field, _ type: Fit.BaseType, _ values: [Int64]) -> FitField? {
        guard !values.isEmpty, var field = FitField(number, type, 1) else { return nil }
        field.values = .many(
            values.map { range(of: type).contains($0) ? $0 : Int64(truncatingIfNeeded: type.invalid) })
        return field
    }

    /// Creates a text, truncated to 63 bytes.
    package static func text(_ number: Fit.Field, _ text: String?) -> FitField? {
        guard let text, var field = FitField(number, .text, 1) else { return nil }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            let encoded = UTF8.encode(scalar)!
            guard bytes.count + encoded.count <= 63 else { break }
            bytes.append(contentsOf: encoded)
        }
        field.values = .text(bytes + [0])
        return field
    }

    /// The valid values of a type of up to four bytes.
    private static func range(of type: Fit.BaseType) -> ClosedRange<Int64> {
        if type.size == 8 { return .min ... .max }
        let invalid = Int64(truncatingIfNeeded: type.invalid)
        if type.isSigned { return -invalid - 1...invalid - 1 }
        return invalid == 0 ? 1...(1 << Int64(8 * type.size)) - 1 : 0...invalid - 1
    }

    /// The size of the field in a message in bytes, at most 255.
    fileprivate var size: Int {
        switch values {
        case .one: type.size
        case .many(let values): values.count * type.size
        case .text(let bytes): bytes.count
        }
    }
}

/// Writes the messages of a FIT file, little-endian, with definitions where they are needed.
package struct FitWriter {
    /// The bytes since the last ``clear()``.
    package private(set) var bytes: [UInt8] = []
    /// The valid definitions by local type.
    private var definitions: [[UInt8]] = Array(repeating: [], count: Fit.localTypes)
    private var definition: [UInt8] = []
    /// Whether there was a developer field, which needs version 2 of the protocol.
    package private(set) var hasDeveloperFields = false

    package init() {}

    /// Appends a message, and before it its definition if that of the local type differs.
    ///
    /// - Parameters:
    ///   - local: 0 to 15.
    ///   - developer: developer fields of paced.
    package mutating func message(
        _ message: Fit.Message, as local: UInt8, _ fields: [FitField?], developer: [FitField?] = []
    ) {
        let developer = developer.compactMap(\.self)
        definition.removeAll(keepingCapacity: true)
        definition.append(local | Fit.Bit.definition)
        definition.append(0)
        definition.append(0)  // little-endian
        definition.append(UInt8(truncatingIfNeeded: message.rawValue))
        definition.append(UInt8(message.rawValue >> 8))
        definition.append(0)
        for case let field? in fields {
            definition.append(field.number)
            definition.append(UInt8(field.size))
            definition.append(field.type.rawValue)
            definition[5] += 1
        }
        if !developer.isEmpty {
            hasDeveloperFields = true
            definition[0] |= Fit.Bit.developerFields
            definition.append(UInt8(developer.count))
            for field in developer { definition += [field.number, UInt8(field.size), Identity.developer] }
        }
        if definitions[Int(local)] != definition {
            definitions[Int(local)] = definition
            bytes.append(contentsOf: definition)
        }
        bytes.append(local)
        for field in fields.compactMap(\.self) + developer {
            switch field.values {
            case .one(let value): append(value, size: field.type.size)
            case .many(let values): for value in values { append(value, size: field.type.size) }
            case .text(let text): bytes.append(contentsOf: text)
            }
        }
    }

    /// Discards the bytes, but keeps their capacity and the definitions.
    package mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Returns the header of a file.
    ///
    /// Layout, little-endian:
    ///
    ///     offset  size  field
    ///     0       1     size of the header: 14
    ///     1       1     version of the protocol: 0x10, or 0x20 with developer fields
    ///     2       2     version of the profile
    ///     4       4     bytes between the header and the file's checksum
    ///     8       4     ".FIT"
    ///     12      2     checksum of the 12 bytes before
    package static func header(dataSize: Int, hasDeveloperFields: Bool = false) -> [UInt8] {
        var writer = FitWriter()
        writer.append(Int64(Fit.headerSize), size: 1)
        writer.append(hasDeveloperFields ? 0x20 : 0x10, size: 1)
        writer.append(21_218, size: 2)
        writer.append(Int64(dataSize), size: 4)
        writer.bytes.append(contentsOf: Fit.signature)
        var checksum = Fit.Checksum()
        for byte in writer.bytes { checksum.add(byte) }
        writer.append(Int64(checksum.value), size: 2)
        return writer.bytes
    }

    private mutating func append(_ value: Int64, size: Int) {
        for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> Int64(8 * index))) }
    }
}
