import Domain
import Glibc

/// One value of a D-Bus message.
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
    case bytes([UInt8])
    /// Any other array, with the signature of its elements, because it may be empty.
    case array(of: String, [BusValue])
    /// An element of a dictionary.
    indirect case entry(BusValue, BusValue)
    case structure([BusValue])
    indirect case variant(BusValue)
    case descriptor(BusDescriptor)

    /// A dictionary of names to variants: the type of options and properties.
    package static func properties(_ properties: KeyValuePairs<String, BusValue>) -> BusValue {
        .array(of: "{sv}", properties.map { .entry(.string($0), .variant($1)) })
    }

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

/// Access by type. A variant is replaced by its content; a value of another type gives nil, or an empty array.
extension BusValue {
    package var bool: Bool? {
        if case .bool(let value) = content { value } else { nil }
    }

    /// An integer of any type.
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

    /// The elements of an array other than of bytes, or the members of a structure.
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

    /// The value of a string or object path in a dictionary.
    package subscript(key: String) -> BusValue? {
        for case .entry(let name, let value) in elements where name.text == key { return value.content }
        return nil
    }

    /// The content of nested variants; any other value itself.
    package var content: BusValue {
        var value = self
        while case .variant(let held) = value { value = held }
        return value
    }
}

/// A descriptor that was received in a message, or will be sent
/// in one. Unless released, it is closed with its last value.
@safe
package final class BusDescriptor: Equatable {
    private var file: FileDescriptor?

    package init(_ file: consuming FileDescriptor) {
        self.file = consume file
    }

    /// Transfers ownership of the descriptor, once.
    package func release() -> FileDescriptor? {
        file.take()
    }

    /// The number; nil after ``release()``.
    var number: Int32? {
        file?.number
    }

    package static func == (one: BusDescriptor, other: BusDescriptor) -> Bool {
        one === other
    }
}
