import Domain
import Linux

/// The parsed command line of `pacectl`: the command, and the options of all commands.
package struct Invocation {
    package private(set) var action: Command.Action
    /// The name of the command.
    package private(set) var command: String
    package internal(set) var runtimeDirectory: String?
    package internal(set) var stateDirectory: String?
    package private(set) var isJSON = false
    /// True for kilometres, false for miles, nil to follow the setting.
    package private(set) var metric: Bool?

    /// Parses the arguments after the program's name. Options may be anywhere before `--`. `--option value` and
    /// `--option=value` are equivalent.
    ///
    /// - Throws: ``Failure`` with status 2.
    package init(_ arguments: [String]) throws(Failure) {
        var line = CommandWords(arguments)
        if line.has(Options.version) || line.has(Options.help) {
            // The help of a command is shown whatever else is wrong.
            line.words =
                line.has(Options.version)
                ? ["version"] : ["help"] + line.words.prefix(1).filter(Command.topics.contains)
            line.options = []
        } else if let unknown = line.unknown {
            let names = Command.all.flatMap(\.options).flatMap(\.names) + Options.ofAll.flatMap(\.names)
            throw .usage("unknown option '\(unknown)'" + Suggestion.text(for: unknown, among: names))
        }
        let found = try line.knownCommand()
        var values = Arguments()
        for (name, text) in line.options {
            let ofAll = Options.ofAll.first { $0.names.contains(name) }
            guard let option = ofAll ?? found.option(name) else { throw Self.stray(name) }
            try values.read(option, named: name, text)
            if Options.metric.names.contains(name) { metric = true }
            if Options.imperial.names.contains(name) { metric = false }
        }
        values.words = Array(line.words.dropFirst(found.words.count))
        isJSON = values.has(Options.isJSON)
        runtimeDirectory = values[Options.runtimeDirectory]
        stateDirectory = values[Options.stateDirectory]
        command = found.name
        action = try found.action(values)
    }

    /// The failure for an option of other commands. A topic stands for all of its commands.
    private static func stray(_ option: String) -> Failure {
        var names: [String] = []
        for topic in Command.topics {
            let rows = Command.all.filter { $0.topic == topic }
            let owners = rows.filter { $0.option(option) != nil }
            names += owners.count == rows.count ? [topic] : owners.map(\.name)
        }
        return .usage("\(option) is an option of \(names.map { "'\($0)'" }.joined(separator: ", ")) only")
    }
}

/// A command line, divided into words and options.
struct CommandWords {
    var words: [String] = []
    /// The options as typed, with the texts of their values; nil for none, or for one that is missing.
    var options: [(name: String, text: String?)] = []
    /// The first option that no command has.
    private(set) var unknown: String?
    /// The last option, if the line ends before its value.
    private(set) var unfinished: (any CommandOptionRow)?

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                return
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let isLong = argument.hasPrefix("--")
            guard let name = isLong ? parts.first : argument, let option = option(name) else {
                if isLong { unknown = unknown ?? parts[0] } else { append(argument) }
                continue
            }
            let attached = isLong && parts.count == 2 ? parts[1] : nil
            if option.word == nil {
                options.append((name, nil))
                if let attached { words.append(attached) }
            } else {
                if attached == nil, rest.isEmpty { unfinished = option }
                options.append((name, attached ?? rest.popFirst()))
            }
        }
    }

    /// The command sensors had another name.
    private mutating func append(_ word: String) {
        words.append(words.isEmpty && word == "sensor" ? "sensors" : word)
    }

    /// The commands whose names fit to the words so far.
    var commands: [Command] {
        Command.all.filter { command in zip(command.words, words).allSatisfy { $0 == $1 } }
    }

    /// The command with the longest name that the line begins with.
    var command: Command? {
        commands.filter { $0.words.count <= words.count }.max { $0.words.count < $1.words.count }
    }

    /// An option by its name: that of the command which the words so far begin, since names may have two meanings.
    private func option(_ name: String) -> (any CommandOptionRow)? {
        for command in commands + Command.all {
            if let option = command.option(name) { return option }
        }
        return Options.ofAll.first { $0.names.contains(name) }
    }

    func has(_ option: CommandOption<Bool>) -> Bool {
        options.contains { option.names.contains($0.name) }
    }

    func value(of option: CommandOption<String>) -> String? {
        options.last { option.names.contains($0.name) }?.text
    }

    /// - Throws: ``Failure`` with status 2 if the words begin no command.
    func knownCommand() throws(Failure) -> Command {
        guard let topic = words.first else { throw .usage("a command is missing") }
        let rows = try Command.known(topic: topic)
        // A word that begins no command of the topic.
        guard let command, rows.count == 1 || command.words.count > 1 || command.allows(words.dropFirst().first) else {
            let forms = rows.map { "'\(([$0.name] + $0.arguments.map(\.word)).joined(separator: " "))'" }
            throw .usage("use \(forms.dropLast().joined(separator: ", ")) or \(forms.last ?? "")")
        }
        return command
    }
}

extension Command {
    /// The commands that begin with a word.
    ///
    /// - Throws: ``Failure`` with status 2 if there is none.
    static func known(topic: String) throws(Failure) -> [Command] {
        if topic == "strap" {
            throw .usage("'strap' is now called 'sensors'; 'pacectl help sensors' lists its commands")
        }
        let rows = all.filter { $0.topic == topic }
        guard !rows.isEmpty else {
            throw .usage("unknown command '\(topic)'" + Suggestion.text(for: topic, among: topics))
        }
        return rows
    }

    /// Whether a word may follow the name of a topic.
    fileprivate func allows(_ word: String?) -> Bool {
        guard let word else { return true }
        if case .words(let words)? = arguments.first?.completion { return words.contains(word) }
        return !arguments.isEmpty
    }
}
