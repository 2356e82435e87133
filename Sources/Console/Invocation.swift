package import Domain
import Formats

/// The parsed command line of `pacectl`.
package struct Invocation: Equatable {
    package enum Command: Equatable {
        /// Nil for the help of all commands.
        case help(String?)
        case version, schema
        case status
        case watch(WatchedReplay?, WatchOptions = WatchOptions())
        case run(RunCommand)
        case scan(seconds: Int)
        case sensors(SensorCommand)
        case workout(WorkoutCommand)
        case course(CourseCommand)
        case publish(PublishRequest)
        case weather(WeatherRequest)
        case route(RouteDestination, RouteOptions)
        case places(PlacesCommand)
        case decode(WeatherCommand)
        case transit(TransitCommand)
        case web(WebCommand)
        case webUnits(WebUnits)
        case allSettings
        case getSetting(SettingKey)
        /// The value as typed: JSON or plain text.
        case setSetting(SettingKey, value: String)
        case resetSetting(SettingKey)
        case activities(ActivityFilter)
        case badges
        case bests(ActivityFilter)
        case show(ActivityReference)
        case export(ExportRequest)
        case report(ReportRequest)
        case periodReport(PeriodReportRequest)
        case importFiles([String], ImportOptions)
        case edit(ActivityReference, ActivityEdit)
        case delete([ActivityReference], asks: Bool)
        case deleteDemos(asks: Bool)
        case recover(String)
        case replay(ReplaySource, Pace)
        /// The data of an upload.
        case rows(ReplaySource, Sport?)
        /// Nil for the file means the default one.
        case panel(String?, Panel.Paths)
        case doctor(root: String)
    }

    /// The source of a replay.
    package enum ReplaySource: Equatable {
        /// An activity of the journal.
        case activity(ActivityReference)
        case file(String)

        /// - Throws: ``Failure`` with status 2 if the word is missing or names no activity.
        init(_ word: String?, after command: String) throws(Failure) {
            guard let word else { throw .usage("\(command) needs a file or the number of an activity") }
            let isNumber = word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            self =
                isNumber || word == ActivityReference.lastWord
                ? .activity(try ActivityReference(word, after: command)) : .file(word)
        }
    }

    /// The speed and rate of a replay.
    package struct Pace: Equatable {
        /// Factor relative to real time; nil means as fast as possible.
        var speed: Double?
        /// Milliseconds between two states of an active run.
        var every = 100
        /// The sport of a recording that does not name one.
        var sport: Sport?
        /// A course file, or a course of the list; nil for that of the activity.
        var course: String?

        package init(speed: Double? = nil, every: Int = 100, sport: Sport? = nil, course: String? = nil) {
            self.speed = speed
            self.every = every
            self.sport = sport
            self.course = course
        }
    }

    package internal(set) var command = Command.help(nil)
    package internal(set) var runtimeDirectory: String?
    package internal(set) var stateDirectory: String?
    package internal(set) var isJSON = false
    /// True for kilometres, false for miles, nil to follow the setting.
    package var metric: Bool?

    /// Parses the arguments after the program's name. Options may be anywhere
    /// before `--`. `--option value` and `--option=value` are equivalent.
    ///
    /// - Throws: ``Failure`` with status 2.
    package init(_ arguments: [String]) throws(Failure) {
        var words: [String] = []
        var needsHelp = false
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
            case "--help", "-h": needsHelp = true
            case "--version":
                command = .version
                return
            case "--json": isJSON = true
            case "--metric": metric = true
            case "--imperial": metric = false
            case "--runtime-dir": runtimeDirectory = try OptionValue.text("a directory", after: argument, &rest)
            case "--state-dir": stateDirectory = try OptionValue.text("a directory", after: argument, &rest)
            case _ where try modifiers.parse(argument, &rest, of: words.first): break
            // The help of a command is shown whatever else is wrong.
            case _ where needsHelp: break
            case _ where argument.hasPrefix("--"):
                throw .usage(
                    "unknown option '\(argument)'" + Suggestion.text(for: argument, among: HelpText.options))
            default: words.append(argument)
            }
        }
        if needsHelp {
            command = .help(words.first.flatMap { HelpText.commands.contains($0) ? $0 : nil })
            return
        }
        guard let name = words.first else { throw .usage("a command is missing") }
        command = try Self.command(name, words.dropFirst(), modifiers)
        try modifiers.check(Array(words))
        if case .weather(let request) = command, request.output == .reports, isJSON {
            throw .usage("--raw and --json exclude each other")
        }
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
        case "help":
            if let word = words.first, !HelpText.commands.contains(word) { throw unknownCommand(word) }
            (command, most) = (.help(words.first), 1)
        case "settings": return try settings(Array(words))
        case "activities":
            if modifiers.filter.beforeDay != nil { throw .usage("--before of 'activities' needs the number of one") }
            (command, most) = (.activities(modifiers.filter), 0)
        case "badges": (command, most) = (.badges, 0)
        case "bests":
            if modifiers.filter.before != nil { throw .usage("--before of 'bests' needs a day, such as 2026-03-01") }
            (command, most) = (.bests(modifiers.filter), 0)
        case "show": (command, most) = (.show(try ActivityReference(words.first, after: name)), 1)
        case "export":
            let activities = try words.map { word throws(Failure) in try ActivityReference(word, after: name) }
            return .export(try ExportRequest(activities, modifiers))
        case "report" where modifiers.filter != ActivityFilter():
            guard words.isEmpty, modifiers.filter.since != nil else {
                throw .usage("report needs the number of an activity, or --since DAY without a number")
            }
            if modifiers.hide != nil { throw .usage("a report with --since has no positions to hide") }
            let request = PeriodReportRequest(
                filter: modifiers.filter, output: modifiers.file, isForced: modifiers.isForced)
            (command, most) = (.periodReport(request), 0)
        case "report":
            let activity = try ActivityReference(words.first, after: name)
            var request = ReportRequest(activity: activity, output: modifiers.file, isForced: modifiers.isForced)
            request.hide = modifiers.hide ?? request.hide
            (command, most) = (.report(request), 1)
        case "delete" where modifiers.isDemo: (command, most) = (.deleteDemos(asks: !modifiers.isForced), 0)
        case "delete":
            let first = try ActivityReference(words.first, after: name)
            let others = try words.dropFirst().map { word throws(Failure) in try ActivityReference(word, after: name) }
            return .delete([first] + others, asks: !modifiers.isForced)
        case "rename":
            let activity = try ActivityReference(words.first, after: name)
            guard words.count > 1 else { throw .usage("rename needs a name after the number of the activity") }
            return .edit(activity, ActivityEdit(name: words.dropFirst().joined(separator: " ")))
        case "edit":
            let edit = ActivityEdit(sport: modifiers.sport, name: modifiers.name, started: modifiers.started)
            (command, most) = (.edit(try ActivityReference(words.first, after: name), edit), 1)
            if edit == ActivityEdit() { throw .usage("edit needs --sport, --name or --start") }
        case "import":
            guard !words.isEmpty else { throw .usage("import needs a file") }
            return .importFiles(
                Array(words),
                ImportOptions(
                    sport: modifiers.sport, again: modifiers.isAgain, one: modifiers.isOne,
                    isVerbose: modifiers.isVerbose))
        case "recover":
            guard let path = words.first else { throw .usage("recover needs a file") }
            (command, most) = (.recover(path), 1)
        case "replay":
            var pace = modifiers.pace
            pace.sport = modifiers.sport
            pace.course = modifiers.course
            (command, most) = (.replay(try ReplaySource(words.first, after: name), pace), 1)
        case "rows": (command, most) = (.rows(try ReplaySource(words.first, after: name), modifiers.sport), 1)
        case "sensors", "sensor": return .sensors(try SensorCommand(Array(words)))
        case "course": return .course(try CourseCommand(Array(words), modifiers))
        case "workout": return .workout(try WorkoutCommand(Array(words)))
        case "strap": throw .usage("'strap' is now called 'sensors'; 'pacectl help sensors' lists its commands")
        case "scan": (command, most) = (.scan(seconds: modifiers.seconds ?? 10), 0)
        case "status": (command, most) = (.status, 0)
        case "watch":
            let options = WatchOptions(webDirectory: modifiers.webDirectory, endsDaemon: modifiers.endsDaemon)
            (command, most) = (.watch(try WatchedReplay(modifiers), options), 0)
        case "publish": (command, most) = (.publish(try PublishRequest(words.first, modifiers)), 1)
        case "weather": (command, most) = (.weather(modifiers.weather), 0)
        case "route":
            guard let destination = modifiers.destination else {
                throw .usage("route needs a destination, such as --to 52.5163,13.3777 or --to 'Plaza Mayor'")
            }
            (command, most) = (.route(destination, modifiers.routeOptions), 0)
        case "places": return .places(try PlacesCommand(Array(words), try modifiers.placesOptions()))
        case "transit": return .transit(try TransitCommand(Array(words), try modifiers.transitOptions()))
        case "web" where words.first.map(WebUnits.words.contains) ?? false:
            return .webUnits(
                try WebUnits(Array(words), certificate: modifiers.certificate, key: modifiers.certificateKey))
        case "web":
            return .web(
                try WebCommand(Array(words), isControl: modifiers.isControl, directory: modifiers.webDirectory))
        case "metar": (command, most) = (.decode(WeatherCommand(kind: .metar, now: modifiers.now)), 0)
        case "taf": (command, most) = (.decode(WeatherCommand(kind: .taf, now: modifiers.now)), 0)
        case "pause": (command, most) = (.run(.pause), 0)
        case "resume": (command, most) = (.run(.resume), 0)
        case "lap": (command, most) = (.run(.lap), 0)
        case "stop": (command, most) = (.run(.stop), 0)
        case "discard": (command, most) = (.run(.discard), 0)
        case "panel": (command, most) = (.panel(modifiers.configuration, modifiers.places), 0)
        case "doctor": (command, most) = (.doctor(root: modifiers.root), 0)
        case "schema": (command, most) = (.schema, 0)
        default: throw unknownCommand(name)
        }
        if let extra = words.dropFirst(most).first { throw .usage("unexpected argument '\(extra)' after '\(name)'") }
        return command
    }

    private static func settings(_ words: [String]) throws(Failure) -> Command {
        switch (words.first, words.count) {
        case (nil, _), ("get", 1): return .allSettings
        case ("get", 2): return .getSetting(try key(words[1]))
        case ("reset", 2): return .resetSetting(try key(words[1]))
        case ("set", 3): return .setSetting(try key(words[1]), value: words[2])
        default: throw .usage("use 'settings', 'settings get [KEY]', 'settings set KEY VALUE' or 'settings reset KEY'")
        }
    }

    private static func unknownCommand(_ word: String) -> Failure {
        .usage("unknown command '\(word)'" + Suggestion.text(for: word, among: HelpText.commands))
    }

    private static func key(_ word: String) throws(Failure) -> SettingKey {
        guard let key = SettingKey(rawValue: word) else {
            let names = SettingKey.allCases.map(\.rawValue)
            throw .usage(
                "unknown setting '\(word)'" + Suggestion.text(for: word, among: names)
                    + "; the settings are \(names.joined(separator: ", "))")
        }
        return key
    }
}
