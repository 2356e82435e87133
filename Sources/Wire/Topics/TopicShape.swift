import Domain
import JSONCoding

/// The shape of a value in the data of a known topic. The decoder, schema.json and docs/protocol.md are made from it.
package enum TopicShape: Sendable {
    case number(ClosedRange<Int>)
    /// 1 to ``textLimit`` Unicode scalars.
    case text
    /// A time in UTC, such as 2026-03-01T07:20:00Z, with or without a fraction of a second.
    case time
    case flag
    case token([String])
    case object([TopicMember])

    package static let textLimit = 64
}

/// A member of an object in the data of a known topic.
package struct TopicMember: Sendable {
    package let name: String
    /// The shape of the value, or of each element of a list.
    package let shape: TopicShape
    /// How many elements a list has at most; nil for a single value.
    package let listLimit: Int?
    /// Such as m/s; empty for none.
    package let unit: String
    package let isRequired: Bool
    /// A sentence for the schema and the page.
    package let meaning: String

    package init(
        _ name: String, _ shape: TopicShape, listLimit: Int? = nil, unit: String = "", isRequired: Bool = false,
        _ meaning: String
    ) {
        self.name = name
        self.shape = shape
        self.listLimit = listLimit
        self.unit = unit
        self.isRequired = isRequired
        self.meaning = meaning
    }

    /// Checks the value, and each element of a list.
    func check(_ value: JSON, at path: String) throws(RPCError) {
        guard let listLimit else { return try shape.check(value, at: path) }
        guard let elements = value.array, elements.count <= listLimit else {
            throw .invalidValue("data", "\(path) must be a list of at most \(listLimit)")
        }
        for (index, element) in elements.enumerated() { try shape.check(element, at: "\(path)[\(index)]") }
    }

    /// The value, or the part of it that is right; nil if none is. Of a list with wrong elements the others remain.
    fileprivate func conforming(_ value: JSON) -> JSON? {
        guard let listLimit else { return shape.conforming(value) }
        guard let elements = value.array else { return nil }
        let right = elements.prefix(listLimit).compactMap(shape.conforming)
        return right.isEmpty && !elements.isEmpty ? nil : .array(right)
    }
}

extension TopicShape {
    /// Checks a value and all that it contains.
    ///
    /// - Parameter path: the place of the value in the request, such as `data.clouds[0]`.
    /// - Throws: ``RPCError`` that names the wrong member, and what it must be.
    func check(_ value: JSON, at path: String) throws(RPCError) {
        switch self {
        case .object(let members):
            guard case .object(let values) = value else { throw wrong(path) }
            if let unknown = values.keys.filter({ name in !members.contains { $0.name == name } }).min() {
                throw .invalidValue("data", "\(path) has no member \(SanitizedText(unknown)?.text ?? "without a name")")
            }
            for member in members {
                if let value = values[member.name] {
                    try member.check(value, at: "\(path).\(member.name)")
                } else if member.isRequired {
                    throw .invalidValue("data", "\(path).\(member.name) is missing")
                }
            }
        case .number, .text, .time, .flag, .token:
            guard isScalar(value) else { throw wrong(path) }
        }
    }

    /// The part of a foreign value that has this shape, without members that are unknown or wrong. Nil if the value has
    /// another shape, or lacks a required member.
    func conforming(_ value: JSON) -> JSON? {
        guard case .object(let members) = self else { return isScalar(value) ? value : nil }
        guard case .object(let values) = value else { return nil }
        var kept: [String: JSON] = [:]
        for member in members {
            if let value = values[member.name].flatMap(member.conforming) {
                kept[member.name] = value
            } else if member.isRequired {
                return nil
            }
        }
        return .object(kept)
    }

    private func isScalar(_ value: JSON) -> Bool {
        switch self {
        case .number(let range):
            value.number.map { $0 >= Double(range.lowerBound) && $0 <= Double(range.upperBound) } ?? false
        case .text: value.string.map { (1...Self.textLimit).contains($0.unicodeScalars.count) } ?? false
        case .time: value.string.map(Self.isTime) ?? false
        case .flag: value.bool != nil
        case .token(let tokens): value.string.map(tokens.contains) ?? false
        case .object: false
        }
    }

    private static func isTime(_ text: String) -> Bool {
        text.utf8.dropFirst(10).first == UInt8(ascii: "T") && text.hasSuffix("Z") && !text.contains(",")
            && UTC(iso8601: text) != nil
    }

    private func wrong(_ path: String) -> RPCError {
        .invalidValue("data", "\(path) must be \(rule)")
    }

    private var rule: String {
        switch self {
        case .number(let range): "a number of \(range.lowerBound) to \(range.upperBound)"
        case .text: "a string of 1 to \(Self.textLimit) characters"
        case .time: "a time in UTC, such as 2026-03-01T07:20:00Z"
        case .flag: "true or false"
        case .token(let tokens): "one of \(tokens.joined(separator: ", "))"
        case .object: "an object"
        }
    }
}
