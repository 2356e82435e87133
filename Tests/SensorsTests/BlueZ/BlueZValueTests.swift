import Domain
import Sensors
import TestKit
import Testing

struct BlueZValueTests {
    private static func path(_ index: Int) -> String {
        let hex = String(index, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 4 - hex.count) + hex
        return BlueZFixture.hci0 + "/dev_A0_9E_1A_00_\(padded.prefix(2))_\(padded.suffix(2))"
    }

    @Test func objectLimitKeepsConnectedDevices() {
        var objects = BlueZObjects()
        objects.apply(BlueZFixture.device(Self.path(0), ["Connected": .flag(true)]), isNew: true)
        for index in 1...6000 {
            objects.apply(BlueZFixture.device(Self.path(index)), isNew: true)
            objects.apply(BlueZFixture.characteristic(Self.path(index) + "/service1/char1", "2a19"), isNew: true)
        }
        #expect(objects.device(at: Self.path(0)) != nil)
        #expect(objects.device(at: Self.path(1)) == nil, "the least recently reported device is forgotten")
        #expect(objects.device(at: Self.path(6000)) != nil)
        #expect(objects.count <= BlueZObjects.limit)
    }

    @Test func propertiesOfTheWrongTypeCountAsAbsent() {
        var objects = BlueZObjects()
        objects.apply(
            BlueZInterfaceUpdate(
                BlueZFixture.device, .device,
                [
                    "Address": .number(1), "AddressType": .flag(true), "Name": .bytes([1]), "Connected": .text("yes"),
                    "RSSI": .text("-60"), "UUIDs": .text("180d"), "Paired": .number(1),
                ]), isNew: true)
        let device = objects.device(at: BlueZFixture.device)
        #expect(device?.address == nil)
        #expect(device?.scanResult == nil)
        #expect(device?.isConnected == false)
        #expect(device?.isPaired == false)
    }

    @Test func signalOutOfRangeIsNil() {
        var objects = BlueZObjects()
        objects.apply(BlueZFixture.device(BlueZFixture.device, ["RSSI": .number(-500)]), isNew: true)
        #expect(objects.device(at: BlueZFixture.device)?.scanResult?.rssi == nil)
    }

    @Test func heartRateServiceIsKeptBeyondTheServiceLimit() {
        var objects = BlueZObjects(preferring: .heartRateService)
        let others = (0..<40).map { "0000180\(String($0 % 10))-0000-1000-8000-00805f9b34\(10 + $0)" }
        let services = others + ["0000180D-0000-1000-8000-00805F9B34FB", "nonsense"]
        objects.apply(BlueZFixture.device(BlueZFixture.device, ["UUIDs": .texts(services)]), isNew: true)
        let result = objects.device(at: BlueZFixture.device)?.scanResult
        #expect(result?.advertisesHeartRate == true)
        #expect(result?.services.count == ScanResult.serviceLimit)
    }

    @Test func changesOfUnknownObjectsAreIgnored() {
        var objects = BlueZObjects()
        objects.apply(BlueZInterfaceUpdate(BlueZFixture.device, .device, ["Connected": .flag(true)]), isNew: false)
        objects.apply(BlueZInterfaceUpdate(BlueZFixture.hci0, .adapter, ["Powered": .flag(true)]), isNew: false)
        objects.apply(BlueZInterfaceUpdate(BlueZFixture.device, .battery, ["Percentage": .number(5)]), isNew: true)
        #expect(objects.count == 0)
    }

    // MARK: Failures

    @Test func twoUnresolvedConnectionsInARowRemoveTheDevice() {
        var failurePolicy = ConnectionFailurePolicy()
        let now = ManualClock().now
        #expect(failurePolicy.lost(.attTimeout, of: BlueZFixture.strap, wasConnected: false, at: now) == nil)
        #expect(failurePolicy.lost(.unsupported, of: BlueZFixture.strap, wasConnected: false, at: now) == .removeDevice)
        #expect(failurePolicy.lost(.attTimeout, of: BlueZFixture.strap, wasConnected: false, at: now) == nil)
        failurePolicy.connected()
        #expect(failurePolicy.lost(.attTimeout, of: BlueZFixture.strap, wasConnected: false, at: now) == nil)
        #expect(failurePolicy.lost(.attTimeout, of: BlueZFixture.strap, wasConnected: true, at: now) == nil)
    }

    @Test func tenFailuresInARowPowerCycleTheAdapter() {
        var failurePolicy = ConnectionFailurePolicy()
        let now = ManualClock().now
        for count in 1...9 {
            #expect(failurePolicy.lost(.unreachable, of: BlueZFixture.strap, wasConnected: false, at: now) == nil)
            #expect(failurePolicy.isCautious == (count >= 2))
        }
        #expect(failurePolicy.lost(.unreachable, of: BlueZFixture.strap, wasConnected: false, at: now) == .powerCycle)
    }

    @Test func threeCutStreamsWithinTenMinutesCountAsFading() {
        var failurePolicy = ConnectionFailurePolicy()
        var clock = ManualClock()
        for _ in 1...3 {
            #expect(!failurePolicy.isFading(at: clock.now))
            _ = failurePolicy.lost(
                .supervisionTimeout, of: BlueZFixture.strap, wasConnected: true, at: clock.advance(by: .seconds(299)))
        }
        #expect(failurePolicy.isFading(at: clock.now))
        #expect(failurePolicy.deadline(at: clock.now) == clock.now + .seconds(600))
        #expect(!failurePolicy.isFading(at: clock.advance(by: .seconds(600))))
        for _ in 1...3 {
            _ = failurePolicy.lost(
                .supervisionTimeout, of: BlueZFixture.strap, wasConnected: true, at: clock.advance(by: .seconds(301)))
        }
        #expect(!failurePolicy.isFading(at: clock.now), "too seldom")
    }

    @Test func failuresOfOneStrapDoNotCountForAnother() {
        var failurePolicy = ConnectionFailurePolicy()
        let now = ManualClock().now
        let other = LEAddress(BluetoothAddress(value: 1), .random)
        for _ in 1...3 {
            _ = failurePolicy.lost(.supervisionTimeout, of: BlueZFixture.strap, wasConnected: true, at: now)
        }
        _ = failurePolicy.lost(.supervisionTimeout, of: other, wasConnected: true, at: now)
        #expect(!failurePolicy.isFading(at: now))
    }

    // MARK: Agent

    @Test(arguments: [
        ("RequestAuthorization", BlueZAgent.Answer.agreed), ("RequestConfirmation", .agreed),
        ("RequestPinCode", .rejected), ("RequestPasskey", .rejected), ("DisplayPasskey", .rejected),
        ("AuthorizeService", .rejected), ("Cancel", .agreed), ("Release", .agreed), ("Nonsense", .unknown),
    ])
    func agentAuthorizesOnlyThePairingOfItsStrap(member: String, answer: BlueZAgent.Answer) {
        let agent = BlueZAgent(device: BlueZFixture.device)
        #expect(agent.respond(member, device: BlueZFixture.device) == answer)
    }

    @Test(arguments: ["RequestAuthorization", "RequestConfirmation"], [BlueZFixture.device + "0", "/", nil])
    func agentRejectsOtherDevices(member: String, device: String?) {
        #expect(BlueZAgent(device: BlueZFixture.device).respond(member, device: device) == .rejected)
    }

    @Test(arguments: ["0000180d-0000-1000-8000-00805f9b34fb", "00000000-0000-0000-0000-000000000001"])
    func aUUIDIsPrintedAsBluetoothdPrintsIt(text: String) throws {
        var objects = BlueZObjects()
        objects.apply(BlueZFixture.device(BlueZFixture.device, ["UUIDs": .texts([text])]), isNew: true)
        #expect(objects.device(at: BlueZFixture.device)?.scanResult?.services.map(\.text) == [text])
    }
}
