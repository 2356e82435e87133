import Foundation
import Testing

/// The unit files and udev rules of the repository.
@Suite struct SystemFileTests {
    @Test func systemdReportsNoProblemOfAnyUnit() throws {
        let endings = [".service", ".socket", ".timer", ".target", ".path"]
        for file in try endings.flatMap({ try Repository.files($0) }) {
            #expect(try Self.problems(ofUnit: Repository.root.appendingPathComponent(file).path) == [], "\(file)")
        }
    }

    /// The bounds, in tenths, are exposure levels of `systemd-analyze security`.
    @Test(arguments: [
        ("paced.service", nil, 16), ("paced.service", "bluetoothd-only.conf", 11), ("paced-panel.service", nil, 11),
        ("paced-console.service", nil, 6), ("paced-net.service", nil, 13), ("paced-web.service", nil, 4),
        ("paced-web.service", "paced-web-control.conf", 4), ("paced-link.service", nil, 13),
        ("paced-link.service", "paced-link-control.conf", 13),
    ])
    func exposureOfAServiceStaysWithinItsBound(unit: String, dropIn: String?, bound: Int) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        let units = root.appendingPathComponent("etc/systemd/system")
        let dropIns = units.appendingPathComponent(unit + ".d")
        try FileManager.default.createDirectory(at: dropIns, withIntermediateDirectories: true)
        let systemd = Repository.root.appendingPathComponent("systemd")
        try FileManager.default.copyItem(
            at: systemd.appendingPathComponent(unit), to: units.appendingPathComponent(unit))
        if let dropIn {
            try FileManager.default.copyItem(
                at: systemd.appendingPathComponent(dropIn), to: dropIns.appendingPathComponent(dropIn))
        }
        let arguments = ["security", "--offline=true", "--root=" + root.path, "--threshold=\(bound)", unit]
        let (output, status) = try Repository.run("systemd-analyze", arguments)
        #expect(status == 0, "\(output)")
        #expect(output.contains("Overall exposure level"))
    }

    /// /bin/kill is of procps, and python3 of no package that paced depends on: only the shell is always there.
    @Test func unitsRunOnlyOurProgramsAndTheShell() throws {
        var programs: Set<Substring> = []
        for file in try Repository.files(in: "systemd", ".service") {
            for line in try Repository.text(of: file).split(separator: "\n") {
                if let match = line.firstMatch(of: #/^Exec\w+=[-+!@:]*(\S+)/#) { programs.insert(match.1) }
            }
        }
        let allowed: Set<Substring> = [
            "/bin/sh", "/usr/bin/paced", "/usr/bin/pacectl", "/usr/bin/paced-net", "/usr/bin/paced-web",
            "/usr/bin/paced-link",
        ]
        #expect(programs.subtracting(allowed) == [])
        #expect(programs.count > 3)
    }

    @Test func everyUdevRuleParses() throws {
        for file in try Repository.files(".rules") {
            #expect(Self.problems(ofRules: try Repository.text(of: file)) == [], "\(file)")
        }
    }

    @Test func everyUdevRuleHasAComment() throws {
        for file in try Repository.files(".rules") {
            #expect(Self.rulesWithoutComment(try Repository.text(of: file)) == [], "\(file)")
        }
        #expect(Self.rulesWithoutComment("# why\nACTION==\"add\"\n\nTEST==\"x\"") == ["TEST==\"x\""])
    }

    /// u-blox radios and modems have the same vendor number, and gpsd would probe them at all speeds.
    @Test func onlyUBloxReceiversArePassedToGpsd() throws {
        let rules = try Repository.text(of: "udev/60-paced.rules")
        let products = try #require(rules.firstMatch(of: #/idVendor}=="1546", ATTRS{idProduct}=="([^"]+)"/#)?.1)
        let patterns = products.split(separator: "|").map { $0.replacing("*", with: ".*") }
        func isHandedOver(_ product: String) -> Bool {
            patterns.contains { product.range(of: "^\($0)$", options: .regularExpression) != nil }
        }
        for product in ["01a4", "01ab", "0502", "0506"] { #expect(isHandedOver(product), "\(product)") }
        // The receivers of gpsd's rules; the radio of C099-F9P; the modems LISA-U2, TOBY-L2, LARA-R6 and LARA-L6.
        let others = ["01a5", "01a9", "0503", "1102", "1143", "1146", "1311", "1312", "1313", "1341", "1342", "1343"]
        for product in others { #expect(!isHandedOver(product), "\(product)") }
        #expect(!rules.contains("067b") && !rules.contains("10c4") && !rules.contains("0403"), "a serial adapter")
    }

    @Test func invalidUnitIsDetected() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let unit = directory.appendingPathComponent("paced-sample.service")
        try Data("[Service]\nExecStart=/usr/bin/paced\n".utf8).write(to: unit)
        #expect(try Self.problems(ofUnit: unit.path) == [], "the program need not be installed here")
        try Data("[Service]\nExecStart=/usr/bin/paced\nProtectSistem=strict\n".utf8).write(to: unit)
        #expect(try Self.problems(ofUnit: unit.path).count == 1)
    }

    @Test func invalidUdevRuleIsDetected() {
        let good = #"""
            # A comment

            SUBSYSTEM=="tty", ATTRS{idVendor}=="1546", ATTRS{idProduct}!="01a8", SYMLINK+="gps%n", \
              TAG+="systemd", ENV{SYSTEMD_WANTS}="gpsd@%k.service"
            ACTION=="add|change", PROGRAM=="/bin/true", MODE:="0660", GROUP="dialout"
            """#
        #expect(Self.problems(ofRules: good) == [])
        for bad in [
            #"SUBSYSTEM="tty" SYMLINK+="gps""#, #"SUBSYSTEM=="tty"#, #"SUBSYTEM=="tty""#, "nonsense", #"MODE=="0660""#,
        ] {
            #expect(Self.problems(ofRules: bad) == [bad])
        }
    }

    /// The output of `systemd-analyze verify`, without lines about programs that are not installed here.
    private static func problems(ofUnit path: String) throws -> [Substring] {
        try Repository.run("systemd-analyze", ["verify", "--man=no", path]).output
            .split(separator: "\n").filter { !$0.contains("is not executable: No such file or directory") }
    }

    /// The rules without a comment directly above.
    private static func rulesWithoutComment(_ text: String) -> [Substring] {
        text.split(separator: "\n\n").flatMap { block in
            let lines = block.split(separator: "\n")
            return lines.first?.hasPrefix("#") == true ? [] : lines.filter { !$0.isEmpty }
        }
    }

    /// Rules that do not match udev(7)'s syntax: keys, operators, quoted values, separated by commas.
    private static func problems(ofRules text: String) -> [String] {
        let matches =
            "ACTION|DEVPATH|KERNELS?|SUBSYSTEMS?|DRIVERS?|TAGS|TEST|PROGRAM|RESULT|CONST\\{\\w+\\}|ATTRS\\{[^}]+\\}|SYSCTL\\{[^}]+\\}"
        let assignments = "OWNER|GROUP|MODE|SECLABEL\\{\\w+\\}|RUN(\\{\\w+\\})?|LABEL|GOTO|OPTIONS"
        let both = "NAME|SYMLINK|TAG|ATTR\\{[^}]+\\}|ENV\\{[^}]+\\}|IMPORT\\{\\w+\\}"
        let value = #"(e|i)?"[^"]*""#
        let part = "((\(matches)|\(both))\\s*(==|!=)|(\(assignments)|\(both))\\s*(=|\\+=|-=|:=))\\s*\(value)"
        let rule = "^\\s*\(part)(\\s*,\\s*\(part))*\\s*,?\\s*$"
        return text.replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n").map(String.init).filter { line in
            let line = line.trimmingCharacters(in: .whitespaces)
            return !line.isEmpty && !line.hasPrefix("#") && line.range(of: rule, options: .regularExpression) == nil
        }
    }
}
