import Domain
import Glibc
import JSONCoding
import Linux

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
        findings.paced = tree.paced()
        findings.units = units()
        findings.state = stateFacts()
        findings.gpsd = gpsd()
        findings.receivers = tree.receivers()
        findings.uart = tree.uart()
        findings.disk = tree.disk(state.path)
        findings.clock.isSynchronised = Clock.isSynchronised()
        findings.groups = tree.groups(of: findings.caller)
        findings.sockets = tree.sockets(in: runtime)
        findings.configuration = tree.configuration()
        return findings
    }

    private func units() -> [String: UnitState]? {
        guard tree.root.isEmpty, tree.exists("/run/systemd/system") else { return nil }
        let names = [
            "paced.service", "paced-state.socket", "paced-control.socket", "paced-panel.service", "bluetooth.service",
            "gpsd.service", "systemd-timesyncd.service", "chrony.service", "ntpsec.service", "ntp.service",
        ]
        let properties = "Id,LoadState,ActiveState,Result,UnitFileState,ExecMainStatus,NRestarts,AmbientCapabilities"
        let text = Subprocess.output(
            ["systemctl", "show", "--no-pager", "-p", properties] + names, within: Self.probeTimeout)
        return text.map(UnitState.read)
    }

    private func stateFacts() -> SystemFacts.State {
        let connection: Connection
        do {
            connection = try Connection(to: runtime.stateSocket)
        } catch {
            return error.code == EACCES ? .notAllowed : .away
        }
        let deadline = Clock.now() + Self.probeTimeout
        while case .line(let line) = connection.line(by: deadline) {
            if let json = try? JSON(parsing: line), json["class"]?.string == "STATE" {
                return .received(StateFacts(json))
            }
        }
        return .silent
    }

    /// Probes gpsd at the configured address. Errors of the configuration file are reported by another check.
    private func gpsd() -> SystemFacts.Gpsd {
        let assignments = (try? ConfigurationFile.read(tree.root + ConfigurationFile.path)) ?? []
        let place = assignments.last { $0.section == "Position" && $0.key == "Gpsd" }?.value ?? "localhost:2947"
        if place == "off" { return .off }
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        let isInBrackets = place.hasPrefix("[")
        let host = isInBrackets ? String(place.dropFirst().prefix { $0 != "]" }) : String(parts[0])
        let port = isInBrackets ? parts.last : parts.count > 1 ? parts[1] : nil
        return GpsdProbe.probe(
            host == "localhost" ? ["127.0.0.1", "::1"] : [host], port: port.flatMap { UInt16($0) } ?? 2947,
            within: Self.probeTimeout)
    }
}

extension StateFacts {
    init(_ json: JSON) {
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
    /// - Returns: true if no check failed.
    func doctor(root: String) throws(Failure) -> Bool {
        let doctor = Doctor(
            tree: SystemFiles(root: root), runtime: RuntimeDirectory(runtimeDirectory),
            state: StateDirectory(stateDirectory))
        let diagnoses = doctor.findings().diagnoses
        try writeOut(diagnoses.map { isJSON ? $0.json : $0.text }.joined())
        return !diagnoses.contains { $0.result == .failed }
    }
}
