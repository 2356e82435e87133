import Domain

/// What was typed after `pacectl`.
struct Invocation: Equatable {
    enum Command: Equatable {
        case help, version, schema
        case status, watch
        case run(RunCommand)
        case scan(seconds: Int)
        case strap(StrapCommand)
        case allSettings
        case getSetting(SettingKey)
        /// The value is as it was typed: JSON, or plain text.
        case setSetting(SettingKey, value: String)
    }

    var command = Command.help
    var runtimeDirectory: String?
    /// No command of this release works on it.
    var stateDirectory: String?
    var isJSON = false
    /// Kilometres or miles, where they are not to follow the setting.
    var metric: Bool?

    /// Reads the arguments, the program's name left out. Options may stand anywhere; `--option value` and `--option=value` are the same.
    ///
    /// - Throws: ``Failure`` with status 2.
    init(_ arguments: [String]) throws(Failure) {
        var words: [String] = []
        var modifiers = Modifiers()
        var rest = arguments[...]
        while var argument = rest.popFirst() {
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
            case "--indoor": modifiers.isIndoor = true
            case "--back": modifiers.back = try Self.back(after: argument, &rest)
            case "--add": modifiers.isAdded = true
            case "--seconds": modifiers.seconds = try Self.seconds(after: argument, &rest)
            case "--runtime-dir": runtimeDirectory = try Self.directory(after: argument, &rest)
            case "--state-dir": stateDirectory = try Self.directory(after: argument, &rest)
            case _ where argument.hasPrefix("--"): throw .usage("unknown option '\(argument)'")
            default: words.append(argument)
            }
        }
        guard let name = words.first else { throw .usage("which command?") }
        command = try Self.command(name, words.dropFirst(), modifiers)
        if modifiers.isIndoor, name != "start" { throw .usage("--indoor belongs to 'start'") }
        if modifiers.back != nil, name != "start" { throw .usage("--back belongs to 'start'") }
        if modifiers.seconds != nil, name != "scan" { throw .usage("--seconds belongs to 'scan'") }
        if modifiers.isAdded, Array(words.prefix(2)) != ["strap", "use"] {
            throw .usage("--add belongs to 'strap use'")
        }
    }

    /// Options that belong to one command.
    private struct Modifiers {
        var isIndoor = false
        var isAdded = false
        var seconds: Int?
        var back: Duration?
    }

    private static func back(after option: String, _ rest: inout ArraySlice<String>) throws(Failure) -> Duration {
        let most = Int(RunCommand.furthestBack.inSeconds)
        guard let seconds = rest.popFirst().flatMap({ Int($0) }), (0...most).contains(seconds) else {
            throw .usage("\(option) needs a number of seconds from 0 to \(most)")
        }
        return .seconds(seconds)
    }

    private static func seconds(after option: String, _ rest: inout ArraySlice<String>) throws(Failure) -> Int {
        guard let seconds = rest.popFirst().flatMap({ Int($0) }), (1...60).contains(seconds) else {
            throw .usage("\(option) needs a number from 1 to 60")
        }
        return seconds
    }

    private static func directory(
        after option: String, _ rest: inout ArraySlice<String>
    ) throws(Failure) -> String {
        guard let directory = rest.popFirst(), !directory.isEmpty else { throw .usage("\(option) needs a directory") }
        return directory
    }

    private static func command(
        _ name: String, _ words: ArraySlice<String>, _ modifiers: Modifiers
    ) throws(Failure) -> Command {
        let most: Int
        let command: Command
        switch name {
        case "start":
            let sport = try words.first.map(sport)
            (command, most) = (.run(.start(sport, indoor: modifiers.isIndoor, back: modifiers.back ?? .zero)), 1)
        case "settings": return try settings(Array(words))
        case "strap": return .strap(try StrapCommand(Array(words), isAdded: modifiers.isAdded))
        case "scan": (command, most) = (.scan(seconds: modifiers.seconds ?? 10), 0)
        case "status": (command, most) = (.status, 0)
        case "watch": (command, most) = (.watch, 0)
        case "pause": (command, most) = (.run(.pause), 0)
        case "resume": (command, most) = (.run(.resume), 0)
        case "lap": (command, most) = (.run(.lap), 0)
        case "stop": (command, most) = (.run(.stop), 0)
        case "discard": (command, most) = (.run(.discard), 0)
        case "schema": (command, most) = (.schema, 0)
        default: throw .usage("unknown command '\(name)'")
        }
        if let extra = words.dropFirst(most).first { throw .usage("'\(extra)' is too much after '\(name)'") }
        return command
    }

    private static func settings(_ words: [String]) throws(Failure) -> Command {
        switch (words.first, words.count) {
        case (nil, _): return .allSettings
        case ("get", 2): return .getSetting(try key(words[1]))
        case ("set", 3): return .setSetting(try key(words[1]), value: words[2])
        default: throw .usage("say 'settings', 'settings get KEY' or 'settings set KEY VALUE'")
        }
    }

    private static func sport(_ word: String) throws(Failure) -> Sport {
        guard let sport = Sport(rawValue: word) else {
            throw .usage("'\(word)' is no sport (\(names(Sport.allCases.map(\.rawValue))))")
        }
        return sport
    }

    private static func key(_ word: String) throws(Failure) -> SettingKey {
        guard let key = SettingKey(rawValue: word) else {
            throw .usage("'\(word)' is no setting (\(names(SettingKey.allCases.map(\.rawValue))))")
        }
        return key
    }

    private static func names(_ names: [String]) -> String {
        names.joined(separator: ", ")
    }
}

/// What `pacectl --help` prints.
let helpText = """
    pacectl is the command line of paced, the headless sports computer.

    Usage: pacectl [OPTION]... COMMAND

      status                    how the run, the strap and the receiver stand
      watch                     the run as it goes: a screen on a terminal (q leaves
                                it), lines elsewhere
      start [SPORT] [--indoor] [--back SECONDS]
                                begin a run: run, walk, hike, ride or other; with
                                --back it began so much earlier, at most 120 s
      pause                     hold the run
      resume                    go on with it
      lap                       close the lap
      stop                      end the run and keep it
      discard                   end the run and throw it away
      scan [--seconds N]        which straps there are: listens for 10 s, or N
      strap status              how the way to the strap stands; which are yours
      strap use STRAP [--add]   use this one: an address, a name or the end of it;
                                with --add beside those you have
      strap auto                use the one that is remembered, or that is found
      strap off                 use none
      strap pair STRAP          pair with one that gives heart rate only then
      strap forget [STRAP]      forget one, or all
      settings                  all settings
      settings get KEY          one setting
      settings set KEY VALUE    change it; VALUE is text or JSON:
                                settings set zones '[114,133,152,171,180]'
      schema                    the JSON Schema of every line that paced writes

      --json                    what paced says as it is, one JSON object per line
      --metric, --imperial      kilometres or miles, whatever the setting says
      --runtime-dir DIR         where paced's sockets are (default: /run/paced if a
                                socket is there, else $XDG_RUNTIME_DIR/paced)
      --state-dir DIR           where paced keeps activities; no command of this
                                release needs it
      --version, --help

    Exit status: 0 done, 1 failed, 2 usage, 3 paced is not reachable.

    """
