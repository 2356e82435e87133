import Domain
import Foundation
import Glibc
import Linux
import TestKit

/// `JournalProcess`, recording into a directory of its own in real time, and what it said.
final class RecordingProcess {
    let directory = TemporaryDirectory()
    private(set) var lines: [Substring] = []
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let faultPath: String
    private var rest: [UInt8] = []

    /// - Parameter disk: the library that makes its disk fail (``Faults``); nil for a disk that does not.
    init(steps: Int, stepMilliseconds: Int, disk: String? = nil) throws {
        faultPath = directory.path + "/fault"
        process.executableURL = URL(fileURLWithPath: try String.programs() + "/JournalProcess")
        process.arguments = ["live", directory.path, "\(steps)", "\(stepMilliseconds)", "1"]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["DISK_FAULT": faultPath, "LD_PRELOAD": disk ?? ""]) { $1 }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill()
    }

    func setFault(_ words: String) throws {
        try words.write(toFile: faultPath, atomically: true, encoding: .utf8)
    }

    /// Takes what it says for so long, or until it says `prefix`, or ends.
    ///
    /// - Returns: whether it said that.
    @discardableResult
    func listen(_ limit: Duration, until prefix: String? = nil) -> Bool {
        let heard = lines.count
        let deadline = ContinuousClock.now + limit
        let number = output.fileHandleForReading.fileDescriptor
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let prefix, lines[heard...].contains(where: { $0.hasPrefix(prefix) }) { return true }
            let left = (deadline - ContinuousClock.now) / .milliseconds(1)
            var ready = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&ready, 1, Int32(left) + 1) > 0 else { return false }
            let count = read(number, &buffer, buffer.count)
            guard count > 0 else { return false }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(Substring(String(decoding: rest[..<end], as: UTF8.self)))
                rest.removeSubrange(...end)
            }
        }
    }

    /// The moment of SIGKILL; nothing that it said before is missed.
    @discardableResult
    func kill() -> Instant {
        let now = Clock.now()
        if process.isRunning {
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        listen(.seconds(1))
        return now
    }

    /// Has it end the run and itself.
    func end(within limit: Duration = .seconds(20)) -> [Substring]? {
        try? input.fileHandleForWriting.close()
        guard listen(limit, until: "end ") else { return nil }
        process.waitUntilExit()
        return lines.last { $0.hasPrefix("end ") }?.split(separator: " ")
    }

    /// The steps that it took, with their moments.
    var steps: [Instant] {
        lines.filter { $0.hasPrefix("step ") }.map { Instant(nanoseconds: Int64($0.split(separator: " ")[2]) ?? 0) }
    }
}

extension String {
    /// Where the programs of this build are: beside the tests.
    static func programs() throws -> String {
        var directory = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        // A runner of the toolchain loads the tests as a library.
        if !FileManager.default.fileExists(atPath: directory.deletingLastPathComponent().path + "/JournalProcess") {
            directory = URL(fileURLWithPath: Bundle(for: RecordingProcess.self).bundlePath)
        }
        return directory.deletingLastPathComponent().path
    }
}

/// Tests/Faults/disk.c, built.
enum Faults {
    struct Failure: Error {}

    static func build(in directory: String) throws -> String {
        let library = directory + "/disk.so"
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Faults/disk.c").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library, source]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
        return library
    }
}
