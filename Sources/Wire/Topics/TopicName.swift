package import Domain
package import JSONCoding

/// The name of a topic: one of ``KnownTopic/all``, or `x-` and 1 to 30 of a-z, 0-9 and `-`.
package struct TopicName: Hashable, Sendable {
    package let text: String

    /// Nil if the text names no topic.
    package init?(_ text: String) {
        guard KnownTopic.named(text) != nil || Self.isForeign(text) else { return nil }
        self.text = text
    }

    /// What a name must be, as text for people.
    package static let rule =
        KnownTopic.all.map(\.name).joined(separator: ", ") + ", or x- and 1 to 30 of a-z, 0-9 and -"

    /// Whether the topic has no meaning for the daemon.
    var isForeign: Bool { KnownTopic.named(text) == nil }

    private static func isForeign(_ text: String) -> Bool {
        text.hasPrefix("x-") && isWord(text.utf8.dropFirst(2), limit: 30)
    }

    /// Whether a text has 1 to `limit` characters, all of a-z, 0-9 and `-`.
    static func isWord(_ text: some Collection<UInt8>, limit: Int) -> Bool {
        (1...limit).contains(text.count)
            && text.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// A topic whose data the daemon understands.
package struct KnownTopic: Sendable {
    package let name: String
    /// How long data is kept after it was observed; nil if the data has no time of observation.
    package let lifetime: Duration?
    /// Checks the data, and returns when it was observed, if it says so. Throws an error that names the wrong member.
    package let check: @Sendable (JSON) throws(RPCError) -> UTC?
    /// The objects of the data, by their names in schema.json and docs/protocol.md.
    package let tables: [(name: String, members: [TopicMember])]

    /// All of them. Each has a place among the topics.
    package static let all = [
        KnownTopic(
            name: WeatherTopic.name, lifetime: WeatherTopic.lifetime, check: WeatherTopic.check,
            tables: WeatherTopic.tables),
        KnownTopic(name: PlacesTopic.name, lifetime: nil, check: PlacesTopic.check, tables: PlacesTopic.tables),
        KnownTopic(name: TransitTopic.name, lifetime: nil, check: TransitTopic.check, tables: TransitTopic.tables),
    ]

    static func named(_ name: String) -> KnownTopic? {
        all.first { $0.name == name }
    }
}
