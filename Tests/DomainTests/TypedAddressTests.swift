import Domain
import Testing

struct TypedAddressTests {
    @Test func onlyPublicAndStaticAddressesAreKept() throws {
        let fixed = try #require(DeviceAddress("F0:F1:F2:F3:F4:F5"))
        let resolvable = try #require(DeviceAddress("7A:00:00:00:00:01"))
        #expect(TypedAddress(fixed, .random).isStable)
        #expect(!TypedAddress(resolvable, .random).isStable)
        #expect(TypedAddress(resolvable, .public).isStable)
    }

    @Test func theTypeBelongsToTheAddress() throws {
        let address = try #require(DeviceAddress("A0:9E:1A:00:00:01"))
        #expect(TypedAddress(address, .public) != TypedAddress(address, .random))
        #expect(TypedAddress(address, .public).description == "A0:9E:1A:00:00:01/public")
    }
}
