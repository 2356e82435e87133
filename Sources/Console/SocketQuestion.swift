import Domain
import JSONCoding
import Linux

/// Asks a socket of JSON-RPC one question, from an event loop. A question without an answer gives none.
final class SocketQuestion {
    private let loop: EventLoop
    private let received: (JSON?) -> Void
    private var connection: Connection?
    private var arrivals: DescriptorSource?
    private var timer: TimerSource?

    private static let timeout = Duration.seconds(5)

    /// - Parameter received: called with the result, once for each question that no later one has replaced.
    init(loop: EventLoop, received: @escaping (JSON?) -> Void) throws(SystemError) {
        self.loop = loop
        self.received = received
        timer = try loop.timer { [unowned self] in end(nil) }
    }

    /// Asks, instead of the question before.
    ///
    /// - Parameters:
    ///   - path: the socket.
    ///   - parameters: a JSON object.
    func ask(_ path: String, _ method: String, _ parameters: String = "{}") {
        do {
            let connection = try Connection(to: path)
            try connection.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(parameters)}"#)
            arrivals = try loop.watch(connection.descriptor, for: .reading) { [unowned self] _ in receive() }
            self.connection = connection
            timer?.arm(at: Clock.now() + Self.timeout)
        } catch {
            end(nil)
        }
    }

    private func receive() {
        guard let lines = connection?.arrivedLines() else { return end(nil) }
        guard let line = lines.first else { return }
        end((try? JSON(parsing: line))?["result"])
    }

    private func end(_ result: JSON?) {
        arrivals = nil
        connection = nil
        timer?.arm(at: nil)
        received(result)
    }
}
