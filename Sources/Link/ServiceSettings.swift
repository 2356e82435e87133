import Domain
import Linux
import Program

/// A section of the configuration of which there may be several, such as `[Upload NAME]`: a service on the network.
protocol ServiceSettings: Sendable {
    /// Such as `Upload NAME`.
    static var section: String { get }

    var name: String { get }
    /// Without a slash at its end; nil for that of the service.
    var url: String? { get set }
    var user: String? { get set }
    var isPlain: Bool { get set }
    var authorities: String? { get set }
    /// Of a whole request.
    var timeout: Duration { get set }

    init(name: String)
}

extension ServiceSettings {
    /// The most sections of a kind.
    static var limit: Int { 8 }
    /// The section without NAME.
    static var kind: String { String(section.prefix { $0 != " " }) }

    /// The name of the credential with the secret (`LoadCredential=`).
    var credential: String { "\(Self.kind.lowercased())-\(name)" }
}

extension LinkConfiguration {
    typealias Key = ConfigurationKey<LinkConfiguration>

    /// The keys that each service has.
    static func serviceKeys<Settings: ServiceSettings>(
        _ list: any WritableKeyPath<LinkConfiguration, [Settings]> & Sendable
    ) -> [Key] {
        [
            key(list, "Url", rule: "an address of https or http, without blanks, ? and #") {
                guard isAddress($1), !$1.hasSuffix("//"), !$1.utf8.contains(UInt8(ascii: "?")),
                    !$1.utf8.contains(UInt8(ascii: "#"))
                else { return false }
                $0.url = $1.hasSuffix("/") ? String($1.dropLast()) : $1
                return true
            },
            key(list, "User", rule: "1 to 128 printable ASCII characters without blanks and colons") {
                guard isWord($1, 1...128), !$1.utf8.contains(UInt8(ascii: ":")) else { return false }
                $0.user = $1
                return true
            },
            flag(list, "AllowPlain") { $0.isPlain = $1 },
            key(list, "Authorities", rule: "an absolute path") {
                guard $1.hasPrefix("/") else { return false }
                $0.authorities = $1
                return true
            },
            key(list, "TimeoutSec", rule: "a number of seconds from 5 to 3600") {
                guard let seconds = Int($1), (5...3600).contains(seconds) else { return false }
                $0.timeout = .seconds(seconds)
                return true
            },
        ]
    }

    static func isAddress(_ text: String) -> Bool {
        isWord(text, 9...512) && (text.hasPrefix("https://") || text.hasPrefix("http://"))
    }

    static func flag<Settings: ServiceSettings>(
        _ list: any WritableKeyPath<LinkConfiguration, [Settings]> & Sendable, _ name: String,
        set: @escaping @Sendable (inout Settings, Bool) -> Void
    ) -> Key {
        key(list, name, rule: "yes or no") {
            guard $1 == "yes" || $1 == "no" else { return false }
            set(&$0, $1 == "yes")
            return true
        }
    }

    /// A key of a section with a name, whose settings are made with its first key.
    static func key<Settings: ServiceSettings>(
        _ list: any WritableKeyPath<LinkConfiguration, [Settings]> & Sendable, _ name: String, rule: String,
        set: @escaping @Sendable (inout Settings, String) -> Bool
    ) -> Key {
        Key(Settings.section, name) { assignment, configuration in
            let service = String(assignment.section.dropFirst(Settings.kind.count + 1))
            guard isSink(service) else {
                throw UsageError(
                    line: "the name after \(Settings.kind) must be 1 to 32 of the characters a-z, 0-9 and -")
            }
            var index = configuration[keyPath: list].firstIndex { $0.name == service }
            if index == nil {
                guard configuration[keyPath: list].count < Settings.limit else {
                    throw UsageError(line: "there are more than \(Settings.limit) sections [\(Settings.section)]")
                }
                configuration[keyPath: list].append(Settings(name: service))
                index = configuration[keyPath: list].count - 1
            }
            guard let index,
                assignment.value.isEmpty || set(&configuration[keyPath: list][index], assignment.value)
            else { throw UsageError(line: "\(name) must be \(rule)") }
        }
    }
}
