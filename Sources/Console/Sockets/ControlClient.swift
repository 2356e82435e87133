import Client
import Domain
import Glibc
import JSONCoding
import Linux
import Wire

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
        let message = words ?? program + " rejected the request without a reason"
        let known = error["data"].flatMap { Sentence(reading: $0) }
        let sentence = (known?.description == message ? known : nil) ?? Sentence(verbatim: message)
        return isTemporary(error) ? .unreachable(sentence + advice(error)) : .failed(sentence + advice(error))
    }

    /// Whether a server on the network does not respond, or limits its clients: the same request may succeed later.
    private static func isTemporary(_ error: JSON) -> Bool {
        ["unresolved", "unreachable", "timeout", "limited"].contains(error["data"]?["reason"]?.string)
    }

    /// The commands that the run's state allows.
    private static func advice(_ error: JSON) -> Sentence {
        switch error["data"]?["state"]?.string.flatMap(RunState.init) {
        case .idle: "; 'pacectl start' starts a run"
        case .active: "; pause, lap, stop and discard are possible"
        case .paused: "; resume, stop and discard are possible"
        case nil: ""
        }
    }
}

extension ControlClient {
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
