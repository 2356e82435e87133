import Domain
import Sensors
import Storage
import Testing
import Wire

struct SensorSelectionTests {
    private var list = SensorStore()
    private static let h10 = KnownSensor(
        address: LEAddress(BluetoothAddress(value: 0xA09E_1A00_0001), .public),
        name: SanitizedText("Polar H10 9AD13824"))
    private static let h9 = KnownSensor(
        address: LEAddress(BluetoothAddress(value: 0xF601_0203_0405), .random), name: SanitizedText("Polar H9 00000002")
    )

    @Test mutating func strapReplacesOthersOrIsAdded() throws {
        try SensorSelection.sensor("9AD13824", isAdded: false).apply(to: &list)
        #expect(list.selected == ["9AD13824"])
        try SensorSelection.sensor("A0:9E:1A:00:00:01", isAdded: true).apply(to: &list)
        try SensorSelection.sensor("9ad13824", isAdded: true).apply(to: &list)
        #expect(list.selected == ["9AD13824", "A0:9E:1A:00:00:01"])
        try SensorSelection.sensor("Polar", isAdded: false).apply(to: &list)
        #expect(list.selected == ["Polar"])
    }

    @Test mutating func offKeepsTheStrapsAndAutoRemovesTheSelection() throws {
        list.remembered = [Self.h10]
        try SensorSelection.sensor("9AD13824", isAdded: false).apply(to: &list)
        try SensorSelection.off.apply(to: &list)
        #expect(list.isOff)
        #expect(list.selected == ["9AD13824"])
        try SensorSelection.auto.apply(to: &list)
        #expect(!list.isOff)
        #expect(list.selected == [])
        #expect(list.remembered == [Self.h10])
        try SensorSelection.off.apply(to: &list)
        try SensorSelection.sensor("9AD13824", isAdded: true).apply(to: &list)
        #expect(!list.isOff)
    }

    @Test mutating func selectionIsLimited() throws {
        for number in 0..<16 { try SensorSelection.sensor("strap \(number)", isAdded: true).apply(to: &list) }
        let before = list
        let failure = #expect(throws: RPCError.self) {
            var list = before
            try SensorSelection.sensor("one more", isAdded: true).apply(to: &list)
        }
        #expect(failure?.code == -32004)
        try SensorSelection.sensor("strap 3", isAdded: true).apply(to: &list)
        #expect(list == before)
    }

    @Test(arguments: [
        ("Polar H10 9AD13824", ["H9 00000002"], [h9]), ("9AD13824", ["H9 00000002"], [h9]),
        ("A0:9E:1A:00:00:01", ["H9 00000002"], [h9]), ("H9 00000002", ["9ad13824", "a0:9e:1a:00:00:01"], [h10]),
    ])
    mutating func forgottenStrapLosesAllItsEntries(_ strap: String, ours: [String], remembered: [KnownSensor]) throws {
        list.selected = ["9ad13824", "a0:9e:1a:00:00:01", "H9 00000002"]
        list.remembered = [Self.h10, Self.h9]
        try list.forget(strap)
        #expect(list.selected == ours)
        #expect(list.remembered == remembered)
    }

    @Test mutating func selectedButUnknownStrapIsForgotten() throws {
        list.selected = ["9AD13824", "other"]
        try list.forget("9ad13824")
        #expect(list.selected == ["other"])
        let before = list
        let failure = #expect(throws: RPCError.self) {
            var list = before
            try list.forget("9ad13824")
        }
        #expect(failure?.code == -32003)
    }

    @Test mutating func allStrapsAreForgotten() throws {
        list.selected = ["a"]
        list.remembered = [Self.h10]
        try list.forget(nil)
        #expect(list == SensorStore())
        try list.forget(nil)
    }
}
