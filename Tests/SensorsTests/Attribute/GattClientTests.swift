import Domain
import Sensors
import TestKit
import Testing

struct GattClientTests {
    private var clock = ManualClock()
    private var client = GattClient()

    private mutating func submit(_ procedure: GattProcedure) -> [GattClient.Action] {
        client.submit(procedure, at: clock.now) + wait()
    }

    /// Waits as long as a request that a repetition could answer.
    private mutating func wait() -> [GattClient.Action] {
        guard let deadline = client.deadline, deadline <= clock.now + GattClient.repetitionWait else { return [] }
        clock.now = deadline
        return client.tick(at: deadline)
    }

    private mutating func receive(_ bytes: String) -> [GattClient.Action] {
        receive(hex(bytes))
    }

    private mutating func receive(_ bytes: [UInt8]) -> [GattClient.Action] {
        client.received(bytes.span, at: clock.now) + wait()
    }

    private static func send(_ bytes: String) -> GattClient.Action {
        .send(hex(bytes))
    }

    /// Performs a procedure and compares its requests and its result, given the responses.
    private mutating func converse(
        _ procedure: GattProcedure, _ turns: [(request: String, answer: String)],
        _ expected: Result<GattProcedure.Finding, GattProcedure.Failure>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var actions = submit(procedure)
        for turn in turns {
            #expect(actions == [Self.send(turn.request)], sourceLocation: sourceLocation)
            actions = receive(turn.answer)
        }
        #expect(actions == [.finish(procedure, expected)], sourceLocation: sourceLocation)
    }

    /// The conversation with Bumble 0.0.236 as recorded, without its last exchange, which this client does not need.
    /// This client sends one more request where the other stopped before the service's last handle.
    @Test mutating func recordedConversationWithBumbleMatchesToTheByte() {
        converse(.exchangeMTU, [("02 05 02", "03 05 02")], .success(.mtu(517)))
        converse(
            .findService(AttributeUUID(0x180D)), [("06 01 00 ff ff 00 28 0d 18", "07 13 00 1a 00")],
            .success(.service(0x13...0x1A)))
        converse(
            .discoverCharacteristics(0x13...0x1A),
            [
                (
                    "08 13 00 1a 00 03 28",
                    "09 07 14 00 10 15 00 37 2a 17 00 02 18 00 38 2a 19 00 08 1a 00 39 2a"
                ), ("08 1a 00 1a 00 03 28", "01 08 1a 00 0a"),
            ],
            .success(
                .characteristics([
                    Characteristic(handle: 0x14, properties: 0x10, valueHandle: 0x15, type: AttributeUUID(0x2A37)),
                    Characteristic(handle: 0x17, properties: 0x02, valueHandle: 0x18, type: AttributeUUID(0x2A38)),
                    Characteristic(handle: 0x19, properties: 0x08, valueHandle: 0x1A, type: AttributeUUID(0x2A39)),
                ])))
        converse(
            .discoverDescriptors(0x16...0x16), [("04 16 00 16 00", "05 01 16 00 02 29")],
            .success(.descriptors([Descriptor(handle: 0x16, type: .clientCharacteristicConfiguration)])))
        converse(.subscribe(.notifications, descriptor: 0x16), [("12 16 00 01 00", "13")], .success(.written))
        #expect(
            receive("1b 15 00 16 43 72 03 8a 03")
                == [.deliver(AttributeValue(handle: 0x15, value: hex("16 43 72 03 8a 03")))])
        converse(.read(handle: 0x18), [("0a 18 00", "0b 01")], .success(.value([1])))
        converse(.write(handle: 0x1A, value: [1]), [("12 1a 00 01", "13")], .success(.written))
        converse(
            .write(handle: 0x1A, value: [2]), [("12 1a 00 02", "01 12 1a 00 80")],
            .failure(.refused(AttributeError(rawValue: 0x80))))
        converse(
            .findService(AttributeUUID(0x180F)), [("06 01 00 ff ff 00 28 0f 18", "07 1b 00 1e 00")],
            .success(.service(0x1B...0x1E)))
        converse(
            .readByType(AttributeUUID(0x2A19)), [("08 01 00 ff ff 19 2a", "09 03 1d 00 57")], .success(.value([0x57])))
        converse(
            .findService(AttributeUUID(0x1816)), [("06 01 00 ff ff 00 28 16 18", "01 06 01 00 0a")],
            .success(.service(nil)))
        converse(.read(handle: 0x7FFF), [("0a ff 7f", "01 0a ff 7f 01")], .failure(.refused(.invalidHandle)))
        converse(
            .readByType(AttributeUUID(0x2A29)),
            [("08 01 00 ff ff 29 2a", "09 12 10 00 50 6f 6c 61 72 20 45 6c 65 63 74 72 6f 20 4f 79")],
            .success(.value(Array("Polar Electro Oy".utf8))))
    }

    /// Polar's service: types of 16 bytes, and a control point that responds by indication.
    @Test mutating func recordedConversationWithPolarsServiceMatchesToTheByte() {
        let service = AttributeUUID(value: 0xFB00_5C80_02E7_F387_1CAD_8ACD_2D8D_F0C8)
        let control = AttributeUUID(value: 0xFB00_5C81_02E7_F387_1CAD_8ACD_2D8D_F0C8)
        let data = AttributeUUID(value: 0xFB00_5C82_02E7_F387_1CAD_8ACD_2D8D_F0C8)
        converse(.exchangeMTU, [("02 05 02", "03 05 02")], .success(.mtu(517)))
        converse(
            .findService(service),
            [("06 01 00 ff ff 00 28 c8f08d2dcd8aad1c87f3e702805c00fb", "07 21 00 27 00")],
            .success(.service(0x21...0x27)))
        converse(
            .discoverCharacteristics(0x21...0x27),
            [
                (
                    "08 21 00 27 00 03 28",
                    "09 15 22 00 2a 23 00 c8f08d2dcd8aad1c87f3e702815c00fb 25 00 10 26 00 c8f08d2dcd8aad1c87f3e702825c00fb"
                ), ("08 26 00 27 00 03 28", "01 08 26 00 0a"),
            ],
            .success(
                .characteristics([
                    Characteristic(handle: 0x22, properties: 0x2A, valueHandle: 0x23, type: control),
                    Characteristic(handle: 0x25, properties: 0x10, valueHandle: 0x26, type: data),
                ])))
        converse(.subscribe(.indications, descriptor: 0x24), [("12 24 00 02 00", "13")], .success(.written))
        converse(.write(handle: 0x23, value: [1, 0]), [("12 23 00 01 00", "13")], .success(.written))
        #expect(
            receive("1d 23 00 f0 01 00 00 00 00 01 82 00 01 01 0e 00") == [
                Self.send("1e"),
                .deliver(AttributeValue(handle: 0x23, value: hex("f0 01 00 00 00 00 01 82 00 01 01 0e 00"))),
            ])
    }

    @Test mutating func oneRequestIsOutstandingAtATime() {
        #expect(submit(.read(handle: 1)) == [Self.send("0a 01 00")])
        #expect(submit(.read(handle: 2)).isEmpty)
        #expect(receive("1b 15 00 00 46") == [.deliver(AttributeValue(handle: 0x15, value: [0, 0x46]))])
        #expect(
            receive("0b 2a") == [.finish(.read(handle: 1), .success(.value([0x2A]))), Self.send("0a 02 00")])
    }

    @Test mutating func fullQueueRejectsAProcedure() {
        for handle in 0...UInt16(GattClient.queueLimit) { _ = submit(.read(handle: handle)) }
        #expect(submit(.read(handle: 99)) == [.finish(.read(handle: 99), .failure(.queueFull))])
    }

    @Test mutating func smallerMTUAppliesButNeverBelow23() {
        #expect(client.mtu == 23)
        converse(.exchangeMTU, [("02 05 02", "03 f7 00")], .success(.mtu(247)))
        #expect(client.mtu == 247)
        converse(.exchangeMTU, [("02 05 02", "03 00 00")], .success(.mtu(23)))
        converse(.exchangeMTU, [("02 05 02", "03 ff ff")], .success(.mtu(517)))
        converse(.exchangeMTU, [("02 05 02", "01 02 00 00 06")], .failure(.refused(.requestNotSupported)))
        #expect(client.mtu == 517)
    }

    @Test mutating func mtuRequestOfThePeerIsAnsweredDuringARequest() {
        #expect(submit(.read(handle: 1)) == [Self.send("0a 01 00")])
        #expect(receive("02 b9 00") == [Self.send("03 05 02")])
        #expect(client.mtu == 185)
        #expect(receive("0b 2a") == [.finish(.read(handle: 1), .success(.value([0x2A])))])
    }

    @Test(arguments: [
        "04 01 00 ff ff", "08 01 00 ff ff 00 2a", "0a 03 00", "10 01 00 ff ff 00 28", "12 03 00 01", "18 01", "3a",
    ])
    mutating func otherRequestsOfThePeerAreRejected(_ bytes: String) {
        #expect(receive(bytes) == [.send([0x01, hex(bytes)[0], 0x00, 0x00, 0x06])])
    }

    @Test(arguments: [
        "52 03 00 01", "d2 03 00 01", "1e", "13", "0b 01", "01 08 01 00 0a", "01", "ff", "00", "1f", "23 01",
    ])
    mutating func commandsAndUnsolicitedResponsesAreIgnored(_ bytes: String) {
        #expect(receive(bytes).isEmpty)
        #expect(submit(.read(handle: 1)) == [Self.send("0a 01 00")])
    }

    @Test(arguments: ["13", "05 01 16 00 02 29", "01 08 01 00 0a", "0d 01", "03 05 02"])
    mutating func responseToAnotherRequestIsIgnored(_ bytes: String) {
        _ = submit(.read(handle: 1))
        #expect(receive(bytes).isEmpty)
        #expect(receive("0b 2a") == [.finish(.read(handle: 1), .success(.value([0x2A])))])
    }

    @Test mutating func malformedResponseFailsOnlyItsProcedure() {
        _ = submit(.discoverDescriptors(1...9))
        _ = submit(.read(handle: 1))
        let actions = receive("05 01 16 00 02")
        #expect(
            actions == [
                .finish(.discoverDescriptors(1...9), .failure(.malformed(ParseError(at: 5, expected: "whole items")))),
                Self.send("0a 01 00"),
            ])
    }

    @Test mutating func malformedIndicationIsConfirmedAndMalformedRequestRejected() {
        #expect(receive("1d 23") == [Self.send("1e")])
        #expect(receive("02 17") == [Self.send("01 02 00 00 04")])
    }

    @Test mutating func pduAboveTheMTUIsNotDelivered() {
        let long = String(repeating: "00", count: 30)
        #expect(receive("1b 15 00" + long).isEmpty)
        #expect(receive("1d 15 00" + long) == [Self.send("1e")])
        _ = submit(.read(handle: 1))
        #expect(
            receive("0b" + long) == [
                .finish(
                    .read(handle: 1),
                    .failure(.malformed(ParseError(at: 23, expected: "no more bytes than the MTU"))))
            ])
    }

    @Test mutating func writeAboveTheMTUIsNotSent() {
        let procedure = GattProcedure.write(handle: 1, value: Array(repeating: 0, count: 21))
        #expect(submit(procedure) == [.finish(procedure, .failure(.tooLong))])
        #expect(submit(.write(handle: 1, value: Array(repeating: 0, count: 20))).count == 1)
    }

    @Test mutating func valueLongerThanAPDUIsReadInParts() {
        let text = Array("A strap with a name that is longer than a PDU of 23 bytes".utf8)
        #expect(submit(.readByType(AttributeUUID(0x2A00))) == [Self.send("08 01 00 ff ff 00 2a")])
        #expect(
            receive([0x09, 21, 3, 0] + text[..<19]) == [Self.send("0c 03 00 13 00")])
        #expect(receive([0x0D] + text[19..<41]) == [Self.send("0c 03 00 29 00")])
        #expect(
            receive([0x0D] + text[41...])
                == [.finish(.readByType(AttributeUUID(0x2A00)), .success(.value(text)))])
    }

    @Test mutating func valueThatFillsThePDUExactlyIsComplete() {
        let value = Array(repeating: UInt8(7), count: 22)
        _ = submit(.read(handle: 3))
        #expect(receive([0x0B] + value) == [Self.send("0c 03 00 16 00")])
        #expect(receive("01 0c 03 00 07") == [.finish(.read(handle: 3), .success(.value(value)))])
    }

    @Test mutating func endlessValueIsTruncatedAt512Bytes() {
        var actions = submit(.read(handle: 3))
        var requests = 0
        while case .send? = actions.first {
            requests += 1
            let opcode: UInt8 = requests == 1 ? 0x0B : 0x0D
            actions = receive([opcode] + Array(repeating: 7, count: 22))
        }
        #expect(actions == [.finish(.read(handle: 3), .success(.value(Array(repeating: 7, count: 512))))])
        #expect(requests == 24)
    }

    @Test(arguments: [
        "05 01 15 00 02 29",  // before the range
        "05 01 17 00 02 29 16 00 02 29",  // falling
        "05 01 17 00 02 29 17 00 02 29",  // twice
        "05 01 30 00 02 29",  // after the range
    ])
    mutating func discoveryFailsOnHandlesOutOfOrderOrRange(_ answer: String) {
        _ = submit(.discoverDescriptors(0x16...0x20))
        guard case .finish(_, .failure(.malformed))? = receive(answer).first else {
            Issue.record("it goes on")
            return
        }
    }

    @Test mutating func discoveryFailsOnARepeatedHandle() {
        _ = submit(.discoverCharacteristics(1...0xFFFF))
        #expect(receive("09 07 02 00 10 03 00 37 2a") == [Self.send("08 03 00 ff ff 03 28")])
        #expect(receive("09 07 02 00 10 03 00 37 2a").isEmpty, "once it is a repetition")
        guard case .finish(_, .failure(.malformed))? = receive("09 07 02 00 10 03 00 37 2a").first else {
            Issue.record("it goes on")
            return
        }
    }

    @Test mutating func endlessCharacteristicDiscoveryFails() {
        var actions = submit(.discoverCharacteristics(1...0xFFFF))
        var requests = 0
        while case .send? = actions.first {
            requests += 1
            let handle = UInt8(requests * 2)
            actions = receive([0x09, 7, handle, 0, 0x10, handle + 1, 0, 0x37, 0x2A])
        }
        guard case .finish(_, .failure(.malformed))? = actions.first else {
            Issue.record("it went on")
            return
        }
        #expect(requests == 65)
    }

    @Test mutating func discoveryEndsAtTheLastHandle() {
        _ = submit(.discoverDescriptors(0xFFFE...0xFFFF))
        #expect(
            receive("05 01 ff ff 02 29") == [
                .finish(
                    .discoverDescriptors(0xFFFE...0xFFFF),
                    .success(.descriptors([Descriptor(handle: 0xFFFF, type: .clientCharacteristicConfiguration)])))
            ])
    }

    @Test mutating func unansweredRequestTimesOutAllProceduresAfter30Seconds() {
        _ = submit(.read(handle: 1))
        _ = submit(.read(handle: 2))
        let deadline = clock.now + .seconds(30)
        #expect(client.deadline == deadline)
        #expect(client.tick(at: clock.advance(by: .milliseconds(29_999))).isEmpty)
        #expect(
            client.tick(at: deadline) == [
                .finish(.read(handle: 1), .failure(.timedOut)), .finish(.read(handle: 2), .failure(.timedOut)),
            ])
        #expect(client.deadline == nil)
        clock.now = deadline
        #expect(receive("0b 2a").isEmpty, "too late")
        #expect(submit(.read(handle: 3)) == [.finish(.read(handle: 3), .failure(.timedOut))])
        #expect(
            receive("1b 15 00 00 46") == [.deliver(AttributeValue(handle: 0x15, value: [0, 0x46]))],
            "what was subscribed to still comes")
    }

    @Test mutating func eachRequestOfAProcedureHasItsOwnTimeout() {
        _ = submit(.discoverDescriptors(1...9))
        clock.advance(by: .seconds(20))
        #expect(receive("05 01 02 00 02 29") == [Self.send("04 03 00 09 00")])
        #expect(client.deadline == clock.now + .seconds(30))
    }

    @Test mutating func moreThan20NotificationsASecondCutTheConnection() {
        for _ in 0..<3 {
            for _ in 0..<20 { #expect(receive("1b 15 00 00 46").count == 1) }
            clock.advance(by: .seconds(1))
        }
        for _ in 0..<20 { #expect(receive("1d 15 00 00 46").count == 2) }
        clock.advance(by: .milliseconds(999))
        #expect(receive("1b 15 00 00 46") == [.cut])
        #expect(receive("1b 15 00 00 46").isEmpty)
        #expect(submit(.read(handle: 1)).isEmpty)
        #expect(client.deadline == nil)
    }

    @Test(arguments: ["0a 03 00", "52 03 00 01", "13", "ff"])
    mutating func moreThan50RequestsASecondCutTheConnection(_ bytes: String) {
        for _ in 0..<50 { #expect(receive(bytes).first != .cut) }
        #expect(receive(bytes) == [.cut])
    }

    @Test mutating func fastResponsesAreNotAFlood() {
        for handle in 0..<200 {
            _ = submit(.read(handle: UInt16(handle)))
            #expect(receive("0b 01").first != .cut)
        }
    }
}
