import Domain
import Glibc

/// One value of a message on the bus.
///
/// Source: D-Bus Specification, "Type system".
package enum BusValue: Equatable {
    case bool(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// An array of bytes.
    case bytes([UInt8])
    /// Any other array, with the signature of one element, since there may be none.
    case array(of: String, [BusValue])
    /// An element of an array that is a dictionary.
    indirect case entry(BusValue, BusValue)
    case structure([BusValue])
    indirect case variant(BusValue)
    case descriptor(BusDescriptor)

    /// A dictionary of names to variants, as options and properties are.
    package static func properties(_ properties: KeyValuePairs<String, BusValue>) -> BusValue {
        .array(of: "{sv}", properties.map { .entry(.string($0), .variant($1)) })
    }

    /// The signature of the value.
    package var signature: String {
        switch self {
        case .bool: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a" + element
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .variant: "v"
        case .descriptor: "h"
        }
    }
}

/// What a value is read as. A variant stands for what it holds; a value of another type is nil, or empty.
extension BusValue {
    package var bool: Bool? {
        if case .bool(let value) = content { value } else { nil }
    }

    /// A number of any type of integer.
    package var integer: Int? {
        switch content {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(exactly: value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    /// A string or an object path.
    package var text: String? {
        switch content {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }

    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = content { bytes } else { nil }
    }

    package var descriptor: BusDescriptor? {
        if case .descriptor(let descriptor) = content { descriptor } else { nil }
    }

    /// The elements of an array that is none of bytes, or the members of a structure.
    package var elements: [BusValue] {
        switch content {
        case .array(_, let elements), .structure(let elements): elements
        default: []
        }
    }

    /// The entries of a dictionary whose keys are strings or object paths.
    package var entries: [(key: String, value: BusValue)] {
        elements.compactMap { element in
            guard case .entry(let key, let value) = element, let key = key.text else { return nil }
            return (key, value.content)
        }
    }

    /// What a dictionary has under a string or an object path.
    package subscript(key: String) -> BusValue? {
        for case .entry(let name, let value) in elements where name.text == key { return value.content }
        return nil
    }

    /// What a variant holds, through any number of variants.
    package var content: BusValue {
        var value = self
        while case .variant(let held) = value { value = held }
        return value
    }
}

/// A descriptor that came in a message, or is to go in one. It is closed with the last of its values, unless somebody took it.
@safe
package final class BusDescriptor: Equatable {
    private var file: FileDescriptor?

    package init(_ file: consuming FileDescriptor) {
        self.file = consume file
    }

    /// Hands the descriptor out, once.
    package func release() -> FileDescriptor? {
        file.take()
    }

    /// The number while it is here.
    var number: Int32? {
        file?.number
    }

    package static func == (one: BusDescriptor, other: BusDescriptor) -> Bool {
        one === other
    }
}
