package import Linux

/// A scripted peer on a Unix SEQPACKET socket that sends valid or invalid packets. It serves one connection at a time.
package final class HostilePeer {
    package enum Event: Equatable {
        /// A connection was accepted; the number counts from 1.
        case connected(Int)
        case received([UInt8])
        case hungUp
    }

    package enum Reaction {
        case send([UInt8])
        case close
    }

    private let loop: EventLoop
    private let react: (Event) -> [Reaction]
    private let listener: FileDescriptor
    private var listening: DescriptorSource?
    private var connection: Connection?
    private var count = 0

    private final class Connection {
        let socket: FileDescriptor
        var source: DescriptorSource?

        init(_ socket: consuming FileDescriptor) {
            self.socket = socket
        }

        deinit {
            source = nil
        }
    }

    package init(path: String, loop: EventLoop, react: @escaping (Event) -> [Reaction]) throws {
        self.loop = loop
        self.react = react
        listener = try UnixSocket.listen(at: path, kind: .sequencedPacket)
        listening = try loop.watch(listener, for: .reading) { [unowned self] _ in accept() }
    }

    deinit {
        listening = nil
    }

    /// Serves a strap that answers from a table until the client hangs up.
    package convenience init(
        path: String, loop: EventLoop, serving strap: ScriptedStrap, hungUp: @escaping () -> Void = {}
    ) throws {
        var strap = strap
        try self.init(path: path, loop: loop) { event in
            switch event {
            case .received(let pdu): return strap.answer(to: pdu).map { .send($0) }
            case .hungUp:
                hungUp()
                return []
            default: return []
            }
        }
    }

    /// Sends datagrams without a request, if a client is connected.
    package func send(_ datagrams: [[UInt8]]) {
        perform(datagrams.map { .send($0) })
    }

    package func close() {
        connection = nil
    }

    private func accept() {
        guard let socket = try? UnixSocket.accept(from: listener) else { return }
        let connection = Connection(socket)
        connection.source = try? loop.watch(connection.socket, for: .reading) { [unowned self] _ in receive() }
        self.connection = connection
        count += 1
        perform(react(.connected(count)))
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 1024)
        guard let size = try? buffer.withUnsafeMutableBytes({ try connection?.socket.read(into: $0) }) else { return }
        if size == 0 {
            connection = nil
            perform(react(.hungUp))
        } else {
            perform(react(.received(Array(buffer[..<size]))))
        }
    }

    private func perform(_ reactions: [Reaction]) {
        for reaction in reactions {
            switch reaction {
            case .send(let bytes): _ = connection?.socket.send(bytes[...])
            case .close: connection = nil
            }
        }
    }
}
