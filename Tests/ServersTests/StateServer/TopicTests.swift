import Domain
import JSONCoding
import Linux
import Servers
import TestKit
import Testing
import Wire

/// state.sock with topics, and publish.sock.
private final class TopicFixture {
    let state: StateServerFixture
    private var publish: ControlServer!
    var path: String { state.directory.path + "/publish.sock" }

    init(limits: ClientLimits = ClientLimits(total: 32, perUser: 32)) throws {
        state = try StateServerFixture()
        let methods = ControlServer.Service(TopicRequest.table) { [unowned self] call, _, _ in
            do throws(RPCError) {
                switch call.request {
                case .publish(let publication):
                    try state.stateServer.publish(publication, time: nil, at: Clock.now())
                case .retract(let topic): try state.stateServer.retract(topic)
                case .notice: throw .methodNotFound
                }
                return .now(.success(.done))
            } catch {
                return .now(.failure(error))
            }
        }
        publish = try ControlServer(
            socket: UnixSocket.listen(at: state.directory.path + "/publish.sock"), methods, loop: state.loop,
            limits: limits)
        state.stateServer.demandChanged = { [unowned self] in publish.demand = state.stateServer.demand }
    }

    func publisher() throws -> SocketClient {
        let client = try SocketClient(path)
        state.loop.settle()
        return client
    }

    /// The lines that a publisher receives after a request.
    func send(_ client: SocketClient, _ method: String, _ parameters: String) -> [String] {
        client.send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters),"id":1}"# + "\n")
        state.loop.settle()
        return client.lines()
    }
}

private func demand(_ topic: String, _ count: Int) -> String {
    #"{"class":"DEMAND","topic":"\#(topic)","subscribers":\#(count)}"#
}

private let done = #"{"jsonrpc":"2.0","result":null,"id":1}"#

@Suite struct TopicTests {
    @Test func subscriberOfATopicReceivesItsData() throws {
        let stage = try TopicFixture()
        let other = try stage.state.client()
        let subscriber = try stage.state.client(#"{"class":"WATCH","topics":["x-a","x-b"]}"#)
        let publisher = try stage.publisher()
        _ = publisher.lines()
        #expect(stage.send(publisher, "topic.publish", #"{"topic":"x-a","data":{"n":1}}"#) == [done])
        let line = try #require(subscriber.lines().first)
        #expect(line.lineClass == "DATA" && line["data"]?["n"]?.integer == 1 && line["stale"]?.bool == false)
        #expect(stage.send(publisher, "topic.retract", #"{"topic":"x-a"}"#) == [done])
        #expect(subscriber.lines() == [#"{"class":"DATA","topic":"x-a"}"#])
        #expect(other.lines().isEmpty)
    }

    @Test func dataIsRetainedForALaterSubscriber() throws {
        let stage = try TopicFixture()
        do {
            let publisher = try stage.publisher()
            _ = stage.send(publisher, "topic.publish", #"{"topic":"x-a","data":{"n":1}}"#)
        }
        stage.state.loop.settle()
        let subscriber = try stage.state.client()
        subscriber.send(#"{"class":"WATCH","topics":["x-b","x-a"]}"# + "\n")
        stage.state.loop.settle()
        let lines = subscriber.lines()
        #expect(lines.map(\.lineClass) == ["WATCH", "DATA"])
        #expect(lines[0]["topics"] == .array([.string("x-b"), .string("x-a")]))
        // A topic that it watches already is not sent again.
        subscriber.send(#"{"class":"WATCH","topics":["x-a"]}"# + "\n")
        stage.state.loop.settle()
        #expect(subscriber.lines().map(\.lineClass) == ["WATCH"])
    }

    @Test func slowSubscriberReceivesTheNewestDataOnly() throws {
        let stage = try TopicFixture()
        let subscriber = try stage.state.client(#"{"class":"WATCH","classes":["STATE"],"topics":["x-a"]}"#)
        for second in 1...600 { stage.state.tick(Int64(second) * 100) }
        let publisher = try stage.publisher()
        _ = stage.send(publisher, "topic.publish", #"{"topic":"x-a","data":{"n":1}}"#)
        _ = stage.send(publisher, "topic.publish", #"{"topic":"x-a","data":{"n":2}}"#)
        var lines: [String] = []
        #expect(
            stage.state.loop.turn {
                lines += subscriber.lines()
                return lines.contains { $0.lineClass == "DATA" }
            })
        stage.state.loop.settle()
        lines += subscriber.lines()
        #expect(lines.filter { $0.lineClass == "DATA" }.compactMap { $0["data"]?["n"]?.integer } == [2])
    }

    @Test(arguments: [
        #"["wether"]"#, #"["x-a","x-a"]"#, "7", #"[7]"#,
        "[" + (0...32).map { "\"x-\($0)\"" }.joined(separator: ",") + "]",
    ])
    func wrongTopicsGetAnError(topics: String) throws {
        let stage = try TopicFixture()
        let subscriber = try stage.state.client(nil)
        subscriber.send(#"{"class":"WATCH","topics":\#(topics)}"# + "\n")
        stage.state.loop.settle()
        #expect(
            subscriber.lines() == [
                #"{"class":"ERROR","message":"topics must be a list of at most 32 names, each weather, places, transit, or x- and 1 to 30 of a-z, 0-9 and -"}"#
            ])
    }

    @Test func allSubscribersMayWatch128Topics() throws {
        let stage = try TopicFixture()
        var subscribers: [SocketClient] = []
        for number in 0..<5 {
            let names = (0..<32).map { "\"x-\(number)-\($0)\"" }.joined(separator: ",")
            let subscriber = try stage.state.client()
            subscriber.send(#"{"class":"WATCH","topics":[\#(names)]}"# + "\n")
            stage.state.loop.settle()
            #expect(subscriber.lines().map(\.lineClass) == [number < 4 ? "WATCH" : "ERROR"])
            subscribers.append(subscriber)
        }
        #expect(stage.state.stateServer.demand.count == 128)
        subscribers = []
        stage.state.loop.settle()
        #expect(stage.state.stateServer.demand.isEmpty)
    }

    @Test func publishersReceiveTheDemand() throws {
        let stage = try TopicFixture()
        let early = try stage.publisher()
        #expect(early.lines().isEmpty)
        var first: SocketClient? = try stage.state.client(#"{"class":"WATCH","topics":["x-a"]}"#)
        #expect(early.lines() == [demand("x-a", 1)])
        let second = try stage.state.client(#"{"class":"WATCH","topics":["x-a"]}"#)
        // Only the change from and to nobody is sent.
        #expect(early.lines().isEmpty)
        #expect(try stage.publisher().lines() == [demand("x-a", 2)])
        withExtendedLifetime(first) {}
        first = nil
        stage.state.loop.settle()
        #expect(early.lines().isEmpty)
        second.send(#"{"class":"WATCH","topics":["x-b"]}"# + "\n")
        stage.state.loop.settle()
        #expect(Set(early.lines()) == [demand("x-a", 0), demand("x-b", 1)])
    }

    @Test func eachSocketHasItsMethods() throws {
        let stage = try TopicFixture()
        let publisher = try stage.publisher()
        let discovered = stage.send(publisher, "rpc.discover", "{}")
        let methods = try #require(discovered.first?["result"]?["methods"]?.array).compactMap { $0["name"]?.string }
        #expect(methods == ["topic.publish", "topic.retract", "notice", "rpc.discover"])
        #expect(stage.send(publisher, "run.stop", "{}").first?["error"]?["code"] == .integer(-32601))
        #expect(try ControlFixture().ask("topic.retract", #"{"topic":"x-a"}"#)["error"]?["code"] == .integer(-32601))
    }
}
