import Domain
import Sensors
import TestKit
import Testing

/// Devices with other services than heart rate, or with several.
struct SeveralServicesTests {
    private var clock = ManualClock()
    private var reports: [SensorSession.Report] = []
    private var causes: [DisconnectCause] = []
    private var found: [Set<SensorKind>] = []

    private mutating func converse(
        _ session: inout SensorSession, with sensor: inout ScriptedSensor, _ actions: [SensorSession.Action]
    ) {
        var waiting = actions[...]
        while true {
            // A request may wait for the repetition of a response.
            if waiting.isEmpty, let deadline = session.deadline, deadline <= clock.now + GattClient.repetitionWait {
                clock.now = max(clock.now, deadline)
                waiting += session.tick(at: clock.now)
            }
            guard let action = waiting.popFirst() else { return }
            switch action {
            case .send(let bytes): waiting += session.received(sensor.answer(to: bytes).span, at: clock.now)
            case .report(.found(let kinds)): found.append(kinds)
            case .report(let report): reports.append(report)
            case .close(let cause): causes.append(cause)
            }
        }
    }

    private static let others = SensorKind.ofBluetooth.filter { $0 != .heartRate }

    @Test mutating func eachServiceOfATrainerIsReadOnce() {
        var sensor = ScriptedSensor([.cyclingPower, .cyclingSpeedCadence, .fitnessMachine])
        var session = SensorSession(Self.others)
        converse(&session, with: &sensor, session.start(at: clock.now))
        #expect(reports.first == .subscribed)
        #expect(causes.isEmpty)
        // 1 of power, 1 of speed and cadence, 4 of machines.
        #expect(sensor.subscribed.count == 6)
        #expect(found == [[.cyclingSpeedCadence], [.cyclingPower], [.fitnessMachine]])
        let power = sensor.notification(hex("00 00 C8 00"), of: .cyclingPowerMeasurement)
        let speed = sensor.notification(hex("02 0A 00 00 04"), of: .cyclingSpeedCadenceMeasurement)
        for bytes in [power, speed] {
            converse(&session, with: &sensor, bytes.map { session.received($0.span, at: clock.now) } ?? [])
        }
        let kinds = reports.compactMap { if case .measured(let measurement) = $0 { measurement.kind } else { nil } }
        #expect(kinds == [.cyclingPower, .cyclingSpeedCadence])
        #expect(reports.contains(.measured(.power(CyclingPowerMeasurement(watts: 200)))))
    }

    private static func meter(_ characteristics: [AttributeUUID]) -> ScriptedSensor {
        ScriptedSensor([(.cyclingPowerService, [.cyclingPowerMeasurement] + characteristics)])
    }

    @Test mutating func theZeroOffsetOfAPowerMeterIsSetTwice() {
        var sensor = Self.meter([.cyclingPowerControlPoint])
        sensor.readable[.cyclingPowerFeature] = hex("00 02 01 00")
        var session = SensorSession(Self.others)
        converse(&session, with: &sensor, session.start(at: clock.now))
        for (count, response, offset) in [(1, "20 0C 01 40 00", 2.0), (2, "20 0C 01 E0 FF", -1.0)] {
            clock.now += .seconds(60)
            converse(&session, with: &sensor, session.compensateOffset(at: clock.now))
            #expect(sensor.written == Array(repeating: [0x0C], count: count))
            let before = reports.count
            let indication = sensor.indication(hex(response), of: .cyclingPowerControlPoint) ?? []
            let actions = session.received(indication.span, at: clock.now)
            #expect(actions.first == .send([0x1E]), "an indication is confirmed")
            converse(&session, with: &sensor, Array(actions.dropFirst()))
            let zero = ZeroOffset(offset, isTorque: true)
            #expect(Array(reports[before...]) == [.compensated(.compensated(zero))])
        }
        let power = sensor.notification(hex("00 00 C8 00"), of: .cyclingPowerMeasurement) ?? []
        converse(&session, with: &sensor, session.received(power.span, at: clock.now))
        #expect(reports.last == .measured(.power(CyclingPowerMeasurement(watts: 200))))
        #expect(causes.isEmpty)
    }

    @Test mutating func aMeterWithoutAControlPointHasNoZeroOffset() {
        var sensor = Self.meter([])
        var session = SensorSession(Self.others)
        converse(&session, with: &sensor, session.start(at: clock.now))
        converse(&session, with: &sensor, session.compensateOffset(at: clock.now))
        #expect(reports.last == .compensated(.notSupported))
        #expect(sensor.written.isEmpty)
        #expect(causes.isEmpty)
    }

    @Test mutating func theBatteryIsReadAlthoughTheSensorStandsStill() {
        var sensor = ScriptedSensor([.cyclingSpeedCadence])
        var session = SensorSession(Self.others)
        converse(&session, with: &sensor, session.start(at: clock.now))
        #expect(sensor.requests.contains(ScriptedStrap.reading(0x2A19)))
        #expect(session.deadline.map { $0 > clock.now && $0 <= clock.now + SensorSession.batteryInterval } ?? false)
    }

    @Test mutating func aStrapWithAFootPodSubscribesToItAfterTheFirstBeat() {
        var sensor = ScriptedSensor([.heartRate, .runningSpeedCadence])
        var session = SensorSession([.heartRate, .runningSpeedCadence])
        converse(&session, with: &sensor, session.start(at: clock.now))
        #expect(sensor.subscribed.count == 1)
        let beat = sensor.notification(hex("16 43 72 03"), of: .heartRateMeasurement) ?? []
        converse(&session, with: &sensor, session.received(beat.span, at: clock.now))
        #expect(sensor.subscribed.count == 2)
        #expect(sensor.requests.contains(ScriptedStrap.reading(0x2A19)))
    }

    @Test mutating func aDeviceWithoutAnyServiceIsUnsupported() {
        var sensor = ScriptedSensor([(AttributeUUID(0x180A), [AttributeUUID(0x2A29)])])
        var session = SensorSession(Self.others)
        converse(&session, with: &sensor, session.start(at: clock.now))
        #expect(causes == [.unsupported])
        #expect(reports.isEmpty)
    }

    @Test mutating func aMachineThatSplitsItsRecordIsMerged() {
        var sensor = ScriptedSensor([.fitnessMachine])
        var session = SensorSession(Self.others)
        converse(&session, with: &sensor, session.start(at: clock.now))
        // Speed 36.00 km/h; then, with More Data set, power 250 W and no speed.
        for value in ["00 00 10 0E", "41 00 FA 00"] {
            let bytes = sensor.notification(hex(value), of: FitnessMachine.indoorBike.data) ?? []
            converse(&session, with: &sensor, session.received(bytes.span, at: clock.now))
        }
        guard case .measured(.fitnessMachine(let record))? = reports.last else {
            Issue.record("no record: \(reports)")
            return
        }
        #expect(record.rawSpeed == 3600)
        #expect(record.watts == 250)
    }
}
