import Domain
import Glibc
import Linux
import TestKit
import Testing

/// Tests of the fake bluetoothd that the strap's tests use.
@Suite struct FakeBlueZTests {
    /// A client written from BlueZ's documentation, without our own client code.
    private final class Client {
        let stage: BusFixture
        let bluez: FakeBlueZ
        let bus: Bus
        var signals: [BusMessage] = []
        var match: BusSlot?

        init() throws {
            stage = try BusFixture()
            bluez = try FakeBlueZ(at: stage.daemon.address, loop: stage.loop)
            bus = try stage.connect()
            match = try bus.match("type='signal',sender='org.bluez'") { [unowned self] in signals.append($0) }
            try stage.turn { (try? call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects").get()) != nil }
        }

        func call(
            _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
        ) throws -> Result<[BusValue], BusError> {
            var answer: Result<[BusValue], BusError>?
            let slot = bus.call("org.bluez", path, interface, member, arguments, timeout: .seconds(10)) { answer = $0 }
            try stage.turn { answer != nil }
            return try withExtendedLifetime(slot) { try #require(answer) }
        }

        func adapter(_ member: String, _ arguments: [BusValue] = []) throws -> Result<[BusValue], BusError> {
            try call(FakeBlueZ.adapter, "org.bluez.Adapter1", member, arguments)
        }

        func device(_ member: String) throws -> Result<[BusValue], BusError> {
            try call(bluez.straps[0].path, "org.bluez.Device1", member)
        }

        func heartRate(_ member: String) throws -> Result<[BusValue], BusError> {
            try call(
                bluez.straps[0].heartRate, "org.bluez.GattCharacteristic1", member,
                member.hasPrefix("A") ? [.properties([:])] : [])
        }

        /// Returns the last change of a property.
        func changed(_ name: String) -> BusValue? {
            signals.last { $0.member == "PropertiesChanged" && $0.arguments[1][name] != nil }?.arguments[1][name]
        }

        func connect() throws {
            _ = try adapter("StartDiscovery").get()
            try stage.turn { signals.contains { $0.member == "InterfacesAdded" && $0.path == "/" } }
            _ = try device("Connect").get()
            try stage.turn { changed("ServicesResolved")?.bool == true }
        }
    }

    @Test func fakeStrapIsFoundConnectedAndSendsValues() throws {
        let client = try Client()
        try client.connect()
        #expect(client.changed("Connected")?.bool == true)
        let answer = try client.heartRate("AcquireNotify").get()
        let taken = answer[0].descriptor?.release()?.release()
        let socket = FileDescriptor(owning: try #require(taken))
        var bytes = [UInt8](repeating: 0, count: 64)
        var count: Int?
        try client.stage.turn {
            count = bytes.withUnsafeMutableBytes { try? socket.read(into: $0) }
            return count != nil
        }
        #expect(Array(bytes[..<(count ?? 0)]) == [0x16, 67, 0x72, 0x03])
        #expect(
            try client.heartRate("StartNotify") == .failure(BusError("org.bluez.Error.NotPermitted", "Notify acquired"))
        )
        client.bluez.drop()
        try client.stage.turn { client.changed("Connected")?.bool == false }
        try client.stage.turn { bytes.withUnsafeMutableBytes { try? socket.read(into: $0) } == 0 }
    }

    @Test func fakeStrapSendsAValueAsASignal() throws {
        let client = try Client()
        try client.connect()
        _ = try client.heartRate("StartNotify").get()
        try client.stage.turn { client.changed("Value")?.bytes == [0x16, 67, 0x72, 0x03] }
    }

    @Test func fakeAnswersCallsAsScripted() throws {
        let client = try Client()
        let aborted = BusError("org.bluez.Error.Failed", "le-connection-abort-by-local")
        client.bluez.script["StartDiscovery"] = [.fails(aborted), .values([.byte(1)]), .late(.milliseconds(50))]
        #expect(try client.adapter("StartDiscovery") == .failure(aborted))
        #expect(try client.adapter("StartDiscovery") == .success([.byte(1)]))
        #expect(!client.bluez.isDiscovering)
        #expect(try client.adapter("StartDiscovery") == .success([]))
        #expect(client.bluez.isDiscovering)
        #expect(
            try client.adapter("StartDiscovery")
                == .failure(BusError("org.bluez.Error.InProgress", "Operation already in progress")))
        #expect(client.bluez.count(of: "StartDiscovery") == 4)
    }

    @Test func fakeReleasesADiscoveryWithItsPeer() throws {
        let client = try Client()
        try client.connect()
        var other: Bus? = try client.stage.connect()
        var isAnswered = false
        let call = other?.call(
            "org.bluez", FakeBlueZ.adapter, "org.bluez.Adapter1", "StartDiscovery", timeout: .seconds(10)
        ) { _ in isAnswered = true }
        try client.stage.turn { isAnswered }
        _ = try client.adapter("StopDiscovery").get()
        #expect(client.bluez.isDiscovering)
        other = nil
        try client.stage.turn { !client.bluez.isDiscovering }
        withExtendedLifetime((call, other)) {}
    }
}
