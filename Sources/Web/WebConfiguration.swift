package import Program

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

    private static let table = ConfigurationTable<WebConfiguration>(
        path: "/etc/paced/paced-web.conf",
        [
            ConfigurationKey(
                "Web", "Names", rule: "host names with blanks between, such as bike.local, at most 16"
            ) { configuration, text in
                let names = text.split(separator: " ").map { $0.lowercased() }
                guard names.count <= 16, names.allSatisfy(isName) else { return false }
                configuration.names = names
                return true
            },
            ConfigurationKey("Web", "AllowPlain", rule: "no, live or all") {
                guard let plain = Plain(rawValue: $1) else { return false }
                $0.plain = plain
                return true
            },
            path("Certificate") { $0.certificate = $1 }, path("CertificateKey") { $0.key = $1 },
            path("Tiles") { $0.tiles = $1 },
        ])

    private static func path(
        _ name: String, set: @escaping @Sendable (inout WebConfiguration, String) -> Void
    ) -> ConfigurationKey<WebConfiguration> {
        ConfigurationKey("Web", name, rule: "an absolute path") {
            guard $1.hasPrefix("/") else { return false }
            set(&$0, $1)
            return true
        }
    }

    /// Reads the named file, which must exist, or the default one, if it exists, and their drop-ins.
    package static func read(_ named: String?) throws(UsageError) -> WebConfiguration {
        var configuration = WebConfiguration()
        _ = try table.read(named, into: &configuration)
        if (configuration.certificate == nil) != (configuration.key == nil) {
            throw UsageError(line: "\(named ?? table.path): Certificate and CertificateKey need each other")
        }
        return configuration
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
