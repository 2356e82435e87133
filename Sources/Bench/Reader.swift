import Domain
import Glibc
import Linux

/// A client of state.sock that reads what is available.
final class Reader {
    private let socket: FileDescriptor

    init(_ path: String) throws(SystemError) {
        socket = try UnixSocket.connect(to: path)
    }

    func send(_ line: String) {
        _ = socket.send(Array(line.utf8)[...])
    }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while let count = try? bytes.withUnsafeMutableBytes({ buffer in try socket.read(into: buffer) }), count > 0 {}
    }
}

/// A directory for a socket, removed with this value.
struct ScratchDirectory: ~Copyable {
    let path: String

    init() throws(SystemError) {
        var template = Array("/tmp/paced-bench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        unlink(path + "/state.sock")
        rmdir(path)
    }
}
