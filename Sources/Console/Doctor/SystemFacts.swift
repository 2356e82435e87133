import Domain
import Sensors

/// What is found on a machine, before anything is thought of it. Nil is what cannot be looked up.
struct SystemFacts: Equatable {
    /// Who asks.
    var caller = Caller()
    var bluetooth = Bluetooth()
    /// The process of the daemon; nil where there is none.
    var paced: Process?
    /// What systemd says of units, by their names; nil where there is no systemd that answers.
    var units: [String: UnitState]?
    var state = State.away
    var gpsd = Gpsd.off
    var receivers = Receivers()
    var uart = Uart()
    var disk: Disk?
    var clock = Clock()
    var groups = Groups()
    /// Which sockets there are.
    var sockets: [Socket] = []
    var configuration = Configuration.absent

    struct Caller: Equatable {
        var isRoot = false
        var name: String?
    }

    struct Bluetooth: Equatable {
        struct Adapter: Equatable {
            /// `hci0`.
            var name: String
            /// What it can do and what it does.
            var supported: AdapterSettings?
            var settings: AdapterSettings?
        }

        var kernelHasIt = false
        var adapters: [Adapter] = []
        /// rfkill holds an adapter: in software, or by a switch of the board.
        var isBlocked = false
        var isBlockedBySwitch = false
        var daemonRuns = false
    }

    struct Process: Equatable {
        /// A bit for each capability; nil when the kernel does not tell.
        var capabilities: UInt64?

        static let networkAdministration: UInt64 = 1 << 12
    }

    /// What state.sock says.
    enum State: Equatable {
        /// Nobody listens there.
        case away
        case notAllowed
        case silent
        case said(StateFacts)
    }

    enum Gpsd: Equatable {
        /// The configuration wants none.
        case off
        case unreachable
        case silent
        case answers(release: String, devices: [Device])

        struct Device: Equatable {
            var path: String
            var driver: String?
        }
    }

    /// What is plugged in that is a receiver, or may be one.
    struct Receivers: Equatable {
        struct Serial: Equatable {
            /// `ttyUSB0`.
            var name: String
            var vendor: String
            var product: String
            var serial: String?
            /// The place of its plug, `1-1.2`.
            var port: String
            /// What it calls itself.
            var title: String?

            /// A receiver of u-blox, or the serial adapter on one of its boards for a receiver; it makes radios and modems too.
            ///
            /// Source: gpsd's 60-gpsd.rules and our 60-paced.rules.
            var isReceiver: Bool {
                guard vendor == "1546", let number = UInt16(product, radix: 16) else { return false }
                return (0x01A4...0x01AF).contains(number) || number == 0x0502 || number == 0x0506
            }
        }

        var serials: [Serial] = []
        /// Those that the kernel itself calls receivers: `gnss0`.
        var gnss: [String] = []
    }

    /// What a receiver on the board's own serial port needs.
    struct Uart: Equatable {
        /// DEVICES of /etc/default/gpsd; nil where there is no such file.
        var gpsdDevices: [String]?
        var usbIsAutomatic = true
        /// Serial ports that are there: `serial0`, `ttyAMA0`, `ttyS0`.
        var ports: [String] = []
        /// The one that the kernel's console is on.
        var console: String?
        /// config.txt of a Raspberry Pi; nil elsewhere.
        var firmware: Firmware?

        struct Firmware: Equatable {
            var path: String
            var uartIsEnabled = false
            var bluetoothIsDisabled = false
        }
    }

    struct Disk: Equatable {
        var path: String
        /// Nil where it is missing.
        var owner: UInt32?
        /// The user of the daemon, if there is one.
        var wantedOwner: UInt32?
        var isReadOnly = false
        var freeMebibytes: Int?
    }

    struct Clock: Equatable {
        var isSynchronised = false
    }

    struct Groups: Equatable {
        /// Those of ours that exist.
        var existing: Set<String> = []
        /// Those that the caller is in by /etc/group, and those that this process has.
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
        /// It can be read; whether its panel has anything.
        case good(hasPanel: Bool)
        /// The file and the line, and what is wrong.
        case bad(String)
        case notAllowed
    }
}

/// A STATE line, as far as doctor looks at it. It holds no position.
struct StateFacts: Equatable {
    var way: String?
    var wayReason: String?
    var strapIsConnected = false
    var strapReason: String?
    /// Its name, and the last two bytes of its address.
    var strap: String?
    var gpsdIsConnected = false
    var gpsdReason: String?
    var hasPosition = false
    var positionIsStale = false
    var recorder: String?
    var recorderMessage: String?
    var millisecondsSinceSync: Int?
    var clock: String?
    /// What is wrong, in the daemon's words.
    var faults: [String] = []
}

/// What systemd says of a unit.
struct UnitState: Equatable {
    var load = ""
    var active = ""
    var result = ""
    var file = ""
    var exitStatus = 0
    var restarts = 0
    /// Capabilities that its process is given, `cap_net_admin`.
    var capabilities = ""

    var isThere: Bool { load == "loaded" }
    var isActive: Bool { active == "active" || active == "activating" || active == "reloading" }
    var isEnabled: Bool { ["enabled", "enabled-runtime", "static", "indirect", "generated", "linked"].contains(file) }

    /// Reads what `systemctl show` prints: assignments, and an empty line between units.
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
