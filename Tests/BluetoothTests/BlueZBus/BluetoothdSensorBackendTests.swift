import Bluetooth
import Domain
import Linux
import Sensors
import TestKit
import Testing

/// The bluetoothd backend without errors.
@Suite(.serialized)
struct BluetoothdSensorBackendTests {
    @Test func configuredStrapConnectsAndStreams() throws {
        let bench = try BluetoothdFixture()
        try bench.start()
        #expect(try bench.run { !$0.information.isEmpty && $0.hearts.count > 2 })
        #expect(bench.hearts.allSatisfy { $0.beatsPerMinute == 67 }, "\(bench.hearts)")
        #expect(bench.links.last?.state == .connected)
        #expect(bench.links.last?.name?.text == "Polar H10 9AD13824")
        let way = BluetoothStatus(backend: .bluetoothd, adapter: BluetoothdFixture.adapter)
        #expect(bench.inputs.contains { $0.value == .bluetooth(way) })
        #expect(bench.inputs.contains { $0.value == .battery(percent: 87) })
        #expect(bench.information.first?.model?.text == "H10")
        #expect(bench.remembered.last?.first?.address == BluetoothdFixture.strap)
        #expect(bench.bluez.count(of: "StartNotify") == 1)
        #expect(bench.bluez.count(of: "AcquireNotify") == 0)
        #expect(try bench.run(for: .seconds(2)) { !$0.bluez.isDiscovering }, "\(bench.members)")
    }

    @Test func lostLinkIsReconnected() throws {
        let bench = try BluetoothdFixture()
        try bench.start()
        for count in 1...3 {
            let heard = bench.hearts.count
            #expect(try bench.run { $0.hearts.count > heard + 1 && $0.links.last?.state == .connected }, "\(count)")
            bench.bluez.drop()
            #expect(try bench.run { $0.links.last?.state != .connected })
        }
        #expect(try bench.run { $0.links.last?.state == .connected })
    }

    @Test func restartedBluetoothdIsUsedAgain() throws {
        let bench = try BluetoothdFixture()
        try bench.start()
        #expect(try bench.run { $0.links.last?.state == .connected })
        bench.bluez.stop()
        #expect(try bench.run { $0.links.last?.reason == .noBluetooth })
        try bench.bluez.start()
        #expect(try bench.run { $0.links.last?.state == .connected }, "\(bench.members)")
    }

    @Test func releasedBackendDisconnectsTheStrap() throws {
        let bench = try BluetoothdFixture()
        try bench.start()
        #expect(try bench.run { $0.links.last?.state == .connected })
        bench.release()
        #expect(try bench.run(for: .seconds(2)) { !$0.bluez.straps[0].isConnected })
    }

    @Test func scanReportsAdvertisingStraps() throws {
        var second = FakeBlueZStrap()
        second.address = "F6:49:0D:00:00:02"
        second.addressType = "random"
        second.name = "H9"
        second.advertisesService = false
        let bench = try BluetoothdFixture([FakeBlueZStrap(), second])
        try bench.start(ours: ["F6:49:0D:00:00:02"])
        #expect(
            try bench.run { $0.links.last?.state == .connected },
            "one that advertises nothing is found by a search for all")
        bench.bluez.drop(1)
        bench.bluez.change(strap: 1) { $0.isAdvertising = false }
        #expect(try bench.run { $0.links.last?.state == .disconnected })
        #expect(bench.scan(for: .seconds(3)) == nil)
        #expect(bench.scan(for: .seconds(3)) == .busy)
        #expect(try bench.run { $0.scanned != nil })
        #expect(bench.scanned?.contains { $0.address == BluetoothdFixture.strap && $0.rssi == -61 } == true)
    }

    @Test func strapThatNeedsPairingIsPairedAndStreams() throws {
        var strap = FakeBlueZStrap()
        strap.needsPairing = true
        let bench = try BluetoothdFixture([strap])
        try bench.start()
        #expect(try bench.run { $0.links.last?.reason == .needsPairing })
        #expect(bench.pair("9AD13824") == nil)
        #expect(bench.pair("9AD13824") == .busy)
        #expect(try bench.run { $0.paired != nil })
        #expect(bench.paired == .paired)
        #expect(try bench.run { $0.links.last?.state == .connected }, "\(bench.links)")
        #expect(try bench.run(for: .seconds(2)) { !$0.bluez.hasAgent })
        #expect(bench.bluez.defaultAgents.isEmpty)
    }
}
