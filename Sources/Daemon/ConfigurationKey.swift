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
    case syncSeconds = "SyncSeconds"
    case resumeMinutes = "ResumeMinutes"
    case exportAtStop = "ExportAtStop"
    case exportDirectory = "ExportDirectory"
    case recordAtBoot = "RecordAtBoot"
    case gpsd = "Gpsd"
    case way = "Way"
    case adapter = "Adapter"
    case straps = "Straps"
    case stateClients = "StateClients"
    case stateClientsPerUser = "StateClientsPerUser"
    case controlClients = "ControlClients"
    case controlClientsPerUser = "ControlClientsPerUser"
    case warnAtPercent = "WarnAtPercent"
    case closeAtPercent = "CloseAtPercent"

    var section: ConfigurationSection {
        switch self {
        case .syncSeconds, .resumeMinutes, .exportAtStop, .exportDirectory, .recordAtBoot: .recording
        case .gpsd: .position
        case .way, .adapter, .straps: .bluetooth
        case .stateClients, .stateClientsPerUser, .controlClients, .controlClientsPerUser: .clients
        case .warnAtPercent, .closeAtPercent: .power
        }
    }
}
