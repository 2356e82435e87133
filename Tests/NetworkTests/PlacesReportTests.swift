import Domain
import JSONCoding
import Maps
import Network
import Testing
import Wire

@Suite struct PlacesReportTests {
    private static let noon = CivilTime(year: 2026, month: 3, day: 2, minute: 720)

    private func place(_ number: Int64, metres: Double, name: String? = nil, hours: String? = nil) -> Place {
        Place(
            id: PlaceID(.node, number + 1)!, kind: .food, detail: "cafe",
            position: Coordinate(latitude: metres / 111_195, longitude: 0), name: name, hours: hours)
    }

    private func data(_ places: [(place: Place, metres: Double)]) throws -> JSON {
        let here = Coordinate(latitude: 0, longitude: 0)
        let bytes = PlacesReport(position: here, radius: 2000, places: places).data(at: Self.noon)
        #expect(bytes.count <= TopicTable.dataLimit)
        let json = try JSON(parsing: bytes)
        _ = try PlacesTopic.check(json)
        return json
    }

    @Test func kindsOfTheTopicAreThoseOfThePlaces() {
        #expect(PlacesTopic.kinds == PlaceKind.pointsOfInterest.map(\.name))
    }

    @Test func nearestPlacesAreFirst() throws {
        let json = try data([300, 100, 200].map { (place(Int64($0), metres: $0), $0) })
        #expect(json["places"]?.array?.map { $0["distance_m"]?.integer } == [100, 200, 300])
        #expect(json["places"]?.array?.first?["bearing_deg"]?.integer == 0)
        #expect(json["attribution"]?.string == Place.attribution)
    }

    @Test func openingHoursAreThoseOfTheMoment() throws {
        let hours = ["Mo 10:00-14:00", "Mo 14:00-18:00", "sunrise-sunset", nil]
        let json = try data(hours.enumerated().map { (place(Int64($0), metres: 1, hours: $1), Double($0)) })
        #expect(json["places"]?.array?.map { $0["open"]?.string } == ["open", "closed", "unknown", nil])
    }

    @Test(arguments: ["e\u{301}\u{301}\u{301}\u{301}", "\u{1F6B0}", "\"\\"])
    func longNamesAreCutAndFarPlacesLeftOut(part: String) throws {
        let name = String(repeating: part, count: 64)
        let json = try data(
            (1...Int64(PlacesTopic.limit)).map { number in
                var place = place(number, metres: Double(number), name: name)
                (place.detail, place.address) = (name, name)
                return (place, Double(number))
            })
        let places = try #require(json["places"]?.array)
        #expect(places.count > 20 && places.first?["distance_m"]?.integer == 1)
    }
}
