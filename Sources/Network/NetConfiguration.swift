import Domain
import Glibc
package import Linux
import Maps
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
    /// Whether users without the rights of paced-net can read the file that has ``TransitService/Settings/home``.
    var exposesHome = false

    package init() {}

    static let path = "/etc/paced/paced-net.conf"

    /// Reads the named file, which must exist, or the default one, if it exists.
    package static func read(_ named: String?) throws(ConfigurationFile.Failure) -> NetConfiguration {
        let path = named ?? Self.path
        guard let assignments = try ConfigurationFile.read(path) else {
            if named == nil { return NetConfiguration() }
            throw ConfigurationFile.Failure(line: "\(path) does not exist")
        }
        var configuration = NetConfiguration()
        var seen: Set<String> = []
        for assignment in assignments {
            func failure(_ text: String) -> ConfigurationFile.Failure {
                ConfigurationFile.Failure(line: "\(path):\(assignment.line): \(text)")
            }
            let name = "[\(SanitizedText(assignment.section)?.text ?? "")] \(SanitizedText(assignment.key)?.text ?? "")"
            guard let key = keys.first(where: { $0.section == assignment.section && $0.name == assignment.key }) else {
                throw failure("\(name) is unknown; \(known(in: assignment.section))")
            }
            guard seen.insert(name).inserted else { throw failure("\(name) is set a second time") }
            // An empty value is the default.
            if assignment.value.isEmpty { continue }
            guard key.set(&configuration, assignment.value) else { throw failure("\(key.name) must be \(key.rule)") }
        }
        var status = stat()
        configuration.exposesHome =
            configuration.transit.home != nil && stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
        return configuration
    }

    /// The keys of a section, or the sections if it is none.
    private static func known(in section: String) -> String {
        let own = keys.filter { $0.section == section }.map(\.name)
        if !own.isEmpty { return "the keys of [\(section)] are \(own.joined(separator: ", "))" }
        var sections: [String] = []
        for key in keys where !sections.contains(key.section) { sections.append(key.section) }
        return "the sections are " + sections.map { "[\($0)]" }.joined(separator: ", ")
    }

    struct Key {
        var section: String
        var name: String
        /// What a value must be.
        var rule: String
        /// False for a wrong value.
        var set: @Sendable (inout NetConfiguration, String) -> Bool
    }

    private static let keys = ownKeys + transitKeys

    private static let ownKeys = [
        Key(section: "Network", name: "TimeoutSec", rule: "a number of seconds from 1 to 120") { configuration, text in
            guard let seconds = Int(text), (1...120).contains(seconds) else { return false }
            configuration.timeout = .seconds(seconds)
            return true
        },
        Key(section: "Network", name: "Contact", rule: "1 to 64 printable ASCII characters without parentheses") {
            guard (1...64).contains($1.utf8.count),
                $1.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") })
            else { return false }
            $0.contact = $1
            return true
        },
        Key(section: "Network", name: "Authorities", rule: "an absolute path") {
            guard $1.hasPrefix("/") else { return false }
            $0.authorities = $1
            return true
        },
        Key(section: "Weather", name: "Server", rule: "an address of http or https without the last slash, or off") {
            guard $1 == "off" || ServerAddress($1) != nil else { return false }
            $0.weatherServer = $1 == "off" ? nil : $1
            return true
        },
        Key(
            section: "Routes", name: "Engine",
            rule: "an address of http or https without the last slash, such as valhalla+http://127.0.0.1:8002, or off"
        ) {
            let engine = RouteEngine($1)
            guard $1 == "off" || engine != nil else { return false }
            $0.routeEngine = engine
            return true
        },
        Key(
            section: "Places", name: "Kinds",
            rule: "names with commas between: \(PlaceKind.pointsOfInterest.map(\.name).joined(separator: ", "))"
        ) { configuration, text in
            guard let kinds = PlaceKind.pointsOfInterest(named: text) else { return false }
            configuration.places.kinds = PlaceKind.pointsOfInterest.filter(kinds.contains)
            return true
        },
        Key(section: "Places", name: "RadiusKm", rule: "a number of kilometres from 0.1 to 50") {
            guard let kilometres = Double($1), (0.1...50).contains(kilometres) else { return false }
            $0.places.radius = kilometres * 1000
            return true
        },
        Key(section: "Places", name: "WaterNoticeKm", rule: "a number of kilometres from 0.1 to 10, or 0 for none") {
            guard let kilometres = Double($1), kilometres == 0 || (0.1...10).contains(kilometres) else { return false }
            $0.places.waterNotice = kilometres == 0 ? nil : kilometres * 1000
            return true
        },
    ]
}
