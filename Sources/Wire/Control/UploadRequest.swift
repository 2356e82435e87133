import Domain
import JSONCoding

/// A request of an upload: a client hands over a file for the state directory, which only the daemon writes.
package enum UploadRequest: Equatable, Sendable {
    /// - Parameter replaces: the number of the imported activity that the new one takes the place of.
    case begin(Kind, replaces: Int?)
    /// The next bytes of the data.
    case append([UInt8])
    case commit

    package enum Kind: String, CaseIterable, Sendable {
        /// An ``ActivityUpload``.
        case activity
        /// A ``CourseUpload``.
        case course
    }

    /// The most bytes of one `append`, so that their base64 text fits into a line.
    package static let appendLimit = 45 * 1024
    /// The most bytes of an upload: room for the most rows of an activity, which has 270 bytes a row with all values.
    package static let sizeLimit = 320 << 20
    /// The most uploads at once, of all clients.
    package static let countLimit = 2
    /// The least free space, in MiB.
    package static let leastFreeMebibytes = 256

    static let methods: [RPCMethod<ControlRequest>] = [
        RPCMethod(
            "upload.begin", "Begins to hand over a file. One upload a connection, two at once.",
            [kind.required, replaces.optional], "size", size, [.refused, .busy, .invalid], .change
        ) {
            let kind = try $0.value(of: kind)
            // Read for a course too, which has none.
            let replaced = try $0[replaces]
            if kind == .course, replaced != nil { throw invalidReplaces }
            return .upload(.begin(kind, replaces: replaced))
        },
        RPCMethod(
            "upload.append", "Appends bytes to the upload of this connection.", [data.required], "size", size,
            [.refused, .busy, .invalid], .change
        ) { .upload(.append(try $0.value(of: data))) },
        RPCMethod(
            "upload.commit", "Imports the data of the upload. The answer comes when it is on the disk.", [], "number",
            .object(required: ["id"], ["id": .id, "present": .onlyTrue]), [.refused, .busy, .invalid], .change,
            log: "import an upload"
        ) { _ in .upload(.commit) },
    ]

    private static let size = JSONSchema.object(required: ["bytes"], ["bytes": .count])
    private static let kind = RPCParameter("kind", .oneOf(Kind.allCases.map(\.rawValue)), "What the data is.") {
        value, name in
        guard let kind = value.string.flatMap(Kind.init(rawValue:)) else {
            let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw RPCError.invalidValue(name, "\(name) must be \(known)")
        }
        return kind
    }
    private static let replaces = RPCParameter(
        "replaces", .record, "The activity, imported or of the same uuid, whose number and name the new one takes.",
        record: .activity
    ) { value, _ in
        guard let id = value.record.integer, id > 0 else { throw invalidReplaces }
        return id
    }
    private static let invalidReplaces = RPCError.invalidValue(
        "replaces", "replaces must be the number or the uuid of an activity")
    private static let data = RPCParameter(
        "data", .string(4...61_440), "The next bytes, 1 to \(appendLimit), in base64 with padding."
    ) { value, name in
        guard let text = value.string, let bytes = Base64.decode(text.utf8), (1...appendLimit).contains(bytes.count)
        else { throw RPCError.invalidValue(name, "\(name) must be 1 to \(appendLimit) bytes in base64 with padding") }
        return bytes
    }
}

/// Base64 with padding.
///
/// Source: RFC 4648, section 4.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The value of each character; 255 for the others.
    private static let values = alphabet.enumerated().reduce(into: [UInt8](repeating: 255, count: 256)) {
        $0[Int($1.element)] = UInt8($1.offset)
    }

    package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = Array(rest.prefix(3))
            rest = rest.dropFirst(3)
            let bits =
                UInt32(group[0]) << 16 | UInt32(group.count > 1 ? group[1] : 0) << 8
                | UInt32(group.count > 2 ? group[2] : 0)
            for place in 0..<4 {
                text.append(place > group.count ? padding : alphabet[Int(bits >> (18 - 6 * place) & 63)])
            }
        }
        return text
    }

    /// Nil if the text is not exactly base64: another character, wrong padding, or bits beyond the last byte.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        var padded = 0
        for character in text {
            if character == padding {
                padded += 1
                bits <<= 6
            } else {
                let value = values[Int(character)]
                guard value < 64, padded == 0 else { return nil }
                bits = bits << 6 | UInt32(value)
            }
            count += 1
            guard count == 4 else { continue }
            guard padded < 3, bits & (padded == 2 ? 0xFFFF : padded == 1 ? 0xFF : 0) == 0 else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            if padded < 2 { bytes.append(UInt8(truncatingIfNeeded: bits >> 8)) }
            if padded < 1 { bytes.append(UInt8(truncatingIfNeeded: bits)) }
            (bits, count) = (0, 0)
        }
        // Padding ends the text.
        return padded == 0 || bytes.count == text.count / 4 * 3 - padded ? bytes : nil
    }
}
