import Client
import Domain
import Glibc
import JSONCoding
import Linux

/// Client of control.sock, publish.sock or net.sock: sends JSON-RPC 2.0 requests, one at a time.
struct ControlClient {
    private let connection: Connection
    private var id = 0

    init(_ directory: RuntimeDirectory) throws(Failure) {
        try self.init(path: directory.controlSocket)
    }

    /// - Parameter path: the socket.
    init(path: String, of program: ServerProgram = .paced) throws(Failure) {
        connection = try .needed(to: path, of: program)
    }

    /// Calls a method.
    ///
    /// - Parameters:
    ///   - parameters: a JSON object.
    ///   - duration: how long the method may take.
    /// - Returns: the result as unchanged JSON text.
    mutating func call(
        _ method: String, _ parameters: String = "{}", lasting duration: Duration = .zero
    ) throws(Failure) -> String {
        id += 1
        try connection.send(requestLine(method, parameters, id: id))
        let program = connection.program.rawValue
        let deadline = Clock.now() + duration + Connection.connectTimeout
        while true {
            switch connection.line(by: deadline) {
            case .late:
                let seconds = Int((duration + Connection.connectTimeout).inSeconds)
                throw .unreachable(
                    "\(program) does not respond at \(connection.path) within \(seconds) s; see its log")
            case .ended: throw .unreachable("\(program) closed the connection; try again, or see its log")
            case .tooLong: throw .failed("the response of \(program) is longer than \(Connection.lineLimit) bytes")
            case .line(let line):
                guard let answer = try? JSON(parsing: line) else {
                    throw .failed("the response of \(program) is not valid JSON")
                }
                if let error = answer["error"] { throw Self.failure(error, of: program) }
                guard answer["id"]?.integer == id else { continue }
                let members = JSONText.members(of: String(decoding: line, as: UTF8.self))
                return members.first { $0.name == "result" }?.value ?? "null"
            }
        }
    }

    /// The failure for an error response: its details if it has any, else its general message.
    private static func failure(_ error: JSON, of program: String) -> Failure {
        let details = (error["data"]?["message"] ?? error["data"])?.string?.split(whereSeparator: \.isNewline) ?? []
        let lines = details.prefix(8).compactMap { SanitizedText.line(String($0), limit: 2048) }
        let words = lines.isEmpty ? error["message"]?.harmlessText(limit: 256) : lines.joined(separator: "; ")
        let message = (words ?? program + " rejected the request without a reason") + advice(error)
        return isTemporary(error) ? .unreachable(message) : .failed(message)
    }

    /// Whether a server on the network does not respond, or limits its clients: the same request may succeed later.
    private static func isTemporary(_ error: JSON) -> Bool {
        ["unresolved", "unreachable", "timeout", "limited"].contains(error["data"]?["reason"]?.string)
    }

    /// The commands that the run's state allows.
    private static func advice(_ error: JSON) -> String {
        switch error["data"]?["state"]?.string.flatMap(RunState.init) {
        case .idle: "; 'pacectl start' starts a run"
        case .active: "; pause, lap, stop and discard are possible"
        case .paused: "; resume, stop and discard are possible"
        case nil: ""
        }
    }
}

extension Invocation {
    /// - Returns: the text to print.
    func perform(_ command: RunCommand) throws(Failure) -> String {
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        let (method, parameters) = Self.request(command)
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

    private static func request(_ command: RunCommand) -> (method: String, parameters: String) {
        switch command {
        case .start(let sport, let indoor, let back):
            var members: [String] = []
            if let sport { members.append("\"sport\":\"\(sport.rawValue)\"") }
            if indoor { members.append("\"indoor\":true") }
            if back > .zero { members.append("\"ago_ms\":\(back.wholeMilliseconds)") }
            return ("run.start", "{" + members.joined(separator: ",") + "}")
        case .toggle: return ("run.toggle", "{}")
        case .pause: return ("run.pause", "{}")
        case .resume: return ("run.resume", "{}")
        case .lap: return ("run.lap", "{}")
        case .stop: return ("run.stop", "{}")
        case .discard: return ("run.discard", "{}")
        }
    }

    private static func describe(to command: RunCommand, _ result: JSON, _ words: StatusText) -> String {
        let figures = StateLine.Figures(result)
        let elapsed = words.duration(figures)
        switch command {
        case .start:
            let activity = result["activity"]?.integer ?? result.integer
            return "Started" + (activity.map { ", activity \($0)" } ?? "") + "."
        case .toggle: return (result["run"]?.harmlessText() ?? "done") + "."
        case .pause: return "Paused at \(elapsed)."
        case .resume: return "Resumed at \(elapsed)."
        case .lap: return "Lap closed at \(elapsed)."
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

    /// The settings, or one of them: a table, or the daemon's JSON.
    func settings() throws(Failure) -> String {
        // As the key Sensors= of paced.conf: these are no names of sensors.
        switch command {
        case .setSetting(.sensors, "auto"): return try perform(.auto)
        case .setSetting(.sensors, "off"): return try perform(.off)
        default: break
        }
        var control = try ControlClient(RuntimeDirectory(runtimeDirectory))
        switch command {
        case .getSetting(let key): return try shown(key, control.call("settings.get", #"{"key":"\#(key.rawValue)"}"#))
        case .resetSetting(let key):
            return try shown(key, control.call("settings.set", #"{"key":"\#(key.rawValue)","value":null}"#))
        case .setSetting(let key, let value):
            let parameters = #"{"key":"\#(key.rawValue)","value":\#(key.json(typed: value))}"#
            return try shown(key, control.call("settings.set", parameters))
        default:
            let all = try control.call("settings.get")
            if isJSON { return all + "\n" }
            return Self.table(JSONText.members(of: all))
        }
    }

    /// A row for each setting, those of a later release last.
    private static func table(_ members: [(name: String, value: String)]) -> String {
        var rows: [(name: String, text: String)] = SettingKey.allCases.compactMap { key in
            let value = members.first { $0.name == key.rawValue }?.value
            // An unset one has no member.
            if value == nil, !key.isOptional { return nil }
            let pages = key == .screens ? value.flatMap(pageCounts) : nil
            return (key.rawValue, pages ?? text(of: key, value ?? "null"))
        }
        rows += members.filter { SettingKey(rawValue: $0.name) == nil }.map { ($0.name, $0.value) }
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { name, text in
            (SanitizedText.line(name, limit: 64) ?? "") + String(repeating: " ", count: width - name.count + 2)
                + (SanitizedText.line(text, limit: Connection.lineLimit) ?? "") + "\n"
        }.joined()
    }

    /// - Parameter value: JSON.
    private static func text(of key: SettingKey, _ value: String) -> String {
        if value != "null" { return value }
        let units = LocaleUnits.isMetric ? "kilometres" : "miles"
        return key == .metric ? "unset (by LC_MEASUREMENT: \(units))" : "unset"
    }

    /// The setting `screens` in a row; nil if it has no pages.
    private static func pageCounts(_ value: String) -> String? {
        guard let json = try? JSON(parsing: value.utf8) else { return nil }
        let counts = Sport.allCases.compactMap { sport in
            json[sport.rawValue]?.array.map { "\(sport.rawValue) \($0.count)" }
        }
        return counts.isEmpty
            ? nil : "pages: " + counts.joined(separator: ", ") + "; 'settings get screens' prints them"
    }

    private func shown(_ key: SettingKey, _ value: String) -> String {
        (isJSON ? value : SanitizedText.line(Self.text(of: key, value), limit: Connection.lineLimit) ?? "") + "\n"
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

    /// Whether to print kilometres, by the setting, else by the locale. A failure to read the setting must not fail a
    /// command such as stop.
    mutating func metricSetting() -> Bool {
        switch try? call("settings.get", #"{"key":"metric"}"#) {
        case "true": true
        case "false": false
        default: LocaleUnits.isMetric
        }
    }
}
