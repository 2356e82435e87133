import Linux
import TestKit

/// Both ends of one Unix socket. The far end can be closed first.
struct Connection: ~Copyable {
    let near: FileDescriptor
    var far: FileDescriptor?

    private init(near: consuming FileDescriptor, far: consuming FileDescriptor?) {
        self.near = near
        self.far = far
    }

    static func make(at path: String, kind: UnixSocket.Kind = .stream) throws -> Connection {
        let listener = try UnixSocket.listen(at: path, kind: kind)
        let near = try UnixSocket.connect(to: path, kind: kind)
        let far = try UnixSocket.accept(from: listener)
        return Connection(near: near, far: far)
    }

    /// Reads once from the far end; nil if there is nothing.
    borrowing func received() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { buffer in try? far?.read(into: buffer) }
        return count.map { Array(bytes[..<$0]) }
    }
}
