import Client
import Domain
import JSONCoding
import Linux

/// Sends commands to control.sock from an event loop, one at a time, each on a new connection.
final class RunCommandClient {
    enum Outcome: Equatable {
        /// The state of the run after the command.
        case accepted(RunState)
        /// Why the command was not performed.
        case rejected(String)
    }

    private let path: String
    private let loop: EventLoop
    private let ended: (RunCommand, Outcome) -> Void
    private var waiting: [RunCommand] = []
    private var exchange: LineExchange?

    /// The maximum number of commands in the queue.
    private static let limit = 8
    private static let timeout = Duration.seconds(5)

    /// - Parameter ended: called when a command was performed or has failed.
    init(_ path: String, loop: EventLoop, ended: @escaping (RunCommand, Outcome) -> Void) {
        self.path = path
        self.loop = loop
        self.ended = ended
    }

    func perform(_ command: RunCommand) {
        guard waiting.count < Self.limit else {
            return ended(command, .rejected("too many commands wait for a response"))
        }
        waiting.append(command)
        if waiting.count == 1 { send() }
    }

    private func send() {
        guard let command = waiting.first else { return }
        do throws(LineExchange.Failure) {
            exchange = try LineExchange(
                requestLine("run.\(command.word.text)"), at: path, loop: loop, timeout: Self.timeout,
                lineLimit: Connection.lineLimit
            ) { [unowned self] in received($0) }
        } catch {
            received(.failure(error))
        }
    }

    private func received(_ answer: Result<[UInt8], LineExchange.Failure>) {
        switch answer {
        case .failure(.connecting(let error)): end(.rejected(Failure(connectingTo: path, error).message))
        case .failure(.ended): end(.rejected("paced closed the connection"))
        case .failure(.timeout): end(.rejected("paced does not respond; see its log"))
        case .success(let line):
            let answer = try? JSON(parsing: line)
            if let result = answer?["result"] {
                // The result of stop is the activity's summary.
                end(.accepted(result["run"]?.string.flatMap(RunState.init) ?? .idle))
            } else {
                let error = answer?["error"]
                let reason = (error?["data"]?["message"] ?? error?["message"])?.harmlessText(limit: 256)
                end(.rejected(reason ?? "the response of paced is invalid"))
            }
        }
    }

    private func end(_ outcome: Outcome) {
        exchange = nil
        ended(waiting.removeFirst(), outcome)
        send()
    }
}
