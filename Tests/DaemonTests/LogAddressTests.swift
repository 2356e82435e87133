import Daemon
import Domain
import Testing

@Suite struct LogAddressTests {
    @Test(arguments: [
        ("strap A0:9E:1A:00:00:01 connected", "strap …00:01 connected"),
        ("a0-9e-1a-00-00-01", "…00-01"),
        ("/org/bluez/hci0/dev_A0_9E_1A_00_00_01/service0010", "/org/bluez/hci0/dev_…00_01/service0010"),
        ("é A0:9E:1A:00:00:01,F6:01:02:03:04:05", "é …00:01,…04:05"),
        ("A0:9E:1A:00:00:0", "A0:9E:1A:00:00:0"), ("A0:9E-1A:00:00:01", "A0:9E-1A:00:00:01"),
        ("2026-03-01T07:30:12", "2026-03-01T07:30:12"), ("", ""),
    ])
    func addressesAreShortenedToTheirLastTwoBytes(text: String, kept: String) {
        #expect(Log.shortened(text) == kept)
    }

    @Test func linkEventIsLoggedWithShortenedAddresses() throws {
        let status = LinkStatus(
            .connected, address: BluetoothAddress(value: 0xA09E_1A00_0001), name: SanitizedText("A0-9E-1A-00-00-01"))
        let event = Event(at: Instant(nanoseconds: 0), kind: .link(.heart, status, after: .zero))
        let (_, line) = try #require(Log.line(of: event))
        #expect(Log.shortened(line) == "strap …00-01 …00:01 connected, after 0 s")
    }
}
