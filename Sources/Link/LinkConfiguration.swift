import Domain
package import Program
import Report

/// The settings of `paced-link`.
///
/// Source: man/paced-link.conf.5.
package struct LinkConfiguration {
    /// The broker; nil for none: nothing is sent.
    package var host: String?
    /// Nil for the port of TLS, or of a connection without it.
    var port: Int?
    var user: String?
    var authorities = "/etc/ssl/certs"
    var certificate: String?
    var key: String?
    var isPlain = false
    package var level = LinkLevel.health
    /// The members of the message `state`; nil for all of the level.
    var members: [LiveMember]?
    var interval = Duration.seconds(1)
    /// The radius of hidden places in metres; 0 for none.
    package var hiddenRadius = 0
    /// Interfaces on which rows wait.
    var metered: Set<String> = []
    /// The collectors that acknowledge rows.
    package var sinks: [String] = []
    package var timeout = Duration.seconds(15)
    var ownTracks = OwnTracksSettings()
    /// The prefix of Home Assistant's discovery; nil for no discovery.
    package var discoveryPrefix: String?
    /// The methods that the broker may call.
    package var allowed: [String] = []
    /// The services that take finished activities.
    package var uploads: [UploadSettings] = []
    /// Where planned work comes from.
    package var plans: [PlanSettings] = []
    private var prefix = "homeassistant"
    private var discovers = false

    package init() {}

    static let table = ConfigurationTable(
        path: "/etc/paced/paced-link.conf", mqttKeys + collectorKeys + otherKeys + uploadKeys + planKeys)

    /// Reads the named file, which must exist, or the default one, if it exists, and their drop-ins.
    package static func read(_ named: String?) throws(UsageError) -> LinkConfiguration {
        var configuration = LinkConfiguration()
        _ = try table.read(named, into: &configuration)
        try configuration.check(named ?? table.path)
        if configuration.discovers { configuration.discoveryPrefix = configuration.prefix }
        return configuration
    }

    private func check(_ path: String) throws(UsageError) {
        func refuse(_ text: String) throws(UsageError) { throw UsageError(line: "\(path): \(text)") }
        if certificate == nil, key != nil { try refuse("CertificateKey= needs Certificate=") }
        if !sinks.isEmpty, level < .position {
            try refuse("Sinks= needs Level=position or full: rows have positions")
        }
        if ownTracks.mode != .off, level < .coarse {
            try refuse("[OwnTracks] needs Level=coarse, position or full")
        }
        if ownTracks.mode == .http, ownTracks.url == nil { try refuse("Mode=http of [OwnTracks] needs Url=") }
        if host == nil, !sinks.isEmpty || ownTracks.mode == .mqtt || discovers {
            try refuse("Sinks=, Mode=mqtt and Discovery= need Host= of [Mqtt]")
        }
        if let url = ownTracks.url, url.hasPrefix("http:"), !ownTracks.isPlain {
            try refuse("Url= must begin with https, or [OwnTracks] needs AllowPlain=yes")
        }
        if !allowed.isEmpty {
            if host == nil { try refuse("Allow= needs Host= of [Mqtt]") }
            if isPlain { try refuse("Allow= needs TLS: AllowPlain=yes lets everybody on the way command") }
            if user == nil, certificate == nil {
                try refuse("Allow= needs User= or Certificate= of [Mqtt], so that the broker knows who may command")
            }
        }
        for upload in uploads { try upload.check(path) }
        for plan in plans { try plan.check(path) }
    }

    private static let mqttKeys: [ConfigurationKey<LinkConfiguration>] = [
        Key("Mqtt", "Host", rule: "the name or the address of a broker") {
            guard isHost($1) else { return false }
            $0.host = $1
            return true
        },
        Key("Mqtt", "Port", rule: "a number from 1 to 65535") {
            guard let port = Int($1), (1...65_535).contains(port) else { return false }
            $0.port = port
            return true
        },
        Key("Mqtt", "User", rule: "1 to 64 printable ASCII characters without blanks") {
            guard isWord($1, 1...64) else { return false }
            $0.user = $1
            return true
        },
        path("Authorities") { $0.authorities = $1 }, path("Certificate") { $0.certificate = $1 },
        path("CertificateKey") { $0.key = $1 },
        flag("Mqtt", "AllowPlain") { $0.isPlain = $1 },
        Key("Mqtt", "Level", rule: "one of \(LinkLevel.words)") {
            guard let level = LinkLevel(word: $1) else { return false }
            $0.level = level
            return true
        },
        Key("Mqtt", "Members", rule: "names with commas between: \(LiveMember.names)") { configuration, text in
            let names = text.split(separator: ",").map { $0.trimmed }
            let members = names.compactMap { name in LiveMember.all.first { $0.name == name } }
            guard members.count == names.count, !members.isEmpty else { return false }
            configuration.members = members
            return true
        },
        Key("Mqtt", "IntervalSec", rule: "a number of seconds from 1 to 60") {
            guard let seconds = Int($1), (1...60).contains(seconds) else { return false }
            $0.interval = .seconds(seconds)
            return true
        },
        Key("Mqtt", "HideMetres", rule: "a number from 0 to \(HiddenPlaces.largestRadius)") {
            guard let metres = Int($1), (0...HiddenPlaces.largestRadius).contains(metres) else { return false }
            $0.hiddenRadius = metres
            return true
        },
        Key("Mqtt", "MeteredInterfaces", rule: "names of network interfaces with blanks between, at most 8") {
            let names = $1.split(separator: " ").map(String.init)
            guard names.count <= 8, names.allSatisfy({ isWord($0, 1...15) }) else { return false }
            $0.metered = Set(names)
            return true
        },
    ]

    private static let collectorKeys: [ConfigurationKey<LinkConfiguration>] = [
        Key(
            "Collector", "Sinks",
            rule: "1 to 8 names of a-z, 0-9 and -, at most 32 characters each, with blanks between"
        ) {
            let names = $1.split(separator: " ").map(String.init)
            guard (1...8).contains(names.count), Set(names).count == names.count, names.allSatisfy(isSink) else {
                return false
            }
            $0.sinks = names
            return true
        },
        Key("Collector", "AckTimeoutSec", rule: "a number of seconds from 1 to 600") {
            guard let seconds = Int($1), (1...600).contains(seconds) else { return false }
            $0.timeout = .seconds(seconds)
            return true
        },
    ]

    private static let otherKeys: [ConfigurationKey<LinkConfiguration>] = [
        Key("OwnTracks", "Mode", rule: "off, mqtt or http") {
            guard let mode = OwnTracksSettings.Mode(rawValue: $1) else { return false }
            $0.ownTracks.mode = mode
            return true
        },
        Key("OwnTracks", "User", rule: "1 to 64 of a-z, A-Z, 0-9, - and _") {
            guard isName($1, 1...64) else { return false }
            $0.ownTracks.user = $1
            return true
        },
        Key("OwnTracks", "Device", rule: "1 to 64 of a-z, A-Z, 0-9, - and _") {
            guard isName($1, 1...64) else { return false }
            $0.ownTracks.device = $1
            return true
        },
        Key("OwnTracks", "TrackerId", rule: "two of a-z, A-Z and 0-9") {
            guard isName($1, 2...2) else { return false }
            $0.ownTracks.tracker = $1
            return true
        },
        Key("OwnTracks", "Url", rule: "an address of https or http") {
            guard isWord($1, 9...512), $1.hasPrefix("https://") || $1.hasPrefix("http://") else { return false }
            $0.ownTracks.url = $1
            return true
        },
        flag("OwnTracks", "AllowPlain") { $0.ownTracks.isPlain = $1 },
        Key(
            "OwnTracks", "Regions",
            rule: "regions with semicolons between, at most 16, each NAME LATITUDE,LONGITUDE METRES"
        ) { configuration, text in
            let parts = text.split(separator: ";")
            let regions = parts.compactMap { OwnTracksRegion($0.trimmed) }
            guard regions.count == parts.count, regions.count <= 16 else { return false }
            configuration.ownTracks.regions = regions
            return true
        },
        Key("Commands", "Allow", rule: "methods with blanks between: \(CommandGate.methods.joined(separator: ", "))") {
            let methods = $1.split(separator: " ").map(String.init)
            guard !methods.isEmpty, methods.allSatisfy(CommandGate.methods.contains) else { return false }
            $0.allowed = methods
            return true
        },
        flag("HomeAssistant", "Discovery") { $0.discovers = $1 },
        Key("HomeAssistant", "Prefix", rule: "1 to 64 of a-z, A-Z, 0-9, - and _") {
            guard isName($1, 1...64) else { return false }
            $0.prefix = $1
            return true
        },
    ]

    private static func path(
        _ name: String, set: @escaping @Sendable (inout LinkConfiguration, String) -> Void
    ) -> Key {
        Key("Mqtt", name, rule: "an absolute path") {
            guard $1.hasPrefix("/") else { return false }
            set(&$0, $1)
            return true
        }
    }

    private static func flag(
        _ section: String, _ name: String, set: @escaping @Sendable (inout LinkConfiguration, Bool) -> Void
    ) -> Key {
        Key(section, name, rule: "yes or no") {
            guard $1 == "yes" || $1 == "no" else { return false }
            set(&$0, $1 == "yes")
            return true
        }
    }

    private static func isHost(_ text: String) -> Bool {
        isWord(text, 1...253) && !text.utf8.contains(UInt8(ascii: "/"))
    }

    static func isWord(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    private static func isName(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        isWord(text, length)
            && text.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_"
            }
    }

    static func isSink(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-" }
    }
}

extension Substring {
    /// Without blanks around it.
    var trimmed: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
