import Adapters
import Domain

/// A section of paced.conf, in the order of the example file.
package enum ConfigurationSection: String, CaseIterable, Sendable {
    case recording = "Recording"
    case position = "Position"
    case bluetooth = "Bluetooth"
    case clients = "Clients"
    case power = "Power"
    case settings = "Settings"
    /// `pacectl panel` reads it; the daemon only checks it (``PanelConfiguration``).
    case panel = "Panel"

    /// A key for the example file and the manual page.
    struct Row: Sendable {
        var name: String
        /// The default as the file has it; empty for none.
        var initial: String
        var text: String
    }

    /// The keys of the section.
    var rows: [Row] {
        switch self {
        case .settings:
            SettingKey.allCases.filter { $0 != .straps }
                .map { Row(name: $0.rawValue, initial: Settings().configured($0), text: $0.text) }
        case .panel: PanelConfiguration.keys.map { Row(name: $0.name, initial: "", text: $0.text) }
        case .recording, .position, .bluetooth, .clients, .power:
            ConfigurationKey.all.filter { $0.section == self }
                .map { Row(name: $0.name, initial: $0.initial, text: $0.text) }
        }
    }

    /// The names of all keys of the section.
    package var keys: [String] { rows.map(\.name) }

    /// What the keys have in common; empty for nothing.
    var text: String {
        switch self {
        case .settings:
            """
            The defaults of the settings that pacectl settings set changes. A setting that was changed there wins over the key here.
            """
        case .panel:
            """
            For pacectl panel and paced-panel.service, on a board without a screen. Keys have the names of linux/input-event-codes.h,
            such as KEY_PLAYPAUSE, separated by spaces. LEDs have the names of /sys/class/leds, separated by spaces. Without keys, no
            device is read.
            """
        case .power: "Where the kernel reports a battery."
        case .recording, .position, .bluetooth, .clients: ""
        }
    }
}
