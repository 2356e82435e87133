import Domain
import Linux

/// The settings of `paced-web`.
///
/// Source: man/paced-web.conf.5.
package struct WebConfiguration: Equatable {
    /// What a token may do over plain HTTP from another machine.
    package enum Plain: String, CaseIterable {
        case no
        /// The live page only: no history, no downloads.
        case live
        case all
    }

    /// Names by which browsers reach this machine, besides its own.
    var names: [String] = []
    var plain = Plain.no
    /// Files in PEM format: the certificate with its chain, and its key.
    var certificate: String?
    var key: String?
    /// A file of raster tiles for the maps (MBTiles).
    var tiles: String?

    static let path = "/etc/paced/paced-web.conf"

    private static let section = "Web"
    private static let keyNames = ["Names", "AllowPlain", "Certificate", "CertificateKey", "Tiles"]

    /// Reads the named file, which must exist, or the default one, if it exists.
    static func read(_ named: String?) throws(ConfigurationFile.Failure) -> WebConfiguration {
        let path = named ?? Self.path
        guard let assignments = try ConfigurationFile.read(path) else {
            if named == nil { return WebConfiguration() }
            throw ConfigurationFile.Failure(line: "\(path) does not exist")
        }
        var configuration = WebConfiguration()
        var seen: Set<String> = []
        for assignment in assignments {
            func failure(_ text: String) -> ConfigurationFile.Failure {
                ConfigurationFile.Failure(line: "\(path):\(assignment.line): \(text)")
            }
            guard assignment.section == section else {
                throw failure(
                    "[\(SanitizedText(assignment.section)?.text ?? "")] is unknown; the section is [\(section)]")
            }
            let name = SanitizedText(assignment.key)?.text ?? ""
            guard seen.insert(name).inserted else { throw failure("\(name) is set a second time") }
            // An empty value is the default.
            if assignment.value.isEmpty, keyNames.contains(name) { continue }
            if let rule = try configuration.set(assignment) { throw failure(rule) }
        }
        if (configuration.certificate == nil) != (configuration.key == nil) {
            throw ConfigurationFile.Failure(line: "\(path): Certificate and CertificateKey need each other")
        }
        return configuration
    }

    /// - Returns: what is wrong; nil if nothing is.
    private mutating func set(_ assignment: ConfigurationFile.Assignment) throws(ConfigurationFile.Failure) -> String? {
        let value = assignment.value
        switch assignment.key {
        case "Names":
            let names = value.split(separator: " ").map { $0.lowercased() }
            guard names.count <= 16, names.allSatisfy(Self.isName) else {
                return "Names must be host names with blanks between, such as bike.local, at most 16"
            }
            self.names = names
        case "AllowPlain":
            guard let plain = Plain(rawValue: value) else { return "AllowPlain must be no, live or all" }
            self.plain = plain
        case "Certificate", "CertificateKey", "Tiles":
            guard value.hasPrefix("/") else { return "\(assignment.key) must be an absolute path" }
            switch assignment.key {
            case "Certificate": certificate = value
            case "CertificateKey": key = value
            default: tiles = value
            }
        default:
            return
                "[\(Self.section)] \(SanitizedText(assignment.key)?.text ?? "") is unknown; the keys are \(Self.keyNames.joined(separator: ", "))"
        }
        return nil
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.utf8.allSatisfy {
                $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }
}
