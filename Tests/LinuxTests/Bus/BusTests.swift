import Domain
import Foundation
import Linux
import TestKit
import Testing

@Suite struct BusTests {
    @Test func connectionReportsReadyAndEnded() throws {
        let stage = try BusFixture()
        var events: [Bus.Event] = []
        let bus = try stage.connect { events.append($0) }
        #expect(events == [])
        try stage.turn { events == [.ready] }
        stage.daemon.stop()
        try stage.turn { events == [.ready, .ended] }
        withExtendedLifetime(bus) {}
    }

    @Test func connectWithoutABusThrows() throws {
        let stage = try BusFixture(isThere: false)
        #expect(throws: SystemError.self) { try stage.connect() }
    }

    @Test(arguments: [
        "tcp:host=localhost,port=1", "unixexec:path=/bin/true", "unix:path=/nowhere;tcp:host=a", "nonsense",
    ])
    func onlyUnixSocketAddressesAreAccepted(address: String) throws {
        let loop = try EventLoop()
        #expect(throws: SystemError("sd_bus_set_address", code: EINVAL)) {
            _ = try Bus(at: address, loop: loop) { _ in }
        }
    }

    @Test func callReceivesTheReplyOfTheService() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        var heard: [BusMessage] = []
        let object = try service.serve("/thing") { request in
            heard.append(request.message)
            #expect(throws: Never.self) { try request.reply(request.message.arguments + [.bool(true)]) }
        }
        let bus = try stage.connect()
        var answer: Result<[BusValue], BusError>?
        let call = bus.call(
            "org.example", "/thing", "org.example.Thing", "Do", [.string("a"), .uint16(7)], timeout: .seconds(10)
        ) { answer = $0 }
        #expect(answer == nil)
        try stage.turn { answer != nil }
        #expect(try answer?.get() == [.string("a"), .uint16(7), .bool(true)])
        #expect(heard.map(\.member) == ["Do"])
        #expect(heard.map(\.interface) == ["org.example.Thing"])
        #expect(heard.allSatisfy { $0.path == "/thing" && $0.sender.hasPrefix(":1.") })
        withExtendedLifetime((object, call)) {}
    }

    @Test func errorReplyHasItsNameAndMessage() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        let object = try service.serve("/thing") {
            $0.fail(BusError("org.bluez.Error.Failed", "le-connection-abort-by-local\u{1b}"))
        }
        #expect(
            try stage.failure(of: "/thing")
                == BusError("org.bluez.Error.Failed", "le-connection-abort-by-local\u{FFFD}"))
        withExtendedLifetime(object) {}
    }

    @Test func callOfAnUnservedObjectFails() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        #expect(try stage.failure(of: "/other")?.name == "org.freedesktop.DBus.Error.UnknownObject")
        withExtendedLifetime(service) {}
    }

    @Test func releasedRequestIsRejected() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        let object = try service.serve("/thing") { _ in }
        #expect(try stage.failure(of: "/thing")?.message == "Not answered")
        withExtendedLifetime(object) {}
    }

    @Test func unansweredCallTimesOut() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        var kept: [BusRequest] = []
        let object = try service.serve("/thing") { kept.append($0) }
        #expect(try stage.failure(of: "/thing", timeout: .milliseconds(50))?.name == BusError.noReply)
        #expect(kept.count == 1)
        withExtendedLifetime(object) {}
    }

    /// libsystemd itself would wait 90 s for such a bus.
    @Test func callOverASilentBusTimesOut() throws {
        let stage = try BusFixture()
        stage.daemon.pause()
        defer { stage.daemon.resume() }
        #expect(try stage.failure(of: "/thing", timeout: .milliseconds(50))?.name == BusError.noReply)
    }

    @Test func callFailsWhenTheBusEnds() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        var kept: [BusRequest] = []
        let object = try service.serve("/thing") {
            kept.append($0)
            stage.daemon.stop()
        }
        #expect(try stage.failure(of: "/thing")?.name == BusError.noReply)
        withExtendedLifetime(object) {}
    }

    /// Otherwise a call would start a systemd unit or a service file.
    @Test func callStartsNoService() throws {
        let stage = try BusFixture()
        #expect(try stage.failure(of: "/thing")?.name == BusError.nameHasNoOwner)
    }

    private static var impossible: [BusValue] {
        [
            .objectPath("no path"), .entry(.byte(1), .byte(2)), .array(of: "s", [.byte(1)]),
        ]
    }

    @Test(arguments: impossible.indices)
    func callWithInvalidArgumentsFailsLater(index: Int) throws {
        let stage = try BusFixture()
        let bus = try stage.connect()
        var answers: [Result<[BusValue], BusError>] = []
        let call = bus.call(
            "org.example", "/thing", "org.example.Thing", "Do", [Self.impossible[index]], timeout: .seconds(10)
        ) {
            answers.append($0)
        }
        #expect(answers.isEmpty)
        try stage.turn { !answers.isEmpty }
        try stage.turn(for: .milliseconds(20))
        #expect(answers.count == 1)
        #expect(throws: BusError.self) { try answers[0].get() }
        withExtendedLifetime(call) {}
    }

    @Test func releasedCallReceivesNoReply() throws {
        let stage = try BusFixture()
        let bus = try stage.connect()
        var isAnswered = false
        for argument in [BusValue.string("org.example"), .objectPath("no path")] {
            _ = bus.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner", [argument],
                timeout: .seconds(10)
            ) { _ in isAnswered = true }
        }
        try stage.turn(for: .milliseconds(100))
        #expect(!isAnswered)
    }

    @Test func busCanBeReleasedInEachOfItsCallbacks() throws {
        let stage = try BusFixture()
        var bus: Bus?
        var calls = 0
        bus = try stage.connect { _ in
            calls += 1
            bus = nil
        }
        try stage.turn { bus == nil }
        bus = try stage.connect()
        var slot = bus?.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId", timeout: .seconds(10)
        ) { _ in
            calls += 1
            bus = nil
        }
        try stage.turn { bus == nil }
        slot = nil
        bus = try stage.connect()
        slot = try bus?.match("type='signal',member='NameOwnerChanged'") { _ in
            calls += 1
            bus = nil
        }
        let service = try stage.own("org.example")
        try stage.turn { bus == nil }
        try stage.turn(for: .milliseconds(50))
        slot = nil
        #expect(calls == 3)
        #expect(slot == nil)
        withExtendedLifetime(service) {}
    }

    /// libsystemd would abort the program if it used such a bus again.
    @Test func busCanBeReleasedWhenACallTimesOut() throws {
        let stage = try BusFixture()
        let service = try stage.own("org.example")
        var kept: [BusRequest] = []
        let object = try service.serve("/thing") { kept.append($0) }
        var bus: Bus? = try stage.connect()
        let call = bus?.call("org.example", "/thing", "org.example.Thing", "Do", timeout: .milliseconds(50)) { _ in
            bus = nil
        }
        try stage.turn { bus == nil }
        withExtendedLifetime((object, call)) {}
    }

    @Test func messagesToASilentBusAreLimited() throws {
        let stage = try BusFixture()
        var isReady = false
        let bus = try stage.connect { if $0 == .ready { isReady = true } }
        try stage.turn { isReady }
        stage.daemon.pause()
        defer { stage.daemon.resume() }
        var failures = 0
        var calls: [BusSlot] = []
        // libsystemd first uses 8 MiB of the kernel's buffers.
        for _ in 0..<6_000 {
            calls.append(
                bus.call(
                    "org.example", "/", "org.example.Thing", "Do", [.bytes(Array(repeating: 0, count: 10_000))],
                    timeout: .seconds(60)
                ) {
                    guard case .failure(let error) = $0 else { return }
                    #expect(error.name == BusError.limitsExceeded)
                    failures += 1
                })
        }
        try stage.turn { failures > 1_000 }
        withExtendedLifetime(calls) {}
    }
}

extension BusFixture {
    /// Returns the error of a call to `org.example`.
    func failure(of path: String, timeout: Duration = .seconds(10)) throws -> BusError? {
        let bus = try connect()
        var answer: Result<[BusValue], BusError>?
        let call = bus.call("org.example", path, "org.example.Thing", "Do", timeout: timeout) { answer = $0 }
        try turn { answer != nil }
        return withExtendedLifetime(call) {
            if case .failure(let error) = answer { error } else { nil }
        }
    }
}
