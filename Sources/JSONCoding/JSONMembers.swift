package import Domain

/// A value that is an object of JSON. Its members are listed once, in the order in which they are written: the list reads too.
package protocol JSONObject {
    /// A value to read into. Members that are always there replace what it has.
    init()
    mutating func members(_ list: inout JSONMembers)
}

/// Writes the members of an object, or sets them from untrusted JSON. Nil is a member that is absent, or that is wrong.
package struct JSONMembers {
    /// Nil while writing.
    private let json: JSON?
    fileprivate var writer = JSONWriter(capacity: 0)
    /// The name of the last member.
    private var last = ""
    /// What the first wrong or missing member must be, such as `bpm must be an integer of 1 to 240`.
    package private(set) var failure: String?
    /// Whether all members are there that are always there.
    fileprivate private(set) var isComplete = true

    package init(reading json: JSON?) {
        self.json = json
    }

    private mutating func read<Value>(
        _ name: String, _ json: JSON, _ rule: @autoclosure () -> String, _ parse: (JSON) -> Value?
    ) -> Value? {
        last = name
        guard let member = json[name] else { return nil }
        let value = parse(member)
        if value == nil, failure == nil { failure = "\(name) must be \(rule())" }
        return value
    }

    // MARK: Members

    /// - Parameters:
    ///   - decimals: written at most, 0 to 9; nil for the shortest text that is parsed as the same number.
    ///   - range: what is read; below 1e9 unless users never see the number.
    package mutating func member(
        _ name: String, _ value: inout Double?, decimals: Int?,
        in range: ClosedRange<Double> = -999_999_999...999_999_999
    ) {
        if let json {
            value = read(name, json, "a number of \(range.lowerBound) to \(range.upperBound)") {
                $0.number.flatMap { range.contains($0) ? $0 : nil }
            }
        } else if let decimals {
            writer.member(name, value, decimals: decimals)
        } else if let value, value.isFinite {
            writer.key(name)
            writer.value(written: value.description.utf8)
        }
    }

    package mutating func member(_ name: String, _ value: inout Int64?, in range: ClosedRange<Int64>) {
        guard let json else { return writer.member(name, value) }
        value = read(name, json, "an integer of \(range.lowerBound) to \(range.upperBound)") {
            if case .integer(let number) = $0, range.contains(number) { number } else { nil }
        }
    }

    package mutating func member(_ name: String, _ value: inout Int?, in range: ClosedRange<Int64>) {
        var wide = value.map { Int64($0) }
        member(name, &wide, in: range)
        value = wide.map { Int($0) }
    }

    package mutating func member(_ name: String, _ value: inout UTC?) {
        guard let json else { return writer.member(name, value) }
        value = read(name, json, "a time") { $0.string.flatMap { UTC(iso8601: $0) } }
    }

    package mutating func member(_ name: String, _ value: inout UUID?) {
        guard let json else { return writer.member(name, value?.description) }
        value = read(name, json, "a uuid") { $0.string.flatMap { UUID($0) } }
    }

    /// A string of which nothing is visible is absent, and not wrong.
    package mutating func member(_ name: String, _ value: inout SanitizedText?) {
        guard let json else { return writer.member(name, value?.text) }
        value = read(name, json, "a string", \.string).flatMap { SanitizedText($0) }
    }

    /// A member that is absent instead of false.
    package mutating func member(_ name: String, onlyTrue value: inout Bool) {
        if let json {
            value = read(name, json, "true or false", \.bool) ?? false
        } else if value {
            writer.member(name, true)
        }
    }

    /// A word that this release does not know is wrong.
    @inlinable package mutating func member<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String, word value: inout Word?
    ) {
        guard isReading else { return write(name, value?.rawValue) }
        value = word(name) { Word.allCases.map(\.rawValue) }.flatMap(Word.init)
    }

    package var isReading: Bool { json != nil }

    package mutating func write(_ name: String, _ word: String?) {
        writer.member(name, word)
    }

    package mutating func word(_ name: String, of words: () -> [String]) -> String? {
        guard let json else { return nil }
        return read(name, json, words().joined(separator: ", ")) { member in
            member.string.flatMap { words().contains($0) ? $0 : nil }
        }
    }

    package mutating func member<Object: JSONObject>(_ name: String, _ value: inout Object?) {
        if let json {
            value = read(name, json, "an object") { Object($0) }
        } else if let value {
            writer.key(name)
            writer.value(value)
        }
    }

    // MARK: Members that are always there

    package mutating func required<Value>(_ value: inout Value, _ visit: (inout JSONMembers, inout Value?) -> Void) {
        var member: Value? = value
        visit(&self, &member)
        if let member {
            value = member
        } else {
            isComplete = false
            failure = failure ?? "\(last) is missing"
        }
    }

    package mutating func member(
        _ name: String, _ value: inout Double, decimals: Int?,
        in range: ClosedRange<Double> = -999_999_999...999_999_999
    ) {
        required(&value) { $0.member(name, &$1, decimals: decimals, in: range) }
    }

    package mutating func member(_ name: String, _ value: inout Int64, in range: ClosedRange<Int64>) {
        required(&value) { $0.member(name, &$1, in: range) }
    }

    package mutating func member(_ name: String, _ value: inout Int, in range: ClosedRange<Int64>) {
        required(&value) { $0.member(name, &$1, in: range) }
    }
}

extension JSONObject {
    /// Reads untrusted JSON: nil if a member is missing that is always there.
    package init?(_ json: JSON) {
        self.init()
        var list = JSONMembers(reading: json)
        members(&list)
        if !list.isComplete { return nil }
    }
}

extension JSONWriter {
    /// Appends the members of a list.
    package mutating func members(_ list: (inout JSONMembers) -> Void) {
        var members = JSONMembers(reading: nil)
        swap(&members.writer, &self)
        list(&members)
        swap(&members.writer, &self)
    }

    package mutating func value(_ value: some JSONObject) {
        var value = value
        object { $0.members { value.members(&$0) } }
    }
}
