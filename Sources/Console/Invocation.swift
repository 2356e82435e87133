import Domain
import Formats

/// The parsed command line of `pacectl`.
struct Invocation: Equatable {
    enum Command: Equatable {
        case help, version, schema
        case status, watch
        case run(RunCommand)
        case scan(seconds: Int)
        case strap(StrapCommand)
        case allSettings
        case getSetting(SettingKey)
        /// The value as typed: JSON or plain text.
        case setSetting(SettingKey, value: String)
        case activities(limit: Int, before: Int?)
        case show(Int)
        /// Nil for `file` means standard output.
        case export(Int, ExportFormat, file: String?)
        case importFiles([String])
        case recover(String)
        case replay(ReplaySource, Pace)
        /// Nil for the file means the default one.
        case panel(String?, Panel.Paths)
        case doctor(root: String)
    }

    /// The source of a replay.
    enum ReplaySource: Equatable {
        /// An activity of the journal.
        case activity(Int)
        case file(String)
    }

    /// The speed and rate of a replay.
    struct Pace: Equatable {
        /// Factor relative to real time; nil means as fast as possible.
        var speed: Double?
        /// Milliseconds between two states of an active run.
        var every = 100
        /// The sport of a recording that does not name one.
        var sport: Sport?
    }

    var command = Command.help
    var runtimeDirectory: String?
    var stateDirectory: String?
    var isJSON = false
    /// True for kilometres, false for miles, nil to follow the setting.
    var metric: Bool?

    /// Parses the arguments after the program's name. Options may be anywhere
    /// before `--`. `--option value` and `--option=value` are equivalent.
    ///
    /// - Throws: ``Failure`` with status 2.
    init(_ arguments: [String]) throws(Failure) {
        var words: [String] = []
        var modifiers = CommandOptions()
        var rest = arguments[...]
        while var argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                break
            }
            if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
                rest.insert(String(argument[argument.index(after: equals)...]), at: rest.startIndex)
                argument = String(argument[..<equals])
            }
            switch argument {
            case "--help", "-h": return
            case "--version":
                command = .version
                return
            case "--json": isJSON = true
            case "--metric": metric = true
            case "--imperial": metric = false
            case "--runtime-dir": runtimeDirectory = try OptionValue.text("a directory", after: argument, &rest)
            case "--state-dir": stateDirectory = try OptionValue.text("a directory", after: argument, &rest)
            case _ where try modifiers.parse(argument, &rest): break
            case _ where argument.hasPrefix("--"): throw .usage("unknown option '\(argument)'")
            default: words.append(argument)
            }
        }
        guard let name = words.first else { throw .usage("a command is missing") }
        command = try Self.command(name, words.dropFirst(), modifiers)
        try modifiers.check(Array(words))
    }

    private static func command(
        _ name: String, _ words: ArraySlice<String>, _ modifiers: CommandOptions
    ) throws(Failure) -> Command {
        let most: Int
        let command: Command
        switch name {
        case "start":
            let sport = try words.first.map(OptionValue.sport)
            (command, most) = (.run(.start(sport, indoor: modifiers.isIndoor, back: modifiers.back ?? .zero)), 1)
        case "settings": return try settings(Array(words))
        case "activities":
            (command, most) = (.activities(limit: modifiers.limit ?? 20, before: modifiers.before), 0)
        case "show": (command, most) = (.show(try activity(words.first, after: name)), 1)
        case "export":
            let id = try activity(words.first, after: name)
            guard let format = modifiers.format else {
                throw .usage("export needs --format (\(names(ExportFormat.allCases.map(\.rawValue))))")
            }
            (command, most) = (.export(id, format, file: modifiers.file), 1)
        case "import":
            guard !words.isEmpty else { throw .usage("import needs a file") }
            return .importFiles(Array(words))
        case "recover":
            guard let path = words.first else { throw .usage("recover needs a file") }
            (command, most) = (.recover(path), 1)
        case "replay":
            guard let word = words.first else { throw .usage("replay needs a file or the number of an activity") }
            let isNumber = word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            (command, most) = (
                .replay(isNumber ? .activity(try activity(word, after: name)) : .file(word), modifiers.pace), 1
            )
        case "strap": return .strap(try StrapCommand(Array(words), isAdded: modifiers.isAdded))
        case "scan": (command, most) = (.scan(seconds: modifiers.seconds ?? 10), 0)
        case "status": (command, most) = (.status, 0)
        case "watch": (command, most) = (.watch, 0)
        case "pause": (command, most) = (.run(.pause), 0)
        case "resume": (command, most) = (.run(.resume), 0)
        case "lap": (command, most) = (.run(.lap), 0)
        case "stop": (command, most) = (.run(.stop), 0)
        case "discard": (command, most) = (.run(.discard), 0)
        case "panel": (command, most) = (.panel(modifiers.configuration, modifiers.places), 0)
        case "doctor": (command, most) = (.doctor(root: modifiers.root), 0)
        case "schema": (command, most) = (.schema, 0)
        default: throw .usage("unknown command '\(name)'")
        }
        if let extra = words.dropFirst(most).first { throw .usage("unexpected argument '\(extra)' after '\(name)'") }
        return command
    }

    private static func settings(_ words: [String]) throws(Failure) -> Command {
        switch (words.first, words.count) {
        case (nil, _): return .allSettings
        case ("get", 2): return .getSetting(try key(words[1]))
        case ("set", 3): return .setSetting(try key(words[1]), value: words[2])
        default: throw .usage("use 'settings', 'settings get KEY' or 'settings set KEY VALUE'")
        }
    }

    private static func activity(_ word: String?, after command: String) throws(Failure) -> Int {
        guard let word else { throw .usage("\(command) needs the number of an activity") }
        guard let id = Int(word), (1...Int(Int32.max)).contains(id) else {
            throw .usage("'\(word)' is not the number of an activity")
        }
        return id
    }

    private static func key(_ word: String) throws(Failure) -> SettingKey {
        guard let key = SettingKey(rawValue: word) else {
            throw .usage("unknown setting '\(word)'; the settings are \(names(SettingKey.allCases.map(\.rawValue)))")
        }
        return key
    }
}

private func names(_ names: [String]) -> String {
    names.joined(separator: ", ")
}
