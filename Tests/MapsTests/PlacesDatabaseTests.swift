import Domain
import Foundation
import JSONCoding
import MapStorage
import Maps
import Pipeline
import SQLite
import TestKit
import Testing

@Suite struct PlacesDatabaseTests {
    private static let home = Coordinate(latitude: 46.5, longitude: 8)
    private static let kinds: [(tags: String, kind: PlaceKind)] = [
        (#""amenity":"drinking_water""#, .water), (#""amenity":"toilets""#, .toilets), (#""shop":"bakery""#, .food),
        (#""amenity":"bench""#, .bench), (#""leisure":"park""#, .park),
    ]

    private static func feature(_ id: Int, _ tags: String, _ position: Coordinate) throws -> PlaceFeature {
        let text =
            #"{"type":"Feature","id":"n\#(id)","properties":{\#(tags)},"geometry":{"type":"Point","coordinates":"#
            + "[\(position.longitude),\(position.latitude)]}}"
        return try PlaceFeature(JSON(parsing: text.utf8))
    }

    private static func database(
        _ features: [PlaceFeature], _ directory: TemporaryDirectory
    ) throws -> PlacesDatabase {
        let path = directory.path + "/" + PlacesDatabase.fileName
        let writer = try PlacesWriter(at: path)
        for feature in features { try writer.add(feature) }
        try writer.finish(source: "made", at: nil)
        return try PlacesDatabase(in: directory.path)
    }

    /// Places within some kilometres of each origin.
    private static func features(
        around origins: [Coordinate], count: Int, _ random: inout SeededRandom
    ) throws -> [PlaceFeature] {
        try (1...count).map { id in
            let origin = origins[id % origins.count]
            var place = Coordinate(
                latitude: min(max(origin.latitude + random.normal() * 0.03, -90), 90),
                longitude: origin.longitude + random.normal() * 0.05)
            if place.longitude > 180 {
                place.longitude -= 360
            } else if place.longitude < -180 {
                place.longitude += 360
            }
            return try feature(id, kinds[Int.random(in: 0..<kinds.count, using: &random)].tags, place)
        }
    }

    @Test func nearestPlacesEqualThoseOfAllPlaces() throws {
        var random = SeededRandom(seed: 5)
        let origins = [
            Self.home, Coordinate(latitude: 0, longitude: 179.99), Coordinate(latitude: -89.98, longitude: 20),
        ]
        let features = try Self.features(around: origins, count: 3000, &random)
        let places = features.flatMap(\.places)
        let directory = TemporaryDirectory()
        let database = try Self.database(features, directory)
        var found = 0
        for number in 0..<300 {
            let origin = origins[number % origins.count]
            let here = Coordinate(
                latitude: max(origin.latitude + random.normal() * 0.02, -90),
                longitude: origin.longitude + (number % 3 == 1 ? -random.uniform() * 0.02 : random.normal() * 0.02))
            let kinds = Set(Self.kinds.map(\.kind).filter { _ in random.uniform() < 0.5 }).union([.water])
            let radius = 50 + random.uniform() * 8000
            let limit = Int.random(in: 1...40, using: &random)
            let expected = places.filter { kinds.contains($0.kind) }.map { ($0, here.metres(to: $0.position)) }
                .filter { $0.1 <= radius }.sorted { ($0.1, $0.0.id.stored) < ($1.1, $1.0.id.stored) }.prefix(limit)
            let answer = try database.near(here, radius: radius, kinds: kinds, limit: limit)
            #expect(answer.map(\.place) == expected.map(\.0), "case \(number)")
            found += answer.count
        }
        #expect(found > 3000)
    }

    @Test func bestKnownPlacesComeFirstOnDemand() throws {
        let park = #""leisure":"park","name":"P""#
        func at(_ degrees: Double) -> Coordinate {
            Coordinate(latitude: Self.home.latitude + degrees, longitude: Self.home.longitude)
        }
        let features = [
            try Self.feature(1, #""leisure":"park""#, at(0)), try Self.feature(2, park, at(0.001)),
            try Self.feature(3, park + #","wikidata":"Q1","wikipedia":"ca:P""#, at(0.01)),
            try Self.feature(4, park, at(0.0005)), try Self.feature(5, park + #","wikidata":"Q2""#, at(0.1)),
        ]
        let directory = TemporaryDirectory()
        let database = try Self.database(features, directory)
        func order(_ order: PlacesDatabase.Order, limit: Int = 20) throws -> [Int64] {
            try database.near(Self.home, radius: 5000, kinds: [.park], limit: limit, order: order).map {
                $0.place.id.stored >> 2
            }
        }
        #expect(database.knowsProminence)
        let numbers = features.map { $0.places[0].id.stored >> 2 }
        #expect(try order(.distance) == [0, 3, 1, 2].map { numbers[$0] })
        #expect(try order(.prominence) == [2, 3, 1, 0].map { numbers[$0] })
        #expect(try order(.prominence, limit: 1) == [numbers[2]])
    }

    /// Such a file has no table of prominence.
    @Test func fileOfAnEarlierReleaseIsRead() throws {
        let directory = TemporaryDirectory()
        let park = try Self.feature(1, #""leisure":"park","name":"P","wikidata":"Q1""#, Self.home)
        _ = try Self.database([park], directory)
        try SQLiteDatabase(directory.path + "/" + PlacesDatabase.fileName, .writing).execute("DROP TABLE standing")
        let database = try PlacesDatabase(in: directory.path)
        #expect(!database.knowsProminence)
        let found = try database.near(Self.home, radius: 50, kinds: [.park], limit: 5, order: .prominence)
        #expect(found.map(\.place.name) == ["P"] && found[0].place.prominence == nil)
    }

    @Test func placesAlongACourseEqualThoseOfAllPlaces() throws {
        var random = SeededRandom(seed: 6)
        let features = try Self.features(around: [Self.home], count: 3000, &random)
        let directory = TemporaryDirectory()
        let database = try Self.database(features, directory)
        var found = 0
        for number in 0..<100 {
            var vertices = [Self.home]
            var (north, east) = (random.normal(), random.normal())
            for _ in 0..<Int.random(in: 1...200, using: &random) {
                (north, east) = (north * 0.9 + random.normal() * 0.4, east * 0.9 + random.normal() * 0.4)
                let last = vertices[vertices.count - 1]
                vertices.append(
                    Coordinate(latitude: last.latitude + north * 0.0005, longitude: last.longitude + east * 0.0007))
            }
            let course = Course(
                CourseData(vertices: vertices.map { CourseVertex($0, altitude: nil) }), hash: CourseHash(1))
            let start = random.uniform() < 0.3 ? 0 : random.uniform() * course.length
            let width = 50 + random.uniform() * 600
            let kinds: Set<PlaceKind> = [.water, .food]
            let expected = features.flatMap(\.places).filter { kinds.contains($0.kind) }
                .compactMap { CoursePlace($0, along: course, from: start, width: width) }
                .sorted(by: CoursePlace.isBefore).prefix(20)
            let answer = try database.along(course, from: start, width: width, kinds: kinds, limit: 20)
            #expect(answer == Array(expected), "case \(number)")
            #expect(answer.allSatisfy { $0.ahead >= 0 && $0.detour <= 2 * width })
            found += answer.count
        }
        #expect(found > 500)
    }

    @Test func searchFindsWordsAndTheBeginningOfTheLast() throws {
        let near = Coordinate(latitude: 46.51, longitude: 8)
        let far = Coordinate(latitude: 47, longitude: 9)
        let features = [
            try Self.feature(1, #""place":"village","name":"Sankt Märten""#, far),
            try Self.feature(2, #""amenity":"cafe","name":"Café Märten","name:en":"Martin's""#, far),
            try Self.feature(3, #""amenity":"cafe","name":"Café Märten""#, near),
            try Self.feature(4, #""addr:housenumber":"5","addr:street":"Märtenweg","addr:city":"Bern""#, near),
            try Self.feature(5, #""amenity":"drinking_water""#, near),
            try Self.feature(6, #""place":"town","name":"Cafelandia""#, far),
        ]
        let directory = TemporaryDirectory()
        let database = try Self.database(features, directory)
        func search(_ text: String) throws -> [String] {
            try database.search(text, near: Self.home, limit: 9).places.map { $0.place.id.text }
        }
        // Settlements before others, near before far, addresses last; accents and case do not matter.
        #expect(try search("mart") == ["n1", "n3", "n2", "n4"])
        #expect(try search("Café Märten") == ["n3", "n2"])
        #expect(try search("MARTEN cafe") == ["n3", "n2"])
        #expect(try search("märtenweg 5 be") == ["n4"])
        #expect(try search("martin s") == ["n2"])
        #expect(try search("caf") == ["n6", "n3", "n2"])
        for text in ["", "  ", "\"", "*", "AND", "zz\" OR \"a", "NEAR(", "name:x", String(repeating: "a ", count: 999)]
        {
            #expect(try search(text) == [], "\(text)")
        }
    }

    @Test(arguments: [
        ("1130 3rd Avenue, Oakland, CA", ["n3"], ["1130", "CA"]),
        ("1130 3rd Avenue, Berkeley", ["w1", "w2", "n3"], ["1130", "Berkeley"]),
        ("3rd Avenue 7 Oakland", ["n3"], []), ("Lake Merritt Alameda", ["n4"], ["Alameda"]),
        ("Lake Erie Cleveland", [], []), ("Merrit", ["n4"], []),
    ])
    func partOfAnAddressIsFoundAndTheRestNamed(text: String, ids: [String], missing: [String]) throws {
        func street(_ id: Int, _ latitude: Double) throws -> PlaceFeature {
            let text =
                #"{"type":"Feature","id":"w\#(id)","properties":{"highway":"residential","name":"3rd Avenue"},"geometry":"#
                + #"{"type":"LineString","coordinates":[[8,\#(latitude)],[8.001,\#(latitude)]]}}"#
            return try PlaceFeature(JSON(parsing: text.utf8))
        }
        let directory = TemporaryDirectory()
        let database = try Self.database(
            [
                street(1, 46.51), street(2, 46.6),
                Self.feature(3, #""addr:housenumber":"7","addr:street":"3rd Avenue","addr:city":"Oakland""#, Self.home),
                Self.feature(4, #""leisure":"park","name":"Lake Merritt""#, Self.home),
            ], directory)
        let found = try database.search(text, near: Self.home, limit: 9)
        #expect(found.places.map { $0.place.id.text } == ids && found.missing == missing)
    }

    @Test func elementIsFoundWithAllItsKinds() throws {
        let directory = TemporaryDirectory()
        let feature = try Self.feature(8, #""amenity":"restaurant","toilets":"yes","name":"Refugi""#, Self.home)
        // A closed way comes as a line and as an area.
        let database = try Self.database([feature, feature], directory)
        let id = try #require(PlaceID("n8"))
        #expect(try database.places(of: id).map(\.kind) == [.toilets, .food])
        #expect(try database.places(of: try #require(PlaceID("w8"))) == [])
    }

    @Test func waysOfAStreetAreOnePlaceInACell() throws {
        func street(_ id: Int, _ longitude: Double) throws -> PlaceFeature {
            let text =
                #"{"type":"Feature","id":"w\#(id)","properties":{"highway":"path","name":"Uferweg"},"geometry":"#
                + #"{"type":"LineString","coordinates":[[\#(longitude),46.5],[\#(longitude + 0.001),46.5]]}}"#
            return try PlaceFeature(JSON(parsing: text.utf8))
        }
        let directory = TemporaryDirectory()
        let database = try Self.database([street(1, 8.001), street(2, 8.005), street(3, 9)], directory)
        #expect(try database.search("ufer", near: nil, limit: 9).places.map { $0.place.id.text } == ["w1", "w3"])
    }

    @Test func filesThatAreNoPlacesAreNamed() throws {
        let directory = TemporaryDirectory()
        func message() -> String {
            do {
                _ = try PlacesDatabase(in: directory.path)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(message().contains("pacectl places import"))
        let path = directory.path + "/" + PlacesDatabase.fileName
        try Data("no database".utf8).write(to: URL(filePath: path))
        #expect(message().contains("cannot read \(path)"))
        try FileManager.default.removeItem(atPath: path)
        let other = try SQLiteDatabase(path, .writing)
        try other.execute("CREATE TABLE place(number)")
        #expect(message().contains("it is not a database of places"))
        try other.execute("PRAGMA application_id = 1885430640; PRAGMA user_version = 99")
        #expect(message().contains("another version of paced"))
    }
}
