import JSONCoding

/// Result of one check, with its remedy.
package struct Diagnosis: Equatable {
    package enum Result: String {
        case ok = "ok"
        case failed = "fail"
        /// Worth knowing, but not a failure.
        case note = "note"
        /// It cannot be determined here.
        case unknown
    }

    package internal(set) var check: String
    package internal(set) var result: Result
    package internal(set) var finding: String
    /// Commands, or lines to add to a file, after the file's name.
    package internal(set) var remedy: [String] = []

    package static func ok(_ check: String, _ finding: String) -> Diagnosis {
        Diagnosis(check: check, result: .ok, finding: finding)
    }

    package static func failed(_ check: String, _ finding: String, _ remedy: String...) -> Diagnosis {
        Diagnosis(check: check, result: .failed, finding: finding, remedy: remedy)
    }

    static func note(_ check: String, _ finding: String, _ remedy: String...) -> Diagnosis {
        Diagnosis(check: check, result: .note, finding: finding, remedy: remedy)
    }

    static func unknown(_ check: String, _ finding: String, _ remedy: String...) -> Diagnosis {
        Diagnosis(check: check, result: .unknown, finding: finding, remedy: remedy)
    }

    /// One line, and one more for each remedy.
    package var text: String {
        let mark =
            switch result {
            case .ok: "ok  "
            case .failed: "FAIL"
            case .note: "note"
            case .unknown: "?   "
            }
        let name = check + String(repeating: " ", count: max(13 - check.count, 1))
        return "\(mark)  \(name) \(finding)\n" + remedy.map { "      remedy: \($0)\n" }.joined()
    }

    /// One JSON object on a line.
    package var json: String {
        var writer = JSONWriter(capacity: 256)
        writer.object { line in
            line.member("check", check)
            line.member("result", result.rawValue)
            line.member("finding", finding)
            if !remedy.isEmpty { line.array("remedy") { list in for text in remedy { list.value(text) } } }
        }
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension SystemFacts {
    /// All diagnoses, in the order of their dependencies.
    package var diagnoses: [Diagnosis] {
        [
            configurationDiagnosis, unitDiagnosis, socketDiagnosis, groupDiagnosis, diskDiagnosis, clockDiagnosis,
            adapterDiagnosis, lowEnergyDiagnosis, blockDiagnosis, bluetoothdDiagnosis, capabilityDiagnosis,
            strapDiagnosis, gpsdDiagnosis, receiverDiagnosis, uartDiagnosis, fixDiagnosis, barometerDiagnosis,
            panelDiagnosis, keyDiagnosis, pageDiagnosis, mapDiagnosis, linkDiagnosis, faultDiagnosis,
        ].compactMap(\.self)
    }

    /// The daemon's state, if it was read.
    var facts: StateFacts? {
        if case .received(let facts) = state { facts } else { nil }
    }

    /// A check that needs the daemon's state.
    func unknownWithoutDaemon(_ check: String) -> Diagnosis {
        switch state {
        case .notAllowed:
            .unknown(check, "cannot tell: you may not connect to \(stateSocket); members of paced-watch may")
        case .away: .unknown(check, "cannot tell: nothing listens at \(stateSocket)")
        default: .unknown(check, "cannot tell: paced does not respond at \(stateSocket)")
        }
    }

    var stateSocket: String { runtime + "/state.sock" }
    var isSystemRuntime: Bool { runtime == Self.systemRuntime }

    /// Whether the daemon is a unit of systemd, or would be.
    var pacedIsUnit: Bool { units != nil && paced?.isService ?? isSystemRuntime }

    // Remedies. Without systemd they name the program, not a unit.

    var startPaced: String {
        if pacedIsUnit { return "sudo systemctl enable --now paced" }
        return isSystemRuntime ? "paced &" : "paced --runtime-dir \(runtime) &"
    }

    var restartPaced: String { pacedIsUnit ? "sudo systemctl restart paced" : "end paced and start it again" }

    var readLog: String { pacedIsUnit ? "journalctl -u paced -n 20" : "read what paced wrote to its standard error" }

    var restartGpsd: String { units != nil ? "sudo systemctl restart gpsd" : "end gpsd and start it again" }

    var startGpsd: String { units != nil ? "sudo systemctl enable --now gpsd.socket" : "gpsd DEVICE" }

    var startBluetoothd: String { units != nil ? "sudo systemctl enable --now bluetooth" : "start bluetoothd as root" }
}
