import Domain
import Glibc
import Linux
import Pipeline

extension Command {
    static let watch = [
        Command(
            "watch", options: [Options.webDirectory, Options.replay, Options.speed, Options.loop],
            others: [Options.endsDaemon],
            "show the run until q is pressed; without a terminal print a line for each change; --replay shows a "
                + "recorded file or activity as if it happened now",
            read: { arguments in
                (
                    try WatchedReplay(arguments),
                    WatchOptions(
                        webDirectory: arguments[Options.webDirectory], endsDaemon: arguments.has(Options.endsDaemon))
                )
            }, run: { try $0.watch($1.0, $1.1) })
    ]
}

extension Options {
    fileprivate static let replay = CommandOption.text(
        "--replay", "FILE|ID", "a recording, as if it happened now",
        needs: "a file, or the number or uuid of an activity",
        .activitiesAndFiles)
    fileprivate static let loop = CommandOption.flag("--loop", "begin the recording again at its end")
    // For Tools/demo.
    fileprivate static let endsDaemon = CommandOption.flag("--ends-daemon", "")
}

/// Options of `pacectl watch`.
package struct WatchOptions: Equatable {
    /// The directory of the sockets of paced-web; nil for the default.
    var webDirectory: String?
    /// Whether the program that has started this one ends paced when the user leaves.
    var endsDaemon = false

    package init(webDirectory: String? = nil, endsDaemon: Bool = false) {
        self.webDirectory = webDirectory
        self.endsDaemon = endsDaemon
    }
}

extension WatchedReplay {
    /// Nil without `--replay`.
    ///
    /// - Throws: ``Failure`` with status 2 for an option that needs it.
    fileprivate init?(_ arguments: Arguments) throws(Failure) {
        let speed = arguments[Options.speed]
        guard let recording = arguments[Options.replay] else {
            if speed != nil { throw .usage("--speed of watch needs --replay") }
            if arguments.has(Options.loop) { throw .usage("--loop needs --replay") }
            return nil
        }
        if let speed, !ReplayClock.speeds.contains(speed) {
            throw .usage("--speed of watch takes a number from 0.1 to 60")
        }
        self.init(recording: recording, speed: speed, loops: arguments.has(Options.loop))
    }
}

extension Invocation {
    fileprivate func watch(_ replay: WatchedReplay?, _ options: WatchOptions) throws(Failure) {
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
