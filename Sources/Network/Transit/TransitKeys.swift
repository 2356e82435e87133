import Domain
import MapStorage
import Program

extension NetConfiguration {
    /// The keys of [Transit].
    static let transitKeys: [ConfigurationKey<NetConfiguration>] = [
        ConfigurationKey(
            "Transit", "Feeds", rule: "1 to 4 addresses of http or https of GTFS-Realtime feeds, with spaces between"
        ) {
            let addresses = $1.split(separator: " ").map(String.init)
            guard (1...4).contains(addresses.count), addresses.allSatisfy(ServerAddress.isURL)
            else { return false }
            $0.transit.sources.feeds = addresses
            return true
        },
        ConfigurationKey(
            "Transit", "InfoPoint",
            rule: "an address of http or https without the last slash, such as https://realtime.catabus.com/InfoPoint"
        ) {
            guard ServerAddress($1) != nil else { return false }
            $0.transit.sources.infoPoint = $1
            return true
        },
        ConfigurationKey("Transit", "Lines", rule: "1 to 32 codes or IDs of lines, with commas between") {
            guard let lines = list($1, limit: 32) else { return false }
            $0.transit.lines = lines
            return true
        },
        ConfigurationKey("Transit", "Stops", rule: "1 to 8 IDs of stops, with commas between") {
            guard let stops = list($1, limit: 8) else { return false }
            $0.transit.stops = stops
            return true
        },
        ConfigurationKey("Transit", "NearbyStops", rule: "yes or no") {
            guard let asks = Bool(word: $1) else { return false }
            $0.transit.asksForNearbyStops = asks
            return true
        },
        ConfigurationKey("Transit", "Home", rule: "a latitude and a longitude in degrees, such as 40.7914,-77.8586") {
            let parts = $1.split(separator: ",", omittingEmptySubsequences: false).map { Double(trimmed($0)) }
            guard parts.count == 2, let latitude = parts[0], let longitude = parts[1], latitude.magnitude <= 90,
                longitude.magnitude <= 180
            else { return false }
            $0.transit.home = Coordinate(latitude: latitude, longitude: longitude)
            return true
        },
        ConfigurationKey("Transit", "RefreshSec", rule: "a number of seconds from 15 to 120") {
            guard let seconds = Int($1), (15...120).contains(seconds) else { return false }
            $0.transit.refresh = .seconds(seconds)
            return true
        },
        ConfigurationKey("Transit", "WalkingKmh", rule: "a number of km/h from 1 to 40") {
            guard let kilometres = Double($1), (1...40).contains(kilometres) else { return false }
            $0.transit.walking.speed = kilometres / 3.6
            return true
        },
        ConfigurationKey("Transit", "LastBusMin", rule: "a number of minutes from 1 to 240, or 0 for no notice") {
            guard let minutes = Int($1), (0...240).contains(minutes) else { return false }
            $0.transit.lastBusNotice = minutes == 0 ? nil : minutes * 60
            return true
        },
        ConfigurationKey("Transit", "LastBusKm", rule: "a number of kilometres from 0.1 to 10") {
            guard let kilometres = Double($1), (0.1...10).contains(kilometres) else { return false }
            $0.transit.lastBusRadius = kilometres * 1000
            return true
        },
    ]

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// The words of a text with commas between; nil for too many, and for an empty or a long one.
    private static func list(_ text: String, limit: Int) -> [String]? {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
        guard words.count <= limit, words.allSatisfy({ (1...255).contains($0.utf8.count) }) else { return nil }
        return words
    }
}
