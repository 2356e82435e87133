package import Domain
import JSONCoding

/// A request on publish.sock.
package enum TopicRequest: Equatable, Sendable {
    case publish(TopicPublication)
    case retract(TopicName)
    case notice(TopicNotice)

    /// The methods of publish.sock.
    package static let table = RPCTable<TopicRequest>(
        "paced publish socket",
        [
            RPCMethod(
                "topic.publish", "Publishes the data of a topic, in place of the data before.",
                [topic.required, data.required, validUntil.optional, source.optional], "nothing", .null,
                [.busy, .invalid], .change
            ) { .publish(try publication($0)) },
            RPCMethod(
                "topic.retract", "Removes the data of a topic.", [topic.required], "nothing", .null,
                [.notFound, .invalid], .change
            ) { .retract(try $0.value(of: topic)) },
            RPCMethod(
                "notice", "Publishes a message to the user as an EVENT.",
                [topic.required, key.required, text.required], "nothing", .null, [.busy, .invalid], .change
            ) {
                let (topic, key) = (try $0.value(of: topic), try $0.value(of: key))
                return .notice(TopicNotice(topic: topic, key: key, text: try $0.value(of: text)))
            },
        ], description: " Lines with a class are DEMAND.")

    private static let topic = RPCParameter(
        "topic", JSONSchema(#"{"type":"string","maxLength":32}"#),
        "The name of the topic: weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -."
    ) { value, name in
        guard let topic = value.string.flatMap({ TopicName($0) }) else {
            throw RPCError.invalidValue(name, "\(name) must be \(TopicName.rule)")
        }
        return topic
    }
    /// With its value, the data as compact JSON.
    private static let data = RPCParameter(
        "data", .object, "Any object, at most \(TopicTable.dataLimit) bytes as compact JSON."
    ) { value, name in
        guard case .object = value else { throw RPCError.invalidValue(name, "\(name) must be an object") }
        var text = JSONWriter(capacity: 512)
        text.value(value)
        guard text.bytes.count <= TopicTable.dataLimit else {
            throw RPCError.invalidValue(
                name, "\(name) has \(text.bytes.count) bytes: at most \(TopicTable.dataLimit) are allowed")
        }
        return (json: value, bytes: text.bytes)
    }
    private static let validUntil = RPCParameter.time(
        "valid_until", "When the data becomes stale, at most 7 days ahead. Default in 10 minutes.")
    private static let source = RPCParameter.text(
        "source", "Where the data comes from, for users, 1 to 64 characters.")
    private static let key = RPCParameter(
        "key", .string(pattern: "^[a-z0-9-]{1,32}$"), "The kind of message, for programs: 1 to 32 of a-z, 0-9 and -."
    ) { value, name in
        guard let key = value.string, TopicName.isWord(key.utf8, limit: 32) else {
            throw RPCError.invalidValue(name, "\(name) must be 1 to 32 of a-z, 0-9 and -")
        }
        return key
    }
    private static let text = RPCParameter.text("text", "The message, 1 to 64 characters.")

    private static func publication(_ parameters: RPCParameters) throws(RPCError) -> TopicPublication {
        let topic = try parameters.value(of: topic)
        let data = try parameters.value(of: data)
        let observed = try KnownTopic.named(topic.text)?.check(data.json)
        return TopicPublication(
            topic: topic, data: data.bytes, observed: observed,
            weather: topic.text == WeatherTopic.name ? WeatherTopic.observation(data.json) : nil,
            validUntil: try parameters[validUntil], source: try parameters[source])
    }
}

/// The data of a topic, as a program publishes it.
package struct TopicPublication: Equatable, Sendable {
    package var topic: TopicName
    /// A JSON object as compact text, at most ``TopicTable/dataLimit`` bytes.
    package var data: [UInt8]
    /// When the data was observed, if it says so: that of a topic x-… never does.
    package var observed: UTC?
    /// The figures of the topic `weather` that the engine uses.
    package var weather: WeatherObservation?
    /// Nil for ``TopicTable/defaultValidity``.
    package var validUntil: UTC?
    package var source: SanitizedText?

    package init(
        topic: TopicName, data: [UInt8], observed: UTC? = nil, weather: WeatherObservation? = nil,
        validUntil: UTC? = nil, source: SanitizedText? = nil
    ) {
        self.topic = topic
        self.data = data
        self.observed = observed
        self.weather = weather
        self.validUntil = validUntil
        self.source = source
    }
}

/// A message to the user from another program.
package struct TopicNotice: Equatable, Sendable {
    package var topic: TopicName
    /// The kind of message: 1 to 32 of a-z, 0-9 and `-`.
    package var key: String
    package var text: SanitizedText

    package init(topic: TopicName, key: String, text: SanitizedText) {
        self.topic = topic
        self.key = key
        self.text = text
    }
}
