import Domain
import Testing

struct LEAddressTests {
    @Test func onlyPublicAndStaticAddressesAreStable() throws {
        let fixed = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F5"))
        let resolvable = try #require(BluetoothAddress("7A:00:00:00:00:01"))
        #expect(LEAddress(fixed, .random).isStable)
        #expect(!LEAddress(resolvable, .random).isStable)
        #expect(LEAddress(resolvable, .public).isStable)
    }

    @Test func addressTypeDistinguishesAddresses() throws {
        let address = try #require(BluetoothAddress("A0:9E:1A:00:00:01"))
        #expect(LEAddress(address, .public) != LEAddress(address, .random))
        #expect(LEAddress(address, .public).description == "A0:9E:1A:00:00:01/public")
    }
}
