import Domain
import Sensors
import TestKit
import Testing

struct SensorSessionTests {
    private var clock = ManualClock()
    private var session = SensorSession()
    private var strap = ScriptedStrap()
    private var reports: [SensorSession.Report] = []
    private var losses: [DisconnectCause] = []
    /// A request whose response ends with another letter each time.
    private var changing: [UInt8] = []

    private static let measurement = HeartRateMeasurement(beatsPerMinute: 67, contact: true, rrIntervals: [882, 906])

    /// Performs actions with the scripted strap until nothing is left to do. It advances the clock for a request that
    /// waits for the repetition of a response.
    private mutating func converse(_ actions: [SensorSession.Action]) {
        var left = actions
        while true {
            if left.isEmpty {
                guard let deadline = session.deadline, deadline <= clock.now + GattClient.repetitionWait else {
                    return
                }
                clock.now = max(clock.now, deadline)
                left = session.tick(at: clock.now)
                if left.isEmpty { return }
            }
            switch left.removeFirst() {
            case .send(let bytes):
                if bytes == changing { strap.set(text: "Polar \(strap.requests.count)", ofType: 0x2A29) }
                for answer in strap.answer(to: bytes) { left += session.received(answer.span, at: clock.now) }
            case .report(.found(let kinds)): #expect(kinds == [.heartRate])
            case .report(let report): reports.append(report)
            case .close(let loss): losses.append(loss)
            }
        }
    }

    private mutating func start() {
        converse(session.start(at: clock.now))
    }

    private mutating func hear(_ bytes: [UInt8]) {
        converse(session.received(bytes.span, at: clock.now))
    }

    private var battery: SensorSession.Report {
        get throws { .battery(try BatteryLevel([87].span)) }
    }

    private var information: DeviceInformation? {
        guard case .described(let information)? = reports.last else { return nil }
        return information
    }

    @Test mutating func sessionSubscribesBeforeItReadsAnythingElse() throws {
        start()
        #expect(
            strap.requests
                == [
                    "02 05 02", "06 01 00 ff ff 00 28 0d 18", "08 13 00 1a 00 03 28", "08 1a 00 1a 00 03 28",
                    "04 16 00 16 00", "12 16 00 01 00",
                ].map(hex))
        #expect(reports == [.subscribed])
        hear(ScriptedStrap.notification)
        #expect(
            Array(strap.requests.dropFirst(6))
                == [0x2A19, 0x2A38, 0x2A29, 0x2A24, 0x2A25, 0x2A26, 0x2A27, 0x2A28, 0x2A00].map(ScriptedStrap.reading))
        #expect(reports.prefix(3) == [.subscribed, .measured(.heartRate(Self.measurement)), try battery])
        var expected = DeviceInformation()
        expected.name = SanitizedText("Polar H10 9AD13824")
        expected.manufacturer = SanitizedText("Polar Electro Oy")
        expected.model = SanitizedText("H10")
        expected.location = .chest
        #expect(reports.dropFirst(3) == [.described(expected)])
        #expect(losses.isEmpty)
    }

    @Test mutating func batteryIsReadEveryTenMinutes() throws {
        start()
        let measuredAt = clock.now
        hear(ScriptedStrap.notification)
        let requests = strap.requests.count
        for count in 1...3 {
            let deadline = measuredAt + .seconds(600 * count)
            #expect(session.deadline == deadline)
            clock.now = deadline - .seconds(1)
            converse(session.tick(at: clock.now))
            #expect(strap.requests.count == requests + count - 1)
            strap.answers[ScriptedStrap.reading(0x2A19)] = [[0x09, 3, 0x1D, 0, UInt8(87 - count)]]
            converse(session.tick(at: clock.advance(by: .seconds(1))))
            #expect(strap.requests.count == requests + count)
            #expect(reports.last == .battery(try BatteryLevel([UInt8(87 - count)].span)))
        }
    }

    @Test mutating func measurementBeforeTheSubscriptionResponseCounts() {
        strap.answers[ScriptedStrap.subscription] = [ScriptedStrap.notification, [0x13]]
        start()
        #expect(reports.first == .measured(.heartRate(Self.measurement)))
        #expect(reports.contains(.subscribed))
        #expect(strap.requests.contains(ScriptedStrap.reading(0x2A19)))
    }

    @Test(arguments: [UInt8(0x05), 0x06, 0x0F, 0x80])
    mutating func errorsOfOtherReadsDoNotAffectHeartRate(_ error: UInt8) {
        for type: UInt16 in [0x2A19, 0x2A38, 0x2A29, 0x2A24, 0x2A00] {
            strap.answers[ScriptedStrap.reading(type)] = [[0x01, 0x08, 0, 0, error]]
        }
        start()
        hear(ScriptedStrap.notification)
        hear(ScriptedStrap.notification)
        #expect(
            reports == [
                .subscribed, .measured(.heartRate(Self.measurement)), .described(DeviceInformation()),
                .measured(.heartRate(Self.measurement)),
            ])
        #expect(losses.isEmpty)
    }

    @Test mutating func unansweredReadKeepsTheConnection() {
        strap.answers[ScriptedStrap.reading(0x2A24)] = []
        start()
        hear(ScriptedStrap.notification)
        converse(session.tick(at: clock.advance(by: .seconds(30))))
        #expect(information?.manufacturer?.text == "Polar Electro Oy")
        #expect(information?.name == nil)
        let requests = strap.requests.count
        for _ in 0..<1200 {
            converse(session.tick(at: clock.advance(by: .seconds(1))))
            hear(ScriptedStrap.notification)
        }
        #expect(strap.requests.count == requests, "nothing more may be asked after a request timed out")
        #expect(reports.count(where: { $0 == .measured(.heartRate(Self.measurement)) }) == 1201)
        #expect(losses.isEmpty)
    }

    @Test mutating func resubscribeRepeatsTheSubscription() {
        start()
        let requests = strap.requests.count
        converse(session.resubscribe(at: clock.now))
        #expect(strap.requests.dropFirst(requests) == [ScriptedStrap.subscription])
    }

    @Test mutating func resubscribeBeforeTheSubscriptionSendsNothing() {
        #expect(session.resubscribe(at: clock.now).isEmpty)
    }

    @Test mutating func malformedMeasurementsAreIgnored() {
        start()
        for bytes in ["1b 15 00", "1b 15 00 01 3c", "1b 18 00 00 46", "1b", "1d 15 00 08 3c 01"] { hear(hex(bytes)) }
        #expect(reports == [.subscribed])
        #expect(losses.isEmpty)
    }

    @Test mutating func indicatedMeasurementIsReportedAndConfirmed() {
        start()
        hear(hex("1d 15 00 00 46"))
        #expect(reports.dropFirst().first == .measured(.heartRate(HeartRateMeasurement(beatsPerMinute: 70))))
        #expect(strap.requests.contains([0x1E]))
    }

    @Test(arguments: [
        // No heart-rate service.
        ("06 01 00 ff ff 00 28 0d 18", "01 06 01 00 0a", DisconnectCause.unsupported),
        ("06 01 00 ff ff 00 28 0d 18", "01 06 01 00 05", .pairingNeeded),
        ("06 01 00 ff ff 00 28 0d 18", "07 1a 00 13 00", .unsupported),  // ends before it begins
        ("08 13 00 1a 00 03 28", "01 08 13 00 0a", .unsupported),  // an empty service
        ("08 13 00 1a 00 03 28", "09 07 14 00 10 1a 00 37 2a", .unsupported),  // no room for a descriptor
        ("08 13 00 1a 00 03 28", "09 07 14 00 10 05 00 37 2a", .unsupported),  // its value before its declaration
        ("08 13 00 1a 00 03 28", "09 09 14 00 10 15 00 37 2a 00 00", .unsupported),  // a type of four bytes
        ("08 13 00 1a 00 03 28", "09 07 12 00 10 15 00 37 2a", .unsupported),  // not in the service
        ("04 16 00 16 00", "01 04 16 00 0a", .unsupported),  // no descriptor
        ("04 16 00 16 00", "05 01 16 00 01 29", .unsupported),  // another descriptor
        ("04 16 00 16 00", "05", .unsupported),
        ("12 16 00 01 00", "01 12 16 00 05", .pairingNeeded),
        ("12 16 00 01 00", "01 12 16 00 0f", .pairingNeeded),
        ("12 16 00 01 00", "01 12 16 00 fd", .unsupported),
    ])
    mutating func strapWithoutUsableHeartRateServiceIsDisconnected(
        _ request: String, answer: String, loss: DisconnectCause
    ) {
        strap.answers[hex(request)] = [hex(answer)]
        start()
        #expect(losses == [loss])
        #expect(reports.isEmpty)
    }

    @Test(arguments: [
        "02 05 02", "06 01 00 ff ff 00 28 0d 18", "08 13 00 1a 00 03 28", "04 16 00 16 00", "12 16 00 01 00",
    ])
    mutating func unansweredSetupRequestDisconnectsTheStrap(_ request: String) {
        strap.answers[hex(request)] = []
        start()
        #expect(session.deadline == clock.now + .seconds(30))
        converse(session.tick(at: clock.advance(by: .seconds(30))))
        #expect(losses == [.attTimeout])
    }

    @Test mutating func strapWithoutAnMTUExchangeWorks() {
        strap.answers[hex("02 05 02")] = [hex("01 02 00 00 06")]
        start()
        hear(ScriptedStrap.notification)
        #expect(information?.name?.text == "Polar H10 9AD13824")
    }

    @Test mutating func floodDisconnectsTheStrap() {
        start()
        for _ in 0..<21 { hear(ScriptedStrap.notification) }
        #expect(losses == [.flooded])
    }

    @Test mutating func descriptorSearchEndsAtTheNextCharacteristic() {
        strap.answers[hex("06 01 00 ff ff 00 28 0d 18")] = [hex("07 01 00 30 00")]
        strap.answers[hex("08 01 00 30 00 03 28")] = [hex("09 07 02 00 10 03 00 37 2a 10 00 10 11 00 39 2a")]
        strap.answers[hex("08 11 00 30 00 03 28")] = [hex("01 08 11 00 0a")]
        strap.answers[hex("04 04 00 0f 00")] = [hex("05 01 04 00 01 29 05 00 02 29")]
        strap.answers[hex("04 06 00 0f 00")] = [hex("01 04 06 00 0a")]
        strap.answers[hex("12 05 00 01 00")] = [[0x13]]
        start()
        #expect(reports == [.subscribed])
    }

    /// After a strap has repeated two responses, a description counts only if a second read confirms it.
    @Test mutating func repeatingStrapIsReadTwiceAndEqualValuesAreKept() throws {
        for (request, answers) in strap.answers { strap.answers[request] = answers + answers }
        strap.answers[ScriptedStrap.subscription] = [[0x13]]
        start()
        #expect(reports == [.subscribed])
        hear(ScriptedStrap.notification)
        for type: UInt16 in [0x2A19, 0x2A38, 0x2A29, 0x2A24, 0x2A00] {
            #expect(strap.requests.count { $0 == ScriptedStrap.reading(type) } == 2)
        }
        #expect(strap.requests.count { $0 == ScriptedStrap.reading(0x2A25) } == 1, "what is refused is not")
        #expect(reports.contains(try battery))
        #expect(information?.manufacturer?.text == "Polar Electro Oy")
        #expect(information?.name?.text == "Polar H10 9AD13824")
        #expect(losses.isEmpty)
    }

    @Test mutating func unequalValuesOfARepeatingStrapAreDropped() {
        for (request, answers) in strap.answers { strap.answers[request] = answers + answers }
        strap.answers[ScriptedStrap.subscription] = [[0x13]]
        start()
        changing = ScriptedStrap.reading(0x2A29)
        hear(ScriptedStrap.notification)
        #expect(information?.manufacturer == nil)
        #expect(information?.model?.text == "H10")
    }
}
