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
    private var connection: Connection?
    private var arrivals: DescriptorSource?
    private var timer: TimerSource?

    /// The maximum number of commands in the queue.
    private static let limit = 8
    private static let timeout = Duration.seconds(5)

    /// - Parameter ended: called when a command was performed or has failed.
    init(_ path: String, loop: EventLoop, ended: @escaping (RunCommand, Outcome) -> Void) throws(SystemError) {
        self.path = path
        self.loop = loop
        self.ended = ended
        timer = try loop.timer { [unowned self] in fail("paced does not respond; see its log") }
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
        do {
            let connection = try Connection(to: path)
            try connection.send(
                #"{"jsonrpc":"2.0","id":1,"method":"run.\#(command.word.text)"}"#)
            arrivals = try loop.watch(connection.descriptor, for: .reading) { [unowned self] _ in receive() }
            self.connection = connection
            timer?.arm(at: Clock.now() + Self.timeout)
        } catch let failure as Failure {
            fail(failure.message)
        } catch let error as SystemError {
            fail(Failure(connectingTo: path, error).message)
        } catch {
            fail("\(error)")
        }
    }

    private func receive() {
        guard let lines = connection?.arrivedLines() else { return fail("paced closed the connection") }
        guard let line = lines.first else { return }
        let answer = try? JSON(parsing: line)
        if let result = answer?["result"] {
            // The result of stop is the activity's summary.
            let run = result["run"]?.string.flatMap(RunState.init) ?? .idle
            end(.accepted(run))
        } else {
            let error = answer?["error"]
            fail(
                error?["data"]?["message"]?.harmlessText(limit: 256) ?? error?["message"]?.harmlessText(limit: 256)
                    ?? "the response of paced is invalid")
        }
    }

    private func fail(_ reason: String) {
        end(.rejected(reason))
    }

    private func end(_ outcome: Outcome) {
        arrivals = nil
        connection = nil
        timer?.arm(at: nil)
        if !waiting.isEmpty { ended(waiting.removeFirst(), outcome) }
        send()
    }
}
