import Domain
import Sensors
import TestKit

/// A connection whose bluetoothd a test plays.
struct BlueZConnectionFixture {
    static let battery = BlueZFixture.device + "/service001a/char001b"
    static let model = BlueZFixture.device + "/service001e/char0021"

    var clock = ManualClock()
    var objects = BlueZObjects()
    var connection: BlueZConnection
    var reader = BlueZSensorReader(device: BlueZFixture.device)
    var calls: [BlueZMethodCall] = []
    var reports: [SensorSession.Report] = []
    var losses: [DisconnectCause] = []
    var releases = 0
    var isConnected = false

    init(reportsReasons: Bool = false, isFresh: Bool = false) {
        connection = BlueZConnection(
            device: BlueZFixture.device, subscribingTo: [.heartRateMeasurement], reportsReasons: reportsReasons,
            isFresh: isFresh, at: clock.now)
        objects.apply(BlueZFixture.adapter(), isNew: true)
        objects.apply(BlueZFixture.device(), isNew: true)
    }

    mutating func begin() {
        carryOut(connection.begin(objects, at: clock.now))
    }

    /// Connects the strap and resolves its services.
    mutating func connect() {
        addServices()
        tell(["Connected": .flag(true), "ServicesResolved": .flag(true)])
    }

    mutating func beginSubscribing() {
        begin()
        connect()
        subscribe()
    }

    mutating func subscribe() {
        carryOut(connection.subscribe(objects, at: clock.now))
    }

    mutating func addServices() {
        for (path, short) in [(BlueZFixture.heartRate, "2a37"), (Self.battery, "2a19"), (Self.model, "2a24")] {
            tell(BlueZFixture.characteristic(path, short), isNew: true)
        }
    }

    mutating func tell(_ changes: [String: BlueZValue]) {
        tell(BlueZInterfaceUpdate(BlueZFixture.device, .device, changes))
    }

    mutating func tell(_ part: BlueZInterfaceUpdate, isNew: Bool = false) {
        objects.apply(part, isNew: isNew)
        carryOut(connection.advance(objects, at: clock.now))
        if connection.isSubscribed { carryOut(reader.changed(objects)) }
    }

    mutating func remove() {
        objects.remove(.device, of: BlueZFixture.device)
        carryOut(connection.advance(objects, at: clock.now))
    }

    mutating func answer(_ call: BlueZMethodCall, _ value: [UInt8] = []) {
        link(after: call, nil)
        carryOut(connection.answered(call, nil, objects, at: clock.now))
        carryOut(reader.answered(call, .success(value), objects, at: clock.now))
    }

    mutating func answer(_ call: BlueZMethodCall, _ error: BlueZError) {
        link(after: call, error)
        carryOut(connection.answered(call, error, objects, at: clock.now))
        carryOut(reader.answered(call, .failure(error), objects, at: clock.now))
    }

    private mutating func link(after call: BlueZMethodCall, _ error: BlueZError?) {
        guard let isLinked = BlueZConnection.isLinked(after: call, error) else { return }
        objects.apply(BlueZInterfaceUpdate(BlueZFixture.device, .device, ["Connected": .flag(isLinked)]), isNew: false)
    }

    /// Notifies a value by a property change.
    mutating func notify(_ value: [UInt8], from path: String = BlueZFixture.heartRate) {
        carryOut(connection.received(value, from: path, objects, at: clock.now))
    }

    /// Notifies a beat by a property change.
    mutating func notify(contact: Bool = true) {
        notify([contact ? 6 : 4, 61])
    }

    /// Notifies a beat over the descriptor.
    mutating func beat() {
        carryOut(connection.received([6, 61], from: nil, objects, at: clock.now))
    }

    mutating func carryOut(_ actions: [BlueZConnection.Action]) {
        for action in actions {
            switch action {
            case .call(let call): calls.append(call)
            case .release: releases += 1
            case .connected: isConnected = true
            case .subscribed: reports.append(.subscribed)
            case .value(let value, let type):
                let actions = reader.received(value, of: type, objects, at: clock.now)
                connection.expectsValues = reader.isInUse
                carryOut(actions)
            case .end(let loss): losses.append(loss)
            }
        }
    }

    mutating func carryOut(_ actions: [BlueZSensorReader.Action]) {
        for action in actions {
            switch action {
            case .call(let call): calls.append(call)
            case .report(let report): reports.append(report)
            }
        }
    }

    private var deadline: Instant? {
        [connection.deadline, connection.isSubscribed ? reader.deadline : nil].compactMap { $0 }.min()
    }

    /// Advances the clock from deadline to deadline.
    mutating func pass(_ duration: Duration) {
        let end = clock.now + duration
        for _ in 0..<1000 {
            guard let deadline, deadline <= end else { break }
            clock.now = max(deadline, clock.now)
            carryOut(connection.tick(objects, at: clock.now))
            if connection.isSubscribed { carryOut(reader.tick(objects, at: clock.now)) }
        }
        clock.now = end
    }

    var beats: [UInt16] {
        reports.compactMap { if case .measured(.heartRate(let value)) = $0 { value.beatsPerMinute } else { nil } }
    }

    static func level(_ percent: UInt8) -> BatteryLevel {
        // A level of at most 100 is always valid.
        (try? BatteryLevel([percent].span)) ?? { fatalError("\(percent) %") }()
    }
}
