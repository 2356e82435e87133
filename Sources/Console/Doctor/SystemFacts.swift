import Domain
import Linux
import Sensors

/// Facts about a system, input of the diagnoses. Nil if a fact is not available.
struct SystemFacts: Equatable {
    /// The user who runs doctor.
    var caller = Caller()
    var bluetooth = Bluetooth()
    /// The runtime directory that doctor was given.
    var runtime = Self.systemRuntime
    /// The daemon of the runtime directory; nil if nothing listens there, or it is not known.
    var paced: Process?
    /// Other processes of the name, which serve other directories.
    var others: [Process] = []
    /// systemd's units by name; nil if systemd does not answer.
    var units: [String: UnitState]?
    var state = State.away
    /// The address that the daemon uses, else that of the configuration; nil if neither may be read.
    var gpsdAddress: GpsdAddress?
    var gpsd = Gpsd.off
    var receivers = Receivers()
    var uart = Uart()
    /// Barometers of the kernel, in the order in which paced tries them: `bmp280 (iio:device0)`.
    var barometers: [String] = []
    var disk = Disk(path: "/var/lib/paced")
    var clock = Clock()
    var groups = Groups()
    /// The sockets that exist; nil if the runtime directory may not be read.
    var sockets: [Socket]? = []
    var configuration = Configuration.absent

    /// The runtime directory of the service.
    static let systemRuntime = "/run/paced"

    struct Caller: Equatable {
        var isRoot = false
        var number: UInt32?
        var name: String?
    }

    struct Bluetooth: Equatable {
        struct Adapter: Equatable {
            /// `hci0`.
            var name: String
            /// The features that it supports, and those that are enabled.
            var supported: AdapterSettings?
            var settings: AdapterSettings?
        }

        var kernelHasIt = false
        var adapters: [Adapter] = []
        /// rfkill blocks an adapter, in software or by a hardware switch.
        var isBlocked = false
        var isBlockedBySwitch = false
        var daemonRuns = false
    }

    struct Process: Equatable {
        /// Nil if the kernel does not reveal it.
        var number: Int?
        var user: UInt32?
        /// Whether it is the main process of paced.service.
        var isService = false
        /// A bit set of capabilities; nil if the kernel does not report it.
        var capabilities: UInt64?

        static let networkAdministration: UInt64 = 1 << 12
    }

    /// The result of reading state.sock.
    enum State: Equatable {
        /// No process listens.
        case away
        case notAllowed
        case silent
        case received(StateFacts)
    }

    enum Gpsd: Equatable {
        /// The daemon uses none, or gpsd is disabled in the configuration.
        case off
        /// Its address is not known.
        case unknown
        case unreachable
        case silent
        case responds(release: String, devices: [Device])

        struct Device: Equatable {
            var path: String
            var driver: String?
        }
    }

    /// Devices that are receivers, or may be.
    struct Receivers: Equatable {
        struct Serial: Equatable {
            /// `ttyUSB0`.
            var name: String
            var vendor: String
            var product: String
            var serial: String?
            /// The USB port, `1-1.2`.
            var port: String
            /// Its product name.
            var title: String?

            /// A u-blox receiver, or the serial adapter on a u-blox board. u-blox makes radios and modems too.
            ///
            /// Source: gpsd's 60-gpsd.rules and udev/60-paced.rules.
            var isReceiver: Bool {
                guard vendor == "1546", let number = UInt16(product, radix: 16) else { return false }
                return (0x01A4...0x01AF).contains(number) || number == 0x0502 || number == 0x0506
            }
        }

        var serials: [Serial] = []
        /// Receivers that the kernel supports as such: `gnss0`.
        var gnss: [String] = []
    }

    /// The serial-port configuration for a receiver on the board's own port.
    struct Uart: Equatable {
        /// DEVICES of /etc/default/gpsd; nil if the file is missing.
        var gpsdDevices: [String]?
        var usbIsAutomatic = true
        /// Serial ports that exist: `serial0`, `ttyAMA0`, `ttyS0`.
        var ports: [String] = []
        /// The port of the kernel console.
        var console: String?
        /// config.txt of a Raspberry Pi; nil on other boards.
        var firmware: Firmware?

        struct Firmware: Equatable {
            var path: String
            var uartIsEnabled = false
            var bluetoothIsDisabled = false
        }
    }

    struct Disk: Equatable {
        var path: String
        /// Whether the caller may look into the directory above.
        var isVisible = true
        /// Nil if the directory is missing.
        var owner: UInt32?
        /// The user `paced`; nil if it does not exist.
        var wantedOwner: UInt32?
        var isReadOnly = false
        var freeMebibytes: Int?
    }

    struct Clock: Equatable {
        var isSynchronised = false
    }

    struct Groups: Equatable {
        /// The groups of paced that exist.
        var existing: Set<String> = []
        /// The caller's groups in /etc/group, and those of this process.
        var assigned: Set<String> = []
        var effective: Set<String> = []
    }

    struct Socket: Equatable {
        var path: String
        /// Permissions, lowest nine bits.
        var mode: UInt32
        var group: String?
    }

    enum Configuration: Equatable {
        case absent
        /// It is readable; `hasPanel` is true if [Panel] is not empty.
        case good(hasPanel: Bool)
        /// File, line and error.
        case bad(String)
        case notAllowed
    }
}

/// The fields of the lines VERSION and STATE that doctor uses. They contain no position.
struct StateFacts: Equatable {
    /// VERSION's address of gpsd; nil for a daemon that does not report it.
    var gpsd: String?
    var way: String?
    var wayReason: String?
    var strapIsConnected = false
    var strapReason: String?
    /// Name and last two bytes of the address.
    var strap: String?
    var gpsdIsConnected = false
    /// The receiver in use.
    var gpsdDevice: String?
    var gpsdReason: String?
    var hasPosition = false
    var positionIsStale = false
    var recorder: String?
    var recorderMessage: String?
    var millisecondsSinceSync: Int?
    var clock: String?
    /// Active faults, as the daemon's messages.
    var faults: [String] = []
}

/// State of a systemd unit.
struct UnitState: Equatable {
    var load = ""
    var active = ""
    var result = ""
    var file = ""
    var exitStatus = 0
    var restarts = 0
    /// The unit's AmbientCapabilities, such as `cap_net_admin`.
    var capabilities = ""

    var isThere: Bool { load == "loaded" }
    var isActive: Bool { active == "active" || active == "activating" || active == "reloading" }
    var isEnabled: Bool { ["enabled", "enabled-runtime", "static", "indirect", "generated", "linked"].contains(file) }

    /// Parses the output of `systemctl show`: assignments, with an empty line between units.
    static func read(_ text: String) -> [String: UnitState] {
        var units: [String: UnitState] = [:]
        var name: String?
        var unit = UnitState()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard let equals = line.firstIndex(of: "=") else {
                if let name { units[name] = unit }
                (name, unit) = (nil, UnitState())
                continue
            }
            let value = String(line[line.index(after: equals)...])
            switch line[..<equals] {
            case "Id": name = value
            case "LoadState": unit.load = value
            case "ActiveState": unit.active = value
            case "Result": unit.result = value
            case "UnitFileState": unit.file = value
            case "ExecMainStatus": unit.exitStatus = Int(value) ?? 0
            case "NRestarts": unit.restarts = Int(value) ?? 0
            case "AmbientCapabilities": unit.capabilities = value
            default: break
            }
        }
        if let name { units[name] = unit }
        return units
    }
}
