import Domain
package import Linux

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

    /// Reads the named file, which must exist, or the default one, if it exists; then the files `*.conf` in the directory
    /// of that name with `.d`, in the order of their names, of which the last value of a key counts.
    package static func read(_ named: String?) throws(ConfigurationFile.Failure) -> WebConfiguration {
        let path = named ?? Self.path
        var configuration = WebConfiguration()
        if try !configuration.apply(fileAt: path), named != nil {
            throw ConfigurationFile.Failure(line: "\(path) does not exist")
        }
        for name in (try? Linux.names(in: path + ".d")) ?? [] where name.hasSuffix(".conf") {
            _ = try configuration.apply(fileAt: "\(path).d/\(name)")
        }
        if (configuration.certificate == nil) != (configuration.key == nil) {
            throw ConfigurationFile.Failure(line: "\(path): Certificate and CertificateKey need each other")
        }
        return configuration
    }

    /// - Returns: whether there is a file.
    private mutating func apply(fileAt path: String) throws(ConfigurationFile.Failure) -> Bool {
        guard let assignments = try ConfigurationFile.read(path) else { return false }
        var seen: Set<String> = []
        for assignment in assignments {
            func failure(_ text: String) -> ConfigurationFile.Failure {
                ConfigurationFile.Failure(line: "\(path):\(assignment.line): \(text)")
            }
            guard assignment.section == Self.section else {
                throw failure(
                    "[\(SanitizedText(assignment.section)?.text ?? "")] is unknown; the section is [\(Self.section)]")
            }
            let name = SanitizedText(assignment.key)?.text ?? ""
            guard seen.insert(name).inserted else { throw failure("\(name) is set a second time") }
            // An empty value leaves what was set before.
            if assignment.value.isEmpty, Self.keyNames.contains(name) { continue }
            if let rule = try set(assignment) { throw failure(rule) }
        }
        return true
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
