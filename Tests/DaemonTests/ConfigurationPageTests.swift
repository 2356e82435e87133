import Adapters
import Foundation
import Testing

@testable import Daemon

/// The example file and the lists of keys in paced.conf(5) are made from the tables of the keys: `make pages` writes them.
@Suite struct ConfigurationPageTests {
    private static func place(_ path: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../" + path)
    }

    /// Wraps a text at 100 columns, each line with a prefix.
    private static func wrapped(_ text: String, prefix: String) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + 1 + word.count <= 100 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(prefix + word)
            }
        }
        return lines
    }

    private static var example: String {
        var lines = wrapped(
            """
            Configuration of paced, see paced.conf(5). Each key is here with its default: remove the # to change it. \
            An unknown key or an invalid value is an error, reported with file and line: paced does not start, and \
            "systemctl reload paced" keeps the previous configuration. Precedence, highest first: option of paced, \
            setting made with pacectl, key of this file, built-in default.
            """, prefix: "# ")
        for section in ConfigurationSection.allCases {
            lines += ["", "[\(section.rawValue)]"] + wrapped(section.text, prefix: "# ")
            for row in section.rows { lines += wrapped(row.text, prefix: "# ") + ["#\(row.name)=\(row.initial)"] }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The sections of the manual page: one sentence a line, as mdoc(7) has it.
    private static func manual(_ section: ConfigurationSection) -> String {
        func text(_ text: String) -> [String] {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return words.replacing(#/([.:]) (?=[A-Z])/#) { "\($0.1)\n" }.split(separator: "\n")
                .map { String($0).replacing("\\", with: "\\e").replacing("-", with: "\\-") }
        }
        let rows = section.rows.flatMap { row in
            // The components of the run screen are too long for a heading.
            [".It Cm \(row.name) Ns =" + (row.initial.count > 20 ? "" : row.initial)] + text(row.text)
        }
        return ([".Ss [\(section.rawValue)]"] + text(section.text) + [".Bl -tag -width Ds"] + rows + [".El"])
            .joined(separator: "\n") + "\n"
    }

    private func expect(_ text: String, in path: String) throws {
        let place = Self.place(path)
        if ProcessInfo.processInfo.environment["PACED_WRITE_PAGES"] != nil {
            try text.write(to: place, atomically: false, encoding: .utf8)
        }
        #expect(try String(contentsOf: place, encoding: .utf8) == text, "run make pages")
    }

    @Test func theExampleFileIsMadeFromTheTables() throws {
        try expect(Self.example, in: "systemd/paced.conf")
    }

    @Test func theManualPageIsMadeFromTheTables() throws {
        var page = try String(contentsOf: Self.place("man/paced.conf.5"), encoding: .utf8)
        for section in ConfigurationSection.allCases {
            let start = try #require(page.range(of: ".Ss [\(section.rawValue)]\n")).lowerBound
            let end = try #require(page.range(of: "\n.El\n", range: start..<page.endIndex)).upperBound
            page.replaceSubrange(start..<end, with: Self.manual(section))
        }
        try expect(page, in: "man/paced.conf.5")
    }

    /// A default of a row that is not the built-in one would be a lie of the pages.
    @Test(arguments: ConfigurationKey.all.map(\.name))
    func theDefaultOfEachKeyIsTheBuiltInOne(name: String) throws {
        let key = try #require(ConfigurationKey.all.first { $0.name == name })
        var configuration = Configuration()
        if !key.initial.isEmpty || name == "SyncIntervalSec" {
            let text = "[\(key.section.rawValue)]\n\(name)=\(key.initial)"
            let assignments = try ConfigurationFile.read(Array(text.utf8), path: "paced.conf")
            try key.apply(#require(assignments.first), to: &configuration)
        }
        #expect(configuration == Configuration())
    }

    @Test func everyNameIsThereOnce() {
        let names = ConfigurationSection.allCases.flatMap { section in section.keys.map { section.rawValue + "." + $0 }
        }
        #expect(Set(names).count == names.count)
        let former = ConfigurationKey.all.compactMap(\.former?.name)
        #expect(Set(former).isDisjoint(with: ConfigurationKey.all.map(\.name)))
    }
}
