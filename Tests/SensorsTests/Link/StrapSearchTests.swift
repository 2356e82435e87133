import Domain
import Sensors
import TestKit
import Testing

/// Methods of the search, with and without permission to scan.
struct StrapSearchTests {
    private var clock = ManualClock()
    private static let h10 = LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public)
    private static let h9 = LEAddress(BluetoothAddress(value: 0xF601_0203_0405), .random)
    private static let watch = LEAddress(BluetoothAddress(value: 0x4A00_0000_0001), .random)

    private func remembered(_ addresses: LEAddress...) -> [KnownSensor] {
        addresses.map { KnownSensor(address: $0, name: SanitizedText("Strap \($0.type.rawValue)")) }
    }

    @Test func onlyKnownStrapGetsAPendingConnection() {
        let straps: [StrapSelector] = [
            StrapSelector(remembered: remembered(Self.h10)),
            StrapSelector(ours: [.address(Self.h10.address, .public)]),
            StrapSelector(ours: [.address(Self.h10.address, nil)], remembered: remembered(Self.h9, Self.h10)),
        ]
        for var choice in straps {
            for mayListen in [true, false] {
                #expect(
                    choice.search(mayListen: mayListen, at: clock.now)
                        == .connect(Self.h10, within: SensorLink.connectionLimit))
            }
        }
    }

    @Test func ambiguousStrapIsScannedFor() {
        let straps: [StrapSelector] = [
            StrapSelector(),
            StrapSelector(ours: [.address(Self.h10.address, nil)]),
            StrapSelector(ours: [.name("strap public")], remembered: remembered(Self.h10)),
            StrapSelector(ours: [.address(Self.h10.address, .public), .name("9ad13824")]),
            StrapSelector(remembered: remembered(Self.h10, Self.h9)),
            StrapSelector(remembered: remembered(Self.watch)),
        ]
        for var choice in straps { #expect(choice.search(mayListen: true, at: clock.now) == .listen) }
    }

    @Test mutating func receivedAddressTypeAllowsAPendingConnection() {
        var choice = StrapSelector(ours: [.address(Self.h10.address, nil)])
        choice.received(ScanResult(address: Self.h10), at: clock.now)
        #expect(
            choice.search(mayListen: true, at: clock.now) == .connect(Self.h10, within: SensorLink.connectionLimit))
    }

    @Test func withoutAScanBothAddressTypesAreTriedTenSecondsEach() {
        var choice = StrapSelector(ours: [.address(Self.h10.address, nil), .address(Self.h9.address, nil)])
        let tried = (0..<5).map { _ in choice.search(mayListen: false, at: clock.now) }
        let turn: [LEAddress] = [
            Self.h10, LEAddress(Self.h10.address, .random), Self.h9, LEAddress(Self.h9.address, .public),
            Self.h10,
        ]
        #expect(tried == turn.map { .connect($0, within: .seconds(10)) })
    }

    @Test func withoutAScanANameIsTriedAtItsRememberedAddress() {
        var choice = StrapSelector(ours: [.name("public")], remembered: remembered(Self.h9, Self.h10, Self.watch))
        for _ in 0..<2 {
            #expect(choice.search(mayListen: false, at: clock.now) == .connect(Self.h10, within: .seconds(10)))
        }
        choice = StrapSelector(remembered: remembered(Self.h9, Self.h10, Self.watch))
        let tried = (0..<3).map { _ in choice.search(mayListen: false, at: clock.now) }
        #expect(tried == [Self.h9, Self.h10, Self.h9].map { .connect($0, within: .seconds(10)) })
    }

    @Test mutating func withoutAScanThePreviousStrapIsTriedForHalfAMinute() {
        var choice = StrapSelector(remembered: remembered(Self.h9, Self.h10))
        _ = choice.received(.worn, from: Self.h10, at: clock.now)
        choice.lost(at: clock.now)
        clock.advance(by: .seconds(12))
        #expect(choice.search(mayListen: false, at: clock.now) == .connect(Self.h10, within: .seconds(18)))
        clock.advance(by: .seconds(18))
        _ = choice.search(mayListen: false, at: clock.now)
        #expect(choice.search(mayListen: false, at: clock.now) == .connect(Self.h9, within: .seconds(10)))
    }

    @Test func withoutAScanAndAnAddressNoSearchIsPossible() {
        for var choice in [
            StrapSelector(), StrapSelector(ours: [.name("h10")]), StrapSelector(remembered: remembered(Self.watch)),
        ] {
            #expect(choice.search(mayListen: false, at: clock.now) == nil)
        }
    }
}
