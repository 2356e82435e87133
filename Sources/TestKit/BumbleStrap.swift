package import Domain
import Foundation
package import Linux

/// The independent strap of `Tests/Peripheral`, in a process of its own that ends with this value at the latest.
package final class BumbleStrap {
    private let process = Process()
    private let lifeline = Pipe()
    private let log: URL

    /// What the strap sends, over and over, from the first on at each subscription.
    package static let script = [
        "16468a034403", "10437203", "104472038a03", "012c01", "0443", "0400", "1843d0077203", "1646000400040004",
    ].map(hex)

    /// Starts it; it listens a second later or so.
    ///
    /// - Parameters:
    ///   - path: of the socket.
    ///   - period: seconds between notifications.
    package init(path: String, period: Double) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let python =
            ProcessInfo.processInfo.environment["PACED_PYTHON"] ?? root.appending(path: ".build/venv/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw NoPython(path: python) }
        log = URL(filePath: path + ".\(UUID().uuidString).log")
        guard FileManager.default.createFile(atPath: log.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        process.executableURL = URL(filePath: python)
        process.arguments = [
            root.appending(path: "Tests/Peripheral/att_peripheral.py").path, path, String(period), "--verbose",
            "--until-eof",
        ]
        process.standardInput = lifeline
        process.standardOutput = try FileHandle(forWritingTo: log)
        try process.run()
    }

    deinit {
        kill()
    }

    /// There is no Python with Bumble: `make test` makes it.
    package struct NoPython: Error {
        package var path: String
    }

    /// A connection to its socket, as soon as it takes any.
    ///
    /// - Throws: what the last attempt of 10 s did.
    package func connection(to path: String) throws(SystemError) -> FileDescriptor {
        for _ in 0..<500 {
            if let socket = try? UnixSocket.connect(to: path, kind: .sequencedPacket) { return socket }
            usleep(20_000)
        }
        return try UnixSocket.connect(to: path, kind: .sequencedPacket)
    }

    /// Ends it as a power cut would; the socket's file stays.
    package func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// When it began to take connections.
    package var readyAt: Instant? {
        moments(of: "ready").first
    }

    /// When it sent each of its values.
    package var sentAt: [Instant] {
        moments(of: "sent")
    }

    private func moments(of word: String) -> [Instant] {
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count >= 2, words[0] == word, let nanoseconds = Int64(words[1]) else { return nil }
            return Instant(nanoseconds: nanoseconds)
        }
    }
}
