import Domain
import Linux
import Program
import Report

/// A section `[Upload NAME]` of the configuration: a service that takes finished activities.
package struct UploadSettings: ServiceSettings {
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
    static let uploadKeys: [ConfigurationKey<LinkConfiguration>] =
        [
            key(\.uploads, "Service", rule: "one of \(UploadService.all.map(\.word).joined(separator: ", "))") {
                settings, text in
                settings.service = UploadService.all.first { $0.word == text }
                return settings.service != nil
            }
        ] + serviceKeys(\.uploads) + [
            key(\.uploads, "ClientId", rule: "1 to 128 printable ASCII characters without blanks") {
                guard isWord($1, 1...128) else { return false }
                $0.client = $1
                return true
            },
            key(\.uploads, "RedirectUrl", rule: "an address of https or http") {
                guard isAddress($1) else { return false }
                $0.redirection = $1
                return true
            },
            key(\.uploads, "Path", rule: "an absolute path") {
                guard $1.hasPrefix("/") else { return false }
                $0.path = $1.count > 1 && $1.hasSuffix("/") ? String($1.dropLast()) : $1
                return true
            },
            key(\.uploads, "HideMetres", rule: "a number from 0 to \(HiddenPlaces.largestRadius)") {
                guard let metres = Int($1), (0...HiddenPlaces.largestRadius).contains(metres) else { return false }
                $0.hiddenRadius = metres
                return true
            },
        ]
}
