import Domain
import Foundation
import Linux
import TestKit
import Testing

@Suite struct UnixSocketTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = TemporaryDirectory()
    }

    @Test(arguments: [UnixSocket.Kind.stream, .sequencedPacket])
    func sentBytesAreReceived(kind: UnixSocket.Kind) throws {
        let connection = try Connection.make(at: directory("socket"), kind: kind)
        #expect(connection.received() == nil, "nothing is there yet")
        #expect(connection.near.send([1, 2, 3]) == .sent(3))
        #expect(connection.received() == [1, 2, 3])
    }

    @Test func oneDatagramIsOneMessage() throws {
        let connection = try Connection.make(at: directory("socket"), kind: .sequencedPacket)
        #expect(connection.near.send([1, 2]) == .sent(2))
        #expect(connection.near.send([3]) == .sent(1))
        #expect(connection.received() == [1, 2])
        #expect(connection.received() == [3])
    }

    @Test func acceptWithoutAConnectionReturnsNil() throws {
        let listener = try UnixSocket.listen(at: directory("socket"))
        #expect(try isAccepted(listener) == false)
    }

    @Test func socketIsAccessibleToOwnerAndGroup() throws {
        let listener = try UnixSocket.listen(at: directory("socket"))
        var status = stat()
        #expect(stat(directory("socket"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o660)
        _ = consume listener
    }

    @Test func staleSocketFileIsReplaced() throws {
        do { _ = try UnixSocket.listen(at: directory("socket")) }
        #expect(FileManager.default.fileExists(atPath: directory("socket")))
        #expect(throws: SystemError("connect", code: ECONNREFUSED)) {
            _ = try UnixSocket.connect(to: directory("socket"))
        }
        let listener = try UnixSocket.listen(at: directory("socket"))
        _ = try UnixSocket.connect(to: directory("socket"))
        #expect(try isAccepted(listener))
    }

    @Test func liveSocketIsNotReplaced() throws {
        let listener = try UnixSocket.listen(at: directory("socket"))
        #expect(throws: SystemError("bind", code: EADDRINUSE)) { _ = try UnixSocket.listen(at: directory("socket")) }
        _ = try UnixSocket.connect(to: directory("socket"))
        // The first connection was the second listener's check for a live listener.
        #expect(try isAccepted(listener))
        #expect(try isAccepted(listener))
    }

    @Test func regularFileIsNotReplacedByASocket() throws {
        #expect(FileManager.default.createFile(atPath: directory("socket"), contents: Data("precious".utf8)))
        let error = DirectoryError(directory("socket"), .wrongKind(.regular, wanted: .socket))
        #expect(throws: error) {
            _ = try UnixSocket.listen(at: directory("socket"), in: Directory(directory.path))
        }
        #expect(FileManager.default.contents(atPath: directory("socket")) == Data("precious".utf8))
    }

    @Test func overlongPathIsReported() throws {
        let fitting = directory(String(repeating: "x", count: UnixSocket.pathLimit - directory.path.utf8.count - 1))
        _ = try UnixSocket.listen(at: fitting)
        let error = #expect(throws: SystemError.self) { _ = try UnixSocket.listen(at: fitting + "x") }
        #expect(error?.code == ENAMETOOLONG)
        #expect(throws: SystemError("connect", code: ENAMETOOLONG)) { _ = try UnixSocket.connect(to: fitting + "x") }
        #expect(SystemError("bind", code: ENAMETOOLONG).description == "bind: File name too long")
    }

    @Test func connectToAMissingSocketThrows() {
        #expect(throws: SystemError("connect", code: ENOENT)) { _ = try UnixSocket.connect(to: directory("socket")) }
    }

    @Test func peerCredentialsAreThoseOfTheProcess() throws {
        let connection = try Connection.make(at: directory("socket"))
        let peer = try UnixSocket.peer(of: connection.near)
        #expect(peer.user == getuid() && peer.group == getgid() && peer.process == getpid())
    }

    @Test func fullBufferAndClosedPeerAreReported() throws {
        var connection = try Connection.make(at: directory("socket"))
        let line = [UInt8](repeating: 0x78, count: 4096)
        var sent = 0
        while case .sent(let count) = connection.near.send(line[...]) {
            sent += count
            try #require(sent < 64 << 20)
        }
        #expect(connection.near.send(line[...]) == .full)
        connection.far = nil
        #expect(connection.near.send(line[...]) == .gone)
    }

    private func isAccepted(_ listener: borrowing FileDescriptor) throws -> Bool {
        switch try UnixSocket.accept(from: listener) {
        case .some: true
        case nil: false
        }
    }
}
