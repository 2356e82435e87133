import Board
import Daemon
import Domain
import Foundation
import JSONCoding
import Linux
import Program
import TestKit
import Testing
import Wire

/// The example file and the lists of keys in paced.conf(5) are made from the tables of the keys: `make pages` writes them.
@Suite struct ConfigurationPageTests {
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
        for section in Configuration.table.sections {
            lines += ["", "[\(section)]"] + wrapped(text(of: section), prefix: "# ")
            for row in rows(of: section) { lines += wrapped(row.text, prefix: "# ") + ["#\(row.name)=\(row.initial)"] }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The sections of the manual page: one sentence a line, as mdoc(7) has it.
    private static func manual(_ section: String) -> String {
        func text(_ text: String) -> [String] {
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            return words.replacing(#/([.:]) (?=[A-Z])/#) { "\($0.1)\n" }.split(separator: "\n")
                .map { String($0).replacing("\\", with: "\\e").replacing("-", with: "\\-") }
        }
        let rows = rows(of: section).flatMap { row in
            [".It Cm \(row.name) Ns =" + row.initial] + text(row.text)
        }
        return ([".Ss [\(section)]"] + text(Self.text(of: section)) + [".Bl -tag -width Ds"] + rows + [".El"])
            .joined(separator: "\n") + "\n"
    }

    @Test func exampleFileMatchesTheTables() throws {
        try GeneratedPage.expect(Self.example, in: "systemd/paced.conf")
    }

    @Test func manualPageMatchesTheTables() throws {
        var page = try GeneratedPage.text(of: "man/paced.conf.5")
        for section in Configuration.table.sections {
            let start = try #require(page.range(of: ".Ss [\(section)]\n")).lowerBound
            let end = try #require(page.range(of: "\n.El\n", range: start..<page.endIndex)).upperBound
            page.replaceSubrange(start..<end, with: Self.manual(section))
        }
        try GeneratedPage.expect(page, in: "man/paced.conf.5")
    }

    /// What the next release rejects is no example.
    @Test func examplesOfTheManualPageGiveNoWarning() throws {
        let page = try GeneratedPage.text(of: "man/paced.conf.5")
        let examples = page.matches(of: #/\.Bd -literal -offset indent\n((?:[^.].*\n|\n)+)\.Ed/#).map(\.1)
        #expect(!examples.isEmpty)
        for example in examples {
            let assignments = try ConfigurationFile.read(Array(example.utf8), path: "paced.conf")
            #expect(try Configuration(assignments).warnings == [], "\(example)")
        }
    }

    @Test(arguments: Configuration.table.keys.filter { $0.former != nil && $0.section != "Settings" }.map(\.name))
    func manualPageNamesTheFormerNameOfEachKey(name: String) throws {
        let former = try #require(Configuration.table.keys.first { $0.name == name }?.former?.name)
        let page = try GeneratedPage.text(of: "man/paced.conf.5")
        let list = try #require(page.firstMatch(of: #/also reads the keys of release((?:.*\n)+?)\.Ss/#)?.1)
        #expect(list.contains(former), "\(former)")
    }

    /// A default of a row that is not the built-in one would be a lie of the pages.
    @Test(arguments: Configuration.table.keys.filter { !["Settings", "Panel"].contains($0.section) }.map(\.name))
    func defaultOfEachKeyIsTheBuiltInOne(name: String) throws {
        let key = try #require(Configuration.table.keys.first { $0.name == name })
        var configuration = Configuration()
        if !key.initial.isEmpty || name == "SyncIntervalSec" {
            let text = "[\(key.section)]\n\(name)=\(key.initial)"
            let assignments = try ConfigurationFile.read(Array(text.utf8), path: "paced.conf")
            try key.apply(#require(assignments.first), to: &configuration)
        }
        #expect(configuration == Configuration())
    }

    @Test func keyNamesAreUnique() {
        let keys = Configuration.table.keys
        let names = keys.map { $0.section + "." + $0.name }
        #expect(Set(names).count == names.count)
        #expect(Set(keys.compactMap(\.former?.name)).isDisjoint(with: keys.map(\.name)))
    }
}

extension ConfigurationPageTests {
    fileprivate struct Row {
        var name: String
        /// The default as the file has it; empty for none.
        var initial: String
        var text: String
    }

    fileprivate static func rows(of section: String) -> [Row] {
        switch section {
        case "Settings":
            SettingKey.allCases.filter { $0 != .sensors }
                .map { Row(name: $0.rawValue, initial: Settings().configured($0), text: $0.text + $0.configuredValues) }
        case "Panel": PanelConfiguration.keys.map { Row(name: $0.name, initial: "", text: $0.text) }
        default:
            Configuration.table.keys.filter { $0.section == section }
                .map { key in
                    let effect = key.effect == .start ? " A change takes effect at the next start." : ""
                    return Row(name: key.name, initial: key.initial, text: key.text + effect)
                }
        }
    }

    /// What the keys have in common; empty for nothing.
    fileprivate static func text(of section: String) -> String {
        switch section {
        case "Settings":
            """
            The defaults of the settings that pacectl settings set changes. A setting that was changed there wins over
            the key here.
            """
        case "Panel":
            """
            For pacectl panel and paced-panel.service, on a board without a screen. Keys have the names of
            linux/input-event-codes.h, such as KEY_PLAYPAUSE, separated by spaces. LEDs have the names of /sys/class/leds,
            separated by spaces. Without keys, no device is read.
            """
        case "Power": "Where the kernel reports a battery."
        case "Sensors": "The sensors of the board itself."
        default: ""
        }
    }
}

extension SettingKey {
    /// The values that paced.conf takes, after the meaning.
    fileprivate var configuredValues: String {
        switch kind {
        case .flag: " Value: yes or no."
        case .optionalFlag: " Value: yes or no; empty for unset."
        case .number(_, let range): " Value: \(range.lowerBound) to \(range.upperBound)."
        case .sport: " Value: \(Sport.allCases.map(\.rawValue).joined(separator: ", "))."
        case .sex: " Value: \(Sex.allCases.map(\.rawValue).joined(separator: ", ")); empty for unset."
        case .sports: " Value: some of \(Sport.allCases.map(\.rawValue).joined(separator: ", ")); empty for none."
        case .sensors: ""
        case .zones, .powerZones: " Value: numbers, separated by spaces or commas; empty for none."
        case .alerts, .workout: " Value: separated by commas; empty for none."
        case .screens: " Value: one line of JSON."
        }
    }
}

extension Settings {
    /// The value of a setting as paced.conf has it.
    fileprivate func configured(_ key: SettingKey) -> String {
        switch key.kind {
        case .flag(let property): return self[keyPath: property] ? "yes" : "no"
        case .optionalFlag(let property): return self[keyPath: property].map { $0 ? "yes" : "no" } ?? ""
        case .number(let property, _): return String(self[keyPath: property])
        case .sport: return sport.rawValue
        case .sex: return sex?.rawValue ?? ""
        case .sports(let property): return self[keyPath: property].map(\.rawValue).joined(separator: " ")
        case .sensors: return sensors.joined(separator: ",")
        case .powerZones: return powerZones.map { $0.bottoms.map(String.init).joined(separator: " ") } ?? ""
        case .zones: return zones.map { $0.bottoms.map(String.init).joined(separator: " ") } ?? ""
        case .alerts: return alerts.map(\.text).joined(separator: ", ")
        case .workout: return workout.map(\.text).joined(separator: ", ")
        case .screens:
            var line = JSONWriter()
            line.value(screens, leavingOutDefaults: true)
            return String(decoding: line.bytes, as: UTF8.self)
        }
    }
}

/// A file of the repository that tests compare with the tables, or write from them if PACED_WRITE_PAGES is set.
enum GeneratedPage {
    static func text(of path: String) throws -> String {
        try String(contentsOf: place(path), encoding: .utf8)
    }

    static func expect(_ text: String, in path: String) throws {
        if ProcessInfo.processInfo.environment["PACED_WRITE_PAGES"] != nil {
            try text.write(to: place(path), atomically: false, encoding: .utf8)
        }
        #expect(try self.text(of: path) == text, "run make pages")
    }

    private static func place(_ path: String) -> URL {
        Checkout.root.appending(path: path)
    }
}
