import Client
import Domain
import Glibc
import JSONCoding
import Linux
import Wire

/// `pacectl`, the command line of the daemon.
package enum Console {
    /// - Parameter arguments: the arguments without the program's name.
    /// - Returns: the exit status: 0 done, 1 failed, 2 usage error, 3 daemon not reachable.
    package static func run(_ arguments: [String]) -> Int32 {
        do throws(Failure) {
            return try Invocation(arguments).run()
        } catch {
            complain(error.message)
            return error.status.rawValue
        }
    }
}

extension Invocation {
    /// - Returns: the exit status of a command that did not throw.
    fileprivate func run() throws(Failure) -> Int32 {
        switch command {
        case .help(let command): try writeOut(HelpText.text(of: command))
        case .version: try writeOut("pacectl \(Release.version)\n")
        case .schema: try writeOut(Schema.text.hasSuffix("\n") ? Schema.text : Schema.text + "\n")
        case .status: try writeOut(try status())
        case .watch(let replay, let options): try watch(replay, options)
        case .run(let command): try writeOut(try perform(command))
        case .scan(let seconds): try scan(seconds: seconds)
        case .sensors(let command): try writeOut(try perform(command))
        case .course(let command): try writeOut(try perform(command))
        case .workout(let command): try writeOut(try perform(command))
        case .weather(let request): try writeOut(try perform(request))
        case .route(let destination, let options): try route(to: destination, options)
        case .places(let command): try perform(command)
        case .decode(let command): return try command.run() ? 0 : Failure.Status.failed.rawValue
        case .transit(let command): try perform(command)
        case .web(let command): try writeOut(try command.perform(isJSON: isJSON))
        case .webUnits(let units): try writeOut(try units.perform(isJSON: isJSON))
        case .publish(let request): try request.perform(RuntimeDirectory(runtimeDirectory))
        case .allSettings, .getSetting, .setSetting, .resetSetting: try writeOut(try settings())
        case .activities(let filter): try writeOut(try activities(filter))
        case .badges: try writeOut(try badges())
        case .bests(let filter): try writeOut(try bests(filter))
        case .show(let activity): try writeOut(try show(activity))
        case .export(let request): try export(request)
        case .report(let request): try report(request)
        case .periodReport(let request): try report(request)
        case .edit(let activity, let edit): try writeOut(try perform(edit, of: activity))
        case .delete(let activities, let asks): try delete(activities, asks: asks)
        case .deleteDemos(let asks): try deleteDemos(asks: asks)
        case .importFiles(let paths, let options): try importFiles(paths, options)
        case .recover(let path): try recover(path)
        case .replay(let replayed, let pace): try replay(replayed, pace)
        case .rows(let source, let sport): try rows(source, sport: sport)
        case .panel(let file, let places): try panel(file, places)
        case .doctor(let root): return try doctor(root: root) ? 0 : Failure.Status.failed.rawValue
        }
        return 0
    }

    private func status() throws(Failure) -> String {
        let present = try presentState(blocks: isJSON ? "" : #","blocks":["sun"]"#, needsSettings: !isJSON)
        if isJSON { return String(decoding: present.stateLine, as: UTF8.self) + "\n" }
        let settings = present.settings
        return StatusText(metric: metric ?? settings.isMetric, twelveHour: settings.twelveHourClock).report(
            present.state)
    }

    /// The state and the settings from the state socket: reading them needs no permission to send commands.
    ///
    /// - Parameter blocks: the member of the WATCH line, with a comma before it.
    func presentState(
        blocks: String = "", needsSettings: Bool = true
    ) throws(Failure) -> (state: StateLine, stateLine: [UInt8], settings: Settings, settingsLine: [UInt8]) {
        let connection = try Connection.needed(to: RuntimeDirectory(runtimeDirectory).stateSocket)
        try connection.send((#"{"class":"WATCH","classes":["STATE","SETTINGS"]"# + blocks + "}").utf8)
        let deadline = Clock.now() + Connection.connectTimeout
        var state: (StateLine, [UInt8])?
        var settings: (Settings, [UInt8])?
        while true {
            if let state, settings != nil || !needsSettings {
                return (state.0, state.1, settings?.0 ?? Settings(), settings?.1 ?? [])
            }
            guard case .line(let line) = connection.line(by: deadline) else {
                throw .unreachable("paced does not respond at \(connection.path); see its log")
            }
            guard let json = try? JSON(parsing: line) else { continue }
            if let failure = Failure(version: json) { throw failure }
            if json["class"]?.string == "ERROR" {
                throw .failed("paced rejected the request: " + (json["message"]?.harmlessText(limit: 256) ?? "error"))
            }
            // A STATE of before the WATCH line has no blocks.
            if let newer = StateLine(json), blocks.isEmpty || json["blocks"] != nil { state = (newer, line) }
            if let newer = Settings(line: json) { settings = (newer, line) }
        }
    }

    private func watch(_ replay: WatchedReplay?, _ options: WatchOptions) throws(Failure) {
        if replay != nil, runtimeDirectory != nil {
            throw .usage("--replay and --runtime-dir exclude each other: the replay has its own directory")
        }
        // Lives until the command ends, and ends paced then.
        let daemon: ReplayDaemon?
        if let replay { daemon = try ReplayDaemon(replay, stateDirectory: stateDirectory) } else { daemon = nil }
        defer { withExtendedLifetime(daemon) {} }
        let directory = daemon?.directory ?? RuntimeDirectory(runtimeDirectory)
        // Shows root the warning about the daemon's user before the screen is drawn.
        if geteuid() == 0 { _ = try? Connection(to: directory.stateSocket) }
        do {
            if !isJSON, let terminal = try Terminal() {
                return try Watch(directory, daemon, options, metric: metric, on: terminal).run()
            }
        } catch let error as Failure {
            throw error
        } catch {
            throw .failed("\(error)")
        }
        try WatchLines(directory: directory, daemon: daemon, isJSON: isJSON, metric: metric).run()
    }
}
