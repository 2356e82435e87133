import Domain
import Glibc
import Linux
import Maps
package import Program
import Weather

/// The settings of `paced-net`.
///
/// Source: man/paced-net.conf.5.
package struct NetConfiguration: Equatable {
    /// From the start of a request to the last byte of its response.
    package var timeout = Duration.seconds(20)
    /// How to reach the user, for the header User-Agent; nil for none.
    package var contact: String?
    /// A file of certificates of authorities; nil for the system's.
    package var authorities: String?
    /// The address of the weather service; nil for none.
    package var weatherServer: String? = AviationWeather.defaultServer
    /// The route engine; nil for none.
    var routeEngine: RouteEngine? = .local
    var places = PlacesService.Settings()
    package internal(set) var transit = TransitService.Settings()
    /// The file that has ``TransitService/Settings/home``, if users without the rights of paced-net can read it.
    var exposedHome: String?

    package init() {}

    static let table = ConfigurationTable(path: "/etc/paced/paced-net.conf", ownKeys + transitKeys)

    /// Reads the named file, which must exist, or the default one, if it exists.
    package static func read(_ named: String?) throws(UsageError) -> NetConfiguration {
        var configuration = NetConfiguration()
        let applied = try table.read(named, into: &configuration)
        for assignment in applied.assignments where assignment.key == "Home" && configuration.transit.home != nil {
            var status = stat()
            if stat(assignment.path, &status) == 0, status.st_mode & S_IROTH != 0 {
                configuration.exposedHome = assignment.path
            }
        }
        return configuration
    }

    private static let ownKeys: [ConfigurationKey<NetConfiguration>] = [
        ConfigurationKey("Network", "TimeoutSec", rule: "a number of seconds from 1 to 120") { configuration, text in
            guard let seconds = Int(text), (1...120).contains(seconds) else { return false }
            configuration.timeout = .seconds(seconds)
            return true
        },
        ConfigurationKey("Network", "Contact", rule: "1 to 64 printable ASCII characters without parentheses") {
            guard (1...64).contains($1.utf8.count),
                $1.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") })
            else { return false }
            $0.contact = $1
            return true
        },
        ConfigurationKey("Network", "Authorities", rule: "an absolute path") {
            guard $1.hasPrefix("/") else { return false }
            $0.authorities = $1
            return true
        },
        ConfigurationKey("Weather", "Server", rule: "an address of http or https without the last slash, or off") {
            guard $1 == "off" || ServerAddress($1) != nil else { return false }
            $0.weatherServer = $1 == "off" ? nil : $1
            return true
        },
        ConfigurationKey(
            "Routes", "Engine",
            rule: "an address of http or https without the last slash, such as valhalla+http://127.0.0.1:8002, or off"
        ) {
            let engine = RouteEngine($1)
            guard $1 == "off" || engine != nil else { return false }
            $0.routeEngine = engine
            return true
        },
        ConfigurationKey(
            "Places", "Kinds",
            rule: "names with commas between: \(PlaceKind.pointsOfInterest.map(\.name).joined(separator: ", "))"
        ) { configuration, text in
            guard let kinds = PlaceKind.pointsOfInterest(named: text) else { return false }
            configuration.places.kinds = PlaceKind.pointsOfInterest.filter(kinds.contains)
            return true
        },
        ConfigurationKey("Places", "RadiusKm", rule: "a number of kilometres from 0.1 to 50") {
            guard let kilometres = Double($1), (0.1...50).contains(kilometres) else { return false }
            $0.places.radius = kilometres * 1000
            return true
        },
        ConfigurationKey("Places", "WaterNoticeKm", rule: "a number of kilometres from 0.1 to 10, or 0 for none") {
            guard let kilometres = Double($1), kilometres == 0 || (0.1...10).contains(kilometres) else { return false }
            $0.places.waterNotice = kilometres == 0 ? nil : kilometres * 1000
            return true
        },
    ]
}
