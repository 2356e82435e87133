import Domain
import Report
import Wire

/// An option of commands of `pacectl`: a row of their tables.
struct CommandOption<Value: Sendable>: CommandOptionRow {
    /// Names of the same meaning; the help has the last one.
    let names: [String]
    let word: String?
    let text: String
    let completion: Completion
    /// What an error says that the option needs.
    let needs: String
    let parse: @Sendable (String) throws(Failure) -> Value?

    /// - Parameters:
    ///   - word: the word for the value in the help; nil for an option without one.
    ///   - text: what the option does, for the help and the completion; empty for one that only tests and tools use.
    ///   - parse: returns nil for a text that is no value.
    init(
        _ names: String..., word: String?, _ text: String, _ completion: Completion = .none,
        needs: String = "",
        parse: @escaping @Sendable (String) throws(Failure) -> Value?
    ) {
        self.names = names
        self.word = word
        self.text = text
        self.completion = completion
        self.needs = needs
        self.parse = parse
    }

    func value(named name: String, _ text: String?) throws(Failure) -> Any {
        guard let text = text ?? (word == nil ? "" : nil), let value = try parse(text) else {
            throw .usage("\(name) needs \(needs)")
        }
        return value
    }
}

/// What a table needs of an option, whatever its value is.
protocol CommandOptionRow: Sendable {
    var names: [String] { get }
    var word: String? { get }
    var text: String { get }
    var completion: Completion { get }
    func value(named name: String, _ text: String?) throws(Failure) -> Any
}

extension CommandOptionRow {
    /// As a synopsis has it: `--limit N`.
    var form: String { (names.last ?? "") + (word.map { " " + $0 } ?? "") }
}

extension CommandOption<Bool> {
    static func flag(_ name: String, _ text: String) -> Self {
        Self(name, word: nil, text, parse: { _ in true })
    }
}

extension CommandOption<String> {
    /// A text that is not empty.
    static func text(
        _ name: String, _ word: String, _ text: String, needs: String, _ completion: Completion = .none
    ) -> Self {
        Self(name, word: word, text, completion, needs: needs, parse: { $0.isEmpty ? nil : $0 })
    }

    static func directory(_ name: String, _ text: String) -> Self {
        .text(name, "DIR", text, needs: "a directory", .directories)
    }
}

extension CommandOption<Int> {
    static func number(
        _ name: String, _ word: String, _ text: String, _ range: ClosedRange<Int>, needs: String = "a number"
    ) -> Self {
        Self(
            name, word: word, text, needs: "\(needs) from \(range.lowerBound) to \(range.upperBound)",
            parse: { Int($0).flatMap { range.contains($0) ? $0 : nil } })
    }
}

extension CommandOption where Value: CaseIterable & RawRepresentable<String> {
    /// One of the words of an enumeration.
    static func choice(_ name: String, _ text: String, word: String? = nil) -> Self {
        let words = Value.allCases.map(\.rawValue)
        return Self(
            name, word: word ?? words.joined(separator: "|"), text, .words(words),
            needs: "one of \(words.joined(separator: ", "))", parse: { Value(rawValue: $0) })
    }
}

/// The options that several commands have. Those of one are beside it.
enum Options {
    static let isJSON = CommandOption.flag("--json", "print the objects of paced, one per line")
    static let metric = CommandOption.flag("--metric", "show kilometres; overrides the setting")
    static let imperial = CommandOption.flag("--imperial", "show miles; overrides the setting")
    static let runtimeDirectory = CommandOption.directory(
        "--runtime-dir",
        "directory of the sockets (default: /run/paced if a socket is there, else $XDG_RUNTIME_DIR/paced)")
    static let stateDirectory = CommandOption.directory(
        "--state-dir",
        "directory of the journal (default: that of your 'paced --demo' while it runs, else /var/lib/paced if a journal "
            + "is there, else ${XDG_STATE_HOME:-~/.local/state}/paced)")
    static let anonymous = CommandOption.flag(
        "--anonymous", "leave out the uuids of the board and the activity, serial numbers and names of sensors")
    static let version = CommandOption.flag("--version", "print the version")
    static let help = CommandOption(
        "-h", "--help", word: nil, "print this help, or that of the command", parse: { _ in true })

    /// The options of every command.
    static let ofAll: [any CommandOptionRow] = [
        isJSON, metric, imperial, runtimeDirectory, stateDirectory, version, help,
    ]

    static let limit = CommandOption.number("--limit", "N", "how many at most", 1...1000)
    static let since = day("--since", "the first day")
    static let until = day("--until", "the last day")
    static let sport = CommandOption<Sport>(
        "--sport", word: "S", "the sport", .sports, needs: "a sport",
        parse: { word throws(Failure) in word.isEmpty ? nil : try Sport(word: word) })
    static let name = CommandOption.text("--name", "NAME", "the name", needs: "a name")
    static let output = CommandOption(
        // As in most programs, "-" is standard output.
        "--output", "-o", word: "FILE", "the file to write", .files, needs: "a file",
        parse: { $0.isEmpty ? nil : $0 })
    static let force = CommandOption.flag("--force", "replace what is there, or do not ask")
    static let verbose = CommandOption.flag("--verbose", "count all that is left out")
    static let hide = CommandOption.number(
        "--hide", "METRES", "leave out the positions around start and end", 0...HiddenPlaces.largestRadius,
        needs: "a number of metres")
    static let mapsDirectory = CommandOption.directory("--maps-dir", "where the map, places.db and transit.db are")
    static let netDirectory = CommandOption.directory("--net-dir", "where net.sock of paced-net is")
    static let linkDirectory = CommandOption.directory("--link-dir", "where link.sock of paced-link is")
    static let webDirectory = CommandOption.directory("--web-dir", "where the sockets of paced-web are")
    static let speed = CommandOption<Double>(
        "--speed", word: "N", "times as fast as it was", needs: "a number from 0.001 to 1000000",
        parse: { Double($0).flatMap { (0.001...1e6).contains($0) ? $0 : nil } })
    /// Replaces `/`, for tests.
    static let root = CommandOption.directory("--root", "")
    static let at = position("--at", such: "42.5078,1.5211 here", "near this position")

    /// A position such as `52.5,13.4`.
    static func position(_ name: String, such example: String, _ text: String) -> CommandOption<Coordinate> {
        CommandOption(
            name, word: "LAT,LON", text, needs: "a position such as \(example)",
            parse: { Coordinate(argument: $0) })
    }

    /// A day as `2026-03-01`, in local time.
    static func day(_ name: String, _ text: String) -> CommandOption<LocalDay> {
        CommandOption(
            name, word: "DAY", text, needs: "a day, such as 2026-03-01", parse: { LocalDay($0) })
    }

    /// A time such as `2026-03-01 07:30`, whose clock is known later.
    static func writtenTime(_ name: String, _ text: String) -> CommandOption<WrittenTime> {
        time(name, text) { $0 }
    }

    /// A time by the clock of the machine.
    static func time(_ name: String, _ text: String) -> CommandOption<UTC> {
        time(name, text, \.localTime)
    }

    private static func time<Value>(
        _ name: String, _ text: String, _ value: @escaping @Sendable (WrittenTime) -> Value?
    ) -> CommandOption<Value> {
        CommandOption(
            name, word: "TIME", text, needs: "a time from 2000 to 2099, such as '2026-03-01 07:30'",
            parse: { word in
                WrittenTime(word).flatMap { ActivityRequest.starts.contains($0.shown) ? value($0) : nil }
            })
    }
}

extension Arguments {
    /// The file of `--output`; nil for standard output.
    var file: String? { self[Options.output].flatMap { $0 == "-" ? nil : $0 } }
}

extension Sport {
    /// - Throws: ``Failure`` with status 2, which lists the sports.
    init(word: String) throws(Failure) {
        guard let sport = Sport(rawValue: word) else {
            let sports = Sport.allCases.map(\.rawValue)
            throw .usage(
                "unknown sport '\(word)'" + Suggestion.text(for: word, among: sports)
                    + "; the sports are \(sports.joined(separator: ", "))")
        }
        self = sport
    }
}
