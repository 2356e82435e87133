import Domain
import Linux
package import Sensors

/// Facts about a system, input of the diagnoses. Nil if a fact is not available.
package struct SystemFacts: Equatable {
    /// The user who runs doctor.
    package var caller = Caller()
    package var bluetooth = Bluetooth()
    /// The runtime directory that doctor was given.
    package var runtime = Self.systemRuntime
    /// The daemon of the runtime directory; nil if nothing listens there, or it is not known.
    package var paced: Process?
    /// Other processes of the name, which serve other directories.
    package var others: [Process] = []
    /// systemd's units by name; nil if systemd does not answer.
    package var units: [String: UnitState]?
    /// The addresses of paced-web.socket, by its files.
    package var pageAddresses: [ListenStream] = []
    package var state = State.away
    /// The address that the daemon uses, else that of the configuration; nil if neither may be read.
    package var gpsdAddress: GpsdAddress?
    package var gpsd = Gpsd.off
    package var receivers = Receivers()
    package var uart = Uart()
    /// Barometers of the kernel, in the order in which paced tries them: `bmp280 (iio:device0)`.
    var barometers: [String] = []
    package var disk = Disk(path: "/var/lib/paced")
    package var clock = Clock()
    package var groups = Groups()
    /// The sockets that exist; nil if the runtime directory may not be read.
    package var sockets: [Socket]? = []
    package var configuration = Configuration.absent
    package var panelKeys: [PanelKey] = []
    package var map = Map.none
    /// What paced-link says of the broker and the others that it sends to; nil if it does not answer.
    package var linkSinks: [LinkSink]?

    package init() {}

    /// One of those that paced-link sends to.
    package struct LinkSink: Equatable {
        var name: String
        /// As `link.status` has it.
        var state: String
        var reason: String

        package init(name: String, state: String, reason: String) {
            self.name = name
            self.state = state
            self.reason = reason
        }
    }

    /// The runtime directory of the service.
    static let systemRuntime = "/run/paced"

    /// The map of the page.
    package enum Map: Equatable {
        case none
        /// What it has, such as `vector tiles (shortbread), zoom 6 to 14`.
        case readable(String)
        /// Its path, and why the page cannot draw it.
        case unreadable(String, String)
    }

    package struct Caller: Equatable {
        package var isRoot = false
        var number: UInt32?
        var name: String?

        package init(isRoot: Bool = false, number: UInt32? = nil, name: String? = nil) {
            self.isRoot = isRoot
            self.number = number
            self.name = name
        }
    }

    package struct Bluetooth: Equatable {
        package struct Adapter: Equatable {
            /// `hci0`.
            var name: String
            /// The features that it supports, and those that are enabled.
            package var supported: AdapterSettings?
            package var settings: AdapterSettings?

            package init(name: String, supported: AdapterSettings? = nil, settings: AdapterSettings? = nil) {
                self.name = name
                self.supported = supported
                self.settings = settings
            }
        }

        var kernelHasIt = false
        package var adapters: [Adapter] = []
        /// rfkill blocks an adapter, in software or by a hardware switch.
        package var isBlocked = false
        package var isBlockedBySwitch = false
        package var daemonRuns = false

        package init(
            kernelHasIt: Bool = false, adapters: [Adapter] = [], isBlocked: Bool = false,
            isBlockedBySwitch: Bool = false, daemonRuns: Bool = false
        ) {
            self.kernelHasIt = kernelHasIt
            self.adapters = adapters
            self.isBlocked = isBlocked
            self.isBlockedBySwitch = isBlockedBySwitch
            self.daemonRuns = daemonRuns
        }
    }

    package struct Process: Equatable {
        /// Nil if the kernel does not reveal it.
        package internal(set) var number: Int?
        package var user: UInt32?
        /// Whether it is the main process of paced.service.
        package internal(set) var isService = false
        /// A bit set of capabilities; nil if the kernel does not report it.
        package var capabilities: UInt64?

        package init(number: Int? = nil, user: UInt32? = nil, isService: Bool = false, capabilities: UInt64? = nil) {
            self.number = number
            self.user = user
            self.isService = isService
            self.capabilities = capabilities
        }

        package static let networkAdministration: UInt64 = 1 << 12
    }

    /// The result of reading state.sock.
    package enum State: Equatable {
        /// No process listens.
        case away
        case notAllowed
        case silent
        case received(StateFacts)
    }

    package enum Gpsd: Equatable {
        /// The daemon uses none, or gpsd is disabled in the configuration.
        case off
        /// Its address is not known.
        case unknown
        case unreachable
        case silent
        case responds(release: String, devices: [Device])

        package struct Device: Equatable {
            var path: String
            var driver: String?

            package init(path: String, driver: String? = nil) {
                self.path = path
                self.driver = driver
            }
        }
    }

    /// Devices that are receivers, or may be.
    package struct Receivers: Equatable {
        package struct Serial: Equatable {
            /// `ttyUSB0`.
            var name: String
            var vendor: String
            var product: String
            package var serial: String?
            /// The USB port, `1-1.2`.
            var port: String
            /// Its product name.
            package internal(set) var title: String?

            package init(
                name: String, vendor: String, product: String, serial: String? = nil, port: String, title: String? = nil
            ) {
                self.name = name
                self.vendor = vendor
                self.product = product
                self.serial = serial
                self.port = port
                self.title = title
            }

            /// A u-blox receiver, or the serial adapter on a u-blox board. u-blox makes radios and modems too.
            ///
            /// Source: gpsd's 60-gpsd.rules and udev/60-paced.rules.
            var isReceiver: Bool {
                guard vendor == "1546", let number = UInt16(product, radix: 16) else { return false }
                return (0x01A4...0x01AF).contains(number) || number == 0x0502 || number == 0x0506
            }
        }

        package var serials: [Serial] = []
        /// Receivers that the kernel supports as such: `gnss0`.
        package var gnss: [String] = []
    }

    /// The serial-port configuration for a receiver on the board's own port.
    package struct Uart: Equatable {
        /// DEVICES of /etc/default/gpsd; nil if the file is missing.
        package var gpsdDevices: [String]?
        package var usbIsAutomatic = true
        /// Serial ports that exist: `serial0`, `ttyAMA0`, `ttyS0`.
        var ports: [String] = []
        /// The port of the kernel console.
        var console: String?
        /// config.txt of a Raspberry Pi; nil on other boards.
        package var firmware: Firmware?

        package init(
            gpsdDevices: [String]? = nil, usbIsAutomatic: Bool = true, ports: [String] = [], console: String? = nil,
            firmware: Firmware? = nil
        ) {
            self.gpsdDevices = gpsdDevices
            self.usbIsAutomatic = usbIsAutomatic
            self.ports = ports
            self.console = console
            self.firmware = firmware
        }

        package struct Firmware: Equatable {
            var path: String
            var uartIsEnabled = false
            var bluetoothIsDisabled = false

            package init(path: String, uartIsEnabled: Bool = false, bluetoothIsDisabled: Bool = false) {
                self.path = path
                self.uartIsEnabled = uartIsEnabled
                self.bluetoothIsDisabled = bluetoothIsDisabled
            }
        }
    }

    package struct Disk: Equatable {
        var path: String
        /// Whether the caller may look into the directory above.
        package var isVisible = true
        /// Nil if the directory is missing.
        package var owner: UInt32?
        /// The user `paced`; nil if it does not exist.
        var wantedOwner: UInt32?
        package var isReadOnly = false
        package var freeMebibytes: Int?

        package init(
            path: String, isVisible: Bool = true, owner: UInt32? = nil, wantedOwner: UInt32? = nil,
            isReadOnly: Bool = false, freeMebibytes: Int? = nil
        ) {
            self.path = path
            self.isVisible = isVisible
            self.owner = owner
            self.wantedOwner = wantedOwner
            self.isReadOnly = isReadOnly
            self.freeMebibytes = freeMebibytes
        }
    }

    package struct Clock: Equatable {
        package var isSynchronised = false
    }

    package struct Groups: Equatable {
        /// The groups of paced that exist.
        package var existing: Set<String> = []
        /// The caller's groups in /etc/group, and those of this process.
        var assigned: Set<String> = []
        package var effective: Set<String> = []

        package init(existing: Set<String> = [], assigned: Set<String> = [], effective: Set<String> = []) {
            self.existing = existing
            self.assigned = assigned
            self.effective = effective
        }

        package init() {}
    }

    package struct Socket: Equatable {
        var path: String
        /// Permissions, lowest nine bits.
        package var mode: UInt32
        var group: String?

        package init(path: String, mode: UInt32, group: String? = nil) {
            self.path = path
            self.mode = mode
            self.group = group
        }
    }

    package enum Configuration: Equatable {
        case absent
        /// It is readable; `hasPanel` is true if [Panel] is not empty, and `isChecked` if paced finds no error in it.
        case good(hasPanel: Bool, isChecked: Bool = true)
        /// File, line and error.
        case bad(String)
        case notAllowed
    }
}

/// The fields of the lines VERSION and STATE that doctor uses. They contain no position.
package struct StateFacts: Equatable {
    /// VERSION's address of gpsd; nil for a daemon that does not report it.
    package var gpsd: String?
    package var way: String?
    var wayReason: String?
    package var strapIsConnected = false
    package var strapReason: String?
    /// Name and last two bytes of the address.
    package var strap: String?
    package var gpsdIsConnected = false
    /// The receiver in use.
    package var gpsdDevice: String?
    package var gpsdReason: String?
    package var hasPosition = false
    package var positionIsStale = false
    package var recorder: String?
    package var recorderMessage: String?
    package var millisecondsSinceSync: Int?
    package var clock: String?
    /// Active faults, as the daemon's messages.
    package var faults: [String] = []

    package init() {}
}

/// State of a systemd unit.
package struct UnitState: Equatable {
    var load = ""
    var active = ""
    var result = ""
    var file = ""
    var exitStatus = 0
    package var restarts = 0
    /// The unit's AmbientCapabilities, such as `cap_net_admin`.
    package var capabilities = ""

    package init(
        load: String = "", active: String = "", result: String = "", file: String = "", exitStatus: Int = 0,
        restarts: Int = 0, capabilities: String = ""
    ) {
        self.load = load
        self.active = active
        self.result = result
        self.file = file
        self.exitStatus = exitStatus
        self.restarts = restarts
        self.capabilities = capabilities
    }

    package var isThere: Bool { load == "loaded" }
    var isActive: Bool { active == "active" || active == "activating" || active == "reloading" }
    var isEnabled: Bool { ["enabled", "enabled-runtime", "static", "indirect", "generated", "linked"].contains(file) }

    /// Parses the output of `systemctl show`: assignments, with an empty line between units.
    package static func read(_ text: String) -> [String: UnitState] {
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
