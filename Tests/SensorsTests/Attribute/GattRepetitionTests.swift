import Domain
import Sensors
import TestKit
import Testing

/// Devices that send a response twice, and correct responses that are equal.
struct GattRepetitionTests {
    private var clock = ManualClock()
    private var client = GattClient()

    private mutating func submit(_ procedure: GattProcedure) -> [GattClient.Action] {
        client.submit(procedure, at: clock.now)
    }

    private mutating func receive(_ bytes: String, hasMore: Bool = false) -> [GattClient.Action] {
        client.received(hex(bytes).span, hasMore: hasMore, at: clock.now)
    }

    private static func send(_ bytes: String) -> GattClient.Action {
        .send(hex(bytes))
    }

    private static let battery = GattProcedure.readByType(AttributeUUID(0x2A19))
    private static let maker = GattProcedure.readByType(AttributeUUID(0x2A29))

    @Test mutating func requestWaits100MillisecondsAfterAResponseOfItsOpcode() {
        #expect(submit(Self.battery) == [Self.send("08 01 00 ff ff 19 2a")])
        #expect(submit(Self.maker).isEmpty)
        #expect(receive("09 03 1d 00 57") == [.finish(Self.battery, .success(.value([0x57])))])
        let askAt = clock.now + .milliseconds(100)
        #expect(client.deadline == askAt)
        #expect(receive("09 03 1d 00 57").isEmpty, "the repetition")
        #expect(client.tick(at: clock.advance(by: .milliseconds(99))).isEmpty)
        #expect(client.tick(at: clock.advance(by: .milliseconds(1))) == [Self.send("08 01 00 ff ff 29 2a")])
        #expect(client.deadline == askAt + .seconds(30))
        #expect(receive("09 04 10 00 4f 79") == [.finish(Self.maker, .success(.value(Array("Oy".utf8))))])
    }

    @Test mutating func requestOfAnotherOpcodeDoesNotWait() {
        _ = submit(.exchangeMTU)
        _ = submit(.findService(AttributeUUID(0x180D)))
        #expect(
            receive("03 17 00") == [
                .finish(.exchangeMTU, .success(.mtu(23))), Self.send("06 01 00 ff ff 00 28 0d 18"),
            ])
        #expect(receive("03 17 00").isEmpty)
        #expect(
            receive("07 13 00 1a 00") == [.finish(.findService(AttributeUUID(0x180D)), .success(.service(0x13...0x1A)))]
        )
    }

    /// Equal responses to two requests both count: a strap without two characteristics sends the same error twice.
    @Test(arguments: ["09 03 1d 00 57", "01 08 01 00 0a"])
    mutating func equalResponsesToEqualRequestsBothCount(answer: String) {
        _ = submit(Self.battery)
        _ = submit(Self.battery)
        for _ in 0..<2 {
            let actions = receive(answer)
            guard case .finish(Self.battery, _)? = actions.first, actions.count == 1 else {
                Issue.record("\(actions)")
                return
            }
            _ = client.tick(at: clock.advance(by: .milliseconds(100)))
        }
        #expect(client.deadline == nil)
        #expect(!client.repeatsAnswers)
    }

    @Test mutating func equalErrorsWritesAndPartsAllCount() {
        for procedure in [Self.battery, Self.maker, .write(handle: 1, value: [1]), .write(handle: 2, value: [2])] {
            _ = submit(procedure)
        }
        let answers = ["01 08 01 00 0a", "01 08 01 00 0a", "13", "13"]
        for answer in answers {
            #expect(receive(answer).count { if case .finish = $0 { true } else { false } } == 1)
            _ = client.tick(at: clock.advance(by: .milliseconds(100)))
        }
        let part = Array(repeating: UInt8(7), count: 22)
        #expect(submit(.read(handle: 3)).count == 1)
        _ = client.received(([0x0B] + part).span, at: clock.now)
        for _ in 0..<3 {
            #expect(client.received(([0x0D] + part).span, at: clock.now).isEmpty)
            #expect(client.tick(at: clock.advance(by: .milliseconds(100))).count == 1)
        }
        #expect(receive("0d") == [.finish(.read(handle: 3), .success(.value(part + part + part + part)))])
    }

    @Test mutating func repeatedDiscoveryResponseIsIgnored() {
        let procedure = GattProcedure.discoverCharacteristics(0x13...0x1A)
        #expect(submit(procedure) == [Self.send("08 13 00 1a 00 03 28")])
        #expect(receive("09 07 14 00 10 15 00 37 2a") == [Self.send("08 15 00 1a 00 03 28")], "without a wait")
        clock.advance(by: .milliseconds(400))
        #expect(receive("09 07 14 00 10 15 00 37 2a").isEmpty, "however late")
        let found = Characteristic(handle: 0x14, properties: 0x10, valueHandle: 0x15, type: AttributeUUID(0x2A37))
        #expect(receive("01 08 15 00 0a") == [.finish(procedure, .success(.characteristics([found])))])
    }

    /// The latest repetition decides how long, up to two seconds.
    @Test(arguments: [(250, 350), (100_000, 2000)] as [(Int64, Int64)])
    mutating func requestWaitsLongerForADeviceWithLateRepetitions(late: Int64, wait: Int64) {
        _ = submit(.exchangeMTU)
        _ = receive("03 17 00")
        clock.advance(by: .milliseconds(late))
        _ = receive("03 17 00")
        _ = submit(Self.battery)
        _ = submit(Self.maker)
        _ = receive("09 03 1d 00 57")
        #expect(client.deadline == clock.now + .milliseconds(wait))
        _ = receive("09 03 1d 00 57")
        #expect(client.deadline == clock.now + .milliseconds(wait), "the longest counts")
    }

    /// A value has its handle, so values of two types differ.
    @Test mutating func lateRepetitionOfAValueIsNotTheNextValue() {
        _ = submit(Self.battery)
        _ = submit(Self.maker)
        _ = receive("09 03 1d 00 57")
        #expect(client.tick(at: clock.advance(by: .milliseconds(100))).count == 1)
        clock.advance(by: .milliseconds(150))
        #expect(receive("09 03 1d 00 57").isEmpty)
        #expect(receive("09 04 10 00 4f 79") == [.finish(Self.maker, .success(.value(Array("Oy".utf8))))])
    }

    @Test mutating func nextRequestWaitsUntilAllReceivedDataIsDrained() {
        _ = submit(.exchangeMTU)
        _ = submit(.findService(AttributeUUID(0x180D)))
        #expect(receive("03 17 00", hasMore: true) == [.finish(.exchangeMTU, .success(.mtu(23)))])
        #expect(receive("1b 15 00 00 46", hasMore: true).count == 1)
        #expect(receive("1d 15 00 00 46", hasMore: true).first == Self.send("1e"), "but a confirmation is sent")
        #expect(submit(.read(handle: 1)).isEmpty)
        #expect(client.tick(at: clock.now).isEmpty)
        #expect(client.drained(at: clock.now) == [Self.send("06 01 00 ff ff 00 28 0d 18")])
        #expect(client.drained(at: clock.now).isEmpty)
    }

    @Test mutating func repetitionsOfTwoOpcodesSetRepeatsAnswers() {
        _ = submit(.exchangeMTU)
        _ = receive("03 17 00")
        #expect(receive("0b 01").isEmpty, "an answer to nothing is no repetition")
        #expect(receive("03 17 00").isEmpty)
        #expect(receive("03 17 00").isEmpty, "the third of one kind is not counted")
        #expect(!client.repeatsAnswers)
        _ = submit(.read(handle: 1))
        _ = receive("0b 01")
        #expect(receive("0b 01").isEmpty)
        #expect(client.repeatsAnswers)
    }

    @Test mutating func repetitionDoesNotCompleteAQueuedRequest() {
        _ = submit(.read(handle: 1))
        _ = receive("0b 01")
        _ = submit(.read(handle: 2))
        #expect(receive("0b 01").isEmpty)
        #expect(client.tick(at: clock.advance(by: .milliseconds(100))) == [Self.send("0a 02 00")])
        clock.advance(by: .seconds(30))
        #expect(client.tick(at: clock.now) == [.finish(.read(handle: 2), .failure(.timedOut))])
    }
}
