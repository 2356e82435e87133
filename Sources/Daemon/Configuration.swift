package import Adapters
import Domain
package import Outputs

/// What the configuration file says: paced.conf, in the form that systemd's files have.
///
///     [Recording]
///     SyncSeconds=1
///
/// A key that is not there leaves the default. A key that nobody knows is an error: it is a wish that would not come true.
package struct Configuration: Equatable, Sendable {
    /// How often the recording is made to last over a power cut, 1 to 60 s; nil is each second in a run, and each 10 s otherwise.
    package var syncSeconds: Int?
    /// An activity that was interrupted for longer is not gone on with, 0 to 1440 min.
    package var resumeMinutes = 15
    /// The files that a run's end makes.
    package var exportAtStop: [ExportFormat] = [.fit]
    /// Where they are put; nil is `exports` in the state directory.
    package var exportDirectory: String?
    /// A run begins by itself, and ends when the machine goes down: for boards whose only switch is the power.
    package var recordsAtBoot = false
    /// The most clients of state.sock, 1 to 4096, and those of one user among them.
    package var stateClients = 256
    package var stateClientsPerUser = 128
    /// The most clients of control.sock, 1 to 256, and those of one user among them.
    package var controlClients = 32
    package var controlClientsPerUser = 16

    package init() {}

    /// The file that is read where no option names another, if it is there.
    package static let path = "/etc/paced/paced.conf"

    /// What the file at `path` says, or else the one that is read by default.
    ///
    /// - Throws: ``Options/Misuse``; a file that was asked for must be there.
    package static func read(_ path: String?) throws(Options.Misuse) -> Configuration {
        let place = path ?? Self.path
        let assignments: [ConfigurationFile.Assignment]?
        do throws(ConfigurationFile.Failure) {
            assignments = try ConfigurationFile.read(place)
        } catch {
            throw Options.Misuse(line: error.line)
        }
        if let assignments { return try Configuration(assignments, path: place) }
        if let path { throw Options.Misuse(line: "there is no file \(path); give --config another, or leave it away") }
        return Configuration()
    }

    /// Takes over what a file says.
    ///
    /// - Throws: ``Options/Misuse``, which names the file and the line.
    package init(_ assignments: [ConfigurationFile.Assignment], path: String) throws(Options.Misuse) {
        for assignment in assignments {
            do throws(Wrong) {
                try take(assignment)
            } catch {
                throw Options.Misuse(line: "\(path):\(assignment.line): \(error.what)")
            }
        }
    }

    /// What is wrong with an assignment.
    private struct Wrong: Error {
        var what: String
    }

    private mutating func take(_ assignment: ConfigurationFile.Assignment) throws(Wrong) {
        let value = assignment.value
        switch (assignment.section, assignment.key) {
        case ("Recording", "SyncSeconds"): syncSeconds = try Self.number(assignment, in: 1...60)
        case ("Recording", "ResumeMinutes"): resumeMinutes = try Self.number(assignment, in: 0...1440)
        case ("Recording", "ExportAtStop"):
            let words = value.split(whereSeparator: { $0 == " " || $0 == "," })
            let formats = words.compactMap { ExportFormat(rawValue: String($0)) }
            guard formats.count == words.count else {
                let names = ExportFormat.allCases.map(\.rawValue).joined(separator: " ")
                throw Wrong(what: "ExportAtStop takes any of \(names), or nothing")
            }
            exportAtStop = formats.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        case ("Recording", "ExportDirectory"):
            guard value.hasPrefix("/") else { throw Wrong(what: "ExportDirectory takes a path that begins with /") }
            exportDirectory = value
        case ("Recording", "RecordAtBoot"):
            switch value.lowercased() {
            case "yes", "true", "on", "1": recordsAtBoot = true
            case "no", "false", "off", "0": recordsAtBoot = false
            default: throw Wrong(what: "RecordAtBoot takes yes or no")
            }
        case ("Clients", "StateClients"): stateClients = try Self.number(assignment, in: 1...4096)
        case ("Clients", "StateClientsPerUser"): stateClientsPerUser = try Self.number(assignment, in: 1...4096)
        case ("Clients", "ControlClients"): controlClients = try Self.number(assignment, in: 1...256)
        case ("Clients", "ControlClientsPerUser"): controlClientsPerUser = try Self.number(assignment, in: 1...256)
        case ("Recording", let key): throw Wrong(what: "there is no key \(shown(key)) in [Recording]")
        case ("", let key): throw Wrong(what: "\(shown(key)) stands in no section; [Recording] is one")
        case (let section, _): throw Wrong(what: "there is no section [\(shown(section))]; [Recording] is one")
        }
    }

    private static func number(
        _ assignment: ConfigurationFile.Assignment, in range: ClosedRange<Int>
    ) throws(Wrong) -> Int {
        guard let number = Int(assignment.value), range.contains(number) else {
            throw Wrong(
                what: "\(assignment.key) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// A word of the file, as it can be shown.
private func shown(_ word: String) -> String {
    ForeignText(word)?.text ?? "\"\""
}
