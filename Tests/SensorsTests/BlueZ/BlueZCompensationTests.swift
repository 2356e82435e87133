import Domain
import Sensors
import TestKit
import Testing

/// The zero offset of a power meter through bluetoothd.
struct BlueZCompensationTests {
    private var objects = BlueZObjects()
    private var reader = BlueZSensorReader(device: BlueZFixture.device)
    private static let feature = BlueZFixture.device + "/service0030/char0031"
    private static let point = BlueZFixture.device + "/service0030/char0033"
    private static let zero = ZeroOffset(-100, isTorque: false)

    init() {
        objects.apply(BlueZFixture.device(), isNew: true)
        objects.apply(BlueZFixture.characteristic(Self.feature, "2a65"), isNew: true)
        objects.apply(BlueZFixture.characteristic(Self.point, "2a66"), isNew: true)
    }

    private mutating func answer(
        _ call: BlueZMethodCall, _ result: Result<[UInt8], BlueZError> = .success([])
    ) -> [BlueZSensorReader.Action] {
        #expect(reader.compensates(by: call, objects))
        return reader.compensated(call, result, objects)
    }

    @Test(arguments: [nil, "org.bluez.Error.InProgress"]) func theZeroOffsetIsSet(_ error: String?) {
        var test = self
        #expect(test.reader.compensateOffset(objects) == [.call(.read(characteristic: Self.feature))])
        let subscription = BlueZMethodCall.startNotify(characteristic: Self.point)
        let write = BlueZMethodCall.write(characteristic: Self.point, [0x0C])
        #expect(test.answer(.read(characteristic: Self.feature), .success(hex("00 02 00 00"))) == [.call(subscription)])
        let subscribed: Result<[UInt8], BlueZError> = error.map { .failure(BlueZError($0, "")) } ?? .success([])
        #expect(test.answer(subscription, subscribed) == [.call(write)])
        #expect(test.answer(write) == [])
        let response = hex("20 0C 01 9C FF")
        #expect(test.reader.indicated(response, from: Self.feature, objects) == [])
        let finished = test.reader.indicated(response, from: Self.point, objects)
        #expect(finished == [.report(.compensated(.compensated(Self.zero)))])
        #expect(test.reader.indicated(response, from: Self.point, objects) == [], "nobody waits for it any more")
    }

    @Test mutating func aMeterThatRequiresPairingSaysSo() {
        _ = reader.compensateOffset(objects)
        _ = answer(.read(characteristic: Self.feature), .failure(BlueZError("org.bluez.Error.NotPermitted", "")))
        let refusal = BlueZError("org.bluez.Error.NotAuthorized", "")
        #expect(refusal.meaning == .pairingNeeded)
        #expect(
            answer(.startNotify(characteristic: Self.point), .failure(refusal)) == [
                .report(.compensated(.needsPairing))
            ])
    }

    @Test mutating func aMeterWithoutAControlPointHasNoZeroOffset() {
        objects.remove(.characteristic, of: Self.point)
        #expect(reader.compensateOffset(objects) == [.report(.compensated(.notSupported))])
        #expect(!reader.compensates(by: .startNotify(characteristic: BlueZFixture.heartRate), objects))
    }
}
