import Foundation
import Testing

/// Unit files and udev rules, wherever they stand in the repository.
@Suite struct SystemFileTests {
    @Test func systemdHasNothingToSayOfAnyUnit() throws {
        let endings = [".service", ".socket", ".timer", ".target", ".path"]
        for file in try endings.flatMap({ try Repository.files($0) }) {
            #expect(try Self.problems(ofUnit: Repository.root.appendingPathComponent(file).path) == [], "\(file)")
        }
    }

    @Test func everyUdevRuleCanBeRead() throws {
        for file in try Repository.files(".rules") {
            #expect(Self.problems(ofRules: try Repository.text(of: file)) == [], "\(file)")
        }
    }

    @Test func aUnitThatIsWrongIsFoundOut() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let unit = directory.appendingPathComponent("paced-sample.service")
        try Data("[Service]\nExecStart=/usr/bin/paced\n".utf8).write(to: unit)
        #expect(try Self.problems(ofUnit: unit.path) == [], "the program need not be installed here")
        try Data("[Service]\nExecStart=/usr/bin/paced\nProtectSistem=strict\n".utf8).write(to: unit)
        #expect(try Self.problems(ofUnit: unit.path).count == 1)
    }

    @Test func aRuleThatIsWrongIsFoundOut() {
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

    /// What `systemd-analyze verify` says, but for programs that are not installed on this machine.
    private static func problems(ofUnit path: String) throws -> [Substring] {
        try Repository.run("systemd-analyze", ["verify", "--man=no", path]).output
            .split(separator: "\n").filter { !$0.contains("is not executable: No such file or directory") }
    }

    /// The rules that are not udev(7)'s: keys, operators, quoted values and commas between them.
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
