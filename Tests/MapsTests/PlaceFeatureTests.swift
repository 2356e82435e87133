import Domain
import JSONCoding
import Maps
import Testing

@Suite struct PlaceFeatureTests {
    private static func feature(
        _ tags: String, id: String = "n7", geometry: String = #"{"type":"Point","coordinates":[1.5,42.5]}"#
    ) throws -> PlaceFeature {
        let text = #"{"type":"Feature","id":"\#(id)","geometry":\#(geometry),"properties":{\#(tags)}}"#
        return try PlaceFeature(JSON(parsing: text.utf8))
    }

    @Test(arguments: [
        (#""amenity":"drinking_water""#, [PlaceKind.water]),
        (#""amenity":"fountain""#, []),
        (#""amenity":"fountain","drinking_water":"yes""#, [.water]),
        (#""man_made":"water_tap","drinking_water":"no""#, []),
        (#""amenity":"restaurant","toilets":"yes","name":"Refugi""#, [.toilets, .food]),
        (#""amenity":"toilets","access":"private""#, []),
        (#""shop":"bicycle","service:bicycle:pump":"yes""#, [.bicycleShop, .pump]),
        (#""emergency":"defibrillator""#, [.defibrillator]),
        (#""place":"town","name":"Ordino""#, [.settlement]),
        (#""place":"town""#, []),
        (#""addr:housenumber":"5""#, []),
        (#""addr:housenumber":"5","addr:street":"Carrer Major""#, [.address]),
        // A node of highway is no street.
        (#""highway":"crossing","name":"Major""#, []),
        (#""natural":"tree""#, []),
    ])
    func tagsMakeKinds(tags: String, kinds: [PlaceKind]) throws {
        #expect(try Self.feature(tags).places.map(\.kind) == kinds)
    }

    @Test(arguments: [
        (#""leisure":"park""#, nil), (#""leisure":"park","name":"P""#, 10),
        (#""leisure":"park","name":"P","name:ca":"P","name:es":"P""#, 14),
        (#""leisure":"park","wikidata":"Q1""#, 20), (#""leisure":"park","wikipedia":"ca:P""#, 30),
        (#""leisure":"park","wikipedia:ca":"P","wikidata":"Q1","name":"P""#, 60),
        (#""highway":"residential","name":"P","wikidata":"Q1""#, nil),
    ])
    func tagsMakeProminence(tags: String, prominence: Int?) throws {
        #expect(try Self.feature(tags, id: "w7").places[0].prominence == prominence)
    }

    /// A square of 100 m and one of 10 km.
    @Test(arguments: [(0.0009, 12), (0.09, 20)])
    func areaMakesProminence(degrees: Double, prominence: Int) throws {
        let corners = [(0.0, 0.0), (degrees, 0), (degrees, degrees), (0, degrees), (0, 0)]
        let ring = corners.map { "[\($0.0),\($0.1)]" }.joined(separator: ",")
        for geometry in [
            #"{"type":"Polygon","coordinates":[[\#(ring)]]}"#, #"{"type":"MultiPolygon","coordinates":[[[\#(ring)]]]}"#,
            #"{"type":"LineString","coordinates":[\#(ring)]}"#,
        ] {
            let park = try Self.feature(#""leisure":"park""#, geometry: geometry).places[0]
            #expect(park.prominence == prominence)
        }
    }

    @Test(arguments: [
        ("ordino.jpg", "ordino.jpg"), ("Vall_Nord-1.PNG", "Vall_Nord-1.PNG"), ("https://a.example/b.jpg", nil),
        ("../b.jpg", nil), ("a/b.jpg", nil), (".jpg", nil), ("b.svg", nil), ("b c.jpg", nil), ("File:B.jpg", nil),
    ])
    func photoIsALocalFile(tag: String, photo: String?) throws {
        #expect(try Self.feature(#""leisure":"park","image":"\#(tag)""#).places[0].photo?.text == photo)
    }

    @Test func detailsOfAPlace() throws {
        let feature = try Self.feature(
            #"""
            "amenity":"cafe","name":"Café\u0007 Pau","name:ca":"Cafè Pau","alt_name":"Pau","addr:street":"Carrer Major",
            "addr:housenumber":"5","addr:postcode":"AD500","addr:city":"Andorra la Vella",
            "opening_hours":"Mo-Fr 08:00-18:00","contact:phone":"+376 800 000","website":"javascript:x"
            """#, id: "a246", geometry: #"{"type":"LineString","coordinates":[[1.5,42.5],[1.502,42.5]]}"#)
        let place = try #require(feature.places.first)
        #expect(place.id == PlaceID("w123"))
        #expect(place.detail == "cafe")
        #expect(place.name == "Café\u{FFFD} Pau")
        #expect(place.address == "Carrer Major 5, AD500 Andorra la Vella")
        #expect(place.hours == "Mo-Fr 08:00-18:00")
        #expect(place.phone == "+376 800 000")
        // Only addresses of the web.
        #expect(place.website == nil)
        #expect(abs(place.position.longitude - 1.501) < 1e-9)
        #expect(feature.otherNames == "Cafè Pau Pau")
        #expect(feature.places.map(\.kind) == [.food, .address])
    }

    @Test(arguments: ["n0", "x7", "7", "n-1", "n99999999999999999999", "", "node/", "a1"])
    func wrongIDsAreRejected(id: String) {
        #expect(PlaceID(id) == nil)
        #expect(throws: PlaceFeature.Failure.noID) {
            try Self.feature(#""amenity":"bench""#, id: id)
        }
    }

    @Test func idsAreThoseOfOpenStreetMap() {
        #expect(PlaceID("a247") == PlaceID("r123"))
        #expect(PlaceID("relation/123") == PlaceID("r123"))
        #expect(PlaceID("r123").flatMap { PlaceID(stored: $0.stored) }?.text == "r123")
        #expect(PlaceID("w123")?.address == "https://www.openstreetmap.org/way/123")
    }

    @Test(arguments: [
        #"{"type":"Point","coordinates":[181,42]}"#, #"{"type":"Point","coordinates":[1]}"#,
        #"{"type":"Point","coordinates":"x"}"#, #"{"type":"LineString","coordinates":[]}"#,
        #"{"type":"Polygon","coordinates":[[[1,2],["x",3]]]}"#, #"{"type":"MultiPolygon","coordinates":[]}"#,
        #"{"type":"GeometryCollection","geometries":[]}"#, "null", "7",
    ])
    func wrongGeometriesAreRejected(geometry: String) {
        #expect(throws: PlaceFeature.Failure.invalid) {
            try Self.feature(#""amenity":"bench""#, geometry: geometry)
        }
    }

    /// The centre of a horseshoe, and of a ring, is not inside.
    @Test(arguments: [
        (#"[[[[0,0],[10,0],[10,10],[7,10],[7,3],[3,3],[3,10],[0,10],[0,0]]]]"#, 5.0),
        (#"[[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[4,1],[9,1],[9,9],[4,9],[4,1]]]]"#, 5.0),
        // The larger of two areas.
        (#"[[[[20,0],[21,0],[21,1],[20,1],[20,0]]],[[[0,0],[3,0],[3,10],[0,10],[0,0]]]]"#, 5.0),
    ])
    func areaHasAPointInside(coordinates: String, latitude: Double) throws {
        let feature = try Self.feature(
            #""leisure":"park""#, geometry: #"{"type":"MultiPolygon","coordinates":\#(coordinates)}"#)
        let position = try #require(feature.places.first).position
        #expect(position.latitude == latitude)
        #expect((0...4).contains(position.longitude) || (7...10).contains(position.longitude))
    }
}
