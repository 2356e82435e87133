import Bluetooth
import Board
import Domain
import Glibc
import Linux
import Sensors
import Tiles

/// Reads the system's files in /sys, /proc and /etc, or in a file tree that replaces them for tests.
package struct SystemFiles {
    /// Empty for the real system.
    let root: String

    package init(root: String) {
        self.root = root
    }

    /// The largest file that is read, in bytes.
    private static let limit = 64 * 1024

    /// The text of a small file without trailing newlines; nil if it cannot be read.
    func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(root + path, O_RDONLY | O_NONBLOCK) else { return nil }
        var text = file.readText(limit: Self.limit)
        while let last = text.unicodeScalars.last, last == "\n" || last == "\0" { text.unicodeScalars.removeLast() }
        return text
    }

    /// The lines of a text file; empty if it cannot be read.
    func lines(_ path: String) -> [Substring] {
        (text(path) ?? "").split(whereSeparator: \.isNewline)
    }

    func names(_ path: String) -> [String] {
        (try? Linux.names(in: root + path, limit: 4096)) ?? []
    }

    func exists(_ path: String) -> Bool {
        access(root + path, F_OK) == 0
    }

    /// Resolves links of a path, relative to the root.
    func destination(_ path: String) -> String? {
        guard let found = realpath(root + path, nil) else { return nil }
        defer { free(found) }
        guard let base = realpath(root.isEmpty ? "/" : root, nil) else { return nil }
        defer { free(base) }
        let (place, start) = (String(cString: found), String(cString: base))
        if start == "/" { return place }
        return place.hasPrefix(start) ? String(place.dropFirst(start.count)) : nil
    }

    /// Parses a file of shell assignments such as /etc/default/gpsd, and removes quotes.
    func assignments(_ path: String) -> [String: String] {
        var assignments: [String: String] = [:]
        for line in lines(path) {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].hasPrefix("#") else { continue }
            assignments[String(parts[0])] = String(parts[1].filter { $0 != "\"" && $0 != "'" })
        }
        return assignments
    }

    /// The processes with this name.
    func processes(named name: String) -> [Int] {
        names("/proc").compactMap { Int($0) }.filter { text("/proc/\($0)/comm") == name }
    }

    /// A group of /etc/group: its number and its members.
    func group(_ name: String) -> (number: UInt32, members: [Substring])? {
        for line in lines("/etc/group") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count == 4, fields[0] == name, let number = UInt32(fields[2]) {
                return (number, fields[3].split(separator: ","))
            }
        }
        return nil
    }

    /// The first user in /etc/passwd that matches.
    func user(where isMeant: (_ name: Substring, _ number: UInt32) -> Bool) -> (number: UInt32, name: Substring)? {
        for line in lines("/etc/passwd") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count >= 3, let number = UInt32(fields[2]), isMeant(fields[0], number) {
                return (number, fields[0])
            }
        }
        return nil
    }
}

extension SystemFiles {
    /// Adapters, rfkill blocks, and whether bluetoothd runs.
    package func bluetooth() -> SystemFacts.Bluetooth {
        var bluetooth = SystemFacts.Bluetooth()
        bluetooth.kernelHasIt = exists("/sys/class/bluetooth")
        // Connections are listed there too, as hci0:64.
        let adapters = names("/sys/class/bluetooth").filter { UInt16($0.dropFirst(3)) != nil && $0.hasPrefix("hci") }
        bluetooth.adapters = adapters.map { SystemFacts.Bluetooth.Adapter(name: $0) }
        // The management channel describes this machine, not a test's file tree.
        if root.isEmpty {
            let probes = AdapterProbe.probe(adapters.compactMap { UInt16($0.dropFirst(3)) }, within: .milliseconds(500))
            for index in bluetooth.adapters.indices {
                let name = bluetooth.adapters[index].name
                let answer = probes.first { "hci\($0.index)" == name }
                bluetooth.adapters[index].supported = answer?.supported
                bluetooth.adapters[index].settings = answer?.settings
            }
        }
        for name in names("/sys/class/rfkill") where text("/sys/class/rfkill/\(name)/type") == "bluetooth" {
            if text("/sys/class/rfkill/\(name)/soft") == "1" { bluetooth.isBlocked = true }
            if text("/sys/class/rfkill/\(name)/hard") == "1" { bluetooth.isBlockedBySwitch = true }
        }
        bluetooth.daemonRuns = !processes(named: "bluetoothd").isEmpty
        return bluetooth
    }

    /// The processes of paced, of any user.
    package func pacedProcesses() -> [SystemFacts.Process] { processes(named: "paced").map(process) }

    private func process(_ number: Int) -> SystemFacts.Process {
        let status = lines("/proc/\(number)/status")
        func field(_ name: String, _ place: Int) -> Substring? {
            let words = status.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace)
            return words.flatMap { $0.count > place ? $0[place] : nil }
        }
        return SystemFacts.Process(
            number: number, user: field("Uid:", 2).flatMap { UInt32($0) },
            isService: text("/proc/\(number)/cgroup")?.has("/paced.service") ?? false,
            capabilities: field("CapEff:", 1).flatMap { UInt64($0, radix: 16) })
    }

    /// The process that serves a socket.
    ///
    /// - Parameters:
    ///   - peer: the process that listens, and its user. Of a socket of systemd's it is systemd: the service serves it.
    package func process(
        ofPeer peer: Int32, user: UInt32, among known: [SystemFacts.Process]
    ) -> SystemFacts.Process? {
        if peer <= 1 { return known.first(where: \.isService) }
        var process = known.first { $0.number == Int(peer) } ?? process(Int(peer))
        process.user = user
        return process
    }

    /// Receivers that are plugged in or on the board.
    package func receivers() -> SystemFacts.Receivers {
        let serials = names("/sys/class/tty").filter { $0.hasPrefix("ttyUSB") || $0.hasPrefix("ttyACM") }
        return SystemFacts.Receivers(serials: serials.compactMap(serial), gnss: names("/sys/class/gnss"))
    }

    private func serial(_ name: String) -> SystemFacts.Receivers.Serial? {
        guard var place = destination("/sys/class/tty/\(name)/device") else { return nil }
        // Walks up from the port over the USB interface to the device.
        for _ in 0..<8 {
            if let vendor = text(place + "/idVendor"), let product = text(place + "/idProduct") {
                let isNumber: (String) -> Bool = { $0.count == 4 && $0.allSatisfy(\.isHexDigit) }
                guard isNumber(vendor), isNumber(product) else { return nil }
                return SystemFacts.Receivers.Serial(
                    name: name, vendor: vendor, product: product,
                    serial: text(place + "/serial").flatMap(Self.plain),
                    port: String(place.split(separator: "/").last ?? ""),
                    title: text(place + "/product").flatMap { SanitizedText($0)?.text })
            }
            guard let slash = place.lastIndex(of: "/"), slash > place.startIndex else { return nil }
            place = String(place[..<slash])
        }
        return nil
    }

    /// A serial number for a udev rule, which root reads: it must not contain quotes or patterns.
    private static func plain(_ text: String) -> String? {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
        return isPlain && (1...64).contains(text.utf8.count) ? text : nil
    }

    /// The barometers of the kernel. No value is read: a bus may block.
    package func barometers() -> [String] {
        Barometers(directory: root + Barometers.kernelDirectory).devices.map(\.text)
    }

    package func uart() -> SystemFacts.Uart {
        var uart = SystemFacts.Uart()
        if exists("/etc/default/gpsd") {
            let assignments = assignments("/etc/default/gpsd")
            uart.gpsdDevices = (assignments["DEVICES"] ?? "").split(separator: " ").compactMap {
                SanitizedText(String($0))?.text
            }
            uart.usbIsAutomatic = assignments["USBAUTO"] == "true"
        }
        uart.ports = ["serial0", "ttyAMA0", "ttyS0"].filter { exists("/dev/" + $0) && isWired($0) }
        uart.console = (text("/proc/cmdline") ?? "").split(separator: " ").lazy
            .filter { $0.hasPrefix("console=") }
            .map { String($0.dropFirst("console=".count).prefix { $0 != "," }) }
            .first { ["serial0", "ttyAMA0", "ttyS0"].contains($0) }
        for path in ["/boot/firmware/config.txt", "/boot/config.txt"] where exists(path) && uart.firmware == nil {
            var firmware = SystemFacts.Uart.Firmware(path: path)
            for line in lines(path) {
                let line = line.filter { $0 != " " }
                if line == "enable_uart=1" { firmware.uartIsEnabled = true }
                if line.hasPrefix("dtoverlay=disable-bt") { firmware.bluetoothIsDisabled = true }
            }
            uart.firmware = firmware
        }
        return uart
    }

    /// A PC has ttyS0 to ttyS3 even without hardware; the kernel reports type 0 for those.
    private func isWired(_ port: String) -> Bool {
        guard let type = text("/sys/class/tty/\(port)/type") else { return port == "serial0" }
        return type != "0"
    }

    /// The state directory, always of the real system.
    func disk(_ directory: String) -> SystemFacts.Disk {
        var disk = SystemFacts.Disk(path: directory)
        var status = stat()
        guard stat(directory, &status) == 0 else {
            // Without permission, stat does not reveal whether the directory exists.
            disk.isVisible = errno != EACCES
            return disk
        }
        disk.owner = status.st_uid
        disk.wantedOwner = user { name, _ in name == "paced" }?.number
        var room = statvfs()
        if statvfs(directory, &room) == 0 {
            disk.isReadOnly = room.f_flag & UInt(ST_RDONLY) != 0
            disk.freeMebibytes = (Int(room.f_bavail) * Int(room.f_frsize)) >> 20
        }
        return disk
    }

    /// The map that paced-web shows: that of `Tiles=`, else the imported one.
    package func map() -> SystemFacts.Map {
        let assignments = (try? ConfigurationFile.read(root + "/etc/paced/paced-web.conf")) ?? []
        let named = assignments.last { $0.section == "Web" && $0.key == "Tiles" }?.value
        let path = named.map { root + $0 } ?? root + MapsDirectory.system + "/" + TileFile.fileName
        if named == nil, access(path, F_OK) != 0 { return .none }
        do {
            return .readable(try TileFile(path).summary)
        } catch {
            return .unreadable(path, "\(error)")
        }
    }

    func caller() -> SystemFacts.Caller {
        let number = geteuid()
        return SystemFacts.Caller(
            isRoot: number == 0, number: number,
            name: user { $1 == number }.flatMap { SanitizedText(String($0.name))?.text })
    }

    package func groups(of caller: SystemFacts.Caller) -> SystemFacts.Groups {
        var groups = SystemFacts.Groups()
        var numbers = [gid_t](repeating: 0, count: 1024)
        let count = getgroups(Int32(numbers.count), &numbers)
        let own = Set(numbers.prefix(Int(max(count, 0))) + [getegid()])
        for name in ["paced-watch", "paced-control", "paced-publish", "paced-sensors"] {
            guard let group = group(name) else { continue }
            groups.existing.insert(name)
            if own.contains(group.number) { groups.effective.insert(name) }
            if group.members.contains(where: { $0 == caller.name ?? "" }) { groups.assigned.insert(name) }
        }
        return groups
    }

    /// The daemon's sockets, always of the real system; nil if the directory may not be read.
    func sockets(in directory: RuntimeDirectory) -> [SystemFacts.Socket]? {
        if access(directory.path, X_OK) != 0, errno == EACCES { return nil }
        return [directory.stateSocket, directory.controlSocket, directory.publishSocket, directory.sensorSocket]
            .compactMap { path in
                var status = stat()
                guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
                let group = lines("/etc/group").first { line in
                    let fields = line.split(separator: ":", omittingEmptySubsequences: false)
                    return fields.count == 4 && UInt32(fields[2]) == status.st_gid
                }
                return SystemFacts.Socket(
                    path: path, mode: status.st_mode & 0o777,
                    group: group.flatMap { SanitizedText(String($0.prefix { $0 != ":" }))?.text })
            }
    }

    /// What `paced --check` says about a configuration file; nil if it does not say it.
    private static func errors(of path: String) -> [String]? {
        guard let paced = Machine.programBeside("paced"),
            let text = Subprocess.output([paced, "--check", "--config", path], within: .milliseconds(1500))
        else { return nil }
        return text.split(separator: "\n").map(String.init)
    }

    package func configuration() -> SystemFacts.Configuration {
        let path = root + ConfigurationFile.path
        if access(path, F_OK) == 0, access(path, R_OK) != 0 { return .notAllowed }
        do throws(ConfigurationFile.Failure) {
            guard let assignments = try ConfigurationFile.read(path) else { return .absent }
            var panel = PanelConfiguration()
            for assignment in assignments where assignment.section == PanelConfiguration.section {
                do throws(PanelConfiguration.Wrong) {
                    try panel.apply(assignment)
                } catch {
                    let file = assignment.path.substituting(path, with: ConfigurationFile.path)
                    return .bad("\(file):\(assignment.line): \(error.what)")
                }
            }
            guard let errors = Self.errors(of: path) else {
                return .good(hasPanel: panel != PanelConfiguration(), isChecked: false)
            }
            guard let first = errors.first else { return .good(hasPanel: panel != PanelConfiguration()) }
            let more = errors.count > 1 ? "; and \(errors.count - 1) more" : ""
            return .bad(first.substituting(path, with: ConfigurationFile.path) + more)
        } catch {
            return .bad(String(error.line.substituting(path, with: ConfigurationFile.path)))
        }
    }
}
