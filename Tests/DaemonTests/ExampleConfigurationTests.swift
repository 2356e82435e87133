import Board
import Daemon
import Foundation
import Linux
import Program
import TestKit
import Testing

/// The configuration file that is installed as /etc/paced/paced.conf.
@Suite struct ExampleConfigurationTests {
    private let lines: [String]

    init() throws {
        let place = Checkout.root.appending(path: "systemd/paced.conf")
        lines = try String(contentsOf: place, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// Whether a comment is an assignment: prose has a space after `#`.
    private static func isAssignment(_ line: String) -> Bool {
        line.hasPrefix("#") && !line.hasPrefix("# ") && line != "#"
    }

    private func read(_ lines: [String]) throws -> (Configuration, [ConfigurationFile.Assignment]) {
        let assignments = try ConfigurationFile.read(
            Array(lines.joined(separator: "\n").utf8), path: "paced.conf")
        return (try Configuration(assignments), assignments)
    }

    @Test func exampleFileChangesNoDefault() throws {
        let (configuration, assignments) = try read(lines)
        #expect(configuration == Configuration())
        #expect(assignments.isEmpty)
    }

    @Test func exampleFileHasEveryKeyWithItsDefault() throws {
        let (configuration, assignments) = try read(lines.map { Self.isAssignment($0) ? String($0.dropFirst()) : $0 })
        #expect(configuration == Configuration())
        let known = Configuration.table.keys.map { $0.section + "." + $0.name }
        #expect(assignments.map { $0.section + "." + $0.key }.sorted() == known.sorted())
    }

    /// One key at a time: a wrong value could be hidden by another key if all were read at once.
    @Test func everyKeyAloneHasItsDefault() throws {
        var section = ""
        for line in lines {
            if line.hasPrefix("[") { section = line }
            guard Self.isAssignment(line) else { continue }
            #expect(try read([section, String(line.dropFirst())]).0 == Configuration(), "\(line)")
        }
    }

    @Test func panelKeysOfTheExampleAreEmpty() throws {
        let (_, assignments) = try read(lines.map { Self.isAssignment($0) ? String($0.dropFirst()) : $0 })
        var panel = PanelConfiguration()
        for assignment in assignments where assignment.section == PanelConfiguration.section {
            try panel.apply(assignment)
        }
        #expect(panel == PanelConfiguration())
    }

    @Test func everyKeyFollowsAComment() {
        for (line, next) in zip(lines, lines.dropFirst()) where Self.isAssignment(next) {
            #expect(line.hasPrefix("#"), "\(next)")
        }
    }
}
