import Domain
import Glibc
import JSONCoding
import Linux
package import Wire

extension Command {
    static let publish = [
        Command(
            "publish", words: [.one("TOPIC", "a topic: \(TopicName.rule)", .words(KnownTopic.all.map(\.name)))],
            options: [Options.validFor, Options.source],
            "hand the JSON object of standard input to the clients that watch the topic, such as x-tyres",
            read: { arguments in
                guard let topic = TopicName(arguments.words[0]) else {
                    throw Failure.usage("a topic is \(TopicName.rule)")
                }
                return PublishRequest(
                    topic: topic, validFor: arguments[Options.validFor], source: arguments[Options.source])
            }, run: { try $1.perform(RuntimeDirectory($0.runtimeDirectory)) })
    ]
}

extension Options {
    fileprivate static let validFor = CommandOption.number(
        "--valid-for", "SECONDS", "until it is stale", 1...Int(TopicTable.longestValidity.inSeconds),
        needs: "a number of seconds")
    fileprivate static let source = CommandOption.text("--source", "NAME", "where it comes from", needs: "a name")
}

/// `pacectl publish`: the data of a topic, from standard input.
package struct PublishRequest: Equatable {
    var topic: TopicName
    /// Seconds; nil for the daemon's default.
    var validFor: Int?
    var source: String?

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
