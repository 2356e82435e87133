import Domain
import JSONCoding
import Linux
import Sensors
import Servers
import TestKit
import Testing
import Wire

/// A scan is answered when it is over, and blocks no other request until then.
struct DeferredResponseTests {
    private let stage: ControlFixture

    init() throws {
        stage = try ControlFixture()
    }

    private func scan(_ id: Int) -> String {
        #"{"jsonrpc":"2.0","method":"sensor.scan","params":{"seconds":2},"id":\#(id)}"# + "\n"
    }

    private static let straps = [
        ScanResult(
            address: LEAddress(BluetoothAddress(value: 0xF601_0203_0405), .random), rssi: -80,
            services: [AttributeUUID(0x180D)]),
        ScanResult(
            address: LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public),
            name: SanitizedText("Polar H10 \u{1B}"), rssi: -52,
            services: [AttributeUUID(0x180D), AttributeUUID(value: 0xFB005C80_02E7_F387_1CAD_8ACD2D8DF0C8)]),
        ScanResult(address: LEAddress(BluetoothAddress(value: 1), .public)),
    ]

    @Test func scanReportsTheNearestStrapFirst() throws {
        let client = try stage.client()
        client.send(scan(1))
        stage.loop.settle()
        #expect(client.lines().isEmpty)
        stage.server.complete(5, .success(.sensors(Self.straps)))
        #expect(
            client.lines() == [
                result(
                    #"[{"address":"A0:9E:1A:00:00:01","address_type":"public","name":"Polar H10 �","rssi_dbm":-52,"#
                        + #""kinds":["heart-rate"],"services":["180d","fb005c80-02e7-f387-1cad-8acd2d8df0c8"]},"#
                        + #"{"address":"F6:01:02:03:04:05","address_type":"random","rssi_dbm":-80,"kinds":["heart-rate"],"services":["180d"]},"#
                        + #"{"address":"00:00:00:00:00:01","address_type":"public","kinds":[],"services":[]}]"#)
            ])
    }

    @Test func otherRequestsAreAnsweredDuringAScan() throws {
        let client = try stage.client()
        client.send(scan(1) + #"{"jsonrpc":"2.0","method":"run.lap","id":2}"# + "\n" + scan(3))
        stage.loop.settle()
        let lines = client.lines()
        #expect(lines.map { $0["id"]?.integer } == [2, 3])
        #expect(lines.last?["error"]?["code"] == .integer(-32002))
        #expect(try stage.ask("run.lap") == result(#"{"run":"paused","elapsed_ms":12300}"#))
        stage.server.complete(5, .success(.sensors([])))
        #expect(client.lines() == [result("[]")])
    }

    @Test func failedScanReportsItsError() throws {
        let client = try stage.client()
        client.send(scan(1))
        stage.loop.settle()
        stage.server.complete(5, .failure(.unavailable("the adapter is gone")))
        #expect(client.lines().first?["error"]?["code"] == .integer(-32001))
    }

    @Test func responseFollowsTheEndOfTheInput() throws {
        let client = try SocketClient(stage.path)
        client.send(scan(1))
        client.endInput()
        stage.loop.settle()
        #expect(stage.server.clientCount == 1)
        stage.server.complete(5, .success(.sensors([])))
        #expect(client.lines() == [result("[]")])
        stage.loop.settle()
        #expect(client.lines().isEmpty && client.hasEnded)
        #expect(stage.server.clientCount == 0)
    }

    /// The daemon completes a request in the middle of its work.
    @Test func completionExecutesNoOtherRequest() throws {
        let client = try stage.client()
        client.send(scan(1))
        stage.loop.settle()
        // The client reads nothing until its requests wait for their turn.
        client.send(String(repeating: #"{"jsonrpc":"2.0","method":"status","id":2}"# + "\n", count: 1000))
        var executed = 0
        while stage.asked.count > executed {
            executed = stage.asked.count
            stage.loop.settle()
        }
        #expect((2...1000).contains(executed))
        _ = client.lines()
        stage.server.complete(5, .success(.sensors([])))
        #expect(stage.asked.count == executed)
        stage.loop.settle()
        #expect(stage.asked.count > executed)
    }

    @Test func closedClientIsNotAwaited() throws {
        do {
            let client = try stage.client()
            client.send(scan(1))
            stage.loop.settle()
        }
        stage.loop.settle()
        #expect(stage.server.clientCount == 0)
        stage.server.complete(5, .success(.sensors([])))
        #expect(try stage.ask("run.lap") == result(#"{"run":"paused","elapsed_ms":12300}"#))
    }

    @Test func batchIsAnsweredWhenItsScanEnds() throws {
        let client = try stage.client()
        client.send("[" + scan(1).dropLast() + #",{"jsonrpc":"2.0","method":"run.lap","id":2}]"# + "\n")
        stage.loop.settle()
        #expect(client.lines().isEmpty)
        stage.server.complete(5, .success(.sensors([])))
        #expect(
            client.lines() == [
                "[\(result("[]")),\(result(#"{"run":"paused","elapsed_ms":12300}"#).replacing(#""id":1"#, with: #""id":2"#))]"
            ])
    }

    @Test func longNamesStayWithinTheLineLimit() throws {
        let name = SanitizedText(String(repeating: "<\u{303}\u{302}\u{301}", count: 64))
        let services = (0..<16).map { AttributeUUID(value: UInt128($0) << 90) }
        let straps = (0..<64).map {
            ScanResult(
                address: LEAddress(BluetoothAddress(value: $0), .random), name: name, rssi: -Int($0),
                services: services)
        }
        let client = try stage.client()
        client.send(scan(1))
        stage.loop.settle()
        stage.server.complete(5, .success(.sensors(straps)))
        let line = try #require(client.lines().first)
        #expect(line.utf8.count <= JSONRPC.lineLimit)
        let reports = try #require(line["result"]?.array)
        #expect(reports.count > 10)
        #expect(reports.first?["rssi_dbm"] == .integer(0))
    }

    @Test(arguments: [
        (PairingResult.paired, Int?.none), (.pairedAlready, nil), (.absent, -32003), (.refused, -32001),
    ])
    func pairingIsAnsweredWhenItEnds(outcome: PairingResult, code: Int?) throws {
        let client = try stage.client()
        client.send(#"{"jsonrpc":"2.0","method":"sensor.pair","params":{"sensor":"9AD13824"},"id":1}"# + "\n")
        stage.loop.settle()
        #expect(client.lines().isEmpty)
        stage.server.complete(6, outcome.response)
        let line = try #require(client.lines().first)
        #expect(line["error"]?["code"]?.integer == code)
        #expect(code != nil || line == result("null"))
    }

    @Test func useAndForgetHaveTheirResults() throws {
        #expect(
            try stage.ask("sensor.use", #"{"sensor":"auto"}"#)
                == result(#"{"link":"disconnected","reason":"searching"}"#)
        )
        #expect(try stage.ask("sensor.forget") == result("null"))
    }
}
