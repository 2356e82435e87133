package import Domain

/// Writes JSON (RFC 8259) into one buffer that is reused for each line, without heap allocations once it has grown.
///
/// The text has no white space. A comma is written unless the buffer is empty or ends with an opening bracket, a colon
/// or a newline. Members without a value are omitted.
package struct JSONWriter: Sendable {
    /// The bytes since the last ``clear()``.
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 2048) {
        bytes.reserveCapacity(capacity)
    }

    /// Discards the bytes, but keeps their capacity.
    package mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
    }

    package mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Appends whole lines, or the rest of one, unchanged.
    package mutating func append(lines: some Collection<UInt8>) {
        bytes.append(contentsOf: lines)
    }

    /// Appends an encoded JSON value.
    package mutating func value(written json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        body(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        body(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    package mutating func value(_ value: String) {
        separate()
        quoted(value)
    }

    package mutating func value(_ value: Int64) {
        separate()
        bytes.append(scaled: value, decimals: 0)
    }

    package mutating func value(_ value: Int) {
        self.value(Int64(value))
    }

    package mutating func value(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Appends a number like ``member(_:_:decimals:)``; `null` if it has no value.
    package mutating func value(_ value: Double?, decimals: Int) {
        guard let value, let scaled = DecimalFormat.scaled(value, decimals: decimals) else { return null() }
        separate()
        bytes.append(scaled: scaled, decimals: decimals)
    }

    /// Appends a parsed value. Members are in the order of their names.
    package mutating func value(_ json: JSON) {
        switch json {
        case .null: null()
        case .bool(let value): self.value(value)
        case .integer(let value): self.value(value)
        // The shortest text that parses as the same number.
        case .real(let value): self.value(written: value.description.utf8)
        case .string(let value): self.value(value)
        case .array(let values): array { for value in values { $0.value(value) } }
        case .object(let members):
            object {
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    $0.value(name)
                    $0.bytes.append(UInt8(ascii: ":"))
                    $0.value(value)
                }
            }
        }
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// Appends the name of the next member. Names are the program's own and need no escapes.
    package mutating func key(_ name: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends a comma, unless this is the first element.
    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }
}

// Members of an object. A member whose value is nil is omitted.
extension JSONWriter {
    package mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }

    package mutating func array(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        array(body)
    }

    package mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        self.value(value)
    }

    package mutating func member(_ name: String, _ value: Int64?) {
        guard let value else { return }
        key(name)
        self.value(value)
    }

    package mutating func member(_ name: String, _ value: Int?) {
        guard let value else { return }
        key(name)
        self.value(value)
    }

    package mutating func member(_ name: String, _ value: Bool?) {
        guard let value else { return }
        key(name)
        self.value(value)
    }

    /// Appends a number with at most `decimals` decimals, 0 to 9, rounded like `printf`, without trailing zeros or an
    /// exponent. A value that is not finite or too large for ``DecimalFormat/scaled(_:decimals:)`` is omitted.
    package mutating func member(_ name: String, _ value: Double?, decimals: Int) {
        guard let value, let scaled = DecimalFormat.scaled(value, decimals: decimals) else { return }
        key(name)
        bytes.append(scaled: scaled, decimals: decimals)
    }

    package mutating func member(_ name: String, _ uuid: UUID?) {
        member(name, uuid?.description)
    }

    /// Appends a time as `2026-03-01T07:30:12.300Z`; a time beyond the years 0 to 9999 of the format is omitted.
    package mutating func member(_ name: String, _ time: UTC?) {
        guard let fields = time?.fields, (0...9999).contains(fields.year) else { return }
        key(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(fields)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an address as `A0:9E:1A:00:00:01`.
    ///
    /// - Parameter suffix: text without characters that JSON escapes.
    package mutating func member(_ name: String, _ address: BluetoothAddress?, followedBy suffix: String = "") {
        guard let address else { return }
        key(name)
        bytes.append(UInt8(ascii: "\""))
        for shift in stride(from: UInt64(40), through: 0, by: -8) {
            if shift < 40 { bytes.append(UInt8(ascii: ":")) }
            hexadecimal(address.value >> (shift + 4), ten: "A")
            hexadecimal(address.value >> shift, ten: "A")
        }
        bytes.append(contentsOf: suffix.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends the lowest four bits as one digit.
    private mutating func hexadecimal(_ value: UInt64, ten: Unicode.Scalar) {
        let digit = UInt8(value & 0xF)
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: ten) + digit - 10)
    }

    private mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(Self.isPlain) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars { escaped(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            && byte != UInt8(ascii: "<")
    }

    /// Appends an escaped scalar. JSON requires escapes for quotes, backslashes and C0. The others make a line harmless
    /// where it is shown unescaped: DEL, C1 and bidirectional controls on a terminal, `<` in a script of a page.
    private mutating func escaped(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"", "\\":
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(UInt8(ascii: scalar))
        case "\n": bytes.append(contentsOf: "\\n".utf8)
        case "\r": bytes.append(contentsOf: "\\r".utf8)
        case "\t": bytes.append(contentsOf: "\\t".utf8)
        case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "<", "\u{061C}", "\u{200E}"..."\u{200F}", "\u{2028}"..."\u{202E}",
            "\u{2066}"..."\u{2069}":
            bytes.append(contentsOf: "\\u".utf8)
            for shift in stride(from: UInt64(12), through: 0, by: -4) {
                hexadecimal(UInt64(scalar.value) >> shift, ten: "a")
            }
        default: bytes.append(contentsOf: scalar.utf8)
        }
    }
}
