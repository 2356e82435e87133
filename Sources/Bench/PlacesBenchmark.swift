import Domain
import Glibc
import Linux
import MapStorage
import Maps

/// Searches among 500,000 places, as many as a country of the size of Switzerland has.
struct PlacesSearches {
    /// Of the import of the features, without reading a file.
    let seconds: Double
    /// The nearest 20 of all kinds, and those with water; a search by name.
    let near: Measurement
    let water: Measurement
    let name: Measurement

    var line: String {
        "500,000 places written in \(DecimalFormat.text(seconds, decimals: 1) ?? "?") s"
    }
}

/// The database takes 80 MB of /tmp meanwhile.
func measurePlaces() throws -> PlacesSearches {
    let directory = try ScratchDirectory()
    let path = directory.path + "/" + PlacesDatabase.fileName
    defer { unlink(path) }
    let kinds = PlaceKind.pointsOfInterest
    let start = Clock.now()
    let writer = try PlacesWriter(at: path)
    for index in 1...500_000 {
        let position = Coordinate(
            latitude: 46 + Double(index * 7919 % 100_003) / 60_000,
            longitude: 6 + Double(index * 104_729 % 100_019) / 25_000)
        guard let id = PlaceID(.node, Int64(index)) else { continue }
        let place = Place(
            id: id, kind: kinds[index % kinds.count], detail: "", position: position, name: "Place \(index % 50_000)")
        try writer.add(PlaceFeature(places: [place], otherNames: ""))
    }
    try writer.finish(source: "made", at: nil)
    let seconds = (Clock.now() - start).inSeconds
    let database = try PlacesDatabase(in: directory.path)
    var index = 0
    func here() -> Coordinate {
        index += 1
        return Coordinate(
            latitude: 46 + Double(index * 331 % 1000) / 600, longitude: 6 + Double(index * 577 % 1000) / 250)
    }
    return PlacesSearches(
        seconds: seconds,
        near: try Measurement("nearest 20 of 500,000 places", rounds: 200, passes: 1) {
            _ = try database.near(here(), radius: 2000, kinds: Set(PlaceKind.common), limit: 20)
        },
        water: try Measurement("nearest 20 with water of 500,000 places", rounds: 200, passes: 1) {
            _ = try database.near(here(), radius: 10_000, kinds: [.water], limit: 20)
        },
        name: try Measurement("search by name among 500,000 places", rounds: 200, passes: 1) {
            _ = try database.search("place 4\(index % 10)", near: here(), limit: 20)
        })
}
