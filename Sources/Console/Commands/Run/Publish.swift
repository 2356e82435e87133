import Domain
import Glibc
import JSONCoding
import Linux
package import Wire

/// `pacectl publish`: the data of a topic, from standard input.
package struct PublishRequest: Equatable {
    var topic: TopicName
    /// Seconds; nil for the daemon's default.
    var validFor: Int?
    var source: String?

    /// - Throws: ``Failure`` with status 2 if the word is missing or names no topic.
    init(_ word: String?, _ options: CommandOptions) throws(Failure) {
        guard let word else { throw .usage("publish needs a topic: \(TopicName.rule)") }
        guard let topic = TopicName(word) else { throw .usage("a topic is \(TopicName.rule)") }
        self.init(topic: topic, validFor: options.validFor, source: options.source)
    }

    package init(topic: TopicName, validFor: Int? = nil, source: String? = nil) {
        self.topic = topic
        self.validFor = validFor
        self.source = source
    }

    func perform(_ directory: RuntimeDirectory) throws(Failure) {
        let data = try Self.standardInput()
        var parameters = JSONWriter(capacity: 512)
        parameters.object { members in
            members.member("topic", topic.text)
            members.key("data")
            members.value(data)
            if let validFor {
                members.member(
                    "valid_until", UTC(milliseconds: Clock.systemTime().milliseconds + Int64(validFor) * 1000))
            }
            members.member("source", source)
        }
        var client = try ControlClient(path: directory.publishSocket)
        _ = try client.call("topic.publish", String(decoding: parameters.bytes, as: UTF8.self))
    }

    /// More than the daemon takes is not read: it would be an error anyway.
    private static func standardInput() throws(Failure) -> JSON {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while text.count <= TopicTable.dataLimit * 2 {
            let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            text += chunk[..<count]
        }
        guard text.count <= TopicTable.dataLimit * 2 else {
            throw .failed("standard input has more than the \(TopicTable.dataLimit) bytes that a topic may have")
        }
        do throws(ParseError) {
            return try JSON(parsing: text)
        } catch {
            throw .failed("standard input is not the JSON of a topic: \(error)")
        }
    }
}
