import Client
import Domain
import JSONCoding
import Linux
import Wire

extension Command {
    static let status = [
        Command("status", "show the run, the strap and the receiver", run: { try $0.status() })
    ]
    static let help = [
        Command(
            "help", words: [.optional("COMMAND", .commands)], "show this help, or that of a command",
            read: { arguments -> String? in
                guard let word = arguments.words.first else { return nil }
                return try Command.known(topic: word)[0].topic
            }, run: { _, topic in CommandHelp.text(of: topic) }),
        Command(
            "schema", "print the JSON Schema of all lines of paced",
            run: { _ in Schema.text.hasSuffix("\n") ? Schema.text : Schema.text + "\n" }),
        Command("version", "", run: { _ in "pacectl \(Release.version)\n" }),
    ]
}

extension Invocation {
    fileprivate func status() throws(Failure) -> String {
        let present = try presentState(blocks: isJSON ? "" : #","blocks":["sun"]"#, needsSettings: !isJSON)
        if isJSON { return String(decoding: present.stateLine, as: UTF8.self) + "\n" }
        let settings = present.settings
        return StatusText(metric: metric ?? settings.isMetric, twelveHour: settings.twelveHourClock).report(
            present.state, device: present.device)
    }

    /// The state and the settings from the state socket: reading them needs no permission to send commands.
    ///
    /// - Parameter blocks: the member of the WATCH line, with a comma before it.
    func presentState(
        blocks: String = "", needsSettings: Bool = true
    ) throws(Failure) -> (
        state: ReceivedState, stateLine: [UInt8], settings: Settings, settingsLine: [UInt8], device: String?
    ) {
        let connection = try Connection.needed(to: RuntimeDirectory(runtimeDirectory).stateSocket)
        try connection.send((#"{"class":"WATCH","classes":["STATE","SETTINGS"]"# + blocks + "}").utf8)
        let deadline = Clock.now() + Connection.connectTimeout
        var state: (ReceivedState, [UInt8])?
        var settings: (Settings, [UInt8])?
        var device: String?
        while true {
            if let state, settings != nil || !needsSettings {
                return (state.0, state.1, settings?.0 ?? Settings(), settings?.1 ?? [], device)
            }
            guard case .line(let line) = connection.line(by: deadline) else {
                throw .unreachable("paced does not respond at \(connection.path); see its log")
            }
            guard let json = try? JSON(parsing: line) else { continue }
            if let failure = Failure(version: json) { throw failure }
            if let uuid = json["device"]?["uuid"]?.harmlessText() {
                device = json["device"]?["name"]?.harmlessText().map { "\($0) (\(uuid))" } ?? uuid
            }
            if json["class"]?.string == "ERROR" {
                throw .failed("paced rejected the request: " + (json["message"]?.harmlessText(limit: 256) ?? "error"))
            }
            // A STATE of before the WATCH line has no blocks.
            if let newer = ReceivedState(json), blocks.isEmpty || json["blocks"] != nil { state = (newer, line) }
            if let newer = Settings(line: json) { settings = (newer, line) }
        }
    }
}
