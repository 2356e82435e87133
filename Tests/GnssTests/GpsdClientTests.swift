import Domain
import Gnss
import Linux
import Sensors
import TestKit
import Testing

/// The client on a real loop, with a scripted gpsd.
@Suite struct GpsdClientTests {
    let loop: EventLoop
    let gpsd: FakeGpsd
    let heard: Heard
    let script: Script

    init() throws {
        loop = try EventLoop()
        gpsd = try FakeGpsd(on: loop)
        heard = Heard()
        script = Script(loop)
    }

    func start(host: String? = "127.0.0.1", device: String? = nil) throws {
        try heard.listen(host: host, port: gpsd.port, device: device, loop: loop)
    }

    static func tpv(_ second: Int, mode: Int = 3) -> String {
        #"{"class":"TPV","device":"/dev/ttyACM0","mode":\#(mode),"time":"2026-06-01T14:45:\#(10 + second).000Z","lat":52.5,"lon":13.4,"eph":4.1}"#
    }

    @Test func reportsBecomeFixesAndTheLinkIsReported() throws {
        try start()
        script.when("watched", gpsd.requests == [#"?WATCH={"enable":true,"json":true};"#]) {
            gpsd.send(lines: [Self.tpv(0), Self.tpv(0), Self.tpv(1)])
        }
        script.when("the first fix closes when the time changes, the second 0.3 s later", heard.fixes.count == 2)
        try script.run(limit: .seconds(5))
        let name = SanitizedText("/dev/ttyACM0")
        #expect(
            heard.links == [
                LinkStatus(.connecting, reason: .silent), LinkStatus(.connecting, reason: .silent, name: name),
                LinkStatus(.connected, name: name),
            ])
        #expect(heard.fixes.map(\.latitude) == [52.5, 52.5])
        #expect(heard.fixes.allSatisfy { Clock.now() - $0.arrivedAt < .seconds(2) })
    }

    @Test func gpsdThatStartsLaterIsFoundWithinTwoSeconds() throws {
        gpsd.stopListening()
        try start()
        script.when("nobody is there", heard.link == LinkStatus(.disconnected, reason: .notRunning)) { [heard] in
            heard.moment = Clock.now()
            try? gpsd.listen()
        }
        script.when("found", heard.link?.state == .connecting)
        try script.run(limit: .seconds(5))
        #expect(Clock.now() - heard.moment < .seconds(2))
        #expect(heard.links.count == 3 || heard.links.count == 2)
    }

    @Test func gpsdOnTheOtherLoopbackAddressIsFoundWithinTwoSeconds() throws {
        let other = try FakeGpsd(host: "::1", port: gpsd.port, on: loop)
        gpsd.stopListening()
        try start(host: nil)
        heard.moment = Clock.now()
        script.when("found", other.hasClient && heard.link?.state == .connecting)
        try script.run(limit: .seconds(5))
        #expect(Clock.now() - heard.moment < .seconds(2))
        #expect(heard.links.allSatisfy { $0.state != .disconnected })
    }

    @Test func restartedGpsdIsFoundAndSendsFixesAgain() throws {
        try start()
        script.when("watched", gpsd.requests.count == 1) { gpsd.send(lines: [Self.tpv(0), Self.tpv(1)]) }
        script.when("a fix", heard.link?.state == .connected) {
            gpsd.stopListening()
            gpsd.hangUp()
        }
        script.when("missed", heard.link == LinkStatus(.disconnected, reason: .notRunning)) { [heard] in
            heard.moment = Clock.now()
            try? gpsd.listen()
        }
        script.when("watched again", gpsd.requests.count == 2) { gpsd.send(lines: [Self.tpv(2)]) }
        script.when("fixes again", heard.fixes.count == 3 && heard.link?.state == .connected)
        try script.run(limit: .seconds(8))
        #expect(Clock.now() - heard.moment < .seconds(2))
    }

    @Test func halfOpenConnectionIsReplaced() throws {
        try start()
        script.when("watched", gpsd.requests.count == 1) {
            gpsd.send(lines: [Self.tpv(0), Self.tpv(1)])
        }
        script.when("a fix", heard.link?.state == .connected) { [heard] in
            heard.moment = Clock.now()
            gpsd.abandon()
        }
        script.when("watched again", gpsd.connections == 2 && gpsd.requests.count == 2) {
            gpsd.send(lines: [Self.tpv(9)])
        }
        script.when("fixes again", heard.link?.state == .connected)
        try script.run(limit: .seconds(15))
        #expect(Clock.now() - heard.moment < .seconds(10))
        #expect(heard.links.suffix(3).map(\.reason) == [nil, .silent, nil])
    }

    @Test func otherServiceIsReportedAndNotRetriedAtOnce() throws {
        gpsd.greeting = ["SSH-2.0-OpenSSH_9.2p1 Debian-2"]
        try start()
        script.when("refused", heard.link == LinkStatus(.disconnected, reason: .refused))
        try script.run(limit: .seconds(5))
        #expect(gpsd.requests == [])
        #expect(gpsd.connections == 1)
    }

    @Test func requestedDeviceIsNamedInTheWatch() throws {
        try start(device: "/dev/ttyACM0")
        let request = #"?WATCH={"enable":true,"json":true,"device":"/dev/ttyACM0"};"#
        script.when("watched", gpsd.requests == [request])
        try script.run(limit: .seconds(5))
    }

    @Test func reportsMayArriveByteByByte() throws {
        try start()
        let bytes = Array((Self.tpv(0) + "\r\n" + Self.tpv(1) + "\r\n").utf8)
        script.when("watched", gpsd.requests.count == 1)
        for byte in bytes { script.when("a byte", true) { gpsd.send(bytes: [byte]) } }
        script.when("a fix", heard.fixes.count == 1)
        try script.run(limit: .seconds(5))
    }

    @Test func garbageKeepsTheConnection() throws {
        try start()
        script.when("watched", gpsd.requests.count == 1)
        // Fifty lines of the longest kind without an end. The client probes a gpsd that reports nothing, so that more
        // could exceed the limit for its answer on a slow machine.
        let garbage = [UInt8](repeating: UInt8(ascii: "x"), count: 50 * GpsdDecoder.lineLimit)
        var sent = 0
        var most = 0
        func sample() -> Bool {
            if let client = heard.client {
                let kept = Mirror(reflecting: client).descendant("decoder", "lines", "bytes") as? [UInt8]
                most = max(most, kept?.count ?? .max)
            }
            return true
        }
        func flood() -> Bool {
            if sample(), sent < garbage.count { sent += gpsd.send(bytes: Array(garbage[sent...])) }
            return sent == garbage.count
        }
        script.when("the garbage is sent", flood())
        script.when("room for more", sample() && gpsd.send(bytes: [10]) == 1) {
            gpsd.send(lines: [Self.tpv(0), Self.tpv(1)])
        }
        script.when("a fix", sample() && heard.link?.state == .connected)
        try script.run(limit: .seconds(30))
        #expect(gpsd.connections == 1)
        // A line, and what one read adds.
        #expect((1...GpsdDecoder.lineLimit + 16_384).contains(most), "\(most) bytes are kept")
    }

    @Test func hostNameIsRejected() throws {
        #expect(throws: SystemError.self) { try start(host: "gps.example") }
    }

    @Test func gpsdThatClosesEachConnectionIsRetriedAfterTwoSeconds() throws {
        gpsd.greeting = []
        try start()
        let begin = Clock.now()
        for number in 1...2 {
            script.when("connection \(number)", gpsd.connections == number) { gpsd.hangUp() }
        }
        try script.run(limit: .seconds(5))
        #expect(Clock.now() - begin >= .seconds(2))
        #expect(heard.links == [LinkStatus(.disconnected, reason: .refused)])
    }
}
