import Domain
import Linux
import Program
import Sensors
import Wire

// Parsers of option values, also for the equivalent configuration keys. `name` is the option or key, for errors.

extension Options.Gpsd {
    /// The value that parses as this one.
    var text: String {
        guard case .at(let host, let port, let device) = self else {
            return self == .off ? "off" : Self.sensorSocketWord
        }
        let name = host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "localhost"
        return "\(name):\(port)" + (device.map { ":" + $0 } ?? "")
    }

    /// The port of gpsd without another one (gpsd(8)).
    static let defaultPort: UInt16 = 2947

    private static let sensorSocketWord = "sensor-socket"

    /// Parses `HOST[:PORT[:DEVICE]]`, `off` or `sensor-socket`. An IPv6 address is in brackets.
    init(_ text: String, of name: String) throws(UsageError) {
        func misuse(_ what: String) -> UsageError {
            UsageError(line: "\(name) takes HOST[:PORT[:DEVICE]], off or sensor-socket" + what)
        }
        if text == "off" || text == Self.sensorSocketWord {
            self = text == "off" ? .off : .sensorSocket
            return
        }
        var host: Substring
        var rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw misuse("; ] is missing") }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            host = text.prefix { $0 != ":" }
            rest = text.dropFirst(host.count)
        }
        var port = Self.defaultPort
        if !rest.isEmpty {
            guard rest.popFirst() == ":" else { throw misuse("; : is missing after ]") }
            let digits = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(digits.count)
            guard let number = UInt16(digits), number > 0 else { throw misuse(", the port is 1 to 65535") }
            port = number
        }
        let device = rest.dropFirst()
        if rest.first == ":", device.isEmpty { throw misuse(", the device is empty") }
        if host != "localhost", !TCPSocket.isAddress(String(host)) {
            throw UsageError(
                line: "\(name) takes a numeric address or localhost: a name would need a look-up that blocks")
        }
        self = .at(
            host: host == "localhost" ? nil : String(host), port: port, device: device.isEmpty ? nil : String(device))
    }
}

extension Options.Barometer {
    init(_ text: String, of name: String) throws(UsageError) {
        switch text {
        case "off": self = .off
        case "auto": self = .automatic
        default:
            guard text.hasPrefix("/") else {
                throw UsageError(line: "\(name) takes auto, off or a path that begins with /")
            }
            self = .directory(text)
        }
    }
}

extension Options.Sensors {
    init(_ text: String, of name: String) throws(UsageError) {
        if text == "off" || text == "auto" {
            self = text == "off" ? .off : .auto
            return
        }
        if text.hasPrefix("unix:") {
            let path = text.dropFirst("unix:".count)
            guard !path.isEmpty, path.utf8.count <= UnixSocket.pathLimit else {
                throw UsageError(line: "\(name) unix:PATH takes a path of 1 to \(UnixSocket.pathLimit) bytes")
            }
            self = .unix(path: String(path))
            return
        }
        let sensors = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard !sensors.contains("") else {
            throw UsageError(line: "\(name) takes sensors with commas between, none empty")
        }
        guard sensors.allSatisfy(Self.isSensor) else {
            throw UsageError(
                line: "\(name) takes names, ends of names, or addresses, with /public or /random after them if known; "
                    + "auto or off is alone")
        }
        self = .ours(sensors)
    }

    /// An address has a type or none. A text that does not start with an address is a name.
    private static func isSensor(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count > 1, BluetoothAddress(parts[0]) != nil {
            return parts[1...] == ["public"] || parts[1...] == ["random"]
        }
        return SensorMatcher(text) != nil && !SettingChange.reservedSensors.contains(text)
    }
}

extension Options.Bluetooth {
    init(_ text: String, of name: String) throws(UsageError) {
        switch text {
        case "off": self = .off
        case "auto": self = .auto
        case "kernel": self = .kernel
        case "bluetoothd": self = .bluetoothd
        default: throw UsageError(line: "\(name) takes auto, kernel, bluetoothd or off")
        }
    }
}

extension AdapterChoice {
    /// Parses `hciN` or an address.
    init(_ text: String, of name: String) throws(UsageError) {
        if let address = BluetoothAddress(text) {
            self = .address(address)
        } else if text.hasPrefix("hci"), let index = UInt16(text.dropFirst(3)), index < MgmtCommand.noIndex {
            // `MGMT_INDEX_NONE` is not an adapter's number.
            self = .index(index)
        } else {
            throw UsageError(
                line: "\(name) takes hci and a number, or an address such as 00:1A:7D:DA:71:13")
        }
    }
}
