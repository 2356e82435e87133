import Domain
import Sensors
import TestKit
import Testing

struct BlueZAdapterSessionTests {
    private let hci0 = BlueZFixture.hci0
    private let busy = BlueZError("org.bluez.Error.InProgress")
    private let silence = BlueZError("org.freedesktop.DBus.Error.NoReply")

    private func readyStage(_ choice: AdapterChoice = .any) -> BlueZFixture {
        var stage = BlueZFixture(choice)
        stage.come()
        return stage
    }

    @Test func adapterIsUnknownUntilObjectsAreListed() {
        var stage = BlueZFixture()
        #expect(stage.session.obstacle == nil)
        stage.session.serviceStopped()
        #expect(stage.session.obstacle == .noBluetooth)
        stage.carryOut(stage.session.serviceStarted(at: stage.clock.now))
        #expect(stage.asked == .getObjects)
        #expect(stage.session.obstacle == .noBluetooth, "it is not better yet")
        stage.list([BlueZFixture.adapter()])
        #expect(stage.session.obstacle == nil)
        #expect(stage.session.isReady)
        #expect(stage.session.adapter?.address == BlueZFixture.address)
        #expect(stage.session.deadline == nil, "nothing to do, nothing to wake for")
    }

    @Test func poweredOffAdapterIsPoweredOn() {
        var stage = BlueZFixture()
        stage.come([BlueZFixture.adapter(isOn: false)])
        #expect(stage.session.obstacle == .adapterOff)
        #expect(stage.asked == .setPowered(adapter: hci0, true))
        stage.answer()
        #expect(stage.session.isReady)
    }

    @Test func blockedAdapterIsReportedAndRetried() {
        var stage = BlueZFixture()
        stage.come([BlueZFixture.adapter(isOn: false)])
        stage.answer(BlueZError("org.bluez.Error.Blocked", "Blocked through rfkill"))
        #expect(stage.session.obstacle == .adapterBlocked)
        #expect(stage.asked == nil)
        stage.pass(.seconds(4.9))
        #expect(stage.calls.count == 2)
        stage.pass(.seconds(0.2))
        #expect(stage.session.isReady)
    }

    @Test func adapterIsReadyAsSoonAsItIsPowered() {
        var stage = BlueZFixture()
        stage.come([BlueZFixture.adapter(isOn: false)])
        stage.search()
        stage.answer(BlueZError("org.bluez.Error.Busy"))
        #expect(stage.asked == nil)
        stage.tell(BlueZInterfaceUpdate(hci0, .adapter, ["Powered": .flag(true)]))
        #expect(stage.asked == .setFilter(adapter: hci0, .heartRateService), "without waiting for the rest to end")
    }

    @Test func sessionIsQuietAfterAPendingDiscoveryEnds() {
        var stage = readyStage()
        #expect(stage.session.isQuiet)
        stage.search()
        stage.answer()
        #expect(stage.asked == .startDiscovery(adapter: hci0))
        stage.search(false)
        #expect(!stage.session.isQuiet, "it will search once it has answered")
        stage.answer()
        #expect(stage.asked == .stopDiscovery(adapter: hci0))
        #expect(!stage.session.isQuiet)
        stage.answer()
        #expect(stage.session.isQuiet)
    }

    @Test func adapterPoweredOffByOthersIsPoweredOnAfterADelay() {
        var stage = readyStage()
        stage.tell(BlueZInterfaceUpdate(hci0, .adapter, ["Powered": .flag(false)]))
        #expect(stage.session.obstacle == .adapterOff)
        #expect(stage.asked == nil)
        stage.pass(BlueZAdapterSession.politeness)
        #expect(stage.calls.last == .setPowered(adapter: hci0, true))
        #expect(stage.session.isReady)
    }

    @Test func accessDeniedIsReportedUntilTheBusAllowsAccess() {
        var stage = BlueZFixture()
        stage.carryOut(stage.session.serviceStarted(at: stage.clock.now))
        stage.answer(BlueZError("org.freedesktop.DBus.Error.AccessDenied"))
        #expect(stage.session.obstacle == .noPermission)
        stage.pass(BlueZAdapterSession.blockedRetryDelay, answering: false)
        #expect(stage.asked == .getObjects)
        #expect(stage.session.obstacle == .noPermission, "asking again is no change")
        stage.list([BlueZFixture.adapter()])
        #expect(stage.session.isReady)
    }

    @Test(arguments: [
        (AdapterChoice.any, "/org/bluez/hci1"), (.index(0), "/org/bluez/hci0"),
        (.address(BluetoothAddress(value: 0x00AA_0100_0001)), "/org/bluez/hci1"),
    ])
    func chosenOrPoweredAdapterIsUsed(choice: AdapterChoice, path: String) {
        var stage = BlueZFixture(choice)
        stage.come([
            BlueZFixture.adapter(isOn: false), BlueZFixture.adapter("/org/bluez/hci1", "00:AA:01:00:00:01", isOn: true),
        ])
        #expect(stage.session.adapter?.path == path)
    }

    @Test func onlyTheChosenAdapterIsUsed() {
        var stage = BlueZFixture(.address(BluetoothAddress(value: 1)))
        stage.come()
        #expect(stage.session.obstacle == .noAdapter)
        #expect(stage.asked == nil)
        stage.tell(BlueZFixture.adapter("/org/bluez/hci7", "00:00:00:00:00:01"), isNew: true)
        #expect(stage.session.isReady)
    }

    @Test func removedAdapterIsReplaced() {
        var stage = BlueZFixture()
        stage.come([BlueZFixture.adapter(), BlueZFixture.adapter("/org/bluez/hci1", "00:AA:01:00:00:01")])
        stage.carryOut(stage.session.removed(.adapter, of: hci0, at: stage.clock.now))
        #expect(stage.session.adapter?.path == "/org/bluez/hci1")
    }

    @Test func discoveryAlternatesBetweenHeartRateAndAllDevices() {
        var stage = readyStage()
        stage.search()
        stage.settle()
        stage.pass(.seconds(30))
        let filters: [AttributeUUID?] = stage.calls.compactMap {
            if case .setFilter(_, let service) = $0 { .some(service) } else { nil }
        }
        #expect(filters.prefix(4) == [.heartRateService, nil, .heartRateService, nil])
        #expect(
            stage.calls.prefix(5) == [
                .getObjects, .setFilter(adapter: hci0, .heartRateService), .startDiscovery(adapter: hci0),
                .stopDiscovery(adapter: hci0), .setFilter(adapter: hci0, nil),
            ])
        stage.search(false)
        stage.settle()
        #expect(stage.calls.last == .stopDiscovery(adapter: hci0))
        #expect(stage.session.isQuiet)
        #expect(stage.session.deadline == nil)
    }

    @Test func discoveryStopsAfterTheFarewellDelay() {
        var stage = readyStage()
        stage.search()
        stage.settle()
        stage.carryOut(stage.session.stopDiscovery(at: stage.clock.now))
        #expect(stage.asked == nil)
        #expect(!stage.session.isQuiet)
        stage.pass(BlueZDiscovery.farewell)
        #expect(stage.calls.last == .stopDiscovery(adapter: hci0))
        #expect(stage.session.isQuiet)
    }

    @Test func stuckDiscoveryIsStoppedAndThenTheAdapterPowerCycled() {
        var stage = readyStage()
        stage.search()
        var refused = 0
        for _ in 0..<100 where refused < 3 {
            guard let call = stage.asked else {
                stage.pass(.seconds(5), answering: false)
                continue
            }
            switch call {
            case .startDiscovery:
                refused += 1
                stage.answer(busy)
            case .stopDiscovery: stage.answer(BlueZError("org.bluez.Error.Failed", "No discovery started"))
            default: stage.answer()
            }
        }
        #expect(stage.calls.filter { $0 == .stopDiscovery(adapter: hci0) }.count >= 2)
        #expect(stage.asked == .setPowered(adapter: hci0, false))
        stage.answer()
        #expect(stage.asked == .setPowered(adapter: hci0, true))
        stage.answer()
        #expect(stage.session.isReady)
        stage.carryOut(stage.session.powerCycle(at: stage.clock.now))
        #expect(stage.session.isReady, "at most once in five minutes")
        stage.pass(BlueZAdapterSession.powerCycleInterval)
        stage.settle()
        stage.carryOut(stage.session.powerCycle(at: stage.clock.now))
        #expect(stage.asked == .setPowered(adapter: hci0, false))
    }

    @Test func adapterInUseByOthersIsNotPowerCycled() {
        var stage = BlueZFixture()
        stage.come([BlueZFixture.adapter(), BlueZFixture.device(BlueZFixture.device, ["Connected": .flag(true)])])
        stage.carryOut(stage.session.powerCycle(at: stage.clock.now))
        #expect(stage.asked == nil)
    }

    @Test func onlyDevicesWithASignalAreReported() {
        var stage = BlueZFixture()
        stage.come([BlueZFixture.adapter(), BlueZFixture.device()])
        #expect(stage.found.isEmpty, "what is remembered of a device says nothing of now")
        stage.tell(BlueZInterfaceUpdate(BlueZFixture.device, .device, ["RSSI": .number(-61)]))
        #expect(stage.found.map(\.address) == [BlueZFixture.strap])
        #expect(stage.found.first?.rssi == -61)
        #expect(stage.found.first?.advertisesHeartRate == true)
        stage.tell(BlueZInterfaceUpdate(BlueZFixture.device, .device, [:], invalidated: ["RSSI"]))
        #expect(stage.found.count == 1)
        let foreign = "/org/bluez/hci1/dev_A0_9E_1A_00_00_01"
        stage.tell(BlueZFixture.device(foreign, ["RSSI": .number(-61)]), isNew: true)
        #expect(stage.found.count == 1, "another adapter's")
    }

    @Test func silentBluetoothdIsReconnectedWithBackoff() {
        var stage = BlueZFixture()
        stage.carryOut(stage.session.serviceStarted(at: stage.clock.now))
        var waits: [Duration] = []
        for count in 1...7 {
            stage.answer(silence)
            #expect(stage.session.obstacle == .noBluetooth)
            let since = stage.clock.now
            while stage.reconnections < count { stage.pass(.milliseconds(100), answering: false) }
            waits.append(stage.clock.now - since)
        }
        #expect(waits.map(\.inSeconds) == [0.5, 1, 2, 4, 5, 5, 5])
        stage.list([BlueZFixture.adapter()])
        #expect(stage.session.isReady)
        stage.search()
        stage.answer(silence)
        #expect(stage.session.obstacle == .noBluetooth, "all that it said is dropped")
        stage.pass(BlueZAdapterSession.rests[0], answering: false)
        #expect(stage.asked == .getObjects, "the rests begin anew")
    }

    @Test func bluetoothdThatHoldsADiscoveryIsNotHung() {
        var stage = readyStage()
        stage.search()
        stage.answer()
        #expect(stage.asked == .startDiscovery(adapter: hci0))
        stage.answer(silence)
        #expect(stage.asked == .ping)
        #expect(stage.session.isReady && !stage.session.isQuiet)
        stage.answer()
        #expect(stage.asked == .stopDiscovery(adapter: hci0), "it may yet have begun")
        stage.answer(silence)
        stage.answer()
        #expect(stage.session.isReady)
        stage.pass(BlueZDiscovery.stuckRetryDelay)
        #expect(stage.calls.suffix(1) == [.startDiscovery(adapter: hci0)])
    }

    @Test func bluetoothdThatFailsAPingIsReconnected() {
        var stage = readyStage()
        stage.search()
        stage.answer()
        stage.answer(silence)
        stage.answer(silence)
        #expect(stage.session.obstacle == .noBluetooth)
        stage.pass(BlueZAdapterSession.rests[0], answering: false)
        #expect(stage.reconnections == 1)
    }

    @Test func pairedDeviceIsNotRemoved() {
        var stage = BlueZFixture()
        stage.come([BlueZFixture.adapter(), BlueZFixture.device(BlueZFixture.device, ["Paired": .flag(true)])])
        if let device = stage.session.device(BlueZFixture.strap) {
            stage.carryOut(stage.session.remove(device, at: stage.clock.now))
        }
        #expect(stage.asked == nil)
        stage.tell(BlueZInterfaceUpdate(BlueZFixture.device, .device, ["Paired": .flag(false)]))
        if let device = stage.session.device(BlueZFixture.strap) {
            stage.carryOut(stage.session.remove(device, at: stage.clock.now))
        }
        #expect(stage.asked == .removeDevice(BlueZFixture.device, adapter: hci0))
    }
}
