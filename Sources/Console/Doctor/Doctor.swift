import Client
import Domain
import Glibc
import JSONCoding
import Linux

extension Command {
    static let doctor = [
        Command(
            "doctor", others: [Options.root],
            "check what this machine lacks to record a run, and name each remedy",
            read: { $0[Options.root] ?? "" }, run: { try $0.doctor(root: $1) })
    ]
}

/// `pacectl doctor`: checks everything that a run needs, within some seconds, and prints faults with their remedies.
struct Doctor {
    let tree: SystemFiles
    let runtime: RuntimeDirectory
    let state: StateDirectory

    /// The time limit of each probe.
    private static let probeTimeout = Duration.milliseconds(1500)

    func findings() -> SystemFacts {
        var findings = SystemFacts()
        findings.caller = tree.caller()
        findings.bluetooth = tree.bluetooth()
        findings.runtime = runtime.path
        findings.units = units()
        if findings.units?["paced-web.socket"]?.isThere ?? false { findings.pageAddresses = WebUnits.listenStreams() }
        if findings.units?["paced-link.service"]?.isActive ?? false { findings.linkSinks = linkSinks() }
        readDaemon(into: &findings)
        readGpsd(into: &findings)
        findings.receivers = tree.receivers()
        findings.barometers = tree.barometers()
        findings.uart = tree.uart()
        findings.disk = tree.disk(state.path)
        findings.clock.isSynchronised = Clock.isSynchronised()
        findings.groups = tree.groups(of: findings.caller)
        findings.sockets = tree.sockets(in: runtime)
        findings.configuration = tree.configuration()
        findings.panelKeys = tree.panelKeys()
        findings.map = tree.map()
        return findings
    }

    private func units() -> [String: UnitState]? {
        guard tree.root.isEmpty, tree.exists("/run/systemd/system") else { return nil }
        let names = [
            "paced.service", "paced-state.socket", "paced-control.socket", "paced-panel.service", "paced-web.service",
            "paced-web.socket", "paced-link.service", "bluetooth.service", "gpsd.service", "systemd-timesyncd.service",
            "chrony.service",
            "ntpsec.service", "ntp.service",
        ]
        let properties = "Id,LoadState,ActiveState,Result,UnitFileState,ExecMainStatus,NRestarts,AmbientCapabilities"
        let text = Subprocess.output(
            ["systemctl", "show", "--no-pager", "-p", properties] + names, within: Self.probeTimeout)
        return text.map(UnitState.read)
    }

    /// Asks the running paced-link: a client would start one that is not.
    private func linkSinks() -> [SystemFacts.LinkSink]? {
        guard var client = try? ControlClient(path: RuntimeDirectory.linkSocket(nil), of: .pacedLink),
            let text = try? client.call("link.status"), let json = try? JSON(parsing: text.utf8)
        else { return nil }
        return json["sinks"]?.array?.map { sink in
            SystemFacts.LinkSink(
                name: sink["name"]?.harmlessText(limit: 32) ?? "", state: sink["state"]?.harmlessText(limit: 16) ?? "",
                reason: sink["reason"]?.harmlessText(limit: 128) ?? "")
        }
    }

    /// Reads the state of the daemon that serves the runtime directory, and finds its process.
    private func readDaemon(into findings: inout SystemFacts) {
        let processes = tree.pacedProcesses()
        do throws(SystemError) {
            let connection = try Connection(to: runtime.stateSocket)
            findings.state = Self.state(on: connection)
            let peer = try? UnixSocket.peer(of: connection.lines.socket)
            findings.paced = peer.flatMap { tree.process(ofPeer: $0.process, user: $0.user, among: processes) }
        } catch {
            findings.state = error.code == EACCES ? .notAllowed : .away
            // The service's process shows itself without its sockets.
            if findings.state == .notAllowed, runtime.path == SystemFacts.systemRuntime {
                findings.paced = processes.first(where: \.isService)
            }
        }
        findings.others = processes.filter { $0.number != findings.paced?.number }
    }

    private static func state(on connection: Connection) -> SystemFacts.State {
        let deadline = Clock.now() + Self.probeTimeout
        var gpsd: String?
        while case .line(let line) = connection.line(by: deadline) {
            guard let json = try? JSON(parsing: line) else { continue }
            switch json["class"]?.string {
            case "VERSION": gpsd = json["gpsd"]?.harmlessText(limit: 256)
            case "STATE": return .received(StateFacts(json, gpsd: gpsd))
            default: break
            }
        }
        return .silent
    }

    /// Probes gpsd at the address that the daemon uses, else at the configured one. Another check reports errors of
    /// the configuration file.
    private func readGpsd(into findings: inout SystemFacts) {
        let path = tree.root + ConfigurationFile.path
        var text = findings.facts?.gpsd
        if text == nil {
            if access(path, F_OK) == 0, access(path, R_OK) != 0 {
                findings.gpsd = .unknown
                return
            }
            let assignments = (try? ConfigurationFile.read(path)) ?? []
            text = assignments.last { $0.section == "Position" && $0.key == "Gpsd" }?.value
        }
        if text == "off" {
            findings.gpsd = .off
            return
        }
        guard let address = text.map(GpsdAddress.init) ?? GpsdAddress() else {
            findings.gpsd = .unknown
            return
        }
        findings.gpsdAddress = address
        findings.gpsd = GpsdProbe.probe(address.hosts, port: address.port, within: Self.probeTimeout)
    }
}

extension StateFacts {
    /// - Parameter gpsd: VERSION's address of gpsd.
    init(_ json: JSON, gpsd: String?) {
        self.gpsd = gpsd
        way = json["bluetooth"]?["backend"]?.harmlessText()
        wayReason = json["bluetooth"]?["reason"]?.harmlessText()
        if let heart = json["heart"] {
            strapIsConnected = heart["link"]?.string == LinkState.connected.rawValue
            strapReason = heart["reason"]?.harmlessText()
            let end = heart["address"]?.harmlessText().map { "…" + $0.suffix(5) }
            let words = [heart["name"]?.harmlessText(), end].compactMap(\.self)
            strap = words.isEmpty ? nil : words.joined(separator: " ")
        }
        gpsdIsConnected = json["gpsd"]?["link"]?.string == LinkState.connected.rawValue
        gpsdReason = json["gpsd"]?["reason"]?.harmlessText()
        gpsdDevice = json["gpsd"]?["device"]?.harmlessText()
        hasPosition = json["position"] != nil
        positionIsStale = json["position"]?["stale"]?.bool ?? false
        recorder = json["recorder"]?["state"]?.harmlessText()
        recorderMessage = json["recorder"]?["message"]?.harmlessText(limit: 256)
        millisecondsSinceSync = json["recorder"]?["sync_age_ms"]?.integer(in: 0...1_000_000_000)
        clock = json["clock"]?.harmlessText()
        faults = (json["faults"]?.array ?? []).prefix(16).compactMap { fault in
            fault["message"]?.harmlessText(limit: 256) ?? fault["fault"]?.harmlessText()
        }
    }
}

extension Invocation {
    /// Prints the diagnoses.
    ///
    /// - Parameter root: root of a file tree that replaces the system's, for tests; empty for the system.
    /// - Throws: ``Failure/explained`` if a check failed.
    fileprivate func doctor(root: String) throws(Failure) {
        let doctor = Doctor(
            tree: SystemFiles(root: root), runtime: RuntimeDirectory(runtimeDirectory),
            state: StateDirectory(stateDirectory))
        let diagnoses = doctor.findings().diagnoses
        try writeOut(diagnoses.map { isJSON ? $0.json : $0.text }.joined())
        if diagnoses.contains(where: { $0.result == .failed }) { throw .explained }
    }
}
