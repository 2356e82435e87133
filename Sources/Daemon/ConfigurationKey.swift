import Adapters
import Domain

/// A section of paced.conf.
package enum ConfigurationSection: String, CaseIterable, Sendable {
    case recording = "Recording"
    case position = "Position"
    case bluetooth = "Bluetooth"
    case clients = "Clients"
    case power = "Power"
    case settings = "Settings"
    /// Read by the panel, which is another program; here it is only checked (``PanelConfiguration``).
    case panel = "Panel"

    /// The names of all keys that may stand in it.
    package var keys: [String] {
        switch self {
        case .settings: SettingKey.allCases.filter { $0 != .straps }.map(\.rawValue)
        case .panel: ["Toggle", "Lap", "Stop", "Devices"] + PanelLight.allCases.map(\.key)
        default: ConfigurationKey.allCases.filter { $0.section == self }.map(\.rawValue)
        }
    }
}

/// A key of paced.conf that is the daemon's own.
enum ConfigurationKey: String, CaseIterable, Sendable {
    case syncInterval = "SyncIntervalSec"
    case resumeLimit = "ResumeLimitSec"
    case exportAtStop = "ExportAtStop"
    case exportDirectory = "ExportDirectory"
    case autoStart = "AutoStart"
    case gpsd = "Gpsd"
    case backend = "Backend"
    case adapter = "Adapter"
    case straps = "Straps"
    case maxStateClients = "MaxStateClients"
    case maxStateClientsPerUser = "MaxStateClientsPerUser"
    case maxControlClients = "MaxControlClients"
    case maxControlClientsPerUser = "MaxControlClientsPerUser"
    case warnAtPercent = "WarnAtPercent"
    case closeAtPercent = "CloseAtPercent"

    var section: ConfigurationSection {
        switch self {
        case .syncInterval, .resumeLimit, .exportAtStop, .exportDirectory, .autoStart: .recording
        case .gpsd: .position
        case .backend, .adapter, .straps: .bluetooth
        case .maxStateClients, .maxStateClientsPerUser, .maxControlClients, .maxControlClientsPerUser: .clients
        case .warnAtPercent, .closeAtPercent: .power
        }
    }

    /// The key's name in releases up to 0.1.0: it is read for one more release, with a warning.
    var formerly: String? {
        switch self {
        case .syncInterval: "SyncSeconds"
        case .resumeLimit: "ResumeMinutes"
        case .autoStart: "RecordAtBoot"
        case .backend: "Way"
        case .maxStateClients: "StateClients"
        case .maxStateClientsPerUser: "StateClientsPerUser"
        case .maxControlClients: "ControlClients"
        case .maxControlClientsPerUser: "ControlClientsPerUser"
        case .exportAtStop, .exportDirectory, .gpsd, .adapter, .straps, .warnAtPercent, .closeAtPercent: nil
        }
    }

    /// Converts a value of ``formerly``: the limit was in minutes, and is in seconds.
    func value(formerly value: String) -> String {
        guard self == .resumeLimit, let minutes = Int(value) else { return value }
        let (seconds, isTooMany) = minutes.multipliedReportingOverflow(by: 60)
        return isTooMany ? value : String(seconds)
    }
}

extension [ConfigurationFile.Assignment] {
    /// Replaces former names of keys (``ConfigurationKey/formerly``). Where a file has both names of a key, the present one wins.
    ///
    /// - Returns: for each former name a warning that has both.
    mutating func replaceFormerNames(in path: String) -> [String] {
        var warnings: [String] = []
        let names = Set(map { $0.section + "." + $0.key })
        self = compactMap { assignment in
            let key = ConfigurationKey.allCases.first { key in
                key.formerly == assignment.key && key.section.rawValue == assignment.section
            }
            guard let key else { return assignment }
            var present = assignment
            present.key = key.rawValue
            present.value = key.value(formerly: assignment.value)
            guard !names.contains(present.section + "." + present.key) else {
                warnings.append(
                    "\(path):\(assignment.line): \(assignment.key)= is ignored, \(present.key)= replaces it")
                return nil
            }
            warnings.append(
                "\(path):\(assignment.line): \(assignment.key)= is now called \(present.key)=, and is read as "
                    + "\(present.key)=\(SanitizedText(present.value)?.text ?? ""); change it, the next release rejects it"
            )
            return present
        }
        return warnings
    }
}
