import Domain
package import Linux

/// A client of a socket of the daemon that sends and receives lines, and connects again without end. It never waits.
package final class ReconnectingClient {
    package enum Event {
        case connected
        case line(ArraySlice<UInt8>)
        /// The connection has ended, or could not be made; the text says why. It follows each ``connected``, and each
        /// change of the reason otherwise.
        case lost(String)
    }

    private static let minimumDelay = Duration.milliseconds(500)
    private static let maximumDelay = Duration.seconds(5)

    private let path: String
    private let loop: EventLoop
    private let silenceLimit: Duration?
    private let happened: (Event) -> Void
    private var socket: FileDescriptor?
    private var source: DescriptorSource?
    private var timer: TimerSource?
    private var reader: LineReader
    private var delay = ReconnectingClient.minimumDelay
    private var reported: String?

    /// - Parameters:
    ///   - lineLimit: the most bytes of a line; longer ones are skipped.
    ///   - silenceLimit: a connection without a line for so long is closed; nil for one that may be silent.
    ///   - happened: called in the loop, never before this returns.
    package init(
        _ path: String, loop: EventLoop, lineLimit: Int, silenceLimit: Duration? = nil,
        happened: @escaping (Event) -> Void
    ) throws(SystemError) {
        self.path = path
        self.loop = loop
        self.silenceLimit = silenceLimit
        self.happened = happened
        reader = LineReader(limit: lineLimit)
        timer = try loop.timer { [unowned self] in onTimer() }
        timer?.arm(at: Clock.now())
    }

    /// Sends a whole line. A peer that does not read loses the connection.
    ///
    /// - Parameter line: with its newline.
    package func send(_ line: [UInt8]) {
        guard socket != nil else { return }
        if socket?.send(line[...]) != .sent(line.count) { lose("\(path) does not read") }
    }

    private func onTimer() {
        if socket == nil { connect() } else { lose("\(path) sends nothing") }
    }

    private func connect() {
        do throws(SystemError) {
            let connected = try UnixSocket.connect(to: path)
            reader = LineReader(limit: reader.limit)
            source = try loop.watch(connected, for: .reading) { [unowned self] _ in receive() }
            socket = consume connected
            timer?.arm(at: silenceLimit.map { Clock.now() + $0 })
            reported = nil
            happened(.connected)
        } catch {
            lose("cannot connect to \(path): \(error)")
        }
    }

    private func receive() {
        // A line may close the connection, and even open another one.
        let isOpen = reader.read(from: socket!) != .ended
        if let silenceLimit { timer?.arm(at: Clock.now() + silenceLimit) }
        while socket != nil, let line = reader.next(hasEnded: false) {
            guard case .line(let bytes) = line else { continue }
            delay = Self.minimumDelay
            happened(.line(bytes))
        }
        if !isOpen { lose("\(path) was closed") }
    }

    private func lose(_ reason: String) {
        let wasConnected = socket != nil
        source = nil
        socket = nil
        timer?.arm(at: Clock.now() + delay)
        delay = min(delay * 2, Self.maximumDelay)
        guard wasConnected || reported != reason else { return }
        reported = reason
        happened(.lost(reason))
    }
}
