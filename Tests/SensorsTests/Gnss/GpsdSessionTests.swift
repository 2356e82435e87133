import Domain
import Sensors
import TestKit
import Testing

@Suite struct GpsdSessionTests {
    static let watch = request(#"?WATCH={"enable":true,"json":true};"#)
    static let devices = request("?DEVICES;")

    static func request(_ line: String) -> GpsdSession.Action {
        .send(Array((line + "\n").utf8))
    }

    var clock = ManualClock()
    var session = GpsdSession(addresses: 2)

    /// Advances to the session's deadline and returns its action.
    mutating func due() -> [GpsdSession.Action] {
        clock.now = max(clock.now, session.deadline)
        return session.tick(at: clock.now)
    }

    mutating func received(_ message: GpsdMessage) -> [GpsdSession.Action] {
        session.received(message, at: clock.now)
    }

    mutating func answer(devices: [String] = ["/dev/ttyACM0"]) {
        #expect(received(.devices(devices)) == [])
        #expect(received(.other) == [])
    }

    /// Connects, and receives the greeting and the watch request.
    mutating func connect() {
        #expect(due() == [.connect(0)])
        session.connected(at: clock.now)
        #expect(received(.version(major: 3)) == [Self.watch])
    }

    /// Receives a report and its fix.
    mutating func fix(mode: UInt8 = 3, position: Double? = 52.5) {
        _ = received(.report(report(nil, mode: mode, latitude: position, longitude: position)))
        session.merged(
            Fix(
                arrivedAt: clock.now, device: SanitizedText("/dev/ttyACM0"), mode: mode, latitude: position,
                longitude: position))
    }

    func status(_ state: LinkState, _ reason: LinkReason? = nil, name: String? = nil) -> LinkStatus {
        LinkStatus(state, reason: reason, name: name.flatMap { SanitizedText($0) })
    }

    @Test mutating func statusIsNilBeforeTheFirstAttemptEnds() {
        #expect(session.status == nil)
        #expect(due() == [.connect(0)])
        #expect(session.status == nil)
    }

    @Test mutating func otherAddressIsTriedAtOnceAndTheFirstAfter500Milliseconds() {
        let start = clock.now
        #expect(due() == [.connect(0)])
        session.failed(at: clock.now)
        #expect(session.status == nil)
        #expect(due() == [.connect(1)])
        #expect(clock.now == start)
        session.failed(at: clock.now)
        #expect(session.status == status(.disconnected, .notRunning))
        #expect(due() == [.connect(0)])
        #expect(clock.now == start + .milliseconds(500))
    }

    @Test mutating func lastConnectedAddressIsTriedFirst() {
        #expect(due() == [.connect(0)])
        session.failed(at: clock.now)
        #expect(due() == [.connect(1)])
        session.connected(at: clock.now)
        #expect(received(.version(major: 3)) == [Self.watch])
        session.closed(at: clock.now)
        #expect(due() == [.connect(1)])
    }

    @Test mutating func connectTimesOutAfterTwoSeconds() {
        let start = clock.now
        #expect(due() == [.connect(0)])
        #expect(due() == [.close])
        #expect(clock.now == start + .seconds(2))
        #expect(due() == [.connect(1)])
    }

    @Test mutating func missingGreetingTimesOutAfterTwoSeconds() {
        #expect(due() == [.connect(0)])
        session.connected(at: clock.now)
        let start = clock.now
        #expect(due() == [.close])
        #expect(clock.now == start + .seconds(2))
    }

    /// A gpsd from before 2009, another service, and a gpsd that closes the connection at once.
    @Test mutating func otherServiceIsRejectedAndRetriedAfterTwoSeconds() {
        for message: GpsdMessage? in [.version(major: 2), .other, .error, nil] {
            #expect(due() == [.connect(0)])
            session.connected(at: clock.now)
            if let message { #expect(received(message) == [.close]) } else { session.closed(at: clock.now) }
            #expect(session.status == status(.disconnected, .refused))
            #expect(session.deadline == clock.now + .seconds(2))
        }
    }

    @Test mutating func linkStatusFollowsTheReceiver() {
        connect()
        #expect(session.status == status(.connecting, .silent))
        answer(devices: [])
        #expect(session.status == status(.connecting, .noDevice))
        #expect(received(.device("/dev/ttyACM0", isPresent: true)) == [])
        #expect(session.status == status(.connecting, .silent, name: "/dev/ttyACM0"))
        fix(mode: 1, position: nil)
        #expect(session.status == status(.connecting, .noFix, name: "/dev/ttyACM0"))
        fix()
        #expect(session.status == status(.connected, name: "/dev/ttyACM0"))
        // gpsd's own regression tests contain mode 3 without a position.
        fix(mode: 3, position: nil)
        #expect(session.status == status(.connecting, .noFix, name: "/dev/ttyACM0"))
    }

    @Test mutating func receiverIsSilentAfterFiveSecondsWithoutAReport() {
        connect()
        answer()
        fix()
        let last = clock.now
        clock.now = last + .milliseconds(4_999)
        while session.deadline <= clock.now { _ = session.tick(at: clock.now) }
        #expect(received(.other) == [])
        #expect(session.status?.state == .connected)
        clock.now = last + .seconds(5)
        _ = session.tick(at: clock.now)
        #expect(session.status == status(.connecting, .silent, name: "/dev/ttyACM0"))
        fix()
        #expect(session.status?.state == .connected)
    }

    @Test mutating func unpluggedReceiverIsReportedAfterFiveSeconds() {
        connect()
        answer()
        fix()
        _ = received(.device("/dev/ttyACM0", isPresent: false))
        // A receiver that reported counts until it is silent.
        #expect(session.status?.state == .connected)
        clock.advance(by: .seconds(5))
        _ = session.tick(at: clock.now)
        #expect(session.status == status(.connecting, .noDevice))
    }

    @Test mutating func devicesAreRequestedAfterThreeSecondsThenEveryTen() {
        connect()
        answer()
        fix()
        let last = clock.now
        var asked: [Duration] = []
        while session.deadline < last + .seconds(30) {
            switch due().first {
            case Self.devices:
                asked.append(clock.now - last)
                answer()
            case nil: break
            default: Issue.record("unexpected action after \(clock.now - last)")
            }
        }
        #expect(asked == [.seconds(3), .seconds(13), .seconds(23)])
    }

    @Test mutating func unansweredRequestClosesTheConnectionAfterFiveSeconds() {
        connect()
        answer()
        fix()
        let last = clock.now
        #expect(due() == [Self.devices])
        #expect(due() == [])
        #expect(session.status?.reason == .silent)
        #expect(due() == [.close])
        #expect(clock.now == last + .seconds(8))
        // The published status has not changed yet.
        #expect(session.status?.reason == .silent)
        #expect(due() == [.connect(0)])
        #expect(clock.now == last + .seconds(8))
    }

    @Test mutating func unansweredWatchClosesTheConnection() {
        connect()
        let start = clock.now
        #expect(due() == [Self.devices])
        #expect(due() == [.close])
        #expect(clock.now == start + .seconds(5))
    }

    @Test mutating func sessionReconnectsAfter30SecondsWithoutAReport() {
        connect()
        answer()
        fix()
        let last = clock.now
        for round in 1...3 {
            var action = due().first
            while action != .close {
                if action == Self.devices { answer() }
                action = due().first
            }
            #expect(clock.now == last + .seconds(30 * round))
            #expect(due() == [.connect(0)])
            session.connected(at: clock.now)
            #expect(received(.version(major: 3)) == [Self.watch])
            answer()
            #expect(session.status == status(.connecting, .silent, name: "/dev/ttyACM0"))
        }
    }

    @Test mutating func lostConnectionIsRetriedAfter500Milliseconds() {
        connect()
        answer()
        fix()
        session.closed(at: clock.now)
        #expect(session.status == status(.disconnected, .notRunning))
        #expect(session.deadline == clock.now + .milliseconds(500))
    }

    /// systemd stops restarting a socket-activated gpsd that crashes at its start more than five times in ten seconds.
    @Test mutating func gpsdThatEndsBeforeAReportIsRetriedAfterTwoSeconds() {
        connect()
        answer()
        session.closed(at: clock.now)
        #expect(session.deadline == clock.now + .seconds(2))
    }

    @Test mutating func requestedDeviceIsNamedInTheWatch() {
        session = GpsdSession(addresses: 1, device: #"/dev/a"b\c"#)
        #expect(due() == [.connect(0)])
        session.connected(at: clock.now)
        let request = #"?WATCH={"enable":true,"json":true,"device":"/dev/a\"b\\c"};"#
        #expect(received(.version(major: 3)) == [Self.request(request)])
    }

    @Test mutating func unknownRequestedDeviceIsRetriedEachSecond() {
        session = GpsdSession(addresses: 1, device: "/dev/ttyACM0")
        #expect(due() == [.connect(0)])
        session.connected(at: clock.now)
        let watch = received(.version(major: 3))
        #expect(received(.error) == [])
        #expect(session.status == status(.connecting, .noDevice, name: "/dev/ttyACM0"))
        for _ in 0..<20 {
            let before = clock.now
            #expect(due() == watch)
            #expect(clock.now == before + .seconds(1))
            #expect(received(.error) == [])
        }
        answer()
        #expect(session.status == status(.connecting, .silent, name: "/dev/ttyACM0"))
    }

    @Test mutating func reportsOfOtherReceiversDoNotCountForTheRequestedDevice() {
        session = GpsdSession(addresses: 1, device: "/dev/ttyUSB7")
        #expect(due() == [.connect(0)])
        session.connected(at: clock.now)
        _ = received(.version(major: 3))
        _ = received(.report(report(nil)))
        answer()
        #expect(session.status == status(.connecting, .noDevice, name: "/dev/ttyUSB7"))
    }

    /// A gpsd that reads from another one relays its greeting.
    @Test mutating func greetingMidStreamIsIgnored() {
        connect()
        fix()
        #expect(received(.version(major: 2)) == [])
        #expect(session.status?.state == .connected)
    }

    @Test mutating func messagesAfterCloseAreIgnored() {
        connect()
        session.closed(at: clock.now)
        #expect(received(.report(report(nil))) == [])
        session.merged(Fix(arrivedAt: clock.now, mode: 3, latitude: 1, longitude: 1))
        #expect(session.status?.state == .disconnected)
    }

    @Test mutating func hourWithoutGpsdHasABoundedNumberOfAttempts() {
        let start = clock.now
        var attempts = 0
        var turns = 0
        while session.deadline < start + .seconds(3_600) {
            turns += 1
            guard case .connect = due().first else { continue }
            attempts += 1
            session.failed(at: clock.now)
        }
        #expect(attempts == 2 * 2 * 3_600)
        #expect(turns == attempts)
    }

    @Test mutating func hourOfAnUnreachableGpsdHasABoundedNumberOfAttempts() {
        let start = clock.now
        var attempts = 0
        while session.deadline < start + .seconds(3_600) {
            if case .connect = due().first { attempts += 1 }
        }
        #expect(attempts == 1_800)
    }

    @Test mutating func hourWithoutAReceiverHasABoundedNumberOfRequests() {
        connect()
        answer(devices: [])
        let start = clock.now
        var requests = 0
        var turns = 0
        while clock.now < start + .seconds(3_600) {
            turns += 1
            switch due().first {
            case .connect:
                session.connected(at: clock.now)
                _ = received(.version(major: 3))
                // After a reconnect the status is unchanged until gpsd reports.
                #expect(session.status == status(.connecting, .noDevice))
                answer(devices: [])
                requests += 1
            case .send:
                answer(devices: [])
                requests += 1
            default: break
            }
        }
        #expect(requests <= 4 * 120)
        #expect(turns <= 6 * 120)
        #expect(session.status == status(.connecting, .noDevice))
    }
}
