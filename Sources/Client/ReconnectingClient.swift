import Domain
package import Linux

/// A client of a socket that sends and receives lines in an event loop, and connects again without end. It never waits.
package final class ReconnectingClient {
    package enum Event {
        case connected
        case line(ArraySlice<UInt8>)
        /// The connection has ended, or could not be made. It follows each ``connected``, and each change of the reason otherwise.
        case lost(Loss)
    }

    package enum Loss: Equatable {
        case connecting(SystemError)
        case closed
        /// No line came within the limit.
        case silent
        /// The server does not read.
        case full

        /// - Parameter path: of the socket.
        package func text(_ path: String) -> String {
            switch self {
            case .connecting(let error): "cannot connect to \(path): \(error)"
            case .closed: "\(path) was closed"
            case .silent: "\(path) sends nothing"
            case .full: "\(path) does not read"
            }
        }
    }

    package let path: String
    private let loop: EventLoop
    private let lineLimit: Int
    private let delays: ClosedRange<Duration>
    private let firstLineLimit: Duration?
    private let silenceLimit: Duration?
    private let happened: (Event) -> Void
    private var connection: LineConnection?
    private var source: DescriptorSource?
    private var timer: TimerSource?
    private var delay: Duration
    private var reported: Loss?

    /// - Parameters:
    ///   - lineLimit: the most bytes of a line; longer ones are skipped.
    ///   - delays: from the shortest time to the next attempt to the longest one.
    ///   - silenceLimit: a connection without a line for so long is closed; nil for one that may be silent.
    ///   - firstLineLimit: the same before the first line; nil for `silenceLimit`.
    ///   - happened: called in the loop and by ``connect()``.
    package init(
        _ path: String, loop: EventLoop, lineLimit: Int,
        delays: ClosedRange<Duration> = .milliseconds(500) ... .seconds(5), silenceLimit: Duration? = nil,
        firstLineLimit: Duration? = nil, happened: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.path = path
        self.loop = loop
        self.lineLimit = lineLimit
        self.delays = delays
        self.silenceLimit = silenceLimit
        self.firstLineLimit = firstLineLimit ?? silenceLimit
        self.happened = happened
        delay = delays.lowerBound
        timer = try loop.timer { [unowned self] in onTimer() }
        timer?.arm(at: Clock.now())
    }

    package var isConnected: Bool { connection != nil }

    /// Sends a whole line, without its newline. A server that does not read loses the connection.
    package func send(_ line: some Collection<UInt8>) {
        guard let connection else { return }
        switch connection.send(line) {
        case .sent: break
        case .full: lose(.full)
        case .gone: lose(.closed)
        }
    }

    private func onTimer() {
        if connection != nil { return lose(.silent) }
        do throws(SystemError) {
            try connect()
        } catch {
            lose(.connecting(error))
        }
    }

    /// Connects at once. After an error the loop tries again.
    package func connect() throws(SystemError) {
        let connection = try LineConnection(to: path, lineLimit: lineLimit)
        source = try loop.watch(connection.socket, for: .reading) { [unowned self] _ in receive() }
        self.connection = connection
        timer?.arm(at: firstLineLimit.map { Clock.now() + $0 })
        reported = nil
        happened(.connected)
    }

    private func receive() {
        guard let receiving = connection else { return }
        let isOpen = receiving.receive()
        if let silenceLimit { timer?.arm(at: Clock.now() + silenceLimit) }
        // A line may close the connection, and even open another one.
        while connection === receiving, let line = receiving.next() {
            guard case .line(let bytes) = line else { continue }
            delay = delays.lowerBound
            happened(.line(bytes))
        }
        if !isOpen, connection === receiving { lose(.closed) }
    }

    private func lose(_ loss: Loss) {
        let wasConnected = connection != nil
        source = nil
        connection = nil
        timer?.arm(at: Clock.now() + delay)
        delay = min(delay * 2, delays.upperBound)
        guard wasConnected || reported != loss else { return }
        reported = loss
        happened(.lost(loss))
    }
}
