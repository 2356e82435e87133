import Client
package import Domain
package import JSONCoding
import Linux

/// Which requests of the broker are carried out: those of a list, once each, and not one after the other without end. Pure.
package struct CommandGate {
    /// The methods that a configuration may allow. None deletes anything, and none tells where the board is.
    package static let methods = [
        "run.start", "run.toggle", "run.pause", "run.resume", "run.lap", "run.mark", "run.stop",
    ]
    package static let sizeLimit = 1024
    private static let idLength = 1...64
    /// IDs that are known. A broker may deliver a message of QoS 1 twice.
    private static let idLimit = 64
    /// Each command is a notice, and paced takes one of a topic in this time.
    package static let pause = Duration.seconds(10)

    package enum Verdict: Equatable, Sendable {
        /// Nothing is answered: it is no request, or one that is known.
        case ignored
        case refused(id: String, code: Int, message: String)
        /// - Parameter parameters: a JSON object.
        case accepted(id: String, method: String, parameters: JSON)
    }

    private let allowed: Set<String>
    private var ids: [String] = []
    private var lastTimes: [String: Instant] = [:]
    /// Methods that paced has not answered.
    private var pending: Set<String> = []

    package init(_ allowed: [String]) {
        self.allowed = Set(allowed)
    }

    /// The answer to an accepted request.
    package mutating func finish(_ method: String, isDone: Bool, at now: Instant) {
        pending.remove(method)
        if isDone { lastTimes[method] = now }
    }

    package mutating func judge(_ payload: [UInt8], at now: Instant) -> Verdict {
        guard payload.count <= Self.sizeLimit, let json = try? JSON(parsing: payload),
            let id = json["id"]?.string, Self.idLength.contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), !ids.contains(id)
        else { return .ignored }
        ids = ids.suffix(Self.idLimit - 1) + [id]
        func refusal(_ code: Int, _ message: String) -> Verdict { .refused(id: id, code: code, message: message) }
        let parameters = json["params"] ?? .object([:])
        guard let method = json["method"]?.string, allowed.contains(method) else {
            return refusal(-32601, "Allow= of paced-link.conf does not have this method")
        }
        guard case .object = parameters else { return refusal(-32602, "params must be an object") }
        if let last = lastTimes[method], now - last < Self.pause {
            return refusal(-32002, "\(method) was carried out less than \(Self.pause.components.seconds) s ago")
        }
        guard pending.insert(method).inserted else { return refusal(-32002, "\(method) waits for paced") }
        return .accepted(id: id, method: method, parameters: parameters)
    }
}

/// Hands requests of the broker to paced, and its answers to the broker, without their data.
final class LinkCommands {
    private static let timeout = Duration.seconds(30)
    private static let answerLimit = 64 * 1024
    static let topicPrefix = "x-link-"

    private let socket: String
    private let origin: String
    private let loop: EventLoop
    private let log: (LogLevel, String) -> Void
    private let notify: (_ topic: String, _ key: String, _ text: String) -> Void
    private var gate: CommandGate
    private var waiting: [Int: LineExchange] = [:]
    private var next = 0
    /// Counted for `link.status`.
    private(set) var refusals = 0
    private(set) var lastSuccess: Instant?

    /// - Parameters:
    ///   - paced: the directory of control.sock.
    ///   - origin: the broker, which does not tell who has published.
    init(
        _ allowed: [String], paced: String, origin: String, loop: EventLoop, log: @escaping (LogLevel, String) -> Void,
        notify: @escaping (_ topic: String, _ key: String, _ text: String) -> Void
    ) {
        gate = CommandGate(allowed)
        socket = paced + "/control.sock"
        self.origin = origin
        self.loop = loop
        self.log = log
        self.notify = notify
    }

    /// Why nothing is carried out; nil if it is.
    var obstacle: String? { ControlRight.obstacle(at: socket) }

    /// - Parameter reply: sends an answer, perhaps later.
    func receive(_ payload: [UInt8], reply: @escaping ([UInt8]) -> Void) {
        switch gate.judge(payload, at: Clock.now()) {
        case .ignored: refusals += 1
        case .refused(let id, let code, let message):
            refusals += 1
            reply(Self.error(id, code, message))
        case .accepted(let id, let method, let parameters):
            if let obstacle {
                refusals += 1
                gate.finish(method, isDone: false, at: Clock.now())
                return reply(Self.error(id, -32001, obstacle))
            }
            perform(id, method, parameters, reply)
        }
    }

    private func perform(_ id: String, _ method: String, _ parameters: JSON, _ reply: @escaping ([UInt8]) -> Void) {
        var text = JSONWriter(capacity: CommandGate.sizeLimit)
        text.value(parameters)
        next += 1
        let number = next
        do throws(LineExchange.Failure) {
            waiting[number] = try LineExchange(
                requestLine(method, String(decoding: text.bytes, as: UTF8.self)), at: socket, loop: loop,
                timeout: Self.timeout, lineLimit: Self.answerLimit
            ) { [unowned self] result in
                waiting[number] = nil
                finish(id, method, (try? result.get()).flatMap { try? JSON(parsing: $0) }, reply)
            }
        } catch {
            finish(id, method, nil, reply)
        }
    }

    private func finish(_ id: String, _ method: String, _ answer: JSON?, _ reply: ([UInt8]) -> Void) {
        let isDone = answer?["result"] != nil
        gate.finish(method, isDone: isDone, at: Clock.now())
        guard isDone else {
            refusals += 1
            let error = answer?["error"]
            log(.warning, "\(method) of \(origin) was not carried out")
            let said = error?["data"]?["message"] ?? error?["message"]
            let message = said?.string.flatMap { SanitizedText.line($0, limit: 256) }
            return reply(Self.error(id, error?["code"]?.integer ?? -32603, message ?? "paced does not answer"))
        }
        lastSuccess = Clock.now()
        log(.notice, "\(method) by \(origin)")
        notify(
            Self.topicPrefix + method.map { $0 == "." ? "-" : String($0) }.joined(), "command",
            "\(method) by \(String(origin.unicodeScalars.prefix(32)))")
        var line = JSONWriter(capacity: 128)
        line.object {
            $0.member("id", id)
            $0.member("result", true)
        }
        reply(line.bytes)
    }

    private static func error(_ id: String, _ code: Int, _ message: String) -> [UInt8] {
        var line = JSONWriter(capacity: 512)
        line.object { line in
            line.member("id", id)
            line.object("error") {
                $0.member("code", code)
                $0.member("message", message)
            }
        }
        return line.bytes
    }
}
