import Domain
import JSONCoding
import Testing
import Wire

@Suite struct PlacesTopicTests {
    private static let water =
        #"{"id":"n1","kind":"water","latitude":42.5,"longitude":1.5,"distance_m":90,"bearing_deg":12}"#

    private func data(_ places: String, radius: Int = 2000, more: String = "") -> String {
        let start = #"{"latitude":42.5,"longitude":1.5,"radius_m":\#(radius),"attribution":"© OpenStreetMap""#
        return start + #","places":[\#(places)]\#(more)}"#
    }

    private func error(of data: String) throws -> String? {
        let json = try JSON(parsing: Array(data.utf8))
        do throws(RPCError) {
            let observed = try PlacesTopic.check(json)
            #expect(observed == nil)
            return nil
        } catch {
            return error.detail
        }
    }

    @Test func placesAndAReasonAreAccepted() throws {
        #expect(try error(of: data("")) == nil)
        #expect(try error(of: data(Self.water)) == nil)
        #expect(try error(of: #"{"reason":"no places"}"#) == nil)
        let full = Array(repeating: Self.water, count: PlacesTopic.limit).joined(separator: ",")
        #expect(try error(of: data(full)) == nil)
    }

    @Test func wrongDataIsRejectedWithTheNameOfTheMember() throws {
        #expect(try error(of: "{}") == "data.latitude is missing")
        #expect(try error(of: data("", radius: 1)) == "data.radius_m must be a number of 100 to 100000")
        #expect(try error(of: data("{}")) == "data.places[0].id is missing")
        let lake = Self.water.replacing("water", with: "lake")
        #expect(try error(of: data(lake))?.hasPrefix("data.places[0].kind must be one of water, toilets") == true)
        #expect(try error(of: #"{"reason":"no places","radius_m":200}"#) == "data has no member radius_m")
        #expect(try error(of: data("", more: #","reason":"old""#)) == "data has no member reason")
        let many = Array(repeating: Self.water, count: PlacesTopic.limit + 1).joined(separator: ",")
        #expect(try error(of: data(many)) == "data.places must be a list of at most 64")
    }
}
