import Domain
import Glibc
import JSONCoding
import Linux
import Servers
import TestKit
import Testing
import Wire

@Test func clientReceivesVersionThenStateThenChanges() throws {
    let stage = try StateServerFixture()
    stage.tick(100)
    stage.event()
    let client = try SocketClient(stage.path)
    stage.loop.settle()
    stage.event()
    stage.tick(200)
    let lines = client.lines()
    #expect(lines.map(\.lineClass) == ["VERSION", "STATE", "EVENT", "STATE"])
    #expect(
        lines[0]
            == #"{"class":"VERSION","program":"paced","release":"\#(Release.version)","protocol":1,"boot_id":"boot","instance":"instance","events":{"first":1,"last":1}}"#
    )
    #expect(lines[1]["seq"] == .integer(1))
    #expect(lines[2]["seq"] == .integer(2))
    #expect(lines[3]["seq"] == .integer(2))
}

@Test func onlyVersionPrecedesTheFirstState() throws {
    let stage = try StateServerFixture()
    let client = try SocketClient(stage.path)
    stage.loop.settle()
    #expect(client.lines().map(\.lineClass) == ["VERSION"])
    stage.stateServer.publish(.idle(at: Clock.now()), isChange: true)
    #expect(client.lines().map(\.lineClass) == ["STATE"])
}

@Test func linesAreSentBeforePublishReturns() throws {
    let stage = try StateServerFixture()
    let client = try stage.client(#"{"class":"WATCH","classes":["HEART","FIX","EVENT","SETTINGS"]}"#)
    stage.heart(121)
    #expect(client.lines().map { $0["bpm"] } == [.integer(121)])
    let fix = AcceptedFix(
        at: Clock.now(), time: nil, receiverTime: nil, device: nil, position: State.example.position!.value)
    stage.stateServer.publish([.fix(fix)], events: [])
    #expect(client.lines().map(\.lineClass) == ["FIX"])
    var settings = Settings()
    settings.metric = true
    stage.stateServer.settingsChanged(settings)
    #expect(client.lines().map { $0["metric"] } == [.bool(true)])
}

@Test func watchedSettingsAreSentAtOnceAndOnEachChange() throws {
    let stage = try StateServerFixture()
    let client = try SocketClient(stage.path)
    client.send(#"{"class":"WATCH","classes":["SETTINGS"]}"# + "\n")
    stage.loop.settle()
    #expect(client.lines().map(\.lineClass) == ["VERSION", "WATCH", "SETTINGS"])
    stage.stateServer.settingsChanged(Settings())
    #expect(client.lines().map(\.lineClass) == ["SETTINGS"])
}

@Test func everyClassIsNumberedSeparately() throws {
    let stage = try StateServerFixture()
    let client = try stage.client(#"{"class":"WATCH","classes":["STATE","EVENT","HEART"]}"#)
    for tick in 1...3 {
        stage.heart()
        stage.heart()
        stage.event()
        stage.tick(Int64(tick) * 100)
    }
    let lines = client.lines()
    for (name, count) in [("STATE", 3), ("EVENT", 3), ("HEART", 6)] {
        #expect(lines.filter { $0.lineClass == name }.map { $0["seq"]!.integer! } == Array(1...count))
    }
}

@Test func endOfTheInputKeepsTheStreamOpen() throws {
    let stage = try StateServerFixture()
    let client = try SocketClient(stage.path)
    client.endInput()
    stage.loop.settle()
    for tick in 1...50 {
        stage.tick(Int64(tick) * 100)
        stage.loop.settle()
    }
    #expect(elapsed(client.lines()).count == 50)
    #expect(stage.stateServer.clientCount == 1)
}

@Test func halfClosedClientsDoNotKeepTheLoopBusy() throws {
    let stage = try StateServerFixture()
    let client = try stage.client()
    client.endInput()
    stage.loop.settle()
    let begin = Clock.now()
    try stage.loop.runOnce(waiting: .milliseconds(50))
    #expect(Clock.now() - begin >= .milliseconds(50))
}

@Test func closedClientIsReleased() throws {
    let stage = try StateServerFixture()
    var client: SocketClient? = try stage.client()
    #expect(stage.stateServer.clientCount == 1)
    client?.endInput()
    stage.loop.settle()
    client = nil
    stage.loop.settle()
    #expect(stage.stateServer.clientCount == 0)
    stage.tick(100)
}

@Test func closedClientIsDetectedWhenALineIsSent() throws {
    let stage = try StateServerFixture()
    for _ in 0..<3 { _ = try stage.client() }
    var clients = try (0..<3).map { _ in try stage.client() }
    clients.removeLast(2)
    // Without an iteration of the loop the hang-up is not known yet.
    stage.tick(100)
    #expect(stage.stateServer.clientCount == 1)
    #expect(elapsed(clients[0].lines()) == [100])
}

@Test func clientAboveTheLimitReceivesAnErrorAndIsClosed() throws {
    let stage = try StateServerFixture(limits: ClientLimits(total: 2, perUser: 2))
    let clients = try [stage.client(), stage.client()]
    let third = try SocketClient(stage.path)
    stage.loop.settle()
    #expect(third.lines() == [#"{"class":"ERROR","message":"too many clients: at most 2"}"#])
    #expect(third.hasEnded)
    stage.tick(100)
    #expect(clients.allSatisfy { elapsed($0.lines()) == [100] })
}

@Test func watchIsAnsweredWithTheCurrentSubscription() throws {
    let stage = try StateServerFixture()
    let client = try stage.client()
    client.send(#"{"class":"WATCH","interval_ms":1000,"unknown":[1]}"# + "\n")
    client.send(#"{"class":"WATCH","classes":["FIX","EVENT"]}"# + "\n")
    stage.loop.settle()
    #expect(
        client.lines() == [
            #"{"class":"WATCH","classes":["STATE","EVENT"],"interval_ms":1000}"#,
            #"{"class":"WATCH","classes":["EVENT","FIX"],"interval_ms":1000}"#,
        ])
}

@Test(arguments: [
    ("", "valid JSON"), ("hello", "valid JSON"), ("{", "valid JSON"), ("[]", "class"), ("5", "class"),
    ("null", "class"),
    (#"{"class":"STATE"}"#, "class"), (#"{"classes":["STATE"]}"#, "class"),
    (#"{"class":"WATCH","classes":"STATE"}"#, "classes"),
    (#"{"class":"WATCH","classes":["STATUS"]}"#, "classes"), (#"{"class":"WATCH","classes":[1]}"#, "classes"),
    (#"{"class":"WATCH","classes":null}"#, "classes"), (#"{"class":"WATCH","interval_ms":0}"#, "interval_ms"),
    (#"{"class":"WATCH","interval_ms":150}"#, "interval_ms"),
    (#"{"class":"WATCH","interval_ms":60100}"#, "interval_ms"),
    (#"{"class":"WATCH","interval_ms":"100"}"#, "interval_ms"),
    (#"{"class":"WATCH","interval_ms":100.5}"#, "interval_ms"),
    (#"{"class":"WATCH","since":-1}"#, "since"), (#"{"class":"WATCH","since":null}"#, "since"),
    (#"{"class":"WATCH","class":"WATCH"}"#, "valid JSON"), (String(repeating: "[", count: 40), "nesting"),
    (#"{"class":"WATCH","classes":["HEART"],"since":"x"}"#, "since"), (String(repeating: "x", count: 4097), "4096"),
    (String(repeating: "x", count: 100_000), "4096"),
])
func malformedLineGetsAnErrorAndTheStreamContinues(line: String, wrong: String) throws {
    let stage = try StateServerFixture()
    let client = try stage.client()
    client.send(line + "\n" + #"{"class":"WATCH"}"# + "\n")
    stage.loop.settle(60)
    stage.tick(100)
    let lines = client.lines()
    #expect(lines.map(\.lineClass) == ["ERROR", "WATCH", "STATE"])
    #expect(lines[0]["message"]?.string?.contains(wrong) == true)
    // The invalid line has changed nothing.
    #expect(lines[1] == #"{"class":"WATCH","classes":["STATE","EVENT"],"interval_ms":100}"#)
}

@Test func lineOfExactlyTheLimitIsAccepted() throws {
    let stage = try StateServerFixture()
    let client = try stage.client()
    let watch = #"{"class":"WATCH","interval_ms":200}"#
    client.send(watch + String(repeating: " ", count: 4096 - watch.utf8.count) + "\n")
    stage.loop.settle()
    #expect(client.lines().map(\.lineClass) == ["WATCH"])
}

@Test func linesMayArriveByteByByteAndTheLastWithoutANewline() throws {
    let stage = try StateServerFixture()
    let client = try stage.client()
    for byte in (#"{"class":"WATCH","interval_ms":300}"# + "\n" + #"{"class":"WATCH","interval_ms":700}"#).utf8 {
        client.send([byte])
        stage.loop.settle(2)
    }
    #expect(client.lines().map { $0["interval_ms"] } == [.integer(300)])
    client.endInput()
    stage.loop.settle()
    #expect(client.lines().map { $0["interval_ms"] } == [.integer(700)])
}

@Test func replaySendsTheEventsAfterANumber() throws {
    let stage = try StateServerFixture()
    for _ in 0..<1200 { stage.event() }
    let client = try stage.client()
    client.send(#"{"class":"WATCH","since":190}"# + "\n")
    stage.loop.settle()
    var lines: [String] = []
    _ = stage.loop.turn {
        lines += client.lines()
        return lines.count >= 1002
    }
    #expect(lines[0].lineClass == "WATCH")
    #expect(lines[1] == #"{"class":"DROPPED","states":0,"events":10,"hearts":0,"fixes":0}"#)
    #expect(lines.dropFirst(2).map { $0["seq"]!.integer! } == Array(201...1200))
}

@Test(arguments: 1...8 as ClosedRange<UInt64>)
func randomBytesDoNotDisturbOtherClients(seed: UInt64) throws {
    let stage = try StateServerFixture()
    var random = SeededRandom(seed: seed)
    let witness = try stage.client()
    for round in 1...15 {
        let client = try SocketClient(stage.path)
        for _ in 0..<Int.random(in: 1...20, using: &random) {
            var bytes = (0..<Int.random(in: 1...9000, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes = Array(#"{"class":"WATCH","interval_ms":1000}"#.utf8) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            client.send(bytes + (Bool.random(using: &random) ? [10] : []))
            stage.loop.settle(3)
            if Bool.random(using: &random) { client.receive() }
        }
        stage.tick(Int64(round) * 100)
        stage.loop.settle(3)
        #expect(client.lines().allSatisfy { $0.lineClass != nil })
    }
    stage.loop.settle()
    #expect(elapsed(witness.lines()).count == 15)
    #expect(stage.stateServer.clientCount == 1)
}

@Test func closedServerEndsTheStreamAfterItsLastLine() throws {
    let stage = try StateServerFixture()
    let client = try stage.client()
    stage.event()
    stage.stateServer.close()
    #expect(client.lines().map(\.lineClass) == ["EVENT"])
    #expect(client.hasEnded)
    #expect(throws: SystemError.self) { _ = try UnixSocket.connect(to: stage.path) }
}

@Test func clientAboveTheLimitOfItsUserIsClosed() throws {
    let stage = try StateServerFixture(limits: ClientLimits(total: 9, perUser: 2))
    let clients = try [stage.client(), stage.client()]
    let third = try SocketClient(stage.path)
    stage.loop.settle()
    #expect(third.lines() == [#"{"class":"ERROR","message":"too many clients of user \#(getuid()): at most 2"}"#])
    #expect(third.hasEnded)
    stage.tick(100)
    #expect(clients.allSatisfy { elapsed($0.lines()) == [100] })
}

@Test func changedLimitAppliesToNewClientsOnly() throws {
    let stage = try StateServerFixture(limits: ClientLimits(total: 9, perUser: 9))
    let clients = try [stage.client(), stage.client()]
    stage.stateServer.limits = ClientLimits(total: 9, perUser: 1)
    let third = try stage.client()
    #expect(third.hasEnded)
    stage.tick(100)
    #expect(clients.allSatisfy { elapsed($0.lines()) == [100] })
}

@Test func clientReceivesTheBlocksThatItsWatchNames() throws {
    let stage = try StateServerFixture()
    let plain = try stage.client()
    let fields = try stage.client(#"{"class":"WATCH","blocks":["fields"]}"#)
    let both = try stage.client(#"{"class":"WATCH","blocks":["lap","fields"],"interval_ms":200}"#)
    stage.tick(200)
    #expect(plain.lines()[0]["blocks"] == nil)
    let line = fields.lines()[0]
    #expect(line["blocks"]?["fields"]?["time"]?.number == 0.2 && line["blocks"]?["lap"] == nil)
    #expect(both.lines()[0]["blocks"]?["lap"]?["elapsed_ms"]?.integer == 200)
    // A WATCH line without blocks keeps them; an empty list ends them.
    both.send(#"{"class":"WATCH","interval_ms":100}"# + "\n")
    stage.loop.settle()
    #expect(both.lines()[0]["blocks"] == .array([.string("fields"), .string("lap")]))
    both.send(#"{"class":"WATCH","blocks":[]}"# + "\n")
    stage.loop.settle()
    stage.tick(300)
    #expect(both.lines().map { $0["blocks"] } == [nil, nil])
}

@Test(arguments: [#"["tide"]"#, #""fields""#, "[1]", "null", "{}"])
func unknownBlockIsRejected(blocks: String) throws {
    let stage = try StateServerFixture()
    let client = try stage.client(#"{"class":"WATCH","blocks":["lap"]}"#)
    client.send(#"{"class":"WATCH","blocks":\#(blocks)}"# + "\n")
    stage.loop.settle()
    stage.tick(100)
    let lines = client.lines()
    let names = StateBlocks.names.map(\.name)
    #expect(names.count > 10)
    #expect(lines[0]["message"] == .string("blocks must be a list of these: \(names.joined(separator: ", "))"))
    #expect(lines[1]["blocks"]?["lap"] != nil)
}
