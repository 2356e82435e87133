import Domain
import Formats
import Wire

/// Options that belong to one command.
struct CommandOptions {
    private(set) var isIndoor = false
    private(set) var isAdded = false
    private(set) var seconds: Int?
    private(set) var back: Duration?
    private(set) var limit: Int?
    private(set) var before: Int?
    private(set) var format: ExportFormat?
    private(set) var file: String?
    private(set) var pace = Invocation.Pace()
    private(set) var configuration: String?
    // For tests.
    private(set) var places = Panel.Paths()
    private(set) var root = ""
    /// The options that were given, each with the command that accepts it.
    private var given: [(option: String, command: [String])] = []

    /// Parses an option and its value.
    ///
    /// - Returns: false if the option is none of these.
    mutating func parse(_ option: String, _ rest: inout ArraySlice<String>) throws(Failure) -> Bool {
        let command: String
        switch option {
        case "--indoor": (isIndoor, command) = (true, "start")
        case "--ago":
            let most = Int(RunCommand.maxBackdate.inSeconds)
            back = .seconds(try OptionValue.number(0...most, "a number of seconds", after: option, &rest))
            command = "start"
        case "--add": (isAdded, command) = (true, "strap use")
        case "--seconds":
            (seconds, command) = (try OptionValue.number(1...60, after: option, &rest), "scan")
        case "--limit":
            (limit, command) = (try OptionValue.number(1...1000, after: option, &rest), "activities")
        case "--before":
            (before, command) = (try OptionValue.number(1...Int(Int32.max), after: option, &rest), "activities")
        case "--format":
            let formats = ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")
            guard let found = rest.popFirst().flatMap(ExportFormat.init) else {
                throw .usage("--format needs one of \(formats)")
            }
            (format, command) = (found, "export")
        case "-o", "--output": (file, command) = (try OptionValue.text("a file", after: option, &rest), "export")
        case "--speed":
            (pace.speed, command) = (try OptionValue.speed(after: option, &rest), "replay")
        case "--interval-ms":
            guard let every = rest.popFirst().flatMap({ Int($0) }), Wire.Subscription.isPeriod(every) else {
                throw .usage("--interval-ms needs a multiple of 100 from 100 to 60000")
            }
            (pace.every, command) = (every, "replay")
        case "--sport":
            (pace.sport, command) = (try OptionValue.sport(OptionValue.text("a sport", after: option, &rest)), "replay")
        case "--config": (configuration, command) = (try OptionValue.text("a file", after: option, &rest), "panel")
        case "--input": (places.input, command) = (try OptionValue.text("a directory", after: option, &rest), "panel")
        case "--leds": (places.leds, command) = (try OptionValue.text("a directory", after: option, &rest), "panel")
        case "--root": (root, command) = (try OptionValue.text("a directory", after: option, &rest), "doctor")
        default: return false
        }
        given.append((option, command.split(separator: " ").map(String.init)))
        return true
    }

    /// - Throws: ``Failure`` with status 2 if an option does not belong to the command that the words start with.
    func check(_ words: [String]) throws(Failure) {
        for (option, command) in given where !words.starts(with: command) {
            throw .usage("\(option) is an option of '\(command.joined(separator: " "))' only")
        }
    }
}

/// Parsers of option values.
enum OptionValue {
    static func text(
        _ what: String, after option: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) -> String {
        guard let text = rest.popFirst(), !text.isEmpty else { throw .usage("\(option) needs \(what)") }
        return text
    }

    static func number(
        _ range: ClosedRange<Int>, _ what: String = "a number", after option: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) -> Int {
        guard let number = rest.popFirst().flatMap({ Int($0) }), range.contains(number) else {
            throw .usage("\(option) needs \(what) from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A factor above 0.
    static func speed(after option: String, _ rest: inout ArraySlice<String>) throws(Failure) -> Double {
        guard let speed = rest.popFirst().flatMap({ Double($0) }), (0.001...1e6).contains(speed) else {
            throw .usage("\(option) needs a number from 0.001 to 1000000")
        }
        return speed
    }

    static func sport(_ word: String) throws(Failure) -> Sport {
        guard let sport = Sport(rawValue: word) else {
            let sports = Sport.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("unknown sport '\(word)'; the sports are \(sports)")
        }
        return sport
    }
}
