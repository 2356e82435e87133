import Domain
import Sensors
import TestKit
import Testing

struct BlueZConnectionTests {
    private typealias Stage = BlueZConnectionFixture
    private static let device = BlueZFixture.device
    private static let start = BlueZMethodCall.startNotify(characteristic: BlueZFixture.heartRate)
    private static let abort = BlueZError("org.bluez.Error.Failed", "le-connection-abort-by-local")

    @Test func connectionSubscribesThenReadsBatteryAndModel() {
        var stage = Stage()
        stage.begin()
        #expect(stage.calls == [.connect(device: Self.device)])
        stage.tell(["Connected": .flag(true)])
        stage.answer(.connect(device: Self.device))
        #expect(!stage.isConnected)
        stage.tell(["ServicesResolved": .flag(true)])
        #expect(!stage.isConnected, "the objects are not there yet")
        stage.addServices()
        #expect(stage.isConnected)
        stage.subscribe()
        #expect(stage.calls.last == Self.start)
        stage.answer(Self.start)
        #expect(stage.reports == [.subscribed])
        stage.notify()
        #expect(stage.reports.count == 2)
        #expect(stage.calls.last == .read(characteristic: Stage.battery))
        stage.answer(.read(characteristic: Stage.battery), [87])
        #expect(stage.calls.last == .read(characteristic: Stage.model))
        stage.answer(.read(characteristic: Stage.model), Array("H10".utf8))
        #expect(stage.reports.count == 4)
        if case .described(let information) = stage.reports.last {
            #expect(information.model?.text == "H10")
            #expect(information.name?.text == "Polar H10")
        } else {
            Issue.record("\(stage.reports)")
        }
        let count = stage.calls.count
        stage.pass(.seconds(599))
        #expect(stage.calls.count == count)
        stage.pass(.seconds(1))
        #expect(stage.calls.last == .read(characteristic: Stage.battery), "the battery, every ten minutes")
    }

    @Test func connectFailureMeansNotFoundOnlyAfterALongAttempt() {
        var stage = Stage()
        stage.begin()
        stage.pass(.seconds(2))
        stage.answer(.connect(device: Self.device), Self.abort)
        #expect(stage.losses == [.unreachable])
        stage = Stage()
        stage.begin()
        stage.pass(.seconds(40))
        stage.answer(.connect(device: Self.device), Self.abort)
        #expect(stage.losses == [.notFound])
        #expect(stage.calls.last == .disconnect(device: Self.device), "it might still succeed")
        stage.answer(.disconnect(device: Self.device))
        #expect(stage.connection.isOver)
    }

    @Test func connectInProgressIsAwaited() {
        var stage = Stage()
        stage.begin()
        stage.answer(.connect(device: Self.device), BlueZError("org.bluez.Error.InProgress"))
        #expect(stage.losses.isEmpty)
        stage.connect()
        #expect(stage.isConnected)
    }

    @Test func answerToConnectCountsAsConnected() {
        var stage = Stage()
        stage.begin()
        stage.answer(.connect(device: Self.device))
        stage.addServices()
        stage.tell(["ServicesResolved": .flag(true)])
        #expect(stage.isConnected, "bluetoothd does not always report Connected=true")
        stage.tell(["Connected": .flag(false)])
        #expect(stage.losses == [.ended])
    }

    @Test func answeredConnectWithoutALinkTimesOut() {
        var stage = Stage()
        stage.begin()
        stage.answer(.connect(device: Self.device))
        stage.pass(BlueZConnection.resolutionLimit)
        #expect(stage.losses == [.attTimeout])
        stage.answer(.disconnect(device: Self.device), BlueZError("org.bluez.Error.NotConnected"))
        #expect(stage.connection.isOver)
        #expect(stage.objects.device(at: Self.device)?.isConnected == false, "nor does the next one find it connected")
    }

    @Test func staleConnectedPropertyDoesNotDelayConnect() {
        var stage = Stage()
        stage.tell(["Connected": .flag(true)])
        stage.begin()
        stage.answer(.disconnect(device: Self.device), BlueZError("org.bluez.Error.NotConnected"))
        #expect(stage.calls.last == .connect(device: Self.device))
    }

    @Test func removedDeviceIsUnreachable() {
        var stage = Stage()
        stage.begin()
        stage.remove()
        #expect(stage.losses == [.unreachable])
        #expect(stage.connection.isOver, "there is nothing to disconnect")
    }

    @Test(arguments: [(false, DisconnectCause.attTimeout), (true, .unsupported)])
    func unresolvedServicesTimeOutAfter20Seconds(isResolved: Bool, loss: DisconnectCause) {
        var stage = Stage()
        stage.begin()
        stage.tell(["Connected": .flag(true), "ServicesResolved": .flag(isResolved)])
        stage.pass(.milliseconds(19_900))
        #expect(stage.losses.isEmpty)
        stage.pass(.milliseconds(100))
        #expect(stage.losses == [loss])
        #expect(stage.calls.last == .disconnect(device: Self.device))
        #expect(!stage.connection.isOver)
        stage.tell(["Connected": .flag(false)])
        #expect(stage.connection.isOver)
    }

    @Test func existingResolvedLinkIsUsed() {
        var stage = Stage()
        stage.addServices()
        stage.tell(["Connected": .flag(true), "ServicesResolved": .flag(true)])
        stage.begin()
        #expect(stage.isConnected)
        #expect(stage.calls.isEmpty)
    }

    @Test func existingUnresolvedLinkIsClosedFirst() {
        var stage = Stage()
        stage.tell(["Connected": .flag(true)])
        stage.begin()
        #expect(stage.calls == [.disconnect(device: Self.device)])
        stage.tell(["Connected": .flag(false)])
        #expect(stage.calls.last == .connect(device: Self.device))
        stage.connect()
        #expect(stage.isConnected)
    }

    @Test func existingLinkAfterPairingIsAwaited() {
        var stage = Stage(isFresh: true)
        stage.tell(["Connected": .flag(true)])
        stage.begin()
        #expect(stage.calls.isEmpty)
        stage.connect()
        #expect(stage.isConnected)
    }

    @Test func readInProgressIsRetriedTenTimes() {
        var stage = Stage()
        stage.beginSubscribing()
        stage.answer(Self.start)
        stage.notify()
        let read = BlueZMethodCall.read(characteristic: Stage.battery)
        for _ in 0..<11 {
            #expect(stage.calls.last == read)
            stage.answer(read, BlueZError("org.bluez.Error.InProgress"))
            stage.pass(.milliseconds(10))
        }
        #expect(stage.calls.filter { $0 == read }.count == 11)
        #expect(stage.calls.last == .read(characteristic: Stage.model), "then it is done without")
    }

    @Test func batteryPropertyOfBluetoothdReplacesTheRead() {
        var stage = Stage()
        stage.beginSubscribing()
        stage.tell(BlueZInterfaceUpdate(Self.device, .battery, ["Percentage": .number(55)]), isNew: true)
        stage.answer(Self.start)
        stage.notify()
        #expect(stage.reports.contains(.battery(BlueZConnectionFixture.level(55))))
        #expect(stage.calls.last == .read(characteristic: Stage.model))
        stage.tell(BlueZInterfaceUpdate(Self.device, .battery, ["Percentage": .number(54)]))
        #expect(stage.reports.contains(.battery(BlueZConnectionFixture.level(54))))
    }

    @Test func moreThan20NotificationsASecondAreAFlood() {
        var stage = Stage()
        stage.beginSubscribing()
        stage.answer(Self.start)
        for _ in 0..<30 { stage.notify() }
        #expect(stage.losses == [.flooded])
        #expect(stage.beats.count == 20)
    }

    // MARK: The end

    private func streaming(contact: Bool = true, reportsReasons: Bool = false) -> Stage {
        var stage = Stage(reportsReasons: reportsReasons)
        stage.beginSubscribing()
        stage.answer(Self.start)
        stage.notify(contact: contact)
        return stage
    }

    @Test func streamCutMidwayIsASupervisionTimeout() {
        var stage = streaming()
        stage.pass(.seconds(1.9))
        stage.tell(["Connected": .flag(false)])
        #expect(stage.losses == [.supervisionTimeout])
        #expect(stage.connection.isOver)
    }

    @Test(arguments: [(true, Duration.seconds(2.1)), (false, .seconds(1))])
    func silentOrUnwornStreamEndsAsRemoteTerminated(contact: Bool, silence: Duration) {
        var stage = streaming(contact: contact)
        stage.pass(silence)
        stage.tell(["Connected": .flag(false)])
        #expect(stage.losses == [.remoteTerminated])
    }

    @Test(arguments: [
        ("Timeout", DisconnectCause.supervisionTimeout), ("Remote", .remoteTerminated),
        ("Authentication", .pairingNeeded), ("Local", .ended),
        ("Unknown", .ended), ("Suspend", .ended),
    ])
    func disconnectReasonOfBluetoothdSetsTheCause(reason: String, loss: DisconnectCause) {
        var stage = streaming(reportsReasons: true)
        stage.tell(["Connected": .flag(false)])
        #expect(stage.losses.isEmpty, "the reason follows the change")
        stage.carryOut(
            stage.connection.disconnected("org.bluez.Reason." + reason, stage.objects, at: stage.clock.now))
        #expect(stage.losses == [loss])
    }

    @Test func missingDisconnectReasonTimesOut() {
        var stage = streaming(reportsReasons: true)
        stage.tell(["Connected": .flag(false)])
        stage.pass(BlueZConnection.reasonLimit)
        #expect(stage.losses == [.supervisionTimeout])
    }

    @Test func endOfTheStreamWithoutADisconnectClosesTheLink() {
        var stage = streaming()
        stage.carryOut(stage.connection.hungUp(stage.objects, at: stage.clock.now))
        #expect(stage.losses.isEmpty)
        stage.pass(BlueZConnection.partingLimit)
        #expect(stage.losses.count == 1)
        #expect(stage.calls.last == .disconnect(device: Self.device))
        stage.pass(BlueZConnection.closingLimit)
        #expect(stage.connection.isOver, "no longer than that")
    }

    @Test func intentionalDisconnectReportsNoLoss() {
        var stage = streaming()
        stage.carryOut(stage.connection.disconnect(stage.objects, at: stage.clock.now))
        #expect(stage.losses.isEmpty)
        #expect(stage.calls.last == .disconnect(device: Self.device))
        #expect(stage.releases == 1)
        stage.tell(["Connected": .flag(false)])
        #expect(stage.connection.isOver)
    }
}
