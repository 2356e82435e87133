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

    /// Nil if the method is none of these.
    init?(method: String, parameters: JSON?) throws(RPCError) {
        switch method {
        case "upload.begin":
            let parameters = try ControlRequest.Parameters(parameters, names: ["kind", "replaces"])
            guard let value = parameters.members["kind"] else { throw .invalidParameters("kind", "kind is missing") }
            guard let kind = value.string.flatMap(Kind.init(rawValue:)) else {
                throw .invalidValue("kind", "kind must be \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            var replaced: Int?
            if let value = parameters.members["replaces"] {
                guard kind == .activity, let id = value.integer, id > 0 else {
                    throw .invalidValue("replaces", "replaces must be the number of an imported activity")
                }
                replaced = id
            }
            self = .begin(kind, replaces: replaced)
        case "upload.append":
            let parameters = try ControlRequest.Parameters(parameters, names: ["data"])
            guard let value = parameters.members["data"] else { throw .invalidParameters("data", "data is missing") }
            guard let text = value.string, let bytes = Base64.decode(text.utf8),
                (1...Self.appendLimit).contains(bytes.count)
            else {
                throw .invalidValue("data", "data must be 1 to \(Self.appendLimit) bytes in base64 with padding")
            }
            self = .append(bytes)
        case "upload.commit":
            try ControlRequest.checkNoParameters(parameters)
            self = .commit
        default: return nil
        }
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
