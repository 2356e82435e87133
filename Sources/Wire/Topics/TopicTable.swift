package import Domain
package import JSONCoding

/// The newest data of each topic, and how often the topics may change. At most 1 MiB of data.
///
///             until the validity has passed      as long again
///     fresh ────────────────────────────────▶ stale ──────────▶ no data ──▶ forgotten
///       ▲            publish                    │                  ▲ retract
///       └───────────────────────────────────────┴──────────────────┘
///
/// The validity is counted on the boot clock from the receipt on, so a step of the time of day changes nothing.
package struct TopicTable: Sendable {
    /// The most topics at once. Each known topic has a place among them.
    package static let limit = 32
    /// Each known topic has its place.
    package static let foreignLimit = limit - KnownTopic.all.count
    /// The most bytes of the data of one topic, as compact JSON.
    package static let dataLimit = 32 * 1024
    /// The validity of data without `valid_until`, and of all data while no clock is set.
    package static let defaultValidity = Duration.seconds(600)
    package static let longestValidity = Duration.seconds(7 * 86_400)
    /// The least time between two notices of one topic by one user.
    package static let noticeInterval = Duration.seconds(10)

    /// By how much the clock of a publisher may be ahead.
    private static let clockTolerance = Duration.seconds(600)
    private static let publishInterval = Duration.milliseconds(500)
    private static let publishBurst = 2

    private struct Topic {
        let name: TopicName
        var value: Value?
        var bucket = TokenBucket(burst: publishBurst, interval: publishInterval)
        /// When the topic without data may be forgotten: its bucket is full again.
        var keptUntil: Instant
    }

    private struct Value {
        var data: [UInt8]
        var source: SanitizedText?
        var weather: WeatherObservation?
        var receivedAt: Instant
        var staleAt: Instant
        var droppedAt: Instant
        var isStale = false
    }

    private var topics: [Topic] = []
    /// Of each user: EVENTs of a flood of topics would fill the journal.
    private var notices: [UInt32: Notices] = [:]
    /// The most notices of a user at once; then one a second.
    private static let noticeBurst = 16

    private struct Notices {
        /// When each topic had its last notice.
        var noticed: [TopicName: Instant] = [:]
        var bucket = TokenBucket(burst: noticeBurst, interval: .seconds(1))
    }

    package init() {}

    /// The observation of the topic `weather`; nil while it has none.
    package var weather: WeatherObservation? {
        guard let value = topics.first(where: { $0.name.text == WeatherTopic.name })?.value else { return nil }
        var weather = value.weather
        weather?.isStale = value.isStale
        return weather
    }

    package func hasData(_ topic: TopicName) -> Bool {
        topics.contains { $0.name == topic && $0.value != nil }
    }

    /// Adopts the data of a topic.
    ///
    /// - Parameter time: the time of day; nil while no clock is set.
    /// - Throws: ``RPCError`` if the topic changes too often, there are too many, or the validity is out of range.
    package mutating func publish(
        _ publication: TopicPublication, time: UTC?, at now: Instant
    ) throws(RPCError) {
        let validity = try Self.validity(until: publication.validUntil, time: time)
        let rest = try Self.rest(of: publication, time: time)
        let index = try place(of: publication.topic, at: now)
        guard topics[index].bucket.consume(at: now) else {
            throw .busy("\(publication.topic.text) was published twice within 1 s: at most 2 a second")
        }
        topics[index].keptUntil = now + Self.publishInterval * Self.publishBurst
        topics[index].value = Value(
            data: publication.data, source: publication.source, weather: publication.weather, receivedAt: now,
            staleAt: now + min(validity, rest), droppedAt: now + min(validity * 2, rest))
    }

    private static func validity(until end: UTC?, time: UTC?) throws(RPCError) -> Duration {
        guard let end, let time else { return defaultValidity }
        let validity = Duration.milliseconds(end.milliseconds - time.milliseconds)
        guard validity > .zero else { throw .invalidValue("valid_until", "valid_until has passed") }
        guard validity <= longestValidity else {
            throw .invalidValue("valid_until", "valid_until is more than 7 days ahead")
        }
        return validity
    }

    /// The rest of the lifetime of observed data, and ``longestValidity`` twice for other data.
    private static func rest(of publication: TopicPublication, time: UTC?) throws(RPCError) -> Duration {
        guard let observed = publication.observed, let time,
            let lifetime = KnownTopic.named(publication.topic.text)?.lifetime
        else {
            return longestValidity * 2
        }
        let age = Duration.milliseconds(time.milliseconds - observed.milliseconds)
        guard age + clockTolerance >= .zero else {
            throw .invalidValue("data", "data.observed_at is in the future: compare the clocks")
        }
        guard age < lifetime else {
            throw .invalidValue("data", "data is of \(age.components.seconds / 60) min ago: too old for this topic")
        }
        return lifetime - age
    }

    private mutating func place(of name: TopicName, at now: Instant) throws(RPCError) -> Int {
        if let index = topics.firstIndex(where: { $0.name == name }) { return index }
        topics.removeAll { $0.value == nil && now >= $0.keptUntil }
        if name.isForeign, topics.count(where: \.name.isForeign) >= Self.foreignLimit {
            throw .busy("there are \(Self.foreignLimit) topics x-…, the most that are possible: retract one")
        }
        topics.append(Topic(name: name, keptUntil: now))
        return topics.count - 1
    }

    /// Removes the data of a topic.
    ///
    /// - Throws: ``RPCError`` if the topic has none.
    package mutating func retract(_ name: TopicName) throws(RPCError) {
        guard let index = topics.firstIndex(where: { $0.name == name && $0.value != nil }) else {
            throw .notFound("topic", "\(name.text) has no data")
        }
        topics[index].value = nil
    }

    /// Makes data stale and drops it. Returns the topics that have changed.
    package mutating func advance(to now: Instant) -> [TopicName] {
        var changed: [TopicName] = []
        for index in topics.indices {
            guard let value = topics[index].value else { continue }
            if now >= value.droppedAt {
                topics[index].value = nil
                changed.append(topics[index].name)
            } else if now >= value.staleAt, !value.isStale {
                topics[index].value?.isStale = true
                changed.append(topics[index].name)
            }
        }
        return changed
    }

    /// Admits a notice of a user. Those of other users count for nothing: nobody keeps the notice of a last bus away.
    ///
    /// - Throws: ``RPCError`` if the user has sent too many.
    package mutating func admit(_ notice: TopicNotice, of user: UInt32, at now: Instant) throws(RPCError) {
        var own = notices[user] ?? Notices()
        own.noticed = own.noticed.filter { now < $0.value + Self.noticeInterval }
        if own.noticed[notice.topic] != nil {
            throw .busy("\(notice.topic.text) had a notice within 10 s: at most one each 10 s")
        }
        guard own.bucket.consume(at: now) else {
            throw .busy("too many notices: at most \(Self.noticeBurst) at once, and one a second")
        }
        own.noticed[notice.topic] = now
        // The bucket of a user who was silent for so long is full, as that of a new one.
        notices = notices.filter { ($0.value.noticed.values.max() ?? now) + .seconds(Self.noticeBurst) > now }
        notices[user] = own
    }

    /// Writes the DATA line of a topic.
    package func write(_ name: TopicName, at now: Instant, into writer: inout JSONWriter) {
        writer.object { line in
            line.member("class", "DATA")
            line.member("topic", name.text)
            guard let value = topics.first(where: { $0.name == name })?.value else { return }
            line.key("data")
            line.value(written: value.data)
            line.member("source", value.source?.text)
            line.member("age_ms", max(now - value.receivedAt, .zero).wholeMilliseconds)
            line.member("stale", value.isStale)
        }
        writer.newline()
    }
}

extension JSONWriter {
    /// Writes a DEMAND line.
    package mutating func demand(_ topic: TopicName, subscribers: Int) {
        object { line in
            line.member("class", "DEMAND")
            line.member("topic", topic.text)
            line.member("subscribers", subscribers)
        }
        newline()
    }
}
