import Domain
import Glibc
import JSONCoding
import Linux
import Servers

/// Queries gpsd for its release and its receivers, never for positions.
enum GpsdProbe {
    /// - Parameter hosts: tried in order until one accepts the connection.
    static func probe(_ hosts: [String], port: UInt16, within time: Duration) -> SystemFacts.Gpsd {
        let deadline = Clock.now() + time
        for host in hosts {
            guard let socket = try? TCPSocket.connect(host: host, port: port),
                wait(for: POLLOUT, of: socket, by: deadline),
                TCPSocket.result(of: socket) == nil
            else { continue }
            return converse(on: socket, by: deadline)
        }
        return .unreachable
    }

    private static func converse(on socket: borrowing FileDescriptor, by deadline: Instant) -> SystemFacts.Gpsd {
        _ = socket.send(Array("?DEVICES;\n".utf8)[...])
        var lines = LineSplitter(limit: Connection.lineLimit)
        var release: String?
        while wait(for: POLLIN, of: socket, by: deadline) {
            let progress = lines.read(from: socket)
            while let line = lines.next(hasEnded: false) {
                guard case .line(let bytes) = line, let json = try? JSON(parsing: bytes) else { continue }
                switch json["class"]?.string {
                case "VERSION": release = json["release"]?.harmlessText() ?? "of unknown release"
                case "DEVICES":
                    let devices = json["devices"]?.array ?? []
                    return .responds(
                        release: release ?? "without a number", devices: devices.prefix(8).compactMap(device))
                default: break
                }
            }
            if progress == .ended { break }
        }
        return release.map { .responds(release: $0, devices: []) } ?? .silent
    }

    private static func device(_ json: JSON) -> SystemFacts.Gpsd.Device? {
        json["path"]?.harmlessText().map { SystemFacts.Gpsd.Device(path: $0, driver: json["driver"]?.harmlessText()) }
    }

    private static func wait(for events: Int32, of socket: borrowing FileDescriptor, by deadline: Instant) -> Bool {
        while true {
            let left = (deadline - Clock.now()).wholeMilliseconds
            guard left > 0 else { return false }
            var waiting = pollfd(fd: socket.number, events: Int16(events), revents: 0)
            if poll(&waiting, 1, Int32(left)) > 0 { return true }
        }
    }
}
