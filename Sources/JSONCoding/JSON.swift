import CJansson
package import Domain

/// A JSON value that was parsed from untrusted text.
package enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// The most levels of nested arrays and objects. Deeper text is rejected before it is parsed.
    package static let nestingLimit = 16

    /// Parses one value of any type. The value must fill the whole text.
    ///
    /// - Throws: ``ParseError`` if the text is not JSON (RFC 8259), is not UTF-8, nests deeper than
    ///   ``nestingLimit``, repeats a member name in an object, or has an integer beyond 64 bits.
    package init(parsing text: some Sequence<UInt8>) throws(ParseError) {
        let bytes = Array(text)
        guard !Self.nestsTooDeep(bytes) else { throw ParseError(at: 0, expected: "at most 16 levels of nesting") }
        var error = json_error_t()
        let flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL
        let root = unsafe bytes.withUnsafeBytes { buffer in
            unsafe json_loadb(buffer.baseAddress, buffer.count, Int(flags), &error)
        }
        guard let root = unsafe root else {
            throw ParseError(at: Int(error.position), expected: "valid JSON")
        }
        self = unsafe Self(root)
        unsafe json_delete(root)
    }

    /// Counts brackets outside of strings only. Invalid JSON is left to the parser.
    private static func nestsTooDeep(_ bytes: [UInt8]) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > nestingLimit { return true }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return false
    }

    private init(_ value: UnsafeMutablePointer<json_t>) {
        switch unsafe value.pointee.type {
        case JSON_OBJECT:
            var members: [String: JSON] = [:]
            var iterator = unsafe json_object_iter(value)
            while let position = unsafe iterator {
                let key = unsafe String(cString: json_object_iter_key(position))
                members[key] = unsafe JSON(json_object_iter_value(position))
                unsafe iterator = json_object_iter_next(value, position)
            }
            self = .object(members)
        case JSON_ARRAY:
            self = unsafe .array((0..<json_array_size(value)).map { unsafe JSON(json_array_get(value, $0)) })
        case JSON_STRING:
            let text = unsafe UnsafeRawBufferPointer(start: json_string_value(value), count: json_string_length(value))
            self = unsafe .string(String(decoding: text, as: UTF8.self))
        case JSON_INTEGER: self = unsafe .integer(json_integer_value(value))
        case JSON_REAL: self = unsafe .real(json_real_value(value))
        case JSON_TRUE: self = .bool(true)
        case JSON_FALSE: self = .bool(false)
        default: self = .null
        }
    }
}

extension JSON {
    /// The member of an object. Nil if the object lacks it or the value is no object.
    package subscript(_ key: String) -> JSON? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var integer: Int? {
        if case .integer(let value) = self { Int(value) } else { nil }
    }

    /// A whole number in a range; nil outside it.
    package func integer(in range: ClosedRange<Int>) -> Int? {
        integer.flatMap { range.contains($0) ? $0 : nil }
    }

    /// An integer or a real number.
    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    package var array: [JSON]? {
        if case .array(let values) = self { values } else { nil }
    }
}
