import Domain
import JSONCoding
import Storage

/// What a shell may offer for a word of a command line.
enum Completion: Sendable {
    case none, files, directories, commands, sports, settings, settingValue
    case words([String])
    /// The activities, newest first; with the word `last` or without.
    case activities(hasLast: Bool = true)
    /// A file, or one of the activities.
    case activitiesAndFiles
}

extension Command {
    /// For the completion of the shells, which give the words of the line with the unfinished one last.
    static let completion = [
        Command(
            "complete", words: [.any("WORD")], "", read: { $0.words },
            run: { invocation, words in invocation.completions(of: words).map { $0 + "\n" }.joined() })
    ]
}

extension Invocation {
    /// The lines that a shell offers: a word, after which a tab and a text may follow. A line with a tab and `files` or
    /// `directories` asks the shell for those.
    package func completions(of line: [String]) -> [String] {
        // bash makes a word of each "=".
        let typed = line.dropLast().filter { $0 != "=" }
        let current = line.last == "=" ? "" : line.last ?? ""
        let before = CommandWords(typed)
        var place = self
        place.stateDirectory = before.value(of: Options.stateDirectory)
        place.runtimeDirectory = before.value(of: Options.runtimeDirectory)
        if let option = before.unfinished { return place.choices(option.completion, after: before.words, current) }
        let count = before.words.count
        let begun = before.commands.filter { $0.words.count <= count && count > 0 }
        let options = begun.flatMap { $0.options + $0.others }.filter { !$0.text.isEmpty }.flatMap(Self.lines)
        if current.hasPrefix("-") { return Self.filtered(options + Options.ofAll.flatMap(Self.lines), current) }
        let next = before.commands.filter { $0.words.count > count && $0.isShown }.map { command -> String in
            command.words[count] + (command.words.count == count + 1 ? "\t" + command.text.prefix { $0 != ";" } : "")
        }
        var found = Self.filtered(next, current)
        if let command = before.command, let argument = command.argument(at: count - command.words.count) {
            found += place.choices(argument.completion, after: before.words, current)
        }
        return found.isEmpty && current.isEmpty ? Self.filtered(options, current) : found
    }

    private static func lines(of option: any CommandOptionRow) -> [String] {
        option.names.map { "\($0)\t\(option.text)" }
    }

    /// Those that begin as the unfinished word does, each once.
    private static func filtered(_ lines: [String], _ current: String) -> [String] {
        var found: Set<Substring> = []
        return lines.filter { $0.hasPrefix(current) && found.insert($0.prefix { $0 != "\t" }).inserted }
    }

    private func choices(_ completion: Completion, after words: [String], _ current: String) -> [String] {
        switch completion {
        case .none: []
        case .files: ["\tfiles"]
        case .directories: ["\tdirectories"]
        case .commands: Self.filtered(Command.topics, current)
        case .sports: Self.filtered(Sport.allCases.map(\.rawValue), current)
        case .settings: Self.filtered(SettingKey.allCases.map { "\($0.rawValue)\t\($0.text)" }, current)
        case .settingValue: Self.filtered(words.last.flatMap(SettingKey.init).map(values) ?? [], current)
        case .words(let words): Self.filtered(words, current)
        case .activities(let hasLast):
            Self.filtered((hasLast ? [ActivityReference.lastWord] : []) + activityNames(for: current), current)
        case .activitiesAndFiles: choices(.activities(), after: words, current) + ["\tfiles"]
        }
    }

    /// The numbers of the newest activities; the uuids of those that begin with an unfinished one.
    private func activityNames(for current: String) -> [String] {
        guard let journal = try? StateDirectory(stateDirectory).journal() else { return [] }
        let numbers = ((try? ActivityFilter().activities(of: journal, atMost: 50)) ?? []).map { String($0.id) }
        let records = UUIDPrefix(current).flatMap { try? journal.records(.activity, beginning: $0) } ?? []
        return numbers + records.map { "\($0.uuid)" }
    }

    /// The values of a setting; of one without a list the present value, as paced.conf has it.
    private func values(of key: SettingKey) -> [String] {
        switch key.kind {
        case .flag, .optionalFlag: return ["yes", "no"]
        case .sport, .sports: return Sport.allCases.map(\.rawValue)
        case .sex: return ["female", "male"]
        case .alerts, .workout, .screens: return []
        case .number, .sensors, .zones, .powerZones:
            var control = try? ControlClient(RuntimeDirectory(runtimeDirectory))
            let text = try? control?.call("settings.get", #"{"key":"\#(key.rawValue)"}"#)
            return text.flatMap { $0 == "null" ? nil : [String($0.filter { !#"[]""#.contains($0) })] } ?? []
        }
    }
}
