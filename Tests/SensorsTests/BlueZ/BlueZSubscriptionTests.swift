import Domain
import Sensors
import TestKit
import Testing

/// Subscriptions of a connection through bluetoothd.
struct BlueZSubscriptionTests {
    private typealias Stage = BlueZConnectionFixture
    private static let device = BlueZFixture.device
    private static let acquire = BlueZMethodCall.acquireNotify(characteristic: BlueZFixture.heartRate)
    private static let start = BlueZMethodCall.startNotify(characteristic: BlueZFixture.heartRate)
    private static let notSupported = BlueZError("org.bluez.Error.NotSupported")
    private static let held = BlueZError("org.bluez.Error.NotPermitted", "Notify acquired")

    @Test func onlyPropertyValuesAfterStartNotifyAreMeasurements() {
        var stage = Stage()
        stage.beginSubscribing()
        #expect(stage.calls.last == Self.start)
        stage.notify([0, 60])
        #expect(stage.reports.isEmpty, "an old value")
        stage.answer(Self.start)
        stage.notify([0, 61])
        #expect(stage.beats == [61])
        stage.notify([0, 99], from: Stage.battery)
        #expect(stage.beats == [61], "another characteristic's")
    }

    /// Returns a connection whose measurements arrive over a descriptor.
    private func acquiring() -> Stage {
        var stage = Stage()
        stage.beginSubscribing()
        stage.answer(Self.start, Self.notSupported)
        return stage
    }

    @Test func missingStartNotifyFallsBackToAcquireNotify() {
        var stage = acquiring()
        #expect(stage.calls.last == Self.acquire)
        stage.answer(Self.acquire)
        stage.beat()
        #expect(stage.beats == [61])
    }

    @Test func propertyValuesAreIgnoredWithAcquireNotify() {
        var stage = acquiring()
        stage.answer(Self.acquire)
        stage.notify([0, 61])
        #expect(stage.beats.isEmpty)
    }

    @Test func descriptorOfTheWrongKindIsReleased() {
        var stage = acquiring()
        stage.carryOut(stage.connection.acquiredNothing(stage.objects, at: stage.clock.now))
        #expect(stage.releases == 1)
        #expect(stage.losses == [.unsupported])
        #expect(stage.calls.last == .disconnect(device: Self.device))
    }

    @Test func notificationsHeldByAnotherClientAreRetriedThenEndAsInUse() {
        var stage = Stage()
        stage.beginSubscribing()
        for _ in 0..<100 where stage.losses.isEmpty {
            stage.answer(stage.calls.last ?? .getObjects, Self.held)
            stage.pass(.milliseconds(100))
        }
        #expect(stage.losses == [.inUse])
        #expect(stage.calls.filter { $0 == Self.start }.count == 11)
        #expect(!stage.calls.contains(Self.acquire))
    }

    @Test(arguments: [
        (BlueZError("org.bluez.Error.NotPermitted", "Not paired"), DisconnectCause.pairingNeeded),
        (BlueZError("org.bluez.Error.Failed", "Operation failed with ATT error: 0x05"), .pairingNeeded),
    ])
    func strapThatNeedsPairingIsDisconnectedWithItsCause(error: BlueZError, loss: DisconnectCause) {
        var stage = Stage()
        stage.beginSubscribing()
        stage.answer(Self.start, error)
        #expect(stage.losses == [loss])
        #expect(stage.calls.last == .disconnect(device: Self.device))
    }

    @Test func unansweredSubscriptionNeedsPairingUnlessPaired() {
        var stage = Stage()
        stage.beginSubscribing()
        stage.pass(BlueZConnection.agreementLimit)
        #expect(stage.losses == [.pairingNeeded])
        stage = Stage()
        stage.tell(["Paired": .flag(true)])
        stage.beginSubscribing()
        stage.pass(BlueZConnection.agreementLimit)
        #expect(stage.losses.isEmpty)
    }

    @Test func strapWithoutNotificationsIsUnsupported() {
        var stage = Stage()
        stage.beginSubscribing()
        stage.answer(Self.start, Self.notSupported)
        stage.answer(Self.acquire, Self.notSupported)
        #expect(stage.losses == [.unsupported])
    }

    @Test func silentStrapIsSubscribedAgain() {
        var stage = Stage()
        stage.beginSubscribing()
        stage.answer(Self.start)
        stage.notify([0, 61])
        stage.carryOut(stage.connection.resubscribe(at: stage.clock.now))
        let stop = BlueZMethodCall.stopNotify(characteristic: BlueZFixture.heartRate)
        #expect(stage.calls.last == stop)
        stage.answer(stop)
        #expect(stage.calls.last == Self.start)
        stage.notify([0, 62])
        #expect(stage.beats == [61, 62])
    }

    @Test func silentStrapGetsAnotherDescriptor() {
        var stage = acquiring()
        stage.answer(Self.acquire)
        stage.beat()
        stage.carryOut(stage.connection.resubscribe(at: stage.clock.now))
        #expect(stage.releases == 1)
        #expect(stage.calls.last == Self.acquire)
        stage.answer(Self.acquire, Self.held)
        stage.pass(.milliseconds(100))
        #expect(stage.calls.last == Self.acquire, "bluetoothd has not noticed yet")
        #expect(stage.losses.isEmpty)
    }
}
