import Domain
import Linux

extension SystemFacts {
    var configurationDiagnosis: Diagnosis {
        let check = "configuration"
        let path = ConfigurationFile.path
        switch configuration {
        case .absent: return .ok(check, "no file \(path): all keys have their default values")
        case .good(_, isChecked: true): return .ok(check, "\(path) has no errors")
        case .good: return .ok(check, "\(path) is readable; paced checks the keys when it starts")
        case .bad(let what): return .failed(check, what, "correct that line, then: \(restartPaced)")
        case .notAllowed:
            return .unknown(check, "cannot tell: you are not permitted to read \(path)", "sudo pacectl doctor")
        }
    }

    var unitDiagnosis: Diagnosis {
        let check = "paced"
        let log = readLog
        if let paced, !paced.isService {
            let who = "\(paced.text) serves \(runtime)"
            guard let units else { return .note(check, "\(who); without systemd nothing restarts it after a failure") }
            guard units["paced.service"]?.isThere ?? false else {
                return .note(check, "\(who), but not as a service: paced.service is not installed", Self.install)
            }
            return .note(check, "\(who), and not paced.service: nothing restarts it after a failure")
        }
        if paced == nil, state == .notAllowed, units == nil || !isSystemRuntime {
            return .unknown(
                check, "cannot tell: you may not connect to \(stateSocket)" + othersText, "sudo pacectl doctor")
        }
        if let units, isSystemRuntime || paced != nil { return diagnosis(of: units, check, log) }
        switch state {
        case .received: return .note(check, "running; the kernel does not show the process that serves \(runtime)")
        case .silent: return .failed(check, "no response at \(stateSocket)" + othersText, restartPaced, log)
        default:
            let systemd = units == nil ? ", and systemd is not available to start it" : ""
            return .failed(check, "nothing listens at \(stateSocket)" + systemd + othersText, startPaced)
        }
    }

    /// Processes that serve other directories, or may do so.
    private var othersText: String {
        guard let first = others.first else { return "" }
        return "; \(first.text) is another paced" + (others.count > 1 ? ", of \(others.count)" : "")
    }

    private func diagnosis(of units: [String: UnitState], _ check: String, _ log: String) -> Diagnosis {
        let unit = units["paced.service"] ?? UnitState()
        guard unit.isThere else {
            return .failed(check, "paced.service is not installed" + othersText, Self.install)
        }
        if unit.active == "failed" {
            if unit.exitStatus == 2 {
                return .failed(
                    check, "its options or its configuration are invalid", log, "sudo systemctl restart paced")
            }
            return .failed(check, "paced.service has failed (\(unit.result))", log, "sudo systemctl restart paced")
        }
        if !unit.isActive { return .failed(check, "paced.service is not running" + othersText, startPaced) }
        if !unit.isEnabled {
            return .failed(check, "running, but not enabled to start at boot", "sudo systemctl enable paced")
        }
        if unit.restarts > 0 {
            return .note(check, "running; systemd restarted it \(unit.restarts) times", log)
        }
        return .ok(check, "running, and enabled to start at boot" + othersText)
    }

    var socketDiagnosis: Diagnosis {
        let check = "sockets"
        let names = ["paced-state.socket", "paced-control.socket"]
        let enable = "sudo systemctl enable --now \(names.joined(separator: " "))"
        let ofSystemd = isSystemRuntime ? units : nil
        if let name = names.first(where: { name in ofSystemd?[name].map { $0.isThere && !$0.isActive } ?? false }) {
            return .failed(check, "\(name) is not active", enable)
        }
        guard let sockets else {
            return .unknown(check, "cannot tell: you are not permitted to look into \(runtime)", "sudo pacectl doctor")
        }
        guard !sockets.isEmpty else {
            let isUnit = ofSystemd?[names[0]]?.isThere ?? false
            return .failed(check, "none in \(runtime)", isUnit ? enable : ofSystemd == nil ? startPaced : Self.install)
        }
        if let open = sockets.first(where: { $0.mode & 0o007 != 0 }) {
            var diagnosis = Diagnosis.failed(
                check, "every user can connect to \(open.path), which publishes your position", "chmod o= \(open.path)")
            if ofSystemd != nil { diagnosis.remedy.append("sudo systemctl restart \(names.joined(separator: " "))") }
            return diagnosis
        }
        return .ok(
            check, sockets.map { $0.path + ($0.group.map { " (\($0))" } ?? "") }.joined(separator: ", "))
    }

    var groupDiagnosis: Diagnosis {
        let check = "groups"
        let required = ["paced-watch", "paced-control"]
        if let user = paced?.user, user == caller.number, !caller.isRoot {
            return .ok(check, "\(caller.name ?? "$USER") runs the daemon and needs no group")
        }
        let missing = (required + ["paced-publish", "paced-sensors"]).filter { !groups.existing.contains($0) }
        if !missing.isEmpty {
            return .failed(check, "missing: \(missing.joined(separator: ", "))", Self.install)
        }
        if caller.isRoot { return .ok(check, "all exist; root needs none") }
        let name = caller.name ?? "$USER"
        let lacking = required.filter { !groups.effective.contains($0) }
        if lacking.isEmpty { return .ok(check, "\(name) may watch and control the run") }
        if lacking.allSatisfy({ groups.assigned.contains($0) }) {
            return .failed(
                check, "\(name) becomes a member of \(lacking.joined(separator: ", ")) at the next login",
                "log in again")
        }
        let remedy = "sudo usermod -aG \(lacking.joined(separator: ",")) \(name), and log in again"
        return lacking.contains("paced-watch")
            ? .failed(check, "\(name) is not a member of \(lacking.joined(separator: ", "))", remedy)
            : .note(check, "\(name) may watch the run, but not control it", remedy)
    }

    var diskDiagnosis: Diagnosis {
        let check = "disk"
        guard disk.isVisible else {
            return .unknown(check, "cannot tell: you are not permitted to look at \(disk.path)", "sudo pacectl doctor")
        }
        guard let owner = disk.owner else {
            if facts?.recorder == "writing" {
                return .note(
                    check, "paced records in another directory than \(disk.path): name it with --state-dir")
            }
            return .failed(check, "\(disk.path) does not exist; paced creates it when it starts", restartPaced)
        }
        if disk.isReadOnly {
            return .failed(
                check, "\(disk.path) is on a disk that is mounted read-only: nothing is recorded",
                "sudo mount -o remount,rw $(findmnt -no TARGET -T \(disk.path)), and correct /etc/fstab")
        }
        if let wanted = disk.wantedOwner, wanted != owner, disk.path == "/var/lib/paced" {
            return .failed(check, "paced does not own \(disk.path)", "sudo chown -R paced:paced-watch \(disk.path)")
        }
        if facts?.recorder == "failed" {
            return .failed(
                check, "recording fails: \(facts?.recorderMessage ?? "the disk rejects writes")",
                readLog, "df -h \(disk.path)")
        }
        if let free = disk.freeMebibytes, free < Self.leastMebibytes {
            return .failed(
                check, "only \(free) MiB are free for \(disk.path)",
                units == nil ? "delete old logs in /var/log" : "sudo journalctl --vacuum-size=50M", "sudo apt clean")
        }
        if facts?.recorder == "stalled" {
            return .failed(
                check, "the disk is slow: \(facts?.recorderMessage ?? "no write completes")",
                "use a card of class A1 or better, or an SSD")
        }
        if let late = facts?.millisecondsSinceSync, late > Self.longestSync {
            return .failed(
                check, "the last \(late / 1000) s are not synced: a power cut would lose them",
                "use a card of class A1 or better, or an SSD")
        }
        return .ok(check, "\(disk.path), \(disk.freeMebibytes.map { "\($0) MiB free" } ?? "free space unknown")")
    }

    /// Installs the groups and the units too.
    private static let install = "install the package of paced, or run sudo make install in its source tree"
    /// The minimum of free space for a long run beside the system's own writes.
    private static let leastMebibytes = 100
    /// The longest normal time since a sync: the recorder syncs each 10 s, and at most each 60 s with SyncIntervalSec=.
    private static let longestSync = 90_000

    var clockDiagnosis: Diagnosis {
        let check = "clock"
        if clock.isSynchronised { return .ok(check, "synchronised") }
        if facts?.clock == "receiver" { return .ok(check, "paced has the time from the receiver") }
        if facts?.clock == "rtc" {
            return .note(
                check, "not synchronised; paced has a guess from the real-time clock until the first fix or the network"
            )
        }
        let services = ["systemd-timesyncd.service", "chrony.service", "ntpsec.service", "ntp.service"]
        if let units, !services.contains(where: { units[$0]?.isActive ?? false }) {
            return .failed(
                check, "not synchronised, and no time service is active; a run gets its time from the first fix",
                "sudo timedatectl set-ntp true")
        }
        return .note(check, "not synchronised yet; a run gets its time from the first fix or the network")
    }

    /// Nil without a barometer, which most boards lack.
    var barometerDiagnosis: Diagnosis? {
        guard let first = barometers.first else { return nil }
        let others = barometers.dropFirst()
        return .ok("barometer", first + (others.isEmpty ? "" : "; also \(others.joined(separator: ", "))"))
    }

    var panelDiagnosis: Diagnosis? {
        let check = "panel"
        let unit = units?["paced-panel.service"]
        guard case .good(hasPanel: true, _) = configuration else {
            return unit?.active == "failed"
                ? .failed(check, "paced-panel.service has failed", "journalctl -u paced-panel -n 20") : nil
        }
        guard let unit, unit.isThere else {
            return .note(check, "configured, but paced-panel.service is not installed; run pacectl panel")
        }
        if unit.active == "failed" {
            return .failed(
                check, "paced-panel.service has failed", "journalctl -u paced-panel -n 20",
                "sudo systemctl restart paced-panel")
        }
        if !unit.isActive {
            return .failed(
                check, "configured, but paced-panel.service is not running", "sudo systemctl enable --now paced-panel")
        }
        return .ok(check, "paced-panel.service is running")
    }

    /// Nil where the page is not enabled.
    var pageDiagnosis: Diagnosis? {
        let check = "page"
        guard let socket = units?["paced-web.socket"], let service = units?["paced-web.service"], socket.isThere,
            service.isEnabled || socket.isEnabled || socket.active == "failed"
        else { return nil }
        let restart = "sudo systemctl restart paced-web.socket"
        if !socket.isActive {
            if let (first, second) = ListenStream.conflict(in: pageAddresses) {
                return .failed(
                    check, "\(second.place): \(second.value) contains \(first.value) of \(first.place)",
                    "add an empty ListenStream= above that line", "sudo systemctl daemon-reload", restart)
            }
            let places = pageAddresses.map { "\($0.value) of \($0.place)" }.joined(separator: ", ")
            return .failed(
                check, "paced-web.socket does not listen at \(places)", "journalctl -u paced-web.socket -n 5", restart)
        }
        if service.active == "failed" {
            return .failed(
                check, service.exitStatus == 2 ? "its configuration is invalid" : "paced-web.service has failed",
                "journalctl -u paced-web -n 5", "sudo systemctl restart paced-web")
        }
        return .ok(check, "listens at \(pageAddresses.map(\.value).joined(separator: ", "))")
    }

    /// Nil without a map where the page is not enabled.
    var mapDiagnosis: Diagnosis? {
        let check = "map"
        switch map {
        case .readable(let words): return .ok(check, words)
        case .unreadable(let path, let reason):
            return .failed(check, "cannot read \(path): \(reason)", "pacectl map import EXTRACT.osm.pbf")
        case .none:
            return pageDiagnosis.map { _ in
                .note(check, "none: the page shows lines without streets", "pacectl map import EXTRACT.osm.pbf")
            }
        }
    }

    /// Nil where paced-link is not enabled.
    var linkDiagnosis: Diagnosis? {
        let check = "link"
        guard let service = units?["paced-link.service"], service.isThere,
            service.isEnabled || service.isActive || service.active == "failed"
        else {
            return nil
        }
        if service.active == "failed" {
            return .failed(
                check, service.exitStatus == 2 ? "its configuration is invalid" : "paced-link.service has failed",
                "journalctl -u paced-link -n 5", "sudo systemctl restart paced-link")
        }
        guard let linkSinks else { return .note(check, "paced-link does not answer, or you may not ask it") }
        let troubled = linkSinks.filter { $0.state == "waiting" || $0.state == "paused" }
        if let first = troubled.first {
            return .failed(check, "\(first.name): \(first.reason)", "pacectl link status")
        }
        let used = linkSinks.filter { $0.state != "off" }.map(\.name)
        return used.isEmpty
            ? .note(check, "paced-link runs and sends nothing: its configuration names no receiver")
            : .ok(check, "sends to \(used.joined(separator: ", "))")
    }

    var faultDiagnosis: Diagnosis? {
        guard let facts, !facts.faults.isEmpty else { return nil }
        return .failed("faults", facts.faults.joined(separator: "; "), readLog)
    }
}

extension SystemFacts.Process {
    /// `process 4711 of user anna`.
    var text: String {
        let name = user.map { " of user \(SanitizedText(User.text($0))?.text ?? "\($0)")" } ?? ""
        return (number.map { "process \($0)" } ?? "a process") + name
    }
}
