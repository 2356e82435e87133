import Console
import Sensors
import Testing

/// Each possible fault alone, on a board without faults.
struct DiagnosisTests {
    static let well: SystemFacts = {
        var findings = SystemFacts()
        findings.caller = SystemFacts.Caller(isRoot: false, number: 1000, name: "anna")
        findings.bluetooth = SystemFacts.Bluetooth(
            kernelHasIt: true,
            adapters: [
                .init(name: "hci0", supported: [.powered, .lowEnergy], settings: [.powered, .lowEnergy])
            ], daemonRuns: true)
        findings.paced = SystemFacts.Process(number: 412, user: 993, isService: true, capabilities: 1 << 12)
        findings.units = [:]
        for name in [
            "paced.service", "paced-state.socket", "paced-control.socket", "paced-panel.service", "bluetooth.service",
            "gpsd.service", "systemd-timesyncd.service",
        ] {
            findings.units?[name] = UnitState(load: "loaded", active: "active", result: "success", file: "enabled")
        }
        var facts = StateFacts()
        facts.way = "bluetoothd"
        facts.strapIsConnected = true
        facts.strap = "Polar H10 …00:01"
        facts.gpsd = "localhost:2947"
        facts.gpsdIsConnected = true
        facts.gpsdDevice = "/dev/ttyACM0"
        facts.hasPosition = true
        facts.recorder = "writing"
        facts.millisecondsSinceSync = 800
        facts.clock = "system"
        findings.state = .received(facts)
        findings.gpsdAddress = GpsdAddress()
        findings.gpsd = .responds(release: "3.22", devices: [.init(path: "/dev/ttyACM0", driver: "u-blox")])
        findings.uart.gpsdDevices = []
        findings.disk = SystemFacts.Disk(
            path: "/var/lib/paced", owner: 993, wantedOwner: 993, isReadOnly: false, freeMebibytes: 20113)
        findings.clock.isSynchronised = true
        let ours: Set = ["paced-watch", "paced-control", "paced-publish", "paced-sensors"]
        findings.groups = SystemFacts.Groups(existing: ours, assigned: ours, effective: ours)
        findings.sockets = [
            .init(path: "/run/paced/state.sock", mode: 0o660, group: "paced-watch"),
            .init(path: "/run/paced/control.sock", mode: 0o660, group: "paced-control"),
        ]
        findings.configuration = .good(hasPanel: true)
        return findings
    }()

    @Test func healthyBoardNeedsNoRemedy() {
        let diagnoses = Self.well.diagnoses
        #expect(diagnoses.filter { $0.result != .ok } == [])
        #expect(
            diagnoses.map(\.check) == [
                "configuration", "paced", "sockets", "groups", "disk", "clock", "adapter", "low energy", "rfkill",
                "bluetoothd", "capabilities", "strap", "gpsd", "receiver", "fix", "panel",
            ])
    }

    /// A change of the board without faults, and the first diagnosis that differs:
    /// the check, the result, the start of the finding, and the first remedy.
    struct Case: CustomTestStringConvertible {
        var check: String
        var result: Diagnosis.Result
        var finding: String
        var remedy: String?
        var change: @Sendable (inout SystemFacts) -> Void

        init(
            _ check: String, _ result: Diagnosis.Result, _ finding: String, _ remedy: String?,
            _ change: @escaping @Sendable (inout SystemFacts) -> Void
        ) {
            (self.check, self.result, self.finding, self.remedy, self.change) = (check, result, finding, remedy, change)
        }

        var testDescription: String { "\(check): \(finding)" }
    }

    @Test(arguments: DiagnosisCases.all)
    func eachFaultIsReportedWithItsRemedy(_ expected: Case) throws {
        var findings = Self.well
        expected.change(&findings)
        let diagnosis = try #require(findings.diagnoses.first { $0.check == expected.check })
        #expect(diagnosis.result == expected.result, "\(diagnosis)")
        #expect(diagnosis.finding.hasPrefix(expected.finding), "\(diagnosis)")
        #expect(diagnosis.remedy.first == expected.remedy)
    }

    /// Lines that contradicted each other, or named units where there is no systemd.
    @Test func remediesNameUnitsOnlyUnderSystemd() {
        for expected in DiagnosisCases.all {
            var findings = Self.well
            expected.change(&findings)
            findings.units = nil
            for diagnosis in findings.diagnoses {
                let remedy = diagnosis.remedy.joined(separator: "; ")
                #expect(!remedy.contains("systemctl") && !remedy.contains("journalctl"), "\(diagnosis)")
                #expect(diagnosis.result != .failed || !remedy.isEmpty, "\(diagnosis)")
            }
        }
    }

    @Test func connectedDaemonIsNeverContradicted() {
        for gpsd in [SystemFacts.Gpsd.unreachable, .silent, .unknown] {
            var findings = Self.well
            findings.gpsd = gpsd
            let failures = findings.diagnoses.filter { $0.result == .failed }
            #expect(failures == [])
        }
    }

    @Test(arguments: [
        ("localhost", "localhost:2947", nil, true), ("127.0.0.1:2948", "127.0.0.1:2948", nil, true),
        ("[::1]:2948", "[::1]:2948", nil, true), ("[::1]:2948:/dev/ttyACM0", "[::1]:2948", "/dev/ttyACM0", true),
        ("10.0.0.7:4000:/dev/pts/3", "10.0.0.7:4000", "/dev/pts/3", false),
    ])
    func addressOfGpsdParses(text: String, place: String, device: String?, isLocal: Bool) throws {
        let address = try #require(GpsdAddress(text))
        #expect(address.text == place)
        #expect(address.device == device)
        #expect(address.isLocal == isLocal)
    }

    @Test(arguments: ["", ":2947", "[::1", "localhost:", "localhost:0", "localhost:70000", "localhost:x"])
    func invalidAddressOfGpsdIsRejected(text: String) {
        #expect(GpsdAddress(text) == nil)
    }

    @Test func textAndJSONHaveTheSameContent() {
        let diagnosis = Diagnosis.failed("rfkill", "Bluetooth is \"blocked\"", "sudo rfkill unblock bluetooth", "two")
        #expect(
            diagnosis.text
                == "FAIL  rfkill        Bluetooth is \"blocked\"\n      remedy: sudo rfkill unblock bluetooth\n      remedy: two\n"
        )
        #expect(
            diagnosis.json
                == #"{"check":"rfkill","result":"fail","finding":"Bluetooth is \"blocked\"","remedy":["sudo rfkill unblock bluetooth","two"]}"#
                + "\n")
        #expect(Diagnosis.ok("a", "b").json == #"{"check":"a","result":"ok","finding":"b"}"# + "\n")
    }

    @Test func everyFailureHasARemedy() {
        for expected in DiagnosisCases.all {
            var findings = Self.well
            expected.change(&findings)
            for diagnosis in findings.diagnoses where diagnosis.result == .failed {
                #expect(!diagnosis.remedy.isEmpty, "\(diagnosis)")
            }
        }
    }

    @Test func outputOfSystemctlParses() {
        let text = """
            LoadState=loaded
            Id=paced.service
            ActiveState=failed
            Result=exit-code
            UnitFileState=enabled
            ExecMainStatus=2
            NRestarts=3
            AmbientCapabilities=cap_net_admin

            Id=chrony.service
            LoadState=not-found
            ActiveState=inactive

            """
        let units = UnitState.read(text)
        #expect(
            units["paced.service"]
                == UnitState(
                    load: "loaded", active: "failed", result: "exit-code", file: "enabled", exitStatus: 2, restarts: 3,
                    capabilities: "cap_net_admin"))
        #expect(units["chrony.service"]?.isThere == false)
        #expect(units.count == 2)
    }
}

extension SystemFacts {
    /// Changes the daemon's state.
    mutating func tell(_ change: (inout StateFacts) -> Void) {
        guard case .received(var facts) = state else { return }
        change(&facts)
        state = .received(facts)
    }
}
