import Domain
import Linux
import Program
import Report

/// A section `[Upload NAME]` of the configuration: a service that takes finished activities.
package struct UploadSettings: Sendable {
    package static let limit = 8
    static let section = "Upload NAME"

    package let name: String
    package var service: UploadService?
    /// Without a slash at its end; nil for that of the service.
    package var url: String?
    package var user: String?
    package var client: String?
    /// Where the service sends the browser of a login. Nobody needs to answer there.
    package var redirection = "http://localhost/"
    package var path: String?
    package var hiddenRadius = 0
    package var isPlain = false
    package var authorities: String?
    /// Of a whole request.
    package var timeout = Duration.seconds(300)

    package init(name: String) {
        self.name = name
    }

    /// The address of the service; empty for a directory.
    package var address: String { url ?? service?.url ?? "" }

    /// What a service is, besides its name: with another one uploads begin anew.
    var identity: String { "\(service?.word ?? "") \(address)\(path ?? "")" }

    /// Whether everybody on the way can read the files.
    var isUnencrypted: Bool { address.hasPrefix("http:") }

    /// The name of the credential with the secret (`LoadCredential=`).
    package var credential: String { "upload-\(name)" }

    /// - Throws: ``UsageError`` if a key is missing.
    func check(_ path: String) throws(UsageError) {
        func refuse(_ text: String) throws(UsageError) { throw UsageError(line: "\(path): [Upload \(name)] \(text)") }
        guard let service else { return try refuse("needs Service=") }
        for need in service.needs {
            let isThere =
                switch need {
                case .url: url != nil
                case .user: user != nil
                case .client: client != nil
                case .path: self.path != nil
                }
            if !isThere { try refuse("needs \(need.rawValue)= for Service=\(service.word)") }
        }
        if isUnencrypted, !isPlain { try refuse("needs an Url= that begins with https, or AllowPlain=yes") }
    }
}

extension LinkConfiguration {
    private typealias Key = ConfigurationKey<LinkConfiguration>

    static let uploadKeys: [ConfigurationKey<LinkConfiguration>] = [
        key("Service", rule: "one of \(UploadService.all.map(\.word).joined(separator: ", "))") { settings, text in
            settings.service = UploadService.all.first { $0.word == text }
            return settings.service != nil
        },
        key("Url", rule: "an address of https or http, without blanks and ?") {
            guard isWord($1, 9...512), $1.hasPrefix("https://") || $1.hasPrefix("http://"), !$1.hasSuffix("//"),
                !$1.utf8.contains(UInt8(ascii: "?")), !$1.utf8.contains(UInt8(ascii: "#"))
            else { return false }
            $0.url = $1.hasSuffix("/") ? String($1.dropLast()) : $1
            return true
        },
        key("User", rule: "1 to 128 printable ASCII characters without blanks and colons") {
            guard isWord($1, 1...128), !$1.utf8.contains(UInt8(ascii: ":")) else { return false }
            $0.user = $1
            return true
        },
        key("ClientId", rule: "1 to 128 printable ASCII characters without blanks") {
            guard isWord($1, 1...128) else { return false }
            $0.client = $1
            return true
        },
        key("RedirectUrl", rule: "an address of https or http") {
            guard isWord($1, 9...512), $1.hasPrefix("https://") || $1.hasPrefix("http://") else { return false }
            $0.redirection = $1
            return true
        },
        key("Path", rule: "an absolute path") {
            guard $1.hasPrefix("/") else { return false }
            $0.path = $1.count > 1 && $1.hasSuffix("/") ? String($1.dropLast()) : $1
            return true
        },
        key("HideMetres", rule: "a number from 0 to \(HiddenPlaces.largestRadius)") {
            guard let metres = Int($1), (0...HiddenPlaces.largestRadius).contains(metres) else { return false }
            $0.hiddenRadius = metres
            return true
        },
        key("AllowPlain", rule: "yes or no") {
            guard $1 == "yes" || $1 == "no" else { return false }
            $0.isPlain = $1 == "yes"
            return true
        },
        key("Authorities", rule: "an absolute path") {
            guard $1.hasPrefix("/") else { return false }
            $0.authorities = $1
            return true
        },
        key("TimeoutSec", rule: "a number of seconds from 5 to 3600") {
            guard let seconds = Int($1), (5...3600).contains(seconds) else { return false }
            $0.timeout = .seconds(seconds)
            return true
        },
    ]

    private static func key(
        _ name: String, rule: String, set: @escaping @Sendable (inout UploadSettings, String) -> Bool
    ) -> Key {
        Key(UploadSettings.section, name) { assignment, configuration in
            let service = String(assignment.section.dropFirst(UploadSettings.section.firstWord.count + 1))
            guard isSink(service) else {
                throw UsageError(
                    line: "the name after Upload must be 1 to 32 of the characters a-z, 0-9 and -")
            }
            var index = configuration.uploads.firstIndex { $0.name == service }
            if index == nil {
                guard configuration.uploads.count < UploadSettings.limit else {
                    throw UsageError(line: "there are more than \(UploadSettings.limit) sections [Upload NAME]")
                }
                configuration.uploads.append(UploadSettings(name: service))
                index = configuration.uploads.count - 1
            }
            guard let index, assignment.value.isEmpty || set(&configuration.uploads[index], assignment.value) else {
                throw UsageError(line: "\(name) must be \(rule)")
            }
        }
    }
}

extension String {
    fileprivate var firstWord: Substring { prefix { $0 != " " } }
}
