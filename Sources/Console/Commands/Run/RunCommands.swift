package import Domain
import Glibc
import JSONCoding
import Linux

extension Command {
    static let run = [
        Command(
            "start", words: [.optional("SPORT", .sports)], options: [Options.indoor, Options.ago, Options.wait],
            "start a run: run, walk, hike, ride or other; --ago backdates it, by at most 120 s; --wait lets it start by "
                + "itself at the next position",
            read: { try StartRequest($0) }, run: { try $0.perform($1.command, waits: $1.waitsForPosition) }),
        command("pause", .pause, "pause the run"),
        command("resume", .resume, "resume the run"),
        command("lap", .lap, "close the lap"),
        Command(
            "mark", words: [.optional("TEXT")], options: [Options.kind],
            "mark the present place, with a text of at most 64 characters", read: { try RunCommand(marking: $0) },
            run: { try $0.perform($1) }),
        command("stop", .stop, "stop the run and keep it"),
        command("discard", .discard, "stop the run and delete it"),
    ]

    private static func command(_ name: String, _ command: RunCommand, _ text: String) -> Command {
        Command(name, text, read: { _ in command }, run: { try $0.perform($1) })
    }
}

extension RunCommand {
    /// What `pacectl mark` asks for.
    fileprivate init(marking arguments: Arguments) throws(Failure) {
        var text: SanitizedText?
        if let word = arguments.words.first {
            guard let valid = SanitizedText(word), word.count <= SanitizedText.characterLimit else {
                throw .usage("the text of a mark has 1 to \(SanitizedText.characterLimit) characters")
            }
            text = valid
        }
        self = .mark(arguments[Options.kind] ?? .generic, text)
    }
}

/// What `pacectl start` asks for.
package struct StartRequest: Equatable {
    var command: RunCommand
    /// Whether the run starts at the next position.
    var waitsForPosition: Bool

    package init(_ command: RunCommand, waitsForPosition: Bool = false) {
        self.command = command
        self.waitsForPosition = waitsForPosition
    }

    fileprivate init(_ arguments: Arguments) throws(Failure) {
        let (isIndoor, ago) = (arguments.has(Options.indoor), arguments[Options.ago])
        waitsForPosition = arguments.has(Options.wait)
        if waitsForPosition, isIndoor || ago != nil {
            throw .usage("--wait belongs to a start outdoors and now: leave out --indoor and --ago")
        }
        let sport = try arguments.words.first.map { word throws(Failure) in try Sport(word: word) }
        command = .start(sport, indoor: isIndoor, back: .seconds(ago ?? 0))
    }
}

extension Options {
    fileprivate static let indoor = CommandOption.flag("--indoor", "without position")
    fileprivate static let kind = CommandOption<CoursePointKind>(
        "--kind", word: "KIND", "the type of the place; default: generic",
        .words(RecordedMark.kinds.map(\.rawValue)),
        needs: "one of \(RecordedMark.kinds.map(\.rawValue).joined(separator: ", "))"
    ) { word in RecordedMark.kinds.first { $0.rawValue == word } }
    fileprivate static let wait = CommandOption.flag("--wait", "start at the next position")
    fileprivate static let ago = CommandOption.number(
        "--ago", "SECONDS", "begun so much earlier", 0...Int(RunCommand.maxBackdate.inSeconds),
        needs: "a number of seconds")
}

extension Invocation {
    /// - Parameter waits: whether a start waits for a position.
    /// - Returns: the text to print.
    func perform(_ command: RunCommand, waits: Bool = false) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let (method, parameters) = Self.request(command, waits: waits)
        if isJSON { return try control.call(method, parameters) + "\n" }
        // The command goes first: if paced rejects this client, its first response has the reason.
        let result = try control.call(method, parameters)
        let words = StatusText(metric: metric ?? control.metricSetting())
        let json = try? JSON(parsing: result.utf8)
        if command == .stop, let reason = control.reasonNotRecorded(since: Clock.now()) {
            complain("the run is in memory only: \(reason); it is lost if paced ends before it can write the journal")
        }
        var text = Self.describe(to: command, json ?? .null, words)
        if case .start(_, _, let back) = command, back > .zero, let reached = control.elapsed() {
            text += Self.shortfall(of: back, reached: reached)
        }
        return text + "\n"
    }

    /// What to add if a backdated start went back less than it should; empty if it did not.
    ///
    /// - Parameter reached: the active time of the run just after its start.
    package static func shortfall(of back: Duration, reached: Duration) -> String {
        guard back - reached >= .seconds(1) else { return "" }
        return " It began \(Int(reached.inSeconds)) s ago, and not \(Int(back.inSeconds)) s: "
            + "a run begins neither before the end of the last one nor before the start of paced."
    }

    private static func request(_ command: RunCommand, waits: Bool) -> (method: String, parameters: String) {
        switch command {
        case .start(let sport, let indoor, let back):
            var members: [String] = []
            if let sport { members.append("\"sport\":\"\(sport.rawValue)\"") }
            if indoor { members.append("\"indoor\":true") }
            if waits { members.append("\"wait\":\"position\"") }
            if back > .zero { members.append("\"ago_ms\":\(back.wholeMilliseconds)") }
            return ("run.start", "{" + members.joined(separator: ",") + "}")
        case .toggle: return ("run.toggle", "{}")
        case .pause: return ("run.pause", "{}")
        case .resume: return ("run.resume", "{}")
        case .lap: return ("run.lap", "{}")
        case .mark(let kind, let text):
            var writer = JSONWriter()
            writer.object { line in
                line.member("kind", kind.rawValue)
                line.member("text", text?.text)
            }
            return ("run.mark", String(decoding: writer.bytes, as: UTF8.self))
        case .stop: return ("run.stop", "{}")
        case .discard: return ("run.discard", "{}")
        }
    }

    private static func describe(to command: RunCommand, _ result: JSON, _ words: StatusText) -> String {
        let figures = ReceivedState.Figures(result)
        let elapsed = words.duration(figures)
        switch command {
        case .start where result["waiting"] != nil:
            return "Waiting for a position: the run starts by itself then. 'pacectl stop' ends the wait."
        case .stop where result["run"] != nil, .discard where result["run"] != nil:
            return "The start no longer waits for a position."
        case .start:
            let activity = result["activity"]?.integer ?? result.integer
            return "Started" + (activity.map { ", activity \($0)" } ?? "") + "."
        case .toggle: return (result["run"]?.harmlessText() ?? "done") + "."
        case .pause: return "Paused at \(elapsed)."
        case .resume: return "Resumed at \(elapsed)."
        case .lap: return "Lap closed at \(elapsed)."
        case .mark: return "Marked at \(elapsed)."
        case .stop, .discard:
            let verb = command == .stop ? "Stopped" : "Discarded"
            let name = result["id"]?.integer.map { "activity \($0), " } ?? ""
            var total = figures
            total.averageBPM = result["average_bpm"]?.integer(in: 0...999)
            total.maximumBPM = result["max_bpm"]?.integer(in: 0...999)
            let sport = result["sport"]?.string.flatMap(Sport.init)
            let average = result["average_pace_s_per_m"]?.number
            return "\(verb): \(name)\(words.summary(total, averagePace: average, sport))."
        }
    }
}

extension ControlClient {
    /// Why the journal lacks what happened until `moment`; nil if it has it, or if that cannot be found out.
    ///
    /// A disk that rejects a write is known only when the next write is tried, within a second. All is written if the
    /// oldest unwritten change is younger than `moment`; both times are whole milliseconds.
    fileprivate mutating func reasonNotRecorded(since moment: Instant) -> String? {
        repeat {
            guard let text = try? call("status"), let state = try? JSON(parsing: text.utf8),
                let recorder = state["recorder"], let word = recorder["state"]?.string
            else { return nil }
            switch word {
            case "writing":
                let lag = recorder["lag_ms"]?.integer(in: 0...1_000_000_000) ?? 0
                guard let now = state["boot_ms"]?.integer else { return nil }
                if Int64(lag) + 2 < Int64(now) - moment.milliseconds { return nil }
            case "failed", "stalled":
                let fault = state["faults"]?.array?.first { $0["fault"]?.string == "recorder-" + word }
                return fault?["message"]?.harmlessText(limit: 256) ?? "the journal cannot be written"
            default: return nil
            }
            usleep(50_000)
        } while Clock.now() - moment < .seconds(2)
        return nil
    }

    /// The active time of the run; nil if it cannot be found out.
    fileprivate mutating func elapsed() -> Duration? {
        guard let text = try? call("status") else { return nil }
        return (try? JSON(parsing: text.utf8))?["elapsed_ms"]?.integer.map { .milliseconds($0) }
    }
}
