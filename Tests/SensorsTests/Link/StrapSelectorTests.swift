import Domain
import Sensors
import TestKit
import Testing

/// Times are relative to the start of each test.
struct StrapSelectorTests {
    private var clock = ManualClock()
    private var choice = StrapSelector()

    private static let h10 = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    private static let h9 = LEAddress(BluetoothAddress(value: 0xF601_0203_0405), .random)
    private static let watch = LEAddress(BluetoothAddress(value: 0x4A00_0000_0001), .random)
    private static let watchLater = LEAddress(BluetoothAddress(value: 0x4A00_0000_0002), .random)
    private static let heartRate = [AttributeUUID(0x180D)]

    private static func result(
        _ address: LEAddress, _ name: String? = nil, rssi: Int? = -70, services: [AttributeUUID] = heartRate
    ) -> ScanResult {
        ScanResult(address: address, name: name.flatMap { SanitizedText($0) }, rssi: rssi, services: services)
    }

    private mutating func hear(
        _ address: LEAddress, _ name: String? = nil, rssi: Int? = -70, services: [AttributeUUID] = heartRate
    ) -> StrapSelector.Decision {
        choice.received(Self.result(address, name, rssi: rssi, services: services), at: clock.now)
        return choice.decision(at: clock.now)
    }

    private mutating func beat(_ address: LEAddress) -> Bool {
        choice.received(.worn, from: address, at: clock.now)
    }

    // MARK: Empty setting, nothing remembered

    @Test mutating func onlyStrapReceivedFor15SecondsIsConnected() {
        #expect(hear(Self.h10) == .wait)
        #expect(choice.deadline(at: clock.now) == clock.now + .seconds(3))
        clock.advance(by: .seconds(10))
        #expect(hear(Self.h10) == .wait)
        #expect(choice.deadline(at: clock.now) == clock.now + .seconds(5))
        clock.advance(by: .seconds(5))
        #expect(choice.decision(at: clock.now) == .connect(Self.h10))
    }

    @Test mutating func strapReceivedOnlyOnceIsNotConnected() {
        _ = hear(Self.h10)
        #expect(choice.decision(at: clock.advance(by: .seconds(15))) == .wait)
    }

    @Test mutating func veryNearStrapIsConnectedAfterThreeSeconds() {
        #expect(hear(Self.h9, rssi: -70) == .wait)
        #expect(hear(Self.h10, rssi: -56) == .choose)
        clock.advance(by: .milliseconds(2_900))
        #expect(hear(Self.h10, rssi: -55) == .choose, "another may be as near and not be heard yet")
        #expect(choice.decision(at: clock.advance(by: .milliseconds(100))) == .connect(Self.h10))
    }

    @Test(arguments: [(-45, true), (-44, false)])
    mutating func veryNearStrapMustBe10DecibelsAboveTheNext(_ next: Int, isTaken: Bool) {
        _ = hear(Self.h9, rssi: next)
        _ = hear(Self.h10, rssi: -35)
        clock.advance(by: .seconds(3))
        #expect(hear(Self.h10, rssi: -35) == (isTaken ? .connect(Self.h10) : .choose))
    }

    @Test mutating func severalStrapsRequireAChoice() {
        _ = hear(Self.h10, "Polar H10 00000001")
        #expect(hear(Self.h9) == .choose)
        #expect(choice.names(at: clock.now)?.text == "Polar H10 00000001, F6:01:02:03:04:05")
        #expect(choice.scanResults(at: clock.now).map(\.address) == [Self.h10, Self.h9])
        clock.advance(by: .seconds(14))
        #expect(hear(Self.h10) == .choose)
        // The other strap is gone.
        #expect(choice.decision(at: clock.advance(by: .seconds(1))) == .connect(Self.h10))
    }

    @Test mutating func equallyNearStrapsRequireAChoice() {
        _ = hear(Self.h10, rssi: -40)
        #expect(hear(Self.h9, rssi: -40) == .choose)
    }

    @Test mutating func strapIsRememberedFromItsFirstBeat() {
        _ = hear(Self.h10, "Polar H10 00000001", rssi: -40)
        choice.connected(Self.h10, at: clock.now)
        for measurement in [
            HeartRateMeasurement.unworn, HeartRateMeasurement(beatsPerMinute: 0, contact: true),
            HeartRateMeasurement(beatsPerMinute: 255), HeartRateMeasurement(beatsPerMinute: 80, contact: false),
        ] {
            #expect(choice.received(measurement, from: Self.h10, at: clock.now) == false)
        }
        #expect(choice.remembered.isEmpty)
        #expect(beat(Self.h10))
        #expect(
            choice.remembered == [KnownSensor(address: Self.h10, name: SanitizedText("Polar H10 00000001"))])
        #expect(!beat(Self.h10), "nothing new to be written")
    }

    @Test mutating func strapWithoutABeatIsReplacedAfterHalfAMinute() {
        _ = hear(Self.h10, rssi: -40)
        choice.connected(Self.h10, at: clock.now)
        choice.lost(at: clock.advance(by: .seconds(10)))
        clock.advance(by: .seconds(10))
        #expect(hear(Self.h9, rssi: -40) == .wait, "it is waited for")
        clock.advance(by: .seconds(20))
        #expect(hear(Self.h9, rssi: -40) == .connect(Self.h9))
    }

    @Test mutating func deviceWithoutTheHeartRateServiceIsIgnored() {
        #expect(hear(Self.h10, "Headphones", rssi: -30, services: [AttributeUUID(0x180F)]) == .wait)
        #expect(choice.scanResults(at: clock.now).isEmpty)
    }

    @Test mutating func nameAndServicesOfSeveralAdvertisementsAreMerged() {
        _ = hear(Self.h10, rssi: nil)
        _ = hear(Self.h10, "Polar H10 00000001", rssi: -60, services: [AttributeUUID(0xFEEE)])
        #expect(
            choice.scanResults(at: clock.now) == [
                Self.result(
                    Self.h10, "Polar H10 00000001", rssi: -60, services: [AttributeUUID(0xFEEE), AttributeUUID(0x180D)])
            ])
    }

    // MARK: Remembered straps

    @Test mutating func unknownStrapIsIgnoredOnceOneIsRemembered() {
        choice = StrapSelector(remembered: [KnownSensor(address: Self.h10)])
        for _ in 0..<100 {
            #expect(hear(Self.h9, "Polar H10 00000001", rssi: -20) == .wait)
            clock.advance(by: .seconds(10))
        }
        #expect(hear(Self.h10, rssi: -90) == .connect(Self.h10))
        // The same 48 bits of the other type are another device.
        choice = StrapSelector(remembered: [KnownSensor(address: Self.h10)])
        #expect(hear(LEAddress(Self.h10.address, .random)) == .wait)
    }

    @Test mutating func rememberedStrapNeedsNoAdvertisedService() {
        choice = StrapSelector(remembered: [KnownSensor(address: Self.h10)])
        #expect(hear(Self.h10, services: []) == .connect(Self.h10))
    }

    @Test mutating func rotatingAddressIsRecognisedByItsName() {
        _ = hear(Self.watch, "Forerunner", rssi: -40)
        #expect(beat(Self.watch))
        clock.advance(by: .seconds(900))
        #expect(hear(Self.h10, "Forerunner", rssi: -20) == .wait, "one that keeps its address is another device")
        #expect(hear(Self.watchLater, "Fenix", rssi: -20) == .wait)
        #expect(hear(Self.watchLater, "Forerunner", rssi: -70) == .connect(Self.watchLater))
        #expect(beat(Self.watchLater))
        #expect(choice.remembered.map(\.address) == [Self.watchLater], "it is one strap")
    }

    @Test mutating func rotatingAddressIsConnectedWithoutADelay() {
        _ = hear(Self.watch, "Forerunner", rssi: -40)
        _ = beat(Self.watch)
        choice.lost(at: clock.advance(by: .seconds(1)))
        #expect(hear(Self.watchLater, "Forerunner") == .connect(Self.watchLater))
    }

    @Test mutating func sameNameWithAnotherSerialNumberIsAStranger() throws {
        var information = DeviceInformation()
        information.serialNumber = SanitizedText("123")
        _ = hear(Self.watch, "Forerunner", rssi: -40)
        _ = beat(Self.watch)
        #expect(choice.described(information, of: Self.watch) == .ours(hasChanged: true))
        #expect(choice.described(information, of: Self.watch) == .ours(hasChanged: false))
        clock.advance(by: .seconds(900))
        #expect(hear(Self.watchLater, "Forerunner") == .connect(Self.watchLater))
        information.serialNumber = SanitizedText("456")
        #expect(choice.described(information, of: Self.watchLater) == .stranger)
        #expect(hear(Self.watchLater, "Forerunner") == .wait)
        #expect(!choice.mayKeep(Self.watchLater))
    }

    @Test mutating func rotatingAddressWithoutANameIsNotRemembered() {
        _ = hear(Self.watch, rssi: -40)
        choice.connected(Self.watch, at: clock.now)
        #expect(!beat(Self.watch))
        #expect(choice.remembered.isEmpty)
    }

    @Test mutating func lastUsedStrapComesFirstAndTheOldestIsDropped() {
        for number in 0..<20 {
            let address = LEAddress(BluetoothAddress(value: UInt64(number)), .public)
            choice.select([SensorMatcher("\(address)")!])
            _ = hear(address)
            #expect(beat(address))
        }
        #expect(choice.remembered.map(\.address.address.value) == (4..<20).reversed().map(UInt64.init))
    }

    // MARK: The setting

    @Test(arguments: [
        ("A0:9E:1A:00:00:01", true), ("a0:9e:1a:00:00:01/public", true), ("A0:9E:1A:00:00:01/random", false),
        ("Polar H10 9AD13824", true), ("9AD13824", true), ("9ad13824", true), (" 9AD13824 ", true),
        ("Polar H10", false), ("Polar H9 9AD13824", false), ("A0:9E:1A:00:00:02", false),
    ])
    mutating func strapIsMatchedByAddressNameOrEndOfItsName(_ text: String, isMeant: Bool) throws {
        choice = StrapSelector(ours: [try #require(SensorMatcher(text))])
        #expect(hear(Self.h10, "Polar H10 9AD13824 ") == (isMeant ? .connect(Self.h10) : .wait))
    }

    @Test(arguments: ["", " ", "   "])
    func blankTextIsNotAMatcher(_ text: String) {
        #expect(SensorMatcher(text) == nil)
    }

    @Test mutating func connectedStrapIsReplacedOnlyHalfAMinuteAfterItsLoss() {
        choice = StrapSelector(ours: [.address(Self.h10.address, nil), .address(Self.h9.address, nil)])
        #expect(hear(Self.h9) == .connect(Self.h9))
        choice.connected(Self.h9, at: clock.now)
        #expect(hear(Self.h10, rssi: -30) == .connect(Self.h9))
        for _ in 0..<60 { _ = choice.received(.worn, from: Self.h9, at: clock.advance(by: .seconds(1))) }
        choice.lost(at: clock.now)
        #expect(hear(Self.h10) == .wait)
        #expect(choice.deadline(at: clock.advance(by: .seconds(20))) == clock.now + .seconds(10))
        #expect(hear(Self.h10) == .wait)
        #expect(choice.decision(at: clock.advance(by: .seconds(10))) == .connect(Self.h10))
    }

    @Test mutating func strapThatReturnsWithinHalfAMinuteIsUsedAgain() {
        choice = StrapSelector(ours: [.address(Self.h10.address, nil), .address(Self.h9.address, nil)])
        _ = hear(Self.h9)
        _ = beat(Self.h9)
        clock.advance(by: .seconds(29))
        _ = hear(Self.h10)
        #expect(hear(Self.h9) == .connect(Self.h9))
        // A strap that is heard counts as present, even if it cannot be connected.
        clock.advance(by: .seconds(20))
        #expect(hear(Self.h10) == .wait)
    }

    @Test mutating func sleepingStrapIsReplacedByAnotherConfiguredStrap() {
        choice = StrapSelector(ours: [.address(Self.h10.address, nil), .address(Self.h9.address, nil)])
        _ = hear(Self.h9)
        _ = beat(Self.h9)
        choice.lost(at: clock.now)
        for _ in 0..<2 {
            clock.advance(by: .seconds(10))
            _ = hear(Self.h9)
            _ = hear(Self.h10)
            #expect(choice.decision(at: clock.now, asleep: Self.h9) == .wait)
        }
        clock.advance(by: .seconds(10))
        #expect(choice.decision(at: clock.now, asleep: Self.h9) == .connect(Self.h10))
    }

    @Test mutating func changedSelectionAppliesAtOnce() {
        _ = hear(Self.h10, rssi: -40)
        _ = beat(Self.h10)
        #expect(choice.mayKeep(Self.h10))
        choice.select([.address(Self.h9.address, nil)])
        #expect(!choice.mayKeep(Self.h10))
        #expect(hear(Self.h10) == .wait)
        #expect(hear(Self.h9) == .connect(Self.h9))
        choice.select([])
        #expect(choice.mayKeep(Self.h10), "it is remembered")
    }

    @Test mutating func forgottenStrapIsAStranger() {
        _ = hear(Self.h10, "Polar H10 9AD13824", rssi: -40)
        _ = beat(Self.h10)
        #expect(choice.forget(.name("9ad13825")) == false)
        #expect(choice.forget(.name("9ad13824")) == true)
        #expect(choice.remembered.isEmpty)
        #expect(!choice.mayKeep(Self.h10))
        #expect(choice.forget(nil) == false)
    }

    // MARK: Wide parameters

    @Test mutating func wideParametersOfAStrapAreRemembered() {
        _ = hear(Self.h10, rssi: -40)
        _ = beat(Self.h10)
        #expect(!choice.isWide(Self.h10))
        #expect(choice.widened(Self.h10) == true)
        #expect(choice.widened(Self.h10) == false)
        #expect(choice.isWide(Self.h10))
        #expect(StrapSelector(remembered: choice.remembered).isWide(Self.h10))
    }

    @Test mutating func wideParametersBeforeTheFirstBeatAreKept() {
        _ = hear(Self.h10, rssi: -40)
        #expect(choice.widened(Self.h10) == false)
        #expect(choice.isWide(Self.h10))
        #expect(beat(Self.h10))
        #expect(choice.remembered == [KnownSensor(address: Self.h10, isWide: true)])
    }

    // MARK: Hostile peers

    @Test mutating func manyStrangersAreBoundedAndDoNotReplaceTheStrap() {
        choice = StrapSelector(remembered: [KnownSensor(address: Self.h10)])
        _ = hear(Self.h10)
        for number in 0..<1_000 {
            let stranger = LEAddress(BluetoothAddress(value: 0x4000_0000_0000 + UInt64(number)), .random)
            clock.advance(by: .milliseconds(10))
            #expect(hear(stranger, "\u{1B}[2J\u{202E}", rssi: -20) == .connect(Self.h10))
            #expect(choice.scanResults(at: clock.now).count <= StrapSelector.scanResultLimit)
        }
        let names = choice.scanResults(at: clock.now).compactMap(\.name?.text)
        #expect(names.allSatisfy { $0 == "\u{FFFD}[2J\u{FFFD}" })
    }

    @Test func servicesOfADeviceAreLimited() {
        let services = (0..<1_000).map { AttributeUUID(UInt16($0)) }
        #expect(Self.result(Self.h10, services: services).services.count == ScanResult.serviceLimit)
    }

    @Test(arguments: 0..<20)
    mutating func onlyConfiguredStrapsAreEverConnected(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let addresses = [Self.h10, Self.h9, Self.watch, Self.watchLater]
        choice = StrapSelector(ours: [.address(Self.h10.address, .public), .name("runner")])
        for _ in 0..<5_000 {
            let address = addresses.randomElement(using: &random)!
            switch Int.random(in: 0...5, using: &random) {
            case 0: choice.lost(at: clock.now)
            case 1: clock.advance(by: .milliseconds(.random(in: 0...20_000, using: &random)))
            case 2: _ = choice.received(.random(using: &random) ? .worn : .unworn, from: Self.h10, at: clock.now)
            case 3: _ = choice.search(mayListen: .random(using: &random), at: clock.now)
            default:
                _ = hear(
                    address, address == Self.watch ? "Forerunner" : nil, rssi: .random(in: -90 ... -20, using: &random))
            }
            switch choice.decision(at: clock.now) {
            case .connect(let strap): #expect(strap == Self.h10 || strap == Self.watch)
            case .wait: break
            case .choose: Issue.record("ours are known")
            }
            if let deadline = choice.deadline(at: clock.now) { #expect(deadline > clock.now) }
        }
    }
}
