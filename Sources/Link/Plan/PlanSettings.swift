import Domain
import Linux
import Program

/// A section `[Plan NAME]` of the configuration: where planned workouts and courses come from.
package struct PlanSettings: ServiceSettings {
    static let section = "Plan NAME"

    package let name: String
    package var source: PlanSource?
    package var url: String?
    package var user: String?
    package var isPlain = false
    package var authorities: String?
    package var timeout = Duration.seconds(300)
    /// The hour (local time) from which the plan of a day is fetched.
    package var hour = 5
    /// Whether the first workout of today is loaded.
    package var loadsToday = false

    package init(name: String) {
        self.name = name
    }

    var address: String { url ?? source?.url ?? "" }

    /// What a source is, besides its name: with another one all is fetched anew.
    var identity: String { "\(source?.rawValue ?? "") \(address) \(user ?? "")" }

    /// - Throws: ``UsageError`` if a key is missing.
    func check(_ path: String) throws(UsageError) {
        func refuse(_ text: String) throws(UsageError) { throw UsageError(line: "\(path): [Plan \(name)] \(text)") }
        guard let source else { return try refuse("needs Service=") }
        if source == .webdav, url == nil { try refuse("needs Url= for Service=webdav") }
        if source == .webdav, user == nil { try refuse("needs User= for Service=webdav") }
        if address.hasPrefix("http:"), !isPlain {
            try refuse("needs an Url= that begins with https, or AllowPlain=yes")
        }
        if source == .webdav, loadsToday { try refuse("has LoadToday=yes, and a folder has courses only") }
    }
}

extension LinkConfiguration {
    static let planKeys: [ConfigurationKey<LinkConfiguration>] =
        [
            key(\.plans, "Service", rule: "one of \(PlanSource.allCases.map(\.rawValue).joined(separator: ", "))") {
                $0.source = PlanSource(rawValue: $1)
                return $0.source != nil
            }
        ] + serviceKeys(\.plans) + [
            key(\.plans, "Hour", rule: "a number from 0 to 23") {
                guard let hour = Int($1), (0...23).contains(hour) else { return false }
                $0.hour = hour
                return true
            },
            flag(\.plans, "LoadToday") { $0.loadsToday = $1 },
        ]
}
