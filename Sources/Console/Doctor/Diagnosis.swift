import Outputs

/// What is thought of one thing, and its remedy.
struct Diagnosis: Equatable {
    enum Result: String {
        case well = "ok"
        case failed = "fail"
        /// Worth knowing, and nothing that must be remedied.
        case noted = "note"
        /// It cannot be told from here.
        case unknown
    }

    var check: String
    var result: Result
    var finding: String
    /// Commands, or lines for a file with the file's name before them.
    var remedy: [String] = []

    static func well(_ check: String, _ finding: String) -> Diagnosis {
        Diagnosis(check: check, result: .well, finding: finding)
    }

    static func failed(_ check: String, _ finding: String, _ remedy: String...) -> Diagnosis {
        Diagnosis(check: check, result: .failed, finding: finding, remedy: remedy)
    }

    static func noted(_ check: String, _ finding: String, _ remedy: String...) -> Diagnosis {
        Diagnosis(check: check, result: .noted, finding: finding, remedy: remedy)
    }

    static func unknown(_ check: String, _ finding: String, _ remedy: String...) -> Diagnosis {
        Diagnosis(check: check, result: .unknown, finding: finding, remedy: remedy)
    }

    /// One line, and another for each remedy.
    var text: String {
        let mark =
            switch result {
            case .well: "ok  "
            case .failed: "FAIL"
            case .noted: "note"
            case .unknown: "?   "
            }
        let name = check + String(repeating: " ", count: max(13 - check.count, 1))
        return "\(mark)  \(name) \(finding)\n" + remedy.map { "      remedy: \($0)\n" }.joined()
    }

    /// One JSON object in a line.
    var json: String {
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
    /// All that there is to say, in the order in which things depend on each other.
    var diagnoses: [Diagnosis] {
        [
            configurationDiagnosis, unitDiagnosis, socketDiagnosis, groupDiagnosis, diskDiagnosis, clockDiagnosis,
            adapterDiagnosis, lowEnergyDiagnosis, blockDiagnosis, bluetoothdDiagnosis, capabilityDiagnosis,
            strapDiagnosis, gpsdDiagnosis, receiverDiagnosis, uartDiagnosis, fixDiagnosis, panelDiagnosis,
            faultDiagnosis,
        ].compactMap(\.self)
    }

    /// What the daemon says, where it says anything.
    var facts: StateFacts? {
        if case .said(let facts) = state { facts } else { nil }
    }

    /// What only the daemon could tell.
    func unknownWithoutDaemon(_ check: String) -> Diagnosis {
        switch state {
        case .notAllowed: .unknown(check, "only members of paced-watch are told")
        default: .unknown(check, "paced says nothing")
        }
    }
}
