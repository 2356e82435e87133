import Domain
import Glibc
import JSONCoding
import Linux
import Servers
import TestKit
import Testing
import Wire

func result(_ json: String) -> String {
    #"{"jsonrpc":"2.0","result":\#(json),"id":1}"#
}

@Test func everyMethodHasItsResult() throws {
    let stage = try ControlFixture()
    #expect(try stage.ask("run.start") == result(#"{"activity":17}"#))
    for method in ["run.toggle", "run.pause", "run.lap"] {
        #expect(try stage.ask(method) == result(#"{"run":"paused","elapsed_ms":12300}"#))
    }
    #expect(try stage.ask("run.stop").hasPrefix(#"{"jsonrpc":"2.0","result":{"id":17,"sport":"run","open":false,"#))
    #expect(try stage.ask("run.discard").hasSuffix(#""demo":true},"id":1}"#))
    #expect(try stage.ask("status").hasPrefix(#"{"jsonrpc":"2.0","result":{"class":"STATE","seq":9,"#))
    #expect(try stage.ask("settings.get").hasPrefix(#"{"jsonrpc":"2.0","result":{"twelve_hour_clock":false,"#))
    #expect(try stage.ask("settings.get", #"{"key":"zones"}"#) == result("null"))
    #expect(try stage.ask("settings.set", #"{"key":"zones","value":[1,2,3,4,5]}"#) == result("[1,2,3,4,5]"))
    #expect(try stage.ask("settings.get", #"{"key":"zones"}"#) == result("[1,2,3,4,5]"))
    #expect(try stage.ask("settings.set", #"{"key":"zones","value":null}"#) == result("null"))
    #expect(try stage.ask("settings.set", #"{"key":"sport","value":"ride"}"#) == result("\"ride\""))
}

@Test func rejectedCommandReportsTheState() throws {
    let stage = try ControlFixture()
    #expect(
        try stage.ask("run.resume")
            == #"{"jsonrpc":"2.0","error":{"code":-32001,"message":"not in this state","data":{"state":"idle","message":"cannot resume while idle"}},"id":1}"#
    )
}

@Test func invalidValueReportsTheField() throws {
    let stage = try ControlFixture()
    #expect(
        try stage.ask("settings.set", #"{"key":"zones","value":[5,4,6,7,7]}"#)
            == #"{"jsonrpc":"2.0","error":{"code":-32004,"message":"invalid value","data":{"field":"zones","message":"zone 2 begins at 4, must be above zone 1 at 5\nzone 5 begins at 7, must be above zone 4 at 7"}},"id":1}"#
    )
}

@Test func discoverListsOnlyExistingMethods() throws {
    let stage = try ControlFixture()
    let answered = try stage.ask("rpc.discover")
    #expect(answered.utf8.count <= JSONRPC.lineLimit)
    let document = try #require(JSON(parsing: answered.utf8)["result"])
    #expect(document["openrpc"]?.string == "1.3.2")
    let methods = try #require(document["methods"]?.array).map { $0["name"]!.string! }
    #expect(methods.contains("sensor.scan"))
    // These have deferred responses.
    for method in methods
    where !["sensor.scan", "activities.list", "activities.track", "upload.commit", "trash.empty"].contains(method) {
        // Every method is known: without parameters the error is at most about a missing one.
        let answered = try stage.ask(method)
        #expect(answered["error"]?["code"] != .integer(-32601), "\(method)")
    }
    #expect(try stage.ask("rpc.discover", #"{"a":1}"#)["error"]?["code"] == .integer(-32602))
    #expect(stage.asked.contains(.run(.discard)))
}

@Test func commandIsPassedWithItsPeer() throws {
    let stage = try ControlFixture()
    _ = try stage.ask("run.pause")
    #expect(stage.peers.map(\.user) == [getuid()])
    #expect(stage.peers.map(\.process) == [getpid()])
}

@Test func responsesFollowTheEndOfTheInput() throws {
    let stage = try ControlFixture()
    let client = try SocketClient(stage.path)
    client.send(
        #"{"jsonrpc":"2.0","method":"run.pause","id":1}"# + "\n" + #"{"jsonrpc":"2.0","method":"run.lap","id":2}"#)
    client.endInput()
    stage.loop.settle()
    // The last line has no newline.
    #expect(client.lines().map { $0["id"] } == [.integer(1), .integer(2)])
    #expect(client.hasEnded)
    #expect(stage.server.clientCount == 0)
}

@Test func requestsOfAClosedClientAreExecuted() throws {
    let stage = try ControlFixture()
    do {
        let client = try SocketClient(stage.path)
        for method in ["run.pause", "run.lap", "run.stop"] {
            client.send(#"{"jsonrpc":"2.0","method":"\#(method)","id":1}"# + "\n")
        }
        client.send(#"{"jsonrpc":"2.0","method":"run.toggle"}"# + "\n")
    }
    stage.loop.settle()
    #expect(stage.asked == [.run(.pause), .run(.lap), .run(.stop), .run(.toggle)])
    #expect(stage.server.clientCount == 0)
}

@Test func requestsAreExecutedWhenTheClientClosesMeanwhile() throws {
    let stage = try ControlFixture()
    var client: SocketClient? = try stage.client()
    stage.meanwhile = { client = nil }
    client?.send(String(repeating: "{\"jsonrpc\":\"2.0\",\"method\":\"run.lap\",\"id\":1}\n", count: 5))
    stage.loop.settle()
    #expect(stage.asked.count == 5)
    #expect(stage.server.clientCount == 0)
}

@Test func requestWaitsUntilThePreviousResponseIsSent() throws {
    let stage = try ControlFixture()
    let client = try stage.client()
    client.send(String(repeating: "{\"jsonrpc\":\"2.0\",\"method\":\"status\",\"id\":1}\n", count: 500))
    stage.loop.settle(200)
    // All responses but one are in the kernel's buffers, and that one is being sent.
    let taken = client.lines().count
    #expect(taken < 400)
    #expect(stage.asked.count - taken <= 1)
    var rest = 0
    #expect(
        stage.loop.turn {
            rest += client.lines().count
            return taken + rest == 500
        })
    #expect(stage.asked.count == 500)
}

@Test func overlongLineIsRejectedAndTheNextIsRead() throws {
    let stage = try ControlFixture()
    let client = try stage.client()
    var rest =
        Array(String(repeating: " ", count: 70_000).utf8)
        + Array("\n{\"jsonrpc\":\"2.0\",\"method\":\"run.lap\",\"id\":1}\n".utf8)
    var lines: [String] = []
    #expect(
        stage.loop.turn {
            rest.removeFirst(client.send(rest))
            lines += client.lines()
            return lines.count == 2
        })
    #expect(
        lines.first
            == #"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request","data":{"message":"a line is at most 65536 bytes","sentence":"a line is at most {1} bytes","values":["65536"]}},"id":null}"#
    )
    #expect(lines.last == result(#"{"run":"paused","elapsed_ms":12300}"#))
}

@Test func requestsMayArriveInPiecesOrTogether() throws {
    let stage = try ControlFixture()
    let client = try stage.client()
    for byte in "{\"jsonrpc\":\"2.0\",\"method\":\"run.lap\",\"id\":1}\n".utf8 {
        client.send([byte])
        stage.loop.settle(2)
    }
    #expect(client.lines().count == 1)
    client.send((1...50).map { "{\"jsonrpc\":\"2.0\",\"method\":\"run.lap\",\"id\":\($0)}\n" }.joined())
    stage.loop.settle()
    #expect(client.lines().map { $0["id"]!.integer! } == Array(1...50))
}

@Test func clientThatDoesNotReadIsNotReadFrom() throws {
    let stage = try ControlFixture()
    let client = try stage.client()
    let line = Array("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.discover\",\"id\":1}\n".utf8)
    var sent = 0
    for _ in 0..<20_000 {
        let count = client.send(line)
        sent += count
        if count < line.count { break }
        stage.loop.settle(1)
    }
    #expect(sent < 20_000 * line.count)
    // Other clients are served meanwhile.
    #expect(try stage.ask("run.lap") == result(#"{"run":"paused","elapsed_ms":12300}"#))
    // The client reads: every request gets its response.
    var answers = 0
    #expect(
        stage.loop.turn {
            answers += client.lines().count
            return answers == sent / line.count
        })
}

@Test func stalledClientIsClosed() throws {
    let stage = try ControlFixture(stallLimit: .milliseconds(100))
    let client = try stage.client()
    let lines = Array(
        String(repeating: "{\"jsonrpc\":\"2.0\",\"method\":\"rpc.discover\",\"id\":1}\n", count: 500).utf8)
    client.send(lines)
    #expect(stage.loop.turn { stage.server.clientCount == 0 })
    // An idle client is not closed.
    _ = try stage.client()
    try stage.loop.runOnce(waiting: .milliseconds(150))
}

@Test func clientAboveTheLimitReceivesBusy() throws {
    let stage = try ControlFixture(limits: ClientLimits(total: 1, perUser: 1))
    let first = try stage.client()
    let second = try stage.client()
    #expect(
        second.lines()
            == [
                #"{"jsonrpc":"2.0","error":{"code":-32002,"message":"busy","data":{"message":"too many clients: at most 1"}},"id":null}"#
            ])
    #expect(second.hasEnded)
    first.send("{\"jsonrpc\":\"2.0\",\"method\":\"run.lap\",\"id\":1}\n")
    stage.loop.settle()
    #expect(first.lines().count == 1)
}

@Test(arguments: 1...8 as ClosedRange<UInt64>)
func randomBytesKeepTheServerWorking(seed: UInt64) throws {
    let stage = try ControlFixture()
    var random = SeededRandom(seed: seed)
    for _ in 0..<15 {
        let client = try SocketClient(stage.path)
        for _ in 0..<Int.random(in: 1...10, using: &random) {
            var bytes = (0..<Int.random(in: 1...9000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                bytes = Array(
                    #"[{"jsonrpc":"2.0","method":"settings.set","params":{"key":"zones","value":[1,2,3,4,5]},"id":1}]"#
                        .utf8)
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            client.send(bytes + (Bool.random(using: &random) ? [10] : []))
            stage.loop.settle(3)
        }
        for line in client.lines() { _ = try JSON(parsing: line.utf8) }
    }
    stage.loop.settle()
    #expect(stage.server.clientCount == 0)
    #expect(try stage.ask("run.lap") == result(#"{"run":"paused","elapsed_ms":12300}"#))
}

@Test func closedServerClosesItsClients() throws {
    let stage = try ControlFixture()
    let client = try stage.client()
    stage.server.close()
    client.receive()
    #expect(client.hasEnded)
}

@Test func clientAboveTheLimitOfItsUserReceivesBusy() throws {
    let stage = try ControlFixture(limits: ClientLimits(total: 9, perUser: 1))
    let first = try stage.client()
    let second = try stage.client()
    let line = try #require(second.lines().first)
    #expect(line["error"]?["code"]?.integer == -32002)
    #expect(line["error"]?["data"]?["message"]?.string == "too many clients of user \(getuid()): at most 1")
    #expect(second.hasEnded)
    first.send("{\"jsonrpc\":\"2.0\",\"method\":\"run.lap\",\"id\":1}\n")
    stage.loop.settle()
    #expect(first.lines().count == 1)
}

@Test func closedClientFreesItsPlaceAtOnce() throws {
    let stage = try ControlFixture(limits: ClientLimits(total: 9, perUser: 2))
    let kept = try stage.client()
    var gone: SocketClient? = try stage.client()
    gone?.send("{\"jsonrpc\":\"2.0\",\"method\":\"run.lap\",\"id\":1}\n")
    gone = nil
    // Without an iteration of the loop the hang-up is not known yet.
    let next = try stage.client()
    #expect(!next.hasEnded)
    #expect(stage.asked.count == 1, "what it said last is carried out")
    next.receive()
    #expect(!next.hasEnded)
    let over = try stage.client()
    over.receive()
    #expect(over.hasEnded)
    withExtendedLifetime((kept, gone)) {}
}
