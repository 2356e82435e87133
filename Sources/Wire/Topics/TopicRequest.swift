package import Domain
package import JSONCoding

/// A request on publish.sock.
package enum TopicRequest: Equatable, Sendable {
    case publish(TopicPublication)
    case retract(TopicName)
    case notice(TopicNotice)

    package init(method: String, parameters: JSON?) throws(RPCError) {
        switch method {
        case "topic.publish":
            self = .publish(
                try ControlRequest.Parameters(parameters, names: ["topic", "data", "valid_until", "source"])
                    .publication())
        case "topic.retract":
            self = .retract(try ControlRequest.Parameters(parameters, names: ["topic"]).topic())
        case "notice":
            self = .notice(try ControlRequest.Parameters(parameters, names: ["topic", "key", "text"]).notice())
        default: throw .methodNotFound
        }
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

extension ControlRequest.Parameters {
    fileprivate func topic() throws(RPCError) -> TopicName {
        guard let value = members["topic"] else { throw .invalidParameters("topic", "topic is missing") }
        guard let topic = value.string.flatMap({ TopicName($0) }) else {
            throw .invalidValue("topic", "topic must be \(TopicName.rule)")
        }
        return topic
    }

    fileprivate func publication() throws(RPCError) -> TopicPublication {
        let topic = try topic()
        guard let data = members["data"] else { throw .invalidParameters("data", "data is missing") }
        guard case .object = data else { throw .invalidValue("data", "data must be an object") }
        var text = JSONWriter(capacity: 512)
        text.value(data)
        guard text.bytes.count <= TopicTable.dataLimit else {
            throw .invalidValue(
                "data", "data has \(text.bytes.count) bytes: at most \(TopicTable.dataLimit) are allowed")
        }
        let observed = try KnownTopic.named(topic.text)?.check(data)
        return TopicPublication(
            topic: topic, data: text.bytes, observed: observed,
            weather: topic.text == WeatherTopic.name ? WeatherTopic.observation(data) : nil,
            validUntil: try validUntil(), source: try source())
    }

    private func validUntil() throws(RPCError) -> UTC? {
        guard let value = members["valid_until"] else { return nil }
        // A text to which a zone can be added has none.
        guard let text = value.string, let time = UTC(iso8601: text), UTC(iso8601: text + "Z") == nil else {
            throw .invalidValue("valid_until", "valid_until must be a time with its zone, such as 2026-03-01T07:30:00Z")
        }
        return time
    }

    private func source() throws(RPCError) -> SanitizedText? {
        guard let value = members["source"] else { return nil }
        return try text(value, "source")
    }

    fileprivate func notice() throws(RPCError) -> TopicNotice {
        let topic = try topic()
        guard let key = members["key"] else { throw .invalidParameters("key", "key is missing") }
        guard let key = key.string, TopicName.isWord(key.utf8, limit: 32) else {
            throw .invalidValue("key", "key must be 1 to 32 of a-z, 0-9 and -")
        }
        guard let text = members["text"] else { throw .invalidParameters("text", "text is missing") }
        return TopicNotice(topic: topic, key: key, text: try self.text(text, "text"))
    }

    private func text(_ value: JSON, _ field: String) throws(RPCError) -> SanitizedText {
        guard let text = value.string, text.count <= SanitizedText.characterLimit, let text = SanitizedText(text) else {
            throw .invalidValue(field, "\(field) must be a string of 1 to \(SanitizedText.characterLimit) characters")
        }
        return text
    }
}
