import Domain
import JSONCoding
package import Wire

/// The error for an invalid line from a client of state.sock.
package struct BadLine: Error, Equatable, Sendable {
    package var message: String
}

extension SubscriptionRequest {
    /// The maximum length of a client's line in bytes.
    package static let lineLimit = 4096

    /// Parses a `WATCH` line. Unknown members are ignored.
    ///
    /// - Throws: ``BadLine``, which names the error.
    package init(line: ArraySlice<UInt8>) throws(BadLine) {
        let json: JSON
        do throws(ParseError) {
            json = try JSON(parsing: line)
        } catch {
            throw BadLine(message: "not a WATCH line: \(error)")
        }
        guard case .object(let members) = json, members["class"]?.string == "WATCH" else {
            throw BadLine(message: "not a WATCH line: class must be \"WATCH\"")
        }
        self.init()
        if let classes = members["classes"] { self.classes = try Self.classes(classes) }
        if let period = members["interval_ms"] {
            guard let period = period.integer, Subscription.isPeriod(period) else {
                throw BadLine(message: "interval_ms must be a multiple of 100 from 100 to 60000")
            }
            everyMilliseconds = period
        }
        if let blocks = members["blocks"] { self.blocks = try Self.blocks(blocks) }
        if let topics = members["topics"] { self.topics = try Self.topics(topics) }
        if let since = members["since"] {
            guard let since = since.integer, since >= 0 else {
                throw BadLine(message: "since must be the number of an event, or 0 for all that are retained")
            }
            self.since = since
        }
        if let isOfThisRun = members["this_run"] {
            guard let isOfThisRun = isOfThisRun.bool else { throw BadLine(message: "this_run must be true or false") }
            self.isOfThisRun = isOfThisRun
        }
    }

    private static func classes(_ json: JSON) throws(BadLine) -> MessageClasses {
        guard let classes = MessageClasses(json, MessageClasses.names) else {
            let names = MessageClasses.names.map(\.name).joined(separator: ", ")
            throw BadLine(message: "classes must be a list of these: \(names)")
        }
        return classes
    }

    private static func topics(_ json: JSON) throws(BadLine) -> [TopicName] {
        let topics = json.array?.compactMap { $0.string.flatMap { TopicName($0) } } ?? []
        guard topics.count == json.array?.count, topics.count <= Subscription.topicLimit,
            Set(topics).count == topics.count
        else {
            throw BadLine(
                message: "topics must be a list of at most \(Subscription.topicLimit) names, each \(TopicName.rule)")
        }
        return topics
    }

    private static func blocks(_ json: JSON) throws(BadLine) -> StateBlocks {
        guard let blocks = StateBlocks(json, StateBlocks.names) else {
            let names = StateBlocks.names.map(\.name).joined(separator: ", ")
            throw BadLine(message: "blocks must be a list of these: \(names)")
        }
        return blocks
    }
}

extension OptionSet where Element == Self {
    /// Nil if it is not a list, or has an element that is none of the names.
    fileprivate init?(_ json: JSON, _ names: [(name: String, Self)]) {
        guard let elements = json.array else { return nil }
        self.init()
        for element in elements {
            guard let (_, option) = names.first(where: { $0.name == element.string }) else { return nil }
            insert(option)
        }
    }
}
