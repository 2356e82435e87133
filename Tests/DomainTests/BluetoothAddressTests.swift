import Domain
import TestKit
import Testing

@Suite struct BluetoothAddressTests {
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func printedFormParsesBack(seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let address = BluetoothAddress(value: .random(in: 0..<1 << 48, using: &numbers))
            #expect(BluetoothAddress(address.description) == address)
            #expect(BluetoothAddress(address.description.lowercased()) == address)
        }
    }

    @Test func firstPrintedByteIsTheHighest() {
        #expect(BluetoothAddress("A0:9E:1A:00:00:01")?.value == 0xA09E_1A00_0001)
        #expect(BluetoothAddress(value: 1).description == "00:00:00:00:00:01")
        #expect(BluetoothAddress(value: (1 << 48) - 1).description == "FF:FF:FF:FF:FF:FF")
    }

    @Test(arguments: [
        "", "A0", "A0:9E:1A:00:00", "A0:9E:1A:00:00:", "A0:9E:1A:00:00:0", "A0:9E:1A:00:00:01:", "A0:9E:1A:00:00:01:02",
        "A0:9E:1A:00:00:011", "A09E1A000001", "A0-9E-1A-00-00-01", "G0:9E:1A:00:00:01", " A0:9E:1A:00:00:01",
        "A0:9E:1A:00:00:0\u{301}", "\u{FF21}0:9E:1A:00:00:01", ":::::::::::::::::",
    ])
    func malformedTextIsNotAnAddress(text: String) {
        #expect(BluetoothAddress(text) == nil)
    }
}
