package import Domain
package import JSONCoding

/// A GTFS-Realtime feed as JSON: a line of the header, then one of each entity.
///
/// A line has every field of the specification that the feed sets, under its name: tokens as their names, 64-bit numbers
/// as numbers. The official bindings too leave out unknown fields and tokens.
package struct RealtimeFeedLines: Sendable {
    private let bytes: [UInt8]
    private var reader: ProtobufReader
    private let header: [Range<Int>]
    private var hasHeader = false

    /// - Throws: ``ParseError`` if the bytes are not the fields of a message, or there is no header.
    package init(_ bytes: [UInt8]) throws(ParseError) {
        self.bytes = bytes
        reader = ProtobufReader(bytes, in: bytes.indices)
        var header: [Range<Int>] = []
        var search = reader
        while let field = try search.next() {
            if field.number == FeedField.header.number, case .bytes(let range) = field.value {
                header.append(range)
            }
        }
        guard !header.isEmpty else { throw ParseError(at: bytes.count, expected: "a header") }
        self.header = header
    }

    /// Writes the next line.
    ///
    /// - Returns: false at the end of the feed.
    /// - Throws: ``ParseError``. It has written nothing of the wrong entity. Do not call it again.
    package mutating func write(into writer: inout JSONWriter) throws(ParseError) -> Bool {
        var line = JSONWriter(capacity: 1024)
        if !hasHeader {
            hasHeader = true
            var failure: ParseError?
            line.object {
                $0.key("header")
                failure = write(RealtimeMessage.header, in: header, into: &$0)
            }
            if let failure { throw failure }
        } else {
            guard let range = try nextEntity() else { return false }
            if let failure = write(RealtimeMessage.entity, in: [range], into: &line) { throw failure }
        }
        line.newline()
        writer.append(lines: line.bytes)
        return true
    }

    private mutating func nextEntity() throws(ParseError) -> Range<Int>? {
        while let field = try reader.next() {
            if field.number == FeedField.entity.number, case .bytes(let range) = field.value { return range }
        }
        return nil
    }

    /// Writes a message as an object. Several places of one message are merged.
    ///
    /// - Returns: why the message is wrong; it is written in part then.
    private func write(
        _ message: RealtimeMessage, in places: [Range<Int>], into writer: inout JSONWriter
    ) -> ParseError? {
        var found: [(index: Int, value: ProtobufReader.Value)] = []
        do throws(ParseError) {
            for place in places {
                var reader = ProtobufReader(bytes, in: place)
                while let field = try reader.next() {
                    guard let index = message.fields.firstIndex(where: { $0.number == field.number }) else { continue }
                    if message.fields[index].kind.accepts(field.value) { found.append((index, field.value)) }
                }
            }
        } catch {
            return error
        }
        var failure: ParseError?
        writer.object { writer in
            for (index, field) in message.fields.enumerated() {
                guard let last = found.last(where: { $0.index == index }) else {
                    guard field.isRequired else { continue }
                    failure = ParseError(at: places.first?.lowerBound ?? 0, expected: field.name)
                    return
                }
                writer.key(field.name.text)
                let values = field.isRepeated || field.kind.isMessage ? found.filter { $0.index == index } : [last]
                failure = write(field, values.map(\.value), into: &writer)
                if failure != nil { return }
            }
        }
        return failure
    }

    /// - Parameter values: those of a repeated field, the parts of a message, or one scalar.
    private func write(
        _ field: RealtimeMessage.Field, _ values: [ProtobufReader.Value], into writer: inout JSONWriter
    ) -> ParseError? {
        var failure: ParseError?
        if case .message(let message) = field.kind {
            let places = values.compactMap(\.range)
            guard field.isRepeated else { return write(message, in: places, into: &writer) }
            writer.array {
                for place in places where failure == nil { failure = write(message, in: [place], into: &$0) }
            }
        } else if field.isRepeated {
            writer.array { for value in values { write(field.kind, value, into: &$0) } }
        } else if let value = values.last {
            write(field.kind, value, into: &writer)
        }
        return failure
    }

    /// Writes a value that the kind accepts.
    private func write(
        _ kind: RealtimeMessage.Kind, _ value: ProtobufReader.Value, into writer: inout JSONWriter
    ) {
        switch (kind, value) {
        case (.text, .bytes(let range)): writer.value(String(decoding: bytes[range], as: UTF8.self))
        case (.flag, .varint(let number)): writer.value(number != 0)
        case (.int32, .varint(let number)): writer.value(Int64(Int32(truncatingIfNeeded: number)))
        case (.int64, .varint(let number)): writer.value(Int64(bitPattern: number))
        case (.uint32, .varint(let number)): writer.value(Int64(UInt32(truncatingIfNeeded: number)))
        case (.uint64, .varint(let number)): writer.value(written: String(number).utf8)
        case (.float, .fixed32(let number)): write(Float(bitPattern: number), into: &writer)
        case (.double, .fixed64(let number)): write(Double(bitPattern: number), into: &writer)
        case (.token(let names), .varint(let number)): writer.value(names[number] ?? "")
        default: writer.null()
        }
    }

    /// Writes the shortest text that parses as the same number, or a string if JSON has no such number.
    private func write<Number: BinaryFloatingPoint & CustomStringConvertible>(
        _ number: Number, into writer: inout JSONWriter
    ) {
        if number.isFinite {
            writer.value(written: number.description.utf8)
        } else {
            writer.value(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
        }
    }
}

extension ProtobufReader.Value {
    fileprivate var range: Range<Int>? {
        if case .bytes(let range) = self { range } else { nil }
    }
}

extension RealtimeMessage.Kind {
    fileprivate var isMessage: Bool {
        if case .message = self { true } else { false }
    }

    /// False for a value of another type and an unknown token: the official bindings keep these as unknown fields.
    fileprivate func accepts(_ value: ProtobufReader.Value) -> Bool {
        switch (self, value) {
        case (.text, .bytes), (.message, .bytes), (.float, .fixed32), (.double, .fixed64): true
        case (.flag, .varint), (.int32, .varint), (.int64, .varint), (.uint32, .varint), (.uint64, .varint): true
        case (.token(let names), .varint(let number)): names[number] != nil
        default: false
        }
    }
}
