import Domain
import Sensors
import TestKit

/// A session whose bluetoothd a test plays.
struct BlueZFixture {
    static let hci0 = "/org/bluez/hci0"
    static let address = BluetoothAddress(value: 0x001A_7DDA_7113)
    static let device = hci0 + "/dev_A0_9E_1A_00_00_01"
    static let strap = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    static let heartRate = device + "/service0013/char0014"

    var clock = ManualClock()
    var session: BlueZAdapterSession
    /// The call under way.
    var asked: BlueZMethodCall?
    var calls: [BlueZMethodCall] = []
    var found: [ScanResult] = []
    var reconnections = 0

    init(_ choice: AdapterChoice = .any) {
        session = BlueZAdapterSession(choice, service: .heartRateService)
    }

    static func adapter(_ path: String = hci0, _ address: String = "00:1A:7D:DA:71:13", isOn: Bool = true)
        -> BlueZInterfaceUpdate
    {
        BlueZInterfaceUpdate(path, .adapter, ["Address": .text(address), "Powered": .flag(isOn)])
    }

    static func device(_ path: String = device, _ changes: [String: BlueZValue] = [:]) -> BlueZInterfaceUpdate {
        let properties: [String: BlueZValue] = [
            "Address": .text("A0:9E:1A:00:00:01"), "AddressType": .text("public"), "Name": .text("Polar H10"),
            "UUIDs": .texts(["0000180d-0000-1000-8000-00805f9b34fb"]),
        ]
        return BlueZInterfaceUpdate(path, .device, properties.merging(changes) { $1 })
    }

    static func characteristic(_ path: String, _ short: String) -> BlueZInterfaceUpdate {
        BlueZInterfaceUpdate(
            path, .characteristic,
            ["UUID": .text("0000\(short)-0000-1000-8000-00805f9b34fb"), "Value": .bytes([0, 99])])
    }

    /// Starts bluetoothd and lists its objects.
    mutating func come(_ parts: [BlueZInterfaceUpdate] = [adapter()]) {
        carryOut(session.serviceStarted(at: clock.now))
        list(parts)
    }

    mutating func list(_ parts: [BlueZInterfaceUpdate]) {
        asked = nil
        carryOut(session.listed(parts, at: clock.now))
    }

    /// Answers the call under way.
    mutating func answer(_ error: BlueZError? = nil) {
        guard let call = asked else { return }
        asked = nil
        carryOut(session.answered(call, error, at: clock.now))
    }

    /// Answers all calls of this moment.
    mutating func settle() {
        for _ in 0..<10 where asked != nil { answer() }
    }

    mutating func tell(_ part: BlueZInterfaceUpdate, isNew: Bool = false) {
        carryOut(session.received(part, isNew: isNew, at: clock.now))
    }

    mutating func search(_ isWanted: Bool = true) {
        carryOut(session.search(isWanted, at: clock.now))
    }

    mutating func carryOut(_ actions: [BlueZAdapterSession.Action]) {
        for action in actions {
            switch action {
            case .call(let call):
                asked = call
                calls.append(call)
            case .found(let result): found.append(result)
            case .reconnect:
                reconnections += 1
                carryOut(session.serviceStarted(at: clock.now))
            }
        }
    }

    /// Advances the clock from deadline to deadline without answers.
    mutating func pass(_ duration: Duration, answering: Bool = true) {
        let end = clock.now + duration
        while let deadline = session.deadline, deadline <= end {
            clock.now = max(deadline, clock.now)
            carryOut(session.tick(at: clock.now))
            if answering { settle() }
        }
        clock.now = end
    }
}
