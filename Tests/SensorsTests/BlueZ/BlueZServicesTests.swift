import Domain
import Sensors
import TestKit
import Testing

/// A trainer with power, and speed and cadence, over bluetoothd.
struct BlueZServicesTests {
    private var clock = ManualClock()
    private var objects = BlueZObjects()
    private var connection: BlueZConnection
    private var calls: [BlueZMethodCall] = []
    private var values: [AttributeUUID] = []
    private var isSubscribed = false

    private static let power = BlueZFixture.device + "/service0010/char0011"
    private static let speed = BlueZFixture.device + "/service0020/char0021"

    init() {
        connection = BlueZConnection(
            device: BlueZFixture.device,
            subscribingTo: [
                .cyclingPowerMeasurement, .cyclingSpeedCadenceMeasurement, .runningSpeedCadenceMeasurement,
            ],
            reportsReasons: false, at: clock.now)
        objects.apply(BlueZFixture.adapter(), isNew: true)
        objects.apply(BlueZFixture.device(), isNew: true)
        perform(connection.begin(objects, at: clock.now))
        for (path, short) in [(Self.power, "2a63"), (Self.speed, "2a5b")] {
            objects.apply(BlueZFixture.characteristic(path, short), isNew: true)
        }
        objects.apply(
            BlueZInterfaceUpdate(
                BlueZFixture.device, .device, ["Connected": .flag(true), "ServicesResolved": .flag(true)]),
            isNew: false)
        perform(connection.advance(objects, at: clock.now))
        perform(connection.subscribe(objects, at: clock.now))
    }

    private mutating func perform(_ actions: [BlueZConnection.Action]) {
        for action in actions {
            switch action {
            case .call(let call): calls.append(call)
            case .subscribed: isSubscribed = true
            case .value(_, let type): values.append(type)
            default: break
            }
        }
    }

    private mutating func answer(_ path: String, _ error: BlueZError? = nil) {
        perform(connection.answered(.startNotify(characteristic: path), error, objects, at: clock.now))
    }

    private mutating func notify(_ path: String) {
        perform(connection.received([0, 0, 200, 0], from: path, objects, at: clock.now))
    }

    @Test mutating func eachCharacteristicThatTheDeviceHasIsSubscribedTo() {
        #expect(calls.last == .startNotify(characteristic: Self.power))
        answer(Self.power)
        #expect(isSubscribed)
        #expect(calls.last == .startNotify(characteristic: Self.speed))
        notify(Self.speed)
        #expect(values == [], "its notifications are not confirmed yet")
        answer(Self.speed)
        notify(Self.power)
        notify(Self.speed)
        #expect(values == [.cyclingPowerMeasurement, .cyclingSpeedCadenceMeasurement])
        #expect(calls.count(where: { if case .startNotify = $0 { true } else { false } }) == 2)
    }

    @Test mutating func aCharacteristicThatCannotBeSubscribedToIsLeftOut() {
        answer(Self.power)
        answer(Self.speed, BlueZError("org.bluez.Error.NotSupported", "Operation is not supported"))
        notify(Self.power)
        notify(Self.speed)
        #expect(values == [.cyclingPowerMeasurement])
        #expect(connection.isSubscribed)
    }

    @Test mutating func theSubscriptionsAreRepeatedTogether() {
        answer(Self.power)
        answer(Self.speed)
        calls = []
        perform(connection.resubscribe(at: clock.now))
        #expect(calls == [.stopNotify(characteristic: Self.power), .stopNotify(characteristic: Self.speed)])
        for path in [Self.power, Self.speed] {
            perform(connection.answered(.stopNotify(characteristic: path), nil, objects, at: clock.now))
        }
        #expect(
            calls.suffix(2) == [.startNotify(characteristic: Self.power), .startNotify(characteristic: Self.speed)])
    }
}
